/* Keys from the operating system. On Linux getrandom() is replaced by one that follows
 * a script, because short reads, interruptions and failures cannot be had on demand. */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* syscall() */
#endif

#include "check.h"
#include "random/key.h"

#include <string.h>

void test_entropy(void);

static int is_constant(const unsigned char *p, size_t n) {
  for (size_t i = 1; i < n; i++)
    if (p[i] != p[0])
      return 0;
  return 1;
}

#if defined(__linux__)
#include <errno.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the coming calls do: > 0 give at most so many bytes, 0 give none, < 0 fail with
 * -errno. Behind its end, and without a script, the kernel answers. */
static const int *script;
static size_t script_left, calls;

ssize_t getrandom(void *buffer, size_t length, unsigned int flags) {
  calls++;
  if (script_left == 0)
    return (ssize_t)syscall(SYS_getrandom, buffer, length, flags);
  int step = *script++;
  script_left--;
  if (step < 0) {
    errno = -step;
    return -1;
  }
  size_t given = (size_t)step < length ? (size_t)step : length;
  memset(buffer, (int)calls, given);
  return (ssize_t)given;
}

static dpa_status scripted_key(dpa_key *key, const int *steps, size_t n) {
  memset(key, 0xee, sizeof *key);
  script = steps;
  script_left = n;
  calls = 0;
  dpa_status status = dpa_key_from_entropy(key);
  script_left = 0;
  return status;
}

static void check_scripts(void) {
  dpa_key key;
  const int short_reads[] = {5, -EINTR, 1, -EINTR, -EINTR, 100};
  CHECK(scripted_key(&key, short_reads, 6) == DPA_OK);
  CHECK(calls == 6);
  CHECK(key.byte[0] == 1 &&
        key.byte[4] == 1); /* each byte from the call that gave it */
  CHECK(key.byte[5] == 3);
  CHECK(key.byte[6] == 6 && key.byte[31] == 6);

  const int whole[] = {32};
  CHECK(scripted_key(&key, whole, 1) == DPA_OK);
  CHECK(calls == 1);

  const int absent[] = {-ENOSYS};
  CHECK(scripted_key(&key, absent, 1) == DPA_ENTROPY);
  CHECK(calls == 1); /* no second try, no fallback */
  CHECK(key.byte[0] == 0 && is_constant(key.byte, 32));

  const int breaks[] = {31, -EIO}; /* a key that is nearly there is not a key */
  CHECK(scripted_key(&key, breaks, 2) == DPA_ENTROPY);
  CHECK(key.byte[0] == 0 && is_constant(key.byte, 32));

  const int nothing[] = {8, -EINTR, 0}; /* no endless loop, whatever errno still says */
  CHECK(scripted_key(&key, nothing, 3) == DPA_ENTROPY);
  CHECK(calls == 3);
}
#else
static void check_scripts(void) {
}
#endif

void test_entropy(void) {
  check_scripts();

  dpa_key a = {{0}}, b = {{0}};
  CHECK(dpa_key_from_entropy(&a) == DPA_OK);
  CHECK(dpa_key_from_entropy(&b) == DPA_OK);
  CHECK(memcmp(a.byte, b.byte, sizeof a.byte) != 0);
  CHECK(!is_constant(a.byte, 32));
  CHECK(!is_constant(a.byte + 24, 8)); /* filled to the end */
}
