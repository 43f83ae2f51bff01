/* The three routines of BLAS and LAPACK that the core calls, for lower triangles, as plainly as
 * can be. */
#include <math.h>
#include <stddef.h>

void dsymv_(const char *uplo, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy, size_t length) {
  (void)uplo, (void)incx, (void)incy, (void)length;
  for (int i = 0; i < *n; i++) {
    double sum = 0.0;
    for (int j = 0; j < *n; j++)
      sum += (j <= i ? a[j * *lda + i] : a[i * *lda + j]) * x[j];
    y[i] = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * y[i]);
  }
}

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info,
             size_t length) {
  (void)uplo, (void)length;
  *info = 0;
  for (int j = 0; j < *n; j++) {
    double pivot = a[j * *lda + j];
    for (int k = 0; k < j; k++)
      pivot -= a[k * *lda + j] * a[k * *lda + j];
    if (!(pivot > 0.0)) {
      *info = j + 1;
      return;
    }
    a[j * *lda + j] = sqrt(pivot);
    for (int i = j + 1; i < *n; i++) {
      double sum = a[j * *lda + i];
      for (int k = 0; k < j; k++)
        sum -= a[k * *lda + i] * a[k * *lda + j];
      a[j * *lda + i] = sum / a[j * *lda + j];
    }
  }
}

void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a,
             const int *lda, double *b, const int *ldb, int *info, size_t length) {
  (void)uplo, (void)length;
  *info = 0;
  for (int c = 0; c < *nrhs; c++) {
    double *x = b + (size_t)c * (size_t)*ldb;
    for (int i = 0; i < *n; i++) {
      for (int k = 0; k < i; k++)
        x[i] -= a[k * *lda + i] * x[k];
      x[i] /= a[i * *lda + i];
    }
    for (int i = *n - 1; i >= 0; i--) {
      for (int k = i + 1; k < *n; k++)
        x[i] -= a[i * *lda + k] * x[k];
      x[i] /= a[i * *lda + i];
    }
  }
}
