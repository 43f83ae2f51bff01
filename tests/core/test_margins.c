/* Margins of rows in place do not depend on where the rows lie. */
#include "check.h"
#include "data/records.h"

#include <math.h>
#include <string.h>

void test_margins(void);

/* A column-major row's margin, to the last bit, wherever it lies and whatever is around
 * it: the rows without the first one, and in parts. */
void test_margins(void) {
  enum { ROWS = 2100, COLUMNS = 7 };
  static double x[ROWS * COLUMNS], all[ROWS], other[ROWS];
  double f[COLUMNS];
  for (size_t k = 0; k < ROWS * COLUMNS; k++)
    x[k] = sin((double)k * 1.7) * pow(10.0, (double)(k % 5));
  for (size_t j = 0; j < COLUMNS; j++)
    f[j] = cos((double)j) / 3.0;
  const dpa_records rows = {.n = ROWS, .d = COLUMNS, .y = x, .dense = x, .lead = ROWS};
  dpa_records_margin(&rows, f, all);
  int same = 1;
  for (size_t first = 1; first < 70; first++) {
    const dpa_records part = dpa_records_part(&rows, first, ROWS - first - first / 2);
    dpa_records_margin(&part, f, other);
    same &= memcmp(other, all + first, part.n * sizeof *other) == 0;
  }
  for (size_t k = 0; k < ROWS; k++)
    same &= dpa_records_dot(&rows, k, f) == all[k];
  CHECK(same);
}
