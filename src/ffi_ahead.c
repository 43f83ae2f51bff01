#ifndef _WIN32
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for O_DIRECT */
#endif
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

#include "ffi_ahead.h"

#include <errno.h>
#include <stdlib.h>

#ifdef _WIN32

int ffi_ahead_open(const char *name) {
  (void)name;
  return -1;
}

void ffi_ahead_close(int file) {
  (void)file;
}

void *ffi_ahead_begin(int file, size_t at, size_t bytes, size_t piece) {
  (void)file;
  (void)at;
  (void)bytes;
  (void)piece;
  return NULL;
}

const double *ffi_ahead_next(void *reading) {
  (void)reading;
  return NULL;
}

void ffi_ahead_end(void *reading) {
  (void)reading;
}

#else

int ffi_ahead_open(const char *name) {
#if defined(O_DIRECT)
  return open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
#elif defined(F_NOCACHE)
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file >= 0)
    fcntl(file, F_NOCACHE, 1);
  return file;
#else
  (void)name;
  return -1;
#endif
}

void ffi_ahead_close(int file) {
  if (file >= 0)
    close(file);
}

/* Places in the file and in memory, and lengths, are multiples of this. */
#define PAGE ((size_t)4096)

/* So many readings at once, of pieces that follow each other, each by a thread of its
 * own; and one piece is worked on. */
#define READERS 4
#define SLOTS (READERS + 1)

enum { EMPTY, FULL, FAILED };

typedef struct ahead {
  int file;
  size_t at, end, piece;       /* bytes of the file */
  size_t begun, taken, behind; /* pieces; `behind`: they are worked on no more */
  unsigned char *buffer[SLOTS];
  int state[SLOTS], over;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int readers;
  pthread_t reader[READERS];
} ahead;

/* Whole pages that hold the bytes from `from` on; the last ones may end with the file.
 */
static int read_piece(const ahead *a, size_t from, size_t bytes, unsigned char *to) {
  const size_t first = from / PAGE * PAGE, needed = from + bytes - first;
  const size_t asked = (needed + PAGE - 1) / PAGE * PAGE;
  size_t got = 0;
  while (got < needed) {
    const ssize_t more = pread(a->file, to + got, asked - got, (off_t)(first + got));
    if (more < 0 && errno == EINTR)
      continue;
    if (more <= 0)
      return 0;
    got += (size_t)more;
  }
  return 1;
}

/* The first byte of the next piece to read, once there is room for it; `end`: none. */
static size_t next_to_read(ahead *a, size_t *slot) {
  const size_t k = a->begun, from = a->at + k * a->piece;
  if (from >= a->end)
    return a->end;
  a->begun++;
  while (k >= a->behind + SLOTS && !a->over)
    pthread_cond_wait(&a->changed, &a->lock);
  *slot = k % SLOTS;
  return a->over ? a->end : from;
}

static void *read_pieces(void *context) {
  ahead *a = context;
  size_t slot;
  pthread_mutex_lock(&a->lock);
  for (size_t from; (from = next_to_read(a, &slot)) < a->end;) {
    const size_t left = a->end - from;
    pthread_mutex_unlock(&a->lock);
    const int full =
        read_piece(a, from, left < a->piece ? left : a->piece, a->buffer[slot]);
    pthread_mutex_lock(&a->lock);
    a->state[slot] = full ? FULL : FAILED;
    pthread_cond_broadcast(&a->changed);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

/* Its threads leave signals to R. */
static void start(ahead *a) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (a->readers < READERS &&
         pthread_create(a->reader + a->readers, NULL, read_pieces, a) == 0)
    a->readers++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void *ffi_ahead_begin(int file, size_t at, size_t bytes, size_t piece) {
  const size_t room = (piece / PAGE + 2) * PAGE;
  void *memory = NULL;
  if (file < 0)
    return NULL;
  ahead *a = malloc(sizeof *a);
  if (!a || posix_memalign(&memory, PAGE, SLOTS * room) != 0) {
    free(a);
    return NULL;
  }
  *a = (ahead){.file = file, .at = at, .end = at + bytes, .piece = piece};
  for (size_t slot = 0; slot < SLOTS; slot++)
    a->buffer[slot] = (unsigned char *)memory + slot * room;
  if (pthread_mutex_init(&a->lock, NULL) == 0) {
    if (pthread_cond_init(&a->changed, NULL) == 0) {
      start(a);
      if (a->readers > 0)
        return a;
      pthread_cond_destroy(&a->changed);
    }
    pthread_mutex_destroy(&a->lock);
  }
  free(memory);
  free(a);
  return NULL;
}

const double *ffi_ahead_next(void *reading) {
  ahead *a = reading;
  const size_t slot = a->taken % SLOTS, from = a->at + a->taken * a->piece;
  pthread_mutex_lock(&a->lock);
  if (a->taken > 0) {
    a->state[(a->taken - 1) % SLOTS] = EMPTY;
    a->behind = a->taken;
    pthread_cond_broadcast(&a->changed);
  }
  while (a->state[slot] == EMPTY)
    pthread_cond_wait(&a->changed, &a->lock);
  const int full = a->state[slot] == FULL;
  pthread_mutex_unlock(&a->lock);
  a->taken++;
  return full ? (const double *)(const void *)(a->buffer[slot] + from % PAGE) : NULL;
}

void ffi_ahead_end(void *reading) {
  ahead *a = reading;
  pthread_mutex_lock(&a->lock);
  a->over = 1;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  for (int k = 0; k < a->readers; k++)
    pthread_join(a->reader[k], NULL);
  pthread_cond_destroy(&a->changed);
  pthread_mutex_destroy(&a->lock);
  free(a->buffer[0]);
  free(a);
}

#endif
