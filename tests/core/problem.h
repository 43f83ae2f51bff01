/* Node problems for the tests of the solver. */
#ifndef DPA_TEST_PROBLEM_H
#define DPA_TEST_PROBLEM_H

#include "random/key.h"
#include "rules/node_solver.h"

typedef struct problem {
  size_t n, d;
  double *dense, *val, *y, *lin;
  int *row, *col;
  dpa_records data;
} problem;

double problem_uniform(dpa_stream *stream, double scale);

/* Rows of norm at most 1 with `fill` of the entries; labels -1 and 1, or numbers. */
problem problem_make(size_t n, size_t d, double fill, int sparse, const dpa_loss *loss,
                     uint64_t seed);
void problem_drop(problem *p);

/* ||grad||, and the size of the parts it is a sum of, in long double. */
double problem_gradient_norm(const problem *p, const dpa_solver *s, double *parts);

/* Run to the end; the promise of DPA_OK is checked. Answers the number of steps. */
int problem_solve(const problem *p, dpa_solver *s, double quad, double tol);

/* Lays the solver out; the caller frees the memory. */
void *problem_place(dpa_solver *s, const problem *p, const dpa_loss *loss, double width,
                    double weight);

#endif
