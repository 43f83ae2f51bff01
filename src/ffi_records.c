#include "ffi_records.h"

#include "ffi_file.h"
#include "run/relay.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Records, and numbers of each, with which a collection of garbage pays: garbage has
 * some numbers a record. */
#define MANY ((size_t)1 << 19)
#define FEW 32

/* ---- matrices -------------------------------------------------------------------- */

typedef struct shape {
  size_t rows, columns;
  const double *dense; /* NULL: sparse, compressed by column: */
  const int *p, *i;
  const uint16_t *narrow; /* instead of i */
  const double *x;
} shape;

/* Slot i: whole numbers, or raw, two bytes each where that is enough, else four. */
static int read_features(ffi_reader *slots, size_t stored, int end, shape *out) {
  SEXP i = ffi_field(slots, "i");
  if (TYPEOF(i) != RAWSXP) {
    out->i = ffi_ints(slots, "i", FFI_ANY, 0, end - 1);
    return out->i && (size_t)Rf_xlength(i) >= stored;
  }
  const int narrow = (size_t)end <= DPA_NARROW;
  int ok = (size_t)Rf_xlength(i) / (narrow ? sizeof(uint16_t) : sizeof(int)) >= stored;
  if (narrow)
    out->narrow = (const uint16_t *)(const void *)RAW_RO(i);
  else
    out->i = (const int *)(const void *)RAW_RO(i);
  for (size_t s = 0; ok && s < stored; s++)
    ok = narrow ? out->narrow[s] < end : out->i[s] >= 0 && out->i[s] < end;
  return ok;
}

/* The matrix `x` of the list; 0 x 0 when something is amiss. */
static shape read_matrix(ffi_reader *reader) {
  shape out = {0, 0, NULL, NULL, NULL, NULL, NULL};
  SEXP x = ffi_field(reader, "x");
  if (TYPEOF(x) != VECSXP) {
    if (!ffi_check(reader, TYPEOF(x) == REALSXP && Rf_isMatrix(x), "x"))
      return out;
    out.rows = (size_t)Rf_nrows(x);
    out.columns = (size_t)Rf_ncols(x);
    out.dense = REAL_RO(x);
    return out;
  }
  ffi_reader slots = {x, NULL};
  const int *dim = ffi_ints(&slots, "Dim", 2, 0, INT_MAX - 1);
  const int *p = dim ? ffi_ints(&slots, "p", (size_t)dim[1] + 1, 0, INT_MAX) : NULL;
  int ok = p && p[0] == 0;
  for (int j = 0; ok && j < dim[1]; j++)
    ok = p[j] <= p[j + 1];
  /* they may be longer than what is used of them */
  const double *values = ok ? ffi_reals(&slots, "x", FFI_ANY) : NULL;
  const size_t stored = values ? (size_t)p[dim[1]] : 0;
  ok = values && (size_t)Rf_xlength(ffi_field(&slots, "x")) >= stored &&
       read_features(&slots, stored, dim[0], &out);
  if (!ffi_check(reader, ok, "x"))
    return out;
  out.rows = (size_t)dim[0];
  out.columns = (size_t)dim[1];
  out.p = p;
  out.x = values;
  return out;
}

/* Few columns, with an intercept that is not written out for each row. */
static void pack_few(SEXP keeper, shape x, const int *place, const dpa_recipe *recipe,
                     dpa_records *records) {
  double *columns = FFI_TAKE(keeper, double, x.rows *x.columns + 1);
  dpa_term *term = FFI_TAKE(keeper, dpa_term, records->d);
  memset(term, 0, records->d * sizeof *term);
  dpa_pack_columns(x.rows, x.columns, x.dense, place, recipe, columns);
  columns[x.rows * x.columns] = recipe->first;
  term[0].value = columns + x.rows * x.columns;
  for (size_t j = 1; j < records->d; j++) {
    term[j].first = j;
    term[j].number = columns + (j - 1) * x.rows;
  }
  records->term = term;
  records->terms = records->d;
  records->full = 1;
}

static dpa_records pack(ffi_reader *reader, SEXP keeper, shape x, const int *place,
                        const dpa_recipe *recipe, int threads) {
  dpa_records records;
  memset(&records, 0, sizeof records);
  if (!ffi_check(reader, !x.narrow, "x") || reader->bad)
    return records;
  const size_t n = records.n = x.rows, shift = recipe->intercept != 0;
  const size_t d = records.d = x.columns + shift;
  if (x.dense) {
    if (!ffi_check(reader, d == 0 || n < SIZE_MAX / 16 / d, "x"))
      return records;
    if (shift && x.columns <= DPA_FEW_COLUMNS) {
      pack_few(keeper, x, place, recipe, &records);
      return records;
    }
    double *dense = FFI_TAKE(keeper, double, n *d);
    dpa_pack_dense(n, x.columns, x.dense, place, recipe, threads, dense);
    records.dense = dense;
    return records;
  }
  const size_t stored = (size_t)x.p[x.columns] + shift * n;
  if (!ffi_check(reader, stored < INT_MAX, "x"))
    return records;
  int *row = FFI_TAKE(keeper, int, n + 1);
  int *col = d > DPA_NARROW ? FFI_TAKE(keeper, int, stored) : NULL;
  uint16_t *narrow = col ? NULL : FFI_TAKE(keeper, uint16_t, stored);
  double *val = FFI_TAKE(keeper, double, stored);
  dpa_pack_sparse(n, x.columns, x.p, x.i, x.x, place, recipe, row, col, narrow, val);
  records.row = row;
  records.col = col;
  records.narrow = narrow;
  records.val = val;
  return records;
}

dpa_records ffi_packed(ffi_reader *reader, SEXP keeper, const dpa_recipe *recipe) {
  return pack(reader, keeper, read_matrix(reader), NULL, recipe, 1);
}

/* Rows of a matrix as it lies (the transpose of a sparse one), or, transposed, of one
 * whose columns are the records. */
static dpa_records read_rows(ffi_reader *reader, int transposed) {
  dpa_records records;
  memset(&records, 0, sizeof records);
  const shape x = read_matrix(reader);
  const int by_column = x.dense && !transposed;
  ffi_check(reader, transposed || !x.narrow, "x");
  records.n = by_column ? x.rows : x.columns;
  records.d = by_column ? x.columns : x.rows;
  records.dense = x.dense;
  records.lead = by_column ? x.rows : 0;
  records.row = x.p;
  records.col = x.i;
  records.narrow = x.narrow;
  records.val = x.x;
  return records;
}

dpa_records ffi_in_place(ffi_reader *reader) {
  return read_rows(reader, 0);
}

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
  const shape x = read_matrix(reader);
  dpa_recipe recipe = {R_PosInf, ffi_has(reader, "first"), 0.0, work};
  if (recipe.intercept)
    recipe.first = ffi_real(reader, "first", 0.0, DBL_MAX);
  if (ffi_has(reader, "before"))
    recipe.bound = ffi_real(reader, "before", 1e-280, R_PosInf);
  const int *place = read_places(reader, x.rows);
  dpa_records all = pack(reader, keeper, x, place, &recipe, plan->threads);
  take_numbers(reader, keeper, place, plan, &all);
  return all;
}

static dpa_records stored_records(ffi_reader *reader, SEXP keeper, const dpa_plan *plan,
                                  const char *layout) {
  dpa_records all = ffi_is_mapped(reader) ? ffi_mapped(reader, keeper)
                    : strcmp(layout, "terms") == 0
                        ? ffi_terms(reader, keeper)
                        : read_rows(reader, strcmp(layout, "rows") == 0);
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
