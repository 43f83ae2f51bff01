/* The sparse vector test as R sees it. */
#include "ffi_sparse_vector.h"

#include "ffi.h"
#include "ffi_fit.h"

dpa_test ffi_read_test(SEXP list, size_t i) {
  dpa_test test;
  test.vector.threshold = REAL_RO(ffi_field(list, "threshold"))[i];
  test.vector.threshold_scale = REAL_RO(ffi_field(list, "threshold_scale"))[i];
  test.vector.query_scale = REAL_RO(ffi_field(list, "query_scale"))[i];
  test.vector.most = (size_t)Rf_asInteger(ffi_field(list, "max_sends"));
  test.vector.fresh = Rf_asLogical(ffi_field(list, "printed"));
  test.release_candidate = test.vector.fresh;
  test.loss_clip = REAL_RO(ffi_field(list, "loss_clip"))[0];
  return test;
}

/* The test alone, for experiments on its guarantee: answers (NA once silent) to a
 * matrix of queries, one independent run a column, from the streams of nodes 0, 1, ...
 */
SEXP ffi_sparse_vector(SEXP list, SEXP queries, SEXP key) {
  dpa_key secret;
  dpa_status status = ffi_read_key(key, &secret);
  if (status != DPA_OK)
    return ffi_status(status);
  const dpa_sparse_vector test = ffi_read_test(list, 0).vector;
  const size_t asked = (size_t)Rf_nrows(queries), runs = (size_t)Rf_ncols(queries);
  SEXP out = PROTECT(Rf_allocMatrix(LGLSXP, (int)asked, (int)runs));
  for (size_t r = 0; r < runs && status == DPA_OK; r++) {
    size_t positive = 0;
    for (size_t t = 0; t < asked && status == DPA_OK; t++) {
      int above = NA_LOGICAL;
      if (positive < test.most) {
        status = dpa_sparse_vector_ask(&test, &secret, (uint32_t)r, (uint32_t)t + 1,
                                       REAL_RO(queries)[r * asked + t], &above);
        positive += above == 1;
      }
      LOGICAL(out)[r * asked + t] = above;
    }
  }
  dpa_forget(&secret, sizeof secret);
  SEXP answer = status == DPA_OK ? out : ffi_status(status);
  UNPROTECT(1);
  return answer;
}
