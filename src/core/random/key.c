#include "random/key.h"

#include <string.h>

#if defined(_WIN32)
#include <windows.h>
/* after windows.h, which it needs */
#include <bcrypt.h>
#elif defined(__linux__)
#include <errno.h>
#include <sys/random.h>
#else
#include <stdlib.h>
#endif

dpa_status dpa_key_from_entropy(dpa_key *key) {
#if defined(_WIN32)
  NTSTATUS answer = BCryptGenRandom(NULL, key->byte, (ULONG)sizeof key->byte,
                                    BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  return answer >= 0 ? DPA_OK : DPA_ENTROPY;
#elif defined(__linux__)
  size_t got = 0;
  while (got < sizeof key->byte) {
    ssize_t more = getrandom(key->byte + got, sizeof key->byte - got, 0);
    if (more > 0) {
      got += (size_t)more;
    } else if (more == 0 || errno != EINTR) {
      dpa_forget(key, sizeof *key);
      return DPA_ENTROPY;
    }
  }
  return DPA_OK;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) ||             \
    defined(__OpenBSD__) || defined(__DragonFly__) || defined(__sun)
  arc4random_buf(key->byte, sizeof key->byte);
  return DPA_OK;
#else
  dpa_forget(key, sizeof *key);
  return DPA_ENTROPY;
#endif
}

void dpa_key_from_seed(dpa_key *key, uint64_t seed) {
  static const char label[] = "dpadmm seeded simulation"; /* 24 bytes and a NUL */
  static const uint32_t nonce[3] = {0, 0, 0};
  unsigned char from[32], block[64];
  for (int i = 0; i < 8; i++)
    from[i] = (unsigned char)(seed >> (8 * i));
  memcpy(from + 8, label, 24);
  dpa_chacha20_block(from, 0, nonce, block);
  memcpy(key->byte, block, sizeof key->byte);
  dpa_forget(block, sizeof block);
}

void dpa_key_party(const dpa_key *run, uint32_t party, dpa_key *key) {
  const uint32_t nonce[3] = {party, 0, DPA_DERIVE};
  unsigned char block[64];
  dpa_chacha20_block(run->byte, 0, nonce, block);
  memcpy(key->byte, block, sizeof key->byte);
  dpa_forget(block, sizeof block);
}
