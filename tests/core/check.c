#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static long passed, failed;

void check_record(int ok, const char *file, int line, const char *what) {
  if (ok) {
    passed++;
  } else {
    failed++;
    printf("%s:%d: failed: %s\n", file, line, what);
  }
}

void check_near(double actual, double expected, double tolerance, const char *file,
                int line, const char *what) {
  int ok = fabs(actual - expected) <= tolerance;
  check_record(ok, file, line, what);
  if (!ok)
    printf("  is %.17g, not %.17g within %g\n", actual, expected, tolerance);
}

int check_report(void) {
  printf("core: %ld passed, %ld failed\n", passed, failed);
  return failed > 0 || passed == 0;
}

void *get(size_t count, size_t size) {
  void *piece = malloc(count * size + 1);
  if (!piece)
    abort();
  return piece;
}
