/* Passes over the records of a node. Rows are taken in chunks that depend on the sizes
 * alone; threads share the chunks, whose sums are added in order, so results are the
 * same for any number of threads. A chunk goes by blocks of rows that stay in cache
 * between the product with them and the product back. */
#ifndef DPA_NODE_PASS_H
#define DPA_NODE_PASS_H

#include "rules/node_solver.h"

typedef enum dpa_pass {
  DPA_PASS_POINT, /* margin = X f; then the gradient at the margins */
  DPA_PASS_STEP,  /* along = X dir; at margin + along */
  DPA_PASS_BACK,  /* at the margins */
  DPA_PASS_MEAN   /* X' along, to the second part of a scale */
} dpa_pass;

/* Room for sums of the records at hand (or fewer). */
void dpa_pass_layout(dpa_solver *solver, dpa_arena *arena);

/* data_grad, as the pass says. Answers the losses' part of the directional derivative
 * at the end of a step; the sum of `along` with a mean; else 0. */
double dpa_solver_pass(dpa_solver *solver, dpa_pass pass);

#endif
