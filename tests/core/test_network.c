/* Graphs in compressed neighbour lists. */
#include "check.h"
#include "data/network.h"

#include <string.h>

void test_network(void);

enum { MOST = 16 };

typedef struct lists {
  int start[MOST + 1], neighbour[MOST * MOST];
} lists;

/* Neighbour lists of an adjacency matrix. */
static dpa_network network_of(lists *to, const unsigned char *adjacent, size_t nodes) {
  int next = 0;
  for (size_t i = 0; i < nodes; i++) {
    to->start[i] = next;
    for (size_t j = 0; j < nodes; j++)
      if (adjacent[i * nodes + j])
        to->neighbour[next++] = (int)j;
  }
  to->start[nodes] = next;
  const dpa_network network = {
      .nodes = nodes, .start = to->start, .neighbour = to->neighbour};
  return network;
}

/* Every graph of four nodes: components against repeated merging of labels. */
static void check_small(void) {
  static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  int counts = 1, labels = 1, degrees = 1, sums = 1;
  for (unsigned graph = 0; graph < 64; graph++) {
    unsigned char adjacent[16] = {0};
    int label[4] = {0, 1, 2, 3};
    for (int e = 0; e < 6; e++)
      if (graph >> e & 1u)
        adjacent[4 * ends[e][0] + ends[e][1]] = adjacent[4 * ends[e][1] + ends[e][0]] =
            1;
    for (int round = 0; round < 4; round++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
          if (adjacent[4 * i + j] && label[j] < label[i])
            label[i] = label[j];
    /* numbers in order of the first node */
    int name[4], found = 0;
    for (int i = 0; i < 4; i++)
      name[i] = label[i] == i ? found++ : name[label[i]];

    lists space;
    const dpa_network network = network_of(&space, adjacent, 4);
    int component[4], queue[4];
    counts &= dpa_network_components(&network, component, queue) == (size_t)found;
    labels &= memcmp(component, name, sizeof name) == 0;

    static const double value[8] = {1.0, 0.1, 2.0, 0.2, 4.0, 0.4, 8.0, 0.8};
    double sum[8], scratch[2];
    dpa_network_sums(&network, value, 2, scratch, sum);
    for (size_t i = 0; i < 4; i++) {
      double want[2] = {0.0, 0.0};
      double degree = 0.0;
      for (size_t j = 0; j < 4; j++)
        if (adjacent[4 * i + j]) {
          degree += 1.0;
          want[0] += value[2 * j];
          want[1] += value[2 * j + 1];
        }
      degrees &= dpa_network_degree(&network, i) == degree;
      sums &= sum[2 * i] == want[0] && sum[2 * i + 1] == want[1];
    }
  }
  CHECK(counts);
  CHECK(labels);
  CHECK(degrees);
  CHECK(sums);
}

static void check_edges(void) {
  lists space;
  int component[MOST], queue[MOST];
  unsigned char none[1] = {0};
  const dpa_network one = network_of(&space, none, 1);
  CHECK(dpa_network_components(&one, component, queue) == 1 && component[0] == 0);
  CHECK(dpa_network_degree(&one, 0) == 0);

  unsigned char path[MOST * MOST] = {0}; /* 15 - 14 - ... - 0: the longest search */
  for (int i = 0; i + 1 < MOST; i++)
    path[MOST * i + i + 1] = path[MOST * (i + 1) + i] = 1;
  const dpa_network line = network_of(&space, path, MOST);
  CHECK(dpa_network_components(&line, component, queue) == 1);
  CHECK(dpa_network_degree(&line, 0) == 1 && dpa_network_degree(&line, 7) == 2);
}

/* A complete graph needs no lists: the same sums of whole numbers with and without. */
static void check_complete(void) {
  lists space;
  unsigned char all[MOST * MOST];
  double value[2 * MOST], factor[MOST], self[MOST], degree[MOST], scratch[2];
  for (size_t i = 0; i < MOST; i++) {
    for (size_t j = 0; j < MOST; j++)
      all[MOST * i + j] = i != j;
    value[2 * i] = (double)(i * i);
    value[2 * i + 1] = 1.0 - (double)i;
    factor[i] = (double)(1 + i % 3);
    self[i] = degree[i] = (double)(i % 5);
  }
  for (int weighted = 0; weighted < 2; weighted++) {
    dpa_network listed = network_of(&space, all, MOST), bare = {0};
    bare.nodes = MOST;
    if (weighted) {
      listed.factor = bare.factor = factor;
      listed.self = bare.self = self;
      listed.degree = bare.degree = degree;
    }
    double want[2 * MOST], sum[2 * MOST];
    dpa_network_sums(&listed, value, 2, scratch, want);
    dpa_network_sums(&bare, value, 2, scratch, sum);
    CHECK(memcmp(want, sum, sizeof sum) == 0);
    CHECK(dpa_network_degree(&bare, 3) == dpa_network_degree(&listed, 3));
  }
}

static void check_weighted(void) {
  lists space;
  const unsigned char path[9] = {0, 1, 0, 1, 0, 1, 0, 1, 0};
  const double factor[3] = {2.0, 0.5, 4.0}, self[3] = {8.0, 0.0, 1.0};
  const double degree[3] = {9.0, 3.0, 3.0};
  dpa_network network = network_of(&space, path, 3);
  network.factor = factor;
  network.self = self;
  network.degree = degree;
  const double value[3] = {1.0, 10.0, 100.0}, want[3] = {18.0, 201.0, 120.0};
  double sum[3], scratch[1];
  dpa_network_sums(&network, value, 1, scratch, sum);
  for (size_t i = 0; i < 3; i++) {
    CHECK(sum[i] == want[i]);
    CHECK(dpa_network_degree(&network, i) == degree[i]);
  }
}

void test_network(void) {
  check_small();
  check_complete();
  check_weighted();
  check_edges();
}
