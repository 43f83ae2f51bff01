#include "ffi_records.h"

#include "ffi_map.h"
#include "run/relay.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Records, and numbers of each, with which a collection of garbage pays: garbage has
 * some numbers a record. */
#define MANY ((size_t)1 << 19)
#define FEW 32

/* ---- a place for every record ---------------------------------------------------- */

/* Whose each of n records is, from 1, where they are dealt out. */
static int *deal(ffi_reader *reader, size_t n) {
  const ffi_reader split = {ffi_field(reader, "split"), NULL};
  SEXP size = ffi_field(&split, "size");
  if (!ffi_check(reader, ffi_dealt(size) == (double)n, "split"))
    return NULL;
  int *holder = (int *)R_alloc(n, sizeof *holder);
  const dpa_status status = ffi_deal(ffi_field(&split, "key"), size, holder);
  return ffi_check(reader, status == DPA_OK, "split") ? holder : NULL;
}

/* Where each of n records goes, from 0: behind those of the holders before its own, and
 * of its own that come before it. NULL: where it is. The memory is good until the call
 * of R is over, or gives it back by vmaxset(). */
static const int *read_places(ffi_reader *reader, size_t n) {
  const int dealt = ffi_has(reader, "split");
  if (!dealt && !ffi_has(reader, "holder"))
    return NULL;
  int *place = dealt ? deal(reader, n) : (int *)R_alloc(n, sizeof *place);
  const int *holder =
      dealt ? place : ffi_ints(reader, "holder", n, 1, n < INT_MAX ? (int)n : INT_MAX);
  if (!holder)
    return NULL;
  size_t holders = 0;
  for (size_t k = 0; k < n; k++)
    holders = (size_t)holder[k] > holders ? (size_t)holder[k] : holders;
  int *next = (int *)R_alloc(holders + 1, sizeof *next);
  memset(next, 0, (holders + 1) * sizeof *next);
  for (size_t k = 0; k < n; k++)
    next[holder[k]]++;
  for (size_t i = 0; i < holders; i++)
    next[i + 1] += next[i];
  for (size_t k = 0; k < n; k++)
    place[k] = next[holder[k] - 1]++;
  return place;
}

/* How many of n records each party holds. The memory is as that of places. */
static const size_t *read_sizes(ffi_reader *reader, size_t parties, size_t n) {
  size_t *held = (size_t *)R_alloc(parties, sizeof *held), sum = 0;
  const int *size =
      ffi_has(reader, "size") ? ffi_ints(reader, "size", parties, 0, INT_MAX) : NULL;
  for (size_t i = 0; i < parties; i++)
    sum += held[i] = size ? (size_t)size[i] : parties == 1 ? n : 0;
  ffi_check(reader, sum == n, "size");
  return held;
}

/* ---- parties --------------------------------------------------------------------- */

/* Users of a party whose records end at `end`; answers whether they end there too. */
static int take_users(const int *user_size, size_t users, size_t *next, size_t records,
                      dpa_holding *holding) {
  size_t sum = 0;
  holding->size = user_size + *next;
  while (*next < users && sum < records)
    sum += (size_t)user_size[(*next)++];
  holding->users = (size_t)(user_size + *next - holding->size);
  return sum == records;
}

/* Records of all parties, in their order, to one holding each. longest: one a party, or
 * 0. */
static void share_out(ffi_reader *reader, SEXP keeper, dpa_records all, size_t parties,
                      const size_t *held, const double *longest, int users,
                      dpa_holding *holding) {
  const int several = users && ffi_has(reader, "user_size");
  const int *user_size =
      several ? ffi_ints(reader, "user_size", FFI_ANY, 1, INT_MAX) : NULL;
  if (reader->bad)
    return;
  if (users && !several && !all.norm) {
    double *norm = FFI_TAKE(keeper, double, all.n);
    dpa_records_norms(&all, norm);
    all.norm = norm;
  }
  const size_t every = several ? (size_t)Rf_xlength(ffi_field(reader, "user_size")) : 0;
  size_t first = 0, next = 0;
  int fits = 1;
  for (size_t i = 0; i < parties; i++) {
    holding[i].records = dpa_records_part(&all, first, held[i]);
    holding[i].records.longest = longest[i];
    dpa_records_count(&holding[i].records);
    holding[i].users = held[i];
    holding[i].size = NULL;
    if (several)
      fits &= take_users(user_size, every, &next, held[i], &holding[i]);
    first += held[i];
  }
  ffi_check(reader, !several || (fits && next == every), "user_size");
}

/* What a record may have besides a row and a label, in the records' order; NULL: no
 * record has. */
static const double *extra(ffi_reader *reader, const char *name, size_t n, double least,
                           double most) {
  if (!ffi_has(reader, name))
    return NULL;
  const double *x = ffi_reals(reader, name, n);
  int ok = 1;
  for (size_t k = 0; x && k < n; k++)
    ok &= x[k] >= least && x[k] <= most; /* and not NaN */
  ffi_check(reader, ok, name);
  return x;
}

