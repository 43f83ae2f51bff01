/* Files of records, mapped into memory. */
#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#include <windows.h>
#endif

#include "ffi_map.h"

#include "ffi_ahead.h"
#include "ffi_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define MAPPING "dpadmm_mapping"

typedef struct mapping {
  const unsigned char *base;
  size_t size;
  size_t passed; /* bytes that passes have gone over */
  int ahead;     /* the file, where passes read it past the cache; else -1 */
  dpa_pager pager;
} mapping;

/* Pages are asked for and given back in pieces of so many bytes (a power of 2). */
#define PIECE ((size_t)1 << 22)
#define AHEAD 8 /* pieces that the disk may be busy with */

static void advise(const mapping *map, size_t from, size_t end, int ahead) {
#if defined(MADV_DONTNEED) && defined(MADV_WILLNEED)
  if (end > map->size)
    end = map->size;
  if (from < end)
    madvise((void *)(map->base + from), end - from,
            ahead ? MADV_WILLNEED : MADV_DONTNEED);
#else
  (void)map;
  (void)from;
  (void)end;
  (void)ahead;
#endif
}

static void count(mapping *map, size_t bytes) {
#ifdef _OPENMP
#pragma omp atomic
#endif
  map->passed += bytes;
}

/* At the end of a piece: one further on is asked for, this one is given back. A file is
 * larger than memory may be, and the system would keep what it can. */
static void give_back(const mapping *map, const void *where, size_t bytes) {
  const size_t from = (size_t)((const unsigned char *)where - map->base);
  const size_t first = from / PIECE, end = (from + bytes) / PIECE;
  if (end > first) {
    advise(map, (first + AHEAD) * PIECE, (end + AHEAD) * PIECE, 1);
    advise(map, first * PIECE, end * PIECE, 0);
  }
}

static void passed(void *context, const void *where, size_t bytes) {
  count(context, bytes);
  give_back(context, where, bytes);
}

static void *begin(void *context, const void *from, size_t bytes, size_t piece) {
  mapping *map = context;
  const size_t at = (size_t)((const unsigned char *)from - map->base);
  void *reading = ffi_ahead_begin(map->ahead, at, bytes, piece);
  if (reading)
    count(map, bytes);
  return reading;
}

static void unmap(SEXP pointer) {
  const mapping *map = ffi_address(pointer, MAPPING);
  if (map) {
#ifdef _WIN32
    UnmapViewOfFile(map->base);
#else
    munmap((void *)map->base, map->size);
#endif
    ffi_ahead_close(map->ahead);
  }
  R_ClearExternalPtr(pointer);
  R_SetExternalPtrProtected(pointer, R_NilValue);
}

/* Fills base and size. */
static int map_file(const char *name, mapping *map) {
#ifdef _WIN32
  LARGE_INTEGER size;
  HANDLE file = CreateFileA(name, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE,
                            NULL, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return 0;
  const int sized = GetFileSizeEx(file, &size) && size.QuadPart > 0;
  HANDLE view =
      sized ? CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL) : NULL;
  CloseHandle(file);
  if (!view)
    return 0;
  map->base = MapViewOfFile(view, FILE_MAP_READ, 0, 0, 0);
  map->size = (size_t)size.QuadPart;
  CloseHandle(view);
  return map->base != NULL;
#else
  struct stat about;
  const int file = open(name, O_RDONLY);
  if (file < 0)
    return 0;
  const int sized = fstat(file, &about) == 0 && about.st_size > 0;
  map->size = sized ? (size_t)about.st_size : 0;
  void *base =
      sized ? mmap(NULL, map->size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  close(file);
  map->base = base;
  return base != MAP_FAILED;
#endif
}

/* cache: whether passes leave it to the system what of the file is in memory. */
SEXP ffi_file_map(SEXP path, SEXP cache) {
  const char *name = ffi_text(path);
  const int kept = TYPEOF(cache) == LGLSXP && Rf_xlength(cache) == 1;
  if (!name || !kept)
    return ffi_status_of(DPA_ARGUMENT, name ? "cache" : "path");
  SEXP keeper = PROTECT(ffi_keeper());
  mapping *map = FFI_TAKE(keeper, mapping, 1);
  memset(map, 0, sizeof *map);
  errno = 0;
  if (!map_file(name, map)) {
    UNPROTECT(1);
    return ffi_failure();
  }
  map->ahead = LOGICAL_RO(cache)[0] ? -1 : ffi_ahead_open(name);
  map->pager = (dpa_pager){passed, map->ahead < 0 ? NULL : begin, ffi_ahead_next,
                           ffi_ahead_end, map};
  SEXP pointer = PROTECT(R_MakeExternalPtr(map, Rf_install(MAPPING), keeper));
  R_RegisterCFinalizerEx(pointer, unmap, TRUE);
  UNPROTECT(2);
  return pointer;
}

SEXP ffi_file_unmap(SEXP pointer) {
  unmap(pointer);
  return ffi_status(DPA_OK);
}

/* Bytes of this machine's memory; NA: it does not say. */
SEXP ffi_memory_size(void) {
  double bytes = NA_REAL;
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0)
    bytes = (double)pages * (double)size;
#endif
  return Rf_ScalarReal(bytes);
}

