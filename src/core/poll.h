/* How a long loop asks its caller whether to go on. */
#ifndef DPA_POLL_H
#define DPA_POLL_H

#include <stddef.h>

/* Called between steps with the number of finished iterations; not 0 stops the run.
 * Never called from inside a parallel region. */
typedef int (*dpa_poll)(void *context, size_t done);

#endif
