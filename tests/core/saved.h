/* Saved parties whose bytes were changed. */
#ifndef SAVED_H
#define SAVED_H

#include <stddef.h>
#include <stdint.h>

/* Bytes before the state. */
enum { SAVED_HEAD = 6 * sizeof(uint64_t) };

/* The sum that tells accidents is made right again. */
void saved_sum_up(unsigned char *saved, size_t bytes);

#endif
