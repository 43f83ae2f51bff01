/* An undirected graph in compressed neighbour lists: node i's neighbours are
 * neighbour[start[i]], ..., neighbour[start[i + 1] - 1], increasing; without lists all
 * are neighbours of all. Where it has factors, the edge between i and j weighs
 * factor[i] * factor[j], and a node weighs self[i] itself; else edges weigh 1 and
 * nodes 0. */
#ifndef DPA_NETWORK_H
#define DPA_NETWORK_H

#include <stddef.h>

typedef struct dpa_network {
  size_t nodes;
  const int *start;     /* nodes + 1, or NULL: a complete graph */
  const int *neighbour; /* indices from 0 */
  const double *factor; /* nodes, or NULL; then the next two are NULL, too */
  const double *self;   /* nodes */
  const double *degree; /* nodes: what a node and its edges weigh */
} dpa_network;

double dpa_network_degree(const dpa_network *network, size_t node);

/* Label the connected components 0, 1, ... in order of their first node; returns how
 * many; of a graph with lists. component and queue: `nodes` integers each. */
size_t dpa_network_components(const dpa_network *network, int *component, int *queue);

/* sum[i * d + j] = sum over the neighbours k of node i, and itself, of their weights
 * times value[k * d + j]. scratch: d numbers. */
void dpa_network_sums(const dpa_network *network, const double *value, size_t d,
                      double *scratch, double *sum);

#endif
