#include "data/blocks.h"

#include <stdint.h>

#define PIECE ((size_t)1 << 20)      /* bytes that are read at once, about */
#define MOST_PIECE ((size_t)1 << 23) /* where a block has more it is not worth it */
#define LEAST_PIECES 2

/* Whole blocks, so that where a piece ends changes no sum. */
static void begin_reading(dpa_blocks *b) {
  const dpa_pager *pager = b->data->pager;
  const size_t row = b->data->d * sizeof(double);
  if (!pager || !pager->begin || !b->data->dense || b->data->lead || b->step == 0 ||
      b->step > MOST_PIECE / row)
    return;
  const size_t blocks = PIECE / (b->step * row);
  b->piece = (blocks > 0 ? blocks : 1) * b->step;
  if ((b->end - b->next) / LEAST_PIECES < b->piece)
    return;
  b->reading = pager->begin(pager->context, b->data->dense + b->next * b->data->d,
                            (b->end - b->next) * row, b->piece * row);
  b->until = b->next;
}

dpa_blocks dpa_blocks_of(const dpa_records *data, size_t first, size_t end,
                         size_t step) {
  dpa_blocks b = {data, first, end, step, 0, 0, NULL, NULL};
  begin_reading(&b);
  return b;
}

dpa_blocks dpa_blocks_of_chunk(const dpa_records *data, size_t chunk, size_t chunks,
                               size_t step) {
  const size_t base = data->n / chunks, extra = data->n % chunks;
  const size_t first = chunk * base + (chunk < extra ? chunk : extra);
  return dpa_blocks_of(data, first, first + base + (chunk < extra), step);
}

/* Where the pager cannot go on, the other rows are taken from where they are. */
static void next_piece(dpa_blocks *b) {
  const dpa_pager *pager = b->data->pager;
  b->from = b->next < b->end ? pager->next(b->reading) : NULL;
  if (!b->from) {
    pager->end(b->reading);
    b->reading = NULL;
    return;
  }
  b->until = b->end - b->next < b->piece ? b->end : b->next + b->piece;
}

int dpa_blocks_next(dpa_blocks *b, size_t *at, dpa_records *rows) {
  if (b->reading && b->next == b->until)
    next_piece(b);
  const size_t left = b->end - b->next, count = left < b->step ? left : b->step;
  if (count == 0)
    return 0;
  *at = b->next;
  *rows = dpa_records_part(b->data, b->next, count);
  b->next += count;
  if (b->reading) {
    rows->dense = b->from;
    rows->pager = NULL;
    b->from += count * b->data->d;
  }
  return 1;
}
