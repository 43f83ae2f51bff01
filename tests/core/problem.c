#include "problem.h"

#include "check.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double problem_uniform(dpa_stream *stream, double scale) {
  return scale * (2.0 * dpa_stream_uniform(stream) - 1.0);
}

/* Rows of norm at most 1 with `fill` of the entries; labels -1 and 1, or numbers. */
problem problem_make(size_t n, size_t d, double fill, int sparse, const dpa_loss *loss,
                     uint64_t seed) {
  problem p;
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, seed);
  dpa_stream_init(&stream, &key, 1, 2, 3);
  p.n = n;
  p.d = d;
  p.dense = get(1, n * d * sizeof(double));
  p.val = get(1, n * d * sizeof(double));
  p.col = get(1, n * d * sizeof(int));
  p.row = get(1, (n + 1) * sizeof(int));
  p.y = get(1, n * sizeof(double));
  p.lin = get(1, d * sizeof(double));
  int next = 0;
  for (size_t k = 0; k < n; k++) {
    p.row[k] = next;
    double score = 0.0;
    for (size_t j = 0; j < d; j++) {
      const int there = dpa_stream_uniform(&stream) < fill;
      const double value = problem_uniform(&stream, 1.0 / sqrt((double)d * fill));
      p.dense[k * d + j] = there ? value : 0.0;
      if (there) {
        p.val[next] = value;
        p.col[next++] = (int)j;
        score += value * (j % 3 == 0 ? 3.0 : -1.0);
      }
    }
    score += problem_uniform(&stream, 0.5);
    p.y[k] = loss->constants(1.0).classification ? (score > 0.0 ? 1.0 : -1.0) : score;
  }
  p.row[n] = next;
  for (size_t j = 0; j < d; j++)
    p.lin[j] = problem_uniform(&stream, 1.0);
  const dpa_records dense = {.n = n, .d = d, .y = p.y, .dense = p.dense};
  const dpa_records rows = {
      .n = n, .d = d, .y = p.y, .row = p.row, .col = p.col, .val = p.val};
  p.data = sparse ? rows : dense;
  return p;
}

void problem_drop(problem *p) {
  free(p->dense);
  free(p->val);
  free(p->col);
  free(p->row);
  free(p->y);
  free(p->lin);
}

/* ||grad||, and the size of the parts it is a sum of. */
double problem_gradient_norm(const problem *p, const dpa_solver *s, double *parts) {
  const size_t d = p->d;
  long double norm = 0.0L, data = 0.0L, quad = 0.0L, lin = 0.0L;
  long double *g = get(1, d * sizeof *g);
  for (size_t j = 0; j < d; j++)
    g[j] = 0.0L;
  for (size_t k = 0; k < p->n; k++) {
    long double margin = 0.0L;
    for (size_t j = 0; j < d; j++)
      margin += (long double)p->dense[k * d + j] * s->f[j];
    const double at = (double)margin + (p->data.offset ? p->data.offset[k] : 0.0);
    double derivative;
    s->loss->derivative(&at, p->y + k, 1, s->width, &derivative, NULL);
    derivative *= p->data.weight ? p->data.weight[k] : 1.0;
    for (size_t j = 0; j < d; j++)
      g[j] += (long double)s->weight * derivative * p->dense[k * d + j];
  }
  for (size_t j = 0; j < d; j++) {
    data += g[j] * g[j];
    quad += (long double)(s->at.quad * s->f[j]) * (s->at.quad * s->f[j]);
    lin += (long double)s->lin[j] * s->lin[j];
    g[j] += (long double)s->at.quad * s->f[j] + s->lin[j];
    norm += g[j] * g[j];
  }
  free(g);
  *parts = (double)(sqrtl(data) + sqrtl(quad) + sqrtl(lin));
  return (double)sqrtl(norm);
}

/* Run to the end; the promise of DPA_OK is checked. Answers the number of steps. */
int problem_solve(const problem *p, dpa_solver *s, double quad, double tol) {
  dpa_solver_start(s, quad, p->lin, tol);
  dpa_status status = DPA_CONTINUE;
  int calls = 0;
  while (status == DPA_CONTINUE && calls++ < 5000)
    status = dpa_solver_advance(s);
  double parts;
  const double norm = problem_gradient_norm(p, s, &parts);
  /* tol, or 64 ulp of the parts; margins drift by rounding as steps add up */
  CHECK(status == DPA_OK && norm <= fmax(tol, 0x1p-46 * parts) * 2.0 + 1e-14 * parts);
  return s->at.iterations;
}

/* The measuring and the placing pass agree, and the solver stays inside its memory. */
void *problem_place(dpa_solver *s, const problem *p, const dpa_loss *loss, double width,
                    double weight) {
  dpa_arena arena = {NULL, 0, 0};
  dpa_solver_layout(s, &arena, &p->data, loss, width, weight);
  dpa_solver_room(s, &arena);
  const size_t needed = arena.used;
  void *memory = malloc(needed);
  if (!memory || (uintptr_t)memory % 16 != 0)
    abort();
  memset(memory, 0xa5, needed); /* nothing is read before it is written */
  arena.base = memory;
  arena.used = 0;
  dpa_solver_layout(s, &arena, &p->data, loss, width, weight);
  dpa_solver_room(s, &arena);
  CHECK(arena.used == needed && !arena.overflow);
  return memory;
}
