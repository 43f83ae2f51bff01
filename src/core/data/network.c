#include "data/network.h"

#include <string.h>

double dpa_network_degree(const dpa_network *network, size_t node) {
  if (network->degree)
    return network->degree[node];
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

void dpa_network_sum(const dpa_network *network, size_t node, const double *value,
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
  if (factor)
    for (size_t j = 0; j < d; j++)
      sum[j] = factor[node] * sum[j] + network->self[node] * value[node * d + j];
}
