/* One block of the caller's memory, handed out in pieces. The same layout function runs
 * twice: with base NULL it measures, then with the block it places. */
#ifndef DPA_ARENA_H
#define DPA_ARENA_H

#include <stddef.h>
#include <stdint.h>

typedef struct dpa_arena {
  unsigned char *base; /* NULL: only measure */
  size_t used;         /* bytes handed out so far */
  int overflow;        /* a size did not fit in size_t */
} dpa_arena;

/* `count` objects of `size` bytes, aligned to 16; NULL while measuring. The first piece
 * of a block is aligned when the block is. */
static inline void *dpa_take(dpa_arena *arena, size_t count, size_t size) {
  if (size != 0 && count > (SIZE_MAX - 15 - arena->used) / size) {
    arena->overflow = 1;
    return NULL;
  }
  void *piece = arena->base ? arena->base + arena->used : NULL;
  arena->used += (count * size + 15) / 16 * 16;
  return piece;
}

#define DPA_TAKE(arena, type, count) ((type *)dpa_take((arena), (count), sizeof(type)))

#endif