SEXP ffi_file_passed(SEXP pointer) {
  const mapping *map = ffi_address(pointer, MAPPING);
  return Rf_ScalarReal(map ? (double)map->passed : NA_REAL);
}

/* ---- reading --------------------------------------------------------------------- */

/* `count` numbers of `size` bytes from byte `at` on, or NULL. */
static const void *piece_of(const mapping *map, double at, double count, size_t size) {
  const double all = map ? (double)map->size : -1.0;
  const int ok = at >= 0.0 && count >= 0.0 && at <= all &&
                 count * (double)size <= all && at + count * (double)size <= all &&
                 (size_t)at % size == 0;
  return ok ? map->base + (size_t)at : NULL;
}

/* A copy of `count` numbers ("double", "integer" or "raw") from byte `at` on. */
SEXP ffi_file_read(SEXP pointer, SEXP type, SEXP at, SEXP count) {
  const char *name = ffi_text(type);
  const int real = name && strcmp(name, "double") == 0;
  const int whole = name && strcmp(name, "integer") == 0;
  const size_t size = real ? sizeof(double) : whole ? sizeof(int) : 1;
  const mapping *map = ffi_address(pointer, MAPPING);
  const void *from = ffi_is_number(at) && ffi_is_number(count)
                         ? piece_of(map, REAL_RO(at)[0], REAL_RO(count)[0], size)
                         : NULL;
  if (!from)
    return ffi_status_of(DPA_ARGUMENT, "at");
  const size_t n = (size_t)REAL_RO(count)[0];
  SEXP out = Rf_allocVector(real ? REALSXP : whole ? INTSXP : RAWSXP, (R_xlen_t)n);
  void *to = real ? (void *)REAL(out) : whole ? (void *)INTEGER(out) : (void *)RAW(out);
  memcpy(to, from, n * size);
  give_back(map, from, n * size);
  return out;
}

int ffi_is_mapped(const ffi_reader *reader) {
  const ffi_reader x = {ffi_field(reader, "x"), NULL};
  return TYPEOF(x.list) == VECSXP && ffi_has(&x, "map");
}

/* Offsets that increase, and columns that increase within a row. */
static int is_sparse(const mapping *map, const dpa_records *r, size_t stored) {
  int ok = r->row[0] == 0 && (size_t)r->row[r->n] == stored;
  for (size_t k = 0; ok && k < r->n; k++) {
    ok = r->row[k] <= r->row[k + 1] && (size_t)r->row[k + 1] <= stored;
    for (int s = r->row[k]; ok && s < r->row[k + 1]; s++)
      ok = r->col[s] >= (s > r->row[k] ? r->col[s - 1] + 1 : 0) &&
           (size_t)r->col[s] < r->d;
    if (ok)
      give_back(map, r->col + r->row[k],
                (size_t)(r->row[k + 1] - r->row[k]) * sizeof(int));
  }
  return ok;
}

dpa_records ffi_mapped(ffi_reader *reader, SEXP keeper) {
  const double most = (double)((size_t)1 << 50);
  dpa_records records;
  memset(&records, 0, sizeof records);
  ffi_reader x = {ffi_field(reader, "x"), NULL};
  SEXP pointer = ffi_field(&x, "map");
  const mapping *map = ffi_address(pointer, MAPPING);
  SETCDR(keeper, Rf_cons(pointer, CDR(keeper))); /* mapped as long as it is used */
  const double n = ffi_real(&x, "n", 1.0, INT_MAX), d = ffi_real(&x, "d", 1.0, INT_MAX);
  const double stored = ffi_real(&x, "stored", 0.0, most);
  const double values = ffi_real(&x, "values", 0.0, most);
  const double *from = x.bad ? NULL : piece_of(map, values, stored, sizeof(double));
  if (!ffi_check(reader, from != NULL, "x"))
    return records;
  records.n = (size_t)n;
  records.d = (size_t)d;
  records.pager = &map->pager;
  if (!ffi_has(&x, "row")) {
    records.dense = from;
    ffi_check(reader, stored == n * d, "x");
    return records;
  }
  const double row = ffi_real(&x, "row", 0.0, most),
               col = ffi_real(&x, "col", 0.0, most);
  records.val = from;
  records.row = x.bad ? NULL : piece_of(map, row, n + 1.0, sizeof(int));
  records.col = x.bad ? NULL : piece_of(map, col, stored, sizeof(int));
  ffi_check(reader,
            records.row && records.col && is_sparse(map, &records, (size_t)stored),
            "x");
  return records;
}
