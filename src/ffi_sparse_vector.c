#include "ffi_sparse_vector.h"

#include <limits.h>

const dpa_test *ffi_tests(ffi_reader *reader, SEXP keeper, size_t count) {
  const double *threshold = ffi_reals(reader, "threshold", count);
  const double *threshold_scale = ffi_reals(reader, "threshold_scale", count);
  const double *query_scale = ffi_reals(reader, "query_scale", count);
  const int most = ffi_int(reader, "max_sends", 0, INT_MAX);
  const int printed = ffi_flag(reader, "printed");
  const double clip = ffi_real(reader, "loss_clip", 0.0, R_PosInf);
  if (reader->bad)
    return NULL;
  dpa_test *tests = FFI_TAKE(keeper, dpa_test, count);
  for (size_t i = 0; i < count; i++) {
    tests[i].vector.threshold = threshold[i];
    tests[i].vector.threshold_scale = threshold_scale[i];
    tests[i].vector.query_scale = query_scale[i];
    tests[i].vector.most = (size_t)most;
    tests[i].vector.fresh = printed;
    tests[i].release_candidate = printed;
    tests[i].loss_clip = clip;
  }
  return tests;
}

/* The test alone, for experiments on its guarantee: answers (NA once silent) to a
 * matrix of queries, one independent run a column, from the streams of users 0, 1, ...
 */
SEXP ffi_sparse_vector(SEXP list, SEXP queries, SEXP raw) {
  ffi_reader reader = {list, NULL};
  SEXP keeper = PROTECT(ffi_keeper());
  const dpa_test *tests = ffi_tests(&reader, keeper, 1);
  dpa_key key;
  ffi_check(&reader, ffi_is_reals(queries, FFI_ANY) && Rf_isMatrix(queries), "queries");
  ffi_check(&reader, ffi_key_of(raw, &key) == DPA_OK, "key");
  if (reader.bad) {
    UNPROTECT(1);
    return ffi_status_of(DPA_ARGUMENT, reader.bad);
  }
  const dpa_sparse_vector test = tests[0].vector;
  const size_t asked = (size_t)Rf_nrows(queries), runs = (size_t)Rf_ncols(queries);
  SEXP out = PROTECT(Rf_allocMatrix(LGLSXP, (int)asked, (int)runs));
  dpa_status status = DPA_OK;
  for (size_t r = 0; r < runs && status == DPA_OK; r++) {
    size_t positive = 0;
    for (size_t t = 0; t < asked && status == DPA_OK; t++) {
      int above = NA_LOGICAL;
      if (positive < test.most) {
        status = dpa_sparse_vector_ask(&test, &key, (uint32_t)r, (uint32_t)t + 1,
                                       REAL_RO(queries)[r * asked + t], &above);
        positive += above == 1;
      }
      LOGICAL(out)[r * asked + t] = above;
    }
  }
  dpa_forget(&key, sizeof key);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(2);
  return answer;
}