static const double *weights(ffi_reader *reader, size_t n) {
  return extra(reader, "weight", n, 0.0, 1.0);
}

static const double *offsets(ffi_reader *reader, size_t n) {
  return extra(reader, "offset", n, -DBL_MAX, DBL_MAX);
}

static const double *placed(SEXP keeper, const double *x, const int *place, size_t n) {
  if (!x)
    return NULL;
  double *out = FFI_TAKE(keeper, double, n);
  for (size_t k = 0; k < n; k++)
    out[place[k]] = x[k];
  return out;
}

/* The same of labels -1 and 1, a byte each; NULL: others are among them. */
static const int8_t *placed_signs(SEXP keeper, const double *y, const int *place,
                                  size_t n) {
  for (size_t k = 0; k < n; k++)
    if (fabs(y[k]) != 1.0)
      return NULL;
  int8_t *out = FFI_TAKE(keeper, int8_t, n);
  for (size_t k = 0; k < n; k++)
    out[place[k]] = y[k] > 0.0 ? 1 : -1;
  return out;
}

/* Labels, weights and offsets, each record's in its place. */
static void take_numbers(ffi_reader *reader, SEXP keeper, const int *place,
                         const dpa_plan *plan, dpa_records *all) {
  if (reader->bad)
    return;
  const size_t n = all->n;
  const double *y = ffi_reals(reader, "y", n), *weight = weights(reader, n);
  const double *offset = offsets(reader, n);
  if (reader->bad)
    return;
  const int classes = plan->loss->constants(plan->width).classification;
  all->sign = place && classes ? placed_signs(keeper, y, place, n) : NULL;
  all->y = all->sign ? NULL : place ? placed(keeper, y, place, n) : y;
  all->weight = place ? placed(keeper, weight, place, n) : weight;
  all->offset = place ? placed(keeper, offset, place, n) : offset;
}

static dpa_records packed_records(ffi_reader *reader, SEXP keeper, const dpa_plan *plan,
                                  dpa_work *work) {
  const ffi_shape x = ffi_matrix(reader);
  dpa_recipe recipe = {R_PosInf, ffi_has(reader, "first"), 0.0, work};
  if (recipe.intercept)
    recipe.first = ffi_real(reader, "first", 0.0, DBL_MAX);
  if (ffi_has(reader, "before"))
    recipe.bound = ffi_real(reader, "before", 1e-280, R_PosInf);
  const int *place = read_places(reader, x.rows);
  dpa_records all = ffi_pack(reader, keeper, x, place, &recipe, plan->threads);
  take_numbers(reader, keeper, place, plan, &all);
  return all;
}

static dpa_records stored_records(ffi_reader *reader, SEXP keeper, const dpa_plan *plan,
                                  const char *layout) {
  dpa_records all = ffi_is_mapped(reader) ? ffi_mapped(reader, keeper)
                    : strcmp(layout, "terms") == 0
                        ? ffi_terms(reader, keeper)
                        : ffi_rows(reader, strcmp(layout, "rows") == 0);
  take_numbers(reader, keeper, reader->bad ? NULL : read_places(reader, all.n), plan,
               &all);
  return all;
}

dpa_holding *ffi_records(ffi_reader *reader, SEXP keeper, size_t parties,
                         const dpa_plan *plan, dpa_work *work) {
  const dpa_layout *kind = plan->relay->layout;
  const int threads = plan->threads;
  const void *const top = vmaxget();
  const char *layout = ffi_string(reader, "layout");
  const int in_place = strcmp(layout, "in_place") == 0;
  const int packed = strcmp(layout, "packed") == 0;
  ffi_check(reader,
            in_place || packed || strcmp(layout, "rows") == 0 ||
                strcmp(layout, "terms") == 0,
            "layout");
  if (!ffi_check(reader, !in_place || parties == 1, "layout"))
    return NULL;
  dpa_records all = packed ? packed_records(reader, keeper, plan, work)
                           : stored_records(reader, keeper, plan, layout);
  if (reader->bad ||
      !ffi_check(reader, all.d == plan->d && all.d < INT_MAX && all.n < INT_MAX, "x"))
    return NULL;
  vmaxset(top);
  if (all.n >= MANY && dpa_records_stored(&all) < FEW * all.n)
    R_gc(); /* what is no longer needed would lie beside the memory of the run */
  all.work = work;
  const size_t *held = read_sizes(reader, parties, all.n);
  double *longest = (double *)R_alloc(parties, sizeof *longest);
  if (reader->bad)
    return NULL;
  ffi_measure(reader, keeper, parties, held, kind != &dpa_layout_node, threads, &all,
              longest);
  dpa_holding *holding = FFI_TAKE(keeper, dpa_holding, parties);
  if (reader->bad)
    return NULL;
  share_out(reader, keeper, all, parties, held, longest, kind == &dpa_layout_users,
            holding);
  return holding;
}
