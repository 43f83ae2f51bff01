#include "data/network.h"

#include <string.h>

double dpa_network_degree(const dpa_network *network, size_t node) {
  if (network->degree)
    return network->degree[node];
  if (!network->start)
    return (double)(network->nodes - 1);
  return network->start[node + 1] - network->start[node];
}

size_t dpa_network_components(const dpa_network *network, int *component, int *queue) {
  size_t found = 0;
  for (size_t i = 0; i < network->nodes; i++)
    component[i] = -1;
  for (size_t seed = 0; seed < network->nodes; seed++) {
    if (component[seed] >= 0)
      continue;
    size_t head = 0, tail = 0;
    queue[tail++] = (int)seed;
    component[seed] = (int)found;
    while (head < tail) {
      const int i = queue[head++];
      for (int e = network->start[i]; e < network->start[i + 1]; e++) {
        const int j = network->neighbour[e];
        if (component[j] < 0) {
          component[j] = (int)found;
          queue[tail++] = j;
        }
      }
    }
    found++;
  }
  return found;
}

/* Of a complete graph: what comes before a node, then what comes after it. */
static void sum_others(const dpa_network *network, const double *value, size_t d,
                       double *running, double *sum) {
  const double *factor = network->factor;
  const size_t nodes = network->nodes;
  memset(sum, 0, nodes * d * sizeof *sum);
  for (int back = 0; back < 2; back++) {
    memset(running, 0, d * sizeof *running);
    for (size_t k = 0; k < nodes; k++) {
      const size_t i = back ? nodes - 1 - k : k;
      const double weight = factor ? factor[i] : 1.0;
      for (size_t j = 0; j < d; j++) {
        sum[i * d + j] += running[j];
        running[j] += weight * value[i * d + j];
      }
    }
  }
}

static void sum_listed(const dpa_network *network, size_t node, const double *value,
                       size_t d, double *sum) {
  const double *factor = network->factor;
  memset(sum, 0, d * sizeof *sum);
  for (int e = network->start[node]; e < network->start[node + 1]; e++) {
    const size_t from = (size_t)network->neighbour[e];
    const double *neighbour = value + from * d;
    const double weight = factor ? factor[from] : 1.0;
    for (size_t j = 0; j < d; j++)
      sum[j] += weight * neighbour[j];
  }
}

void dpa_network_sums(const dpa_network *network, const double *value, size_t d,
                      double *scratch, double *sum) {
  if (network->start)
    for (size_t i = 0; i < network->nodes; i++)
      sum_listed(network, i, value, d, sum + i * d);
  else
    sum_others(network, value, d, scratch, sum);
  if (network->factor)
    for (size_t i = 0; i < network->nodes; i++)
      for (size_t j = i * d; j < (i + 1) * d; j++)
        sum[j] = network->factor[i] * sum[j] + network->self[i] * value[j];
}
