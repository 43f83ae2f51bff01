/* The checks of the core's tests. A test file test_<name>.c defines
 * `void test_<name>(void)`; tools/test-core finds and calls it. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>

/* Counts a pass, or a failure with its place and text. */
#define CHECK(ok) check_record((ok), __FILE__, __LINE__, #ok)

/* |actual - expected| <= tolerance; a NaN fails. */
#define CHECK_NEAR(actual, expected, tolerance)                                        \
  check_near((actual), (expected), (tolerance), __FILE__, __LINE__, #actual)

void check_record(int ok, const char *file, int line, const char *what);
void check_near(double actual, double expected, double tolerance, const char *file,
                int line, const char *what);

/* Memory for `count` pieces, exact but for a byte, so that overruns are seen. */
void *get(size_t count, size_t size);

/* Prints `core: N passed, N failed`; 0 when none failed and some passed. */
int check_report(void);

#endif
