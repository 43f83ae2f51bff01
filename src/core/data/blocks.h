/* Rows one block after the other, for what goes over them in order: where they are, or,
 * of a file that its pager reads from the disk itself, where it puts them meanwhile. */
#ifndef DPA_BLOCKS_H
#define DPA_BLOCKS_H

#include "data/records.h"

typedef struct dpa_blocks {
  const dpa_records *data;
  size_t next, end, step;
  size_t piece, until; /* rows that are read at once, and up to which they are here */
  void *reading;       /* of the pager; NULL: rows are where they are */
  const double *from;
} dpa_blocks;

/* Rows first, ..., end - 1, at most `step` (> 0) at a time. Whoever begins goes to the
 * end. */
dpa_blocks dpa_blocks_of(const dpa_records *data, size_t first, size_t end,
                         size_t step);

/* Those of chunk 0, ..., chunks - 1 of all rows, which are about as long as each other.
 */
dpa_blocks dpa_blocks_of_chunk(const dpa_records *data, size_t chunk, size_t chunks,
                               size_t step);

/* The next block; 0: there is none. Its rows begin at *at, and are there until the next
 * call. */
int dpa_blocks_next(dpa_blocks *blocks, size_t *at, dpa_records *rows);

#endif
