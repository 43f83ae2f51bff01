#include "check.h"
#include "random/key.h"
#include "random/mask.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_stream(void);

static void from_hex(const char *hex, unsigned char *out, size_t n) {
  CHECK(strlen(hex) == 2 * n);
  for (size_t i = 0; i < n; i++) {
    const char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
    out[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
}

/* ---- the cipher: RFC 8439 --------------------------------------------------- */

static void check_vectors(void) {
  static const struct {
    const char *key, *block;
    uint32_t counter, nonce[3];
  } vectors[] = {
      /* 2.3.2 */
      {"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
       "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
       "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
       1,
       {0x09000000, 0x4a000000, 0}},
      /* A.1, 1 to 5 */
      {"0000000000000000000000000000000000000000000000000000000000000000",
       "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
       "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
       0,
       {0, 0, 0}},
      {"0000000000000000000000000000000000000000000000000000000000000000",
       "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
       "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
       1,
       {0, 0, 0}},
      {"0000000000000000000000000000000000000000000000000000000000000001",
       "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
       "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
       1,
       {0, 0, 0}},
      {"00ff000000000000000000000000000000000000000000000000000000000000",
       "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
       "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096",
       2,
       {0, 0, 0}},
      {"0000000000000000000000000000000000000000000000000000000000000000",
       "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
       "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
       0,
       {0, 0, 0x02000000}},
  };
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    unsigned char key[32], expected[64], block[64];
    from_hex(vectors[i].key, key, sizeof key);
    from_hex(vectors[i].block, expected, sizeof expected);
    dpa_chacha20_block(key, vectors[i].counter, vectors[i].nonce, block);
    CHECK(memcmp(block, expected, sizeof block) == 0);
  }
}

/* 2.4.2: the key stream turns the text into the cipher text. The stream's blocks start
 * at counter 0, the RFC's message at counter 1: the first eight words are skipped. */
static void check_key_stream(void) {
  static const char text[] =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for "
      "the future, sunscreen would be it.";
  static const char cipher[] =
      "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
      "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
      "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
      "5af90bbf74a35be6b40b8eedf2785e42874d";
  enum { LENGTH = 114 };
  unsigned char expected[LENGTH], actual[LENGTH];
  dpa_key key;
  dpa_stream stream;
  CHECK(sizeof text == LENGTH + 1);
  from_hex(cipher, expected, LENGTH);
  for (int i = 0; i < 32; i++)
    key.byte[i] = (unsigned char)i;
  dpa_stream_init(&stream, &key, 0, 0x4a000000, 0);
  for (int i = 0; i < 8; i++)
    dpa_stream_word(&stream);
  uint64_t word = 0;
  for (int i = 0; i < LENGTH; i++) {
    word = i % 8 == 0 ? dpa_stream_word(&stream) : word >> 8;
    actual[i] = (unsigned char)(text[i] ^ (char)(word & 0xff));
  }
  CHECK(memcmp(actual, expected, LENGTH) == 0);
}

/* ---- keys and streams ------------------------------------------------------- */

static void check_keys(void) {
  /* computed by an implementation in another language */
  static const struct {
    uint64_t seed;
    const char *key;
  } known[] = {
      {42, "9f5969e35af816b4b4d455cf980bcb7469aa2530542e3f75cecf3ed7d8f29e6b"},
      {9007199254740991u,
       "d2e5c12c7d535dcb6a83b2a02411489368c942d869c30c8d3f8c3baf0d522a60"},
  };
  dpa_key key, again, other;
  unsigned char expected[32];
  for (size_t i = 0; i < 2; i++) {
    from_hex(known[i].key, expected, sizeof expected);
    dpa_key_from_seed(&key, known[i].seed);
    CHECK(memcmp(key.byte, expected, sizeof expected) == 0);
  }
  dpa_key_from_seed(&key, 1);
  dpa_key_from_seed(&again, 1);
  CHECK(memcmp(&key, &again, sizeof key) == 0);
  dpa_key_from_seed(&other, 2);
  CHECK(memcmp(&key, &other, sizeof key) != 0);
  dpa_key_from_seed(&other, (uint64_t)1 << 32 | 1); /* the high half counts too */
  CHECK(memcmp(&key, &other, sizeof key) != 0);
}

/* Parties' keys: block 0 of the nonce (party, 0, 8) under the run's key, all unlike. */
static void check_party_keys(void) {
  enum { PARTIES = 5 };
  static const uint32_t party[PARTIES] = {0, 1, 2, 255, DPA_HUB};
  dpa_key run, key[PARTIES];
  int unlike = 1, defined = 1;
  dpa_key_from_seed(&run, 42);
  for (int i = 0; i < PARTIES; i++) {
    const uint32_t nonce[3] = {party[i], 0, 8};
    unsigned char block[64];
    dpa_key_party(&run, party[i], &key[i]);
    dpa_chacha20_block(run.byte, 0, nonce, block);
    defined &= memcmp(key[i].byte, block, 32) == 0;
    unlike &= memcmp(&key[i], &run, sizeof run) != 0;
    for (int j = 0; j < i; j++)
      unlike &= memcmp(&key[i], &key[j], sizeof run) != 0;
  }
  CHECK(defined);
  CHECK(unlike);
  unsigned char expected[32]; /* computed by an implementation in another language */
  from_hex("03aabfc6855eb51988356ad6b77865a4cb88e9217d88ad16d233c0cc43249509", expected,
           32);
  CHECK(memcmp(key[1].byte, expected, 32) == 0);
}

static void check_streams(void) {
  dpa_key key;
  dpa_key_from_seed(&key, 42);

  dpa_stream stream;
  uint64_t word[20];
  dpa_stream_init(&stream, &key, 3, 7, 1);
  for (int i = 0; i < 20; i++)
    word[i] = dpa_stream_word(&stream);
  /* computed by an implementation in another language */
  CHECK(word[0] == 0xdc3c88497315dede);
  CHECK(word[1] == 0xcf668c4f4ff5bbfc);
  CHECK(word[7] == 0xc56e40063859efdb);
  CHECK(word[8] == 0xf064b0d88ec85bc6);
  CHECK(word[19] == 0x30cfdf35c7d6e90f);

  /* Every name has its own stream, and how the draws are interleaved does not matter.
   */
  enum { STREAMS = 27, WORDS = 11 };
  static uint64_t alone[STREAMS][WORDS], mixed[STREAMS][WORDS];
  static dpa_stream streams[STREAMS];
  for (uint32_t s = 0; s < STREAMS; s++) {
    dpa_stream_init(&stream, &key, s % 3, s / 3 % 3, s / 9);
    for (int i = 0; i < WORDS; i++)
      alone[s][i] = dpa_stream_word(&stream);
    dpa_stream_init(&streams[s], &key, s % 3, s / 3 % 3, s / 9);
  }
  for (int i = 0; i < WORDS; i++)
    for (int s = STREAMS - 1; s >= 0; s--)
      mixed[s][i] = dpa_stream_word(&streams[s]);
  CHECK(memcmp(alone, mixed, sizeof alone) == 0);
  const uint64_t *words = &alone[0][0];
  int repeats = 0;
  for (int i = 0; i < STREAMS * WORDS; i++)
    for (int j = 0; j < i; j++)
      repeats += words[i] == words[j];
  CHECK(repeats == 0);

  dpa_key other;
  dpa_key_from_seed(&other, 43);
  dpa_stream_init(&stream, &other, 3, 7, 1);
  CHECK(dpa_stream_word(&stream) != word[0]);
}

static void check_end_of_stream(void) {
  dpa_key key;
  dpa_stream stream;
  dpa_key_from_seed(&key, 1);
  dpa_stream_init(&stream, &key, 0, 0, 0);
  uint64_t first = dpa_stream_word(&stream);
  /* the last blocks are due; the very last is looked at */
  stream.blocks = (uint64_t)UINT32_MAX + 1 - DPA_STREAM_BLOCKS;
  stream.next = 8 * DPA_STREAM_BLOCKS;
  for (int i = 0; i < 8 * (DPA_STREAM_BLOCKS - 1); i++)
    dpa_stream_word(&stream);

  const uint32_t nonce[3] = {0, 0, 0};
  unsigned char last[64];
  dpa_chacha20_block(key.byte, UINT32_MAX, nonce, last);
  for (int i = 0; i < 8; i++) {
    uint64_t expected = 0;
    for (int b = 7; b >= 0; b--)
      expected = expected << 8 | last[8 * i + b];
    CHECK(dpa_stream_word(&stream) == expected);
    CHECK(dpa_stream_status(&stream) == DPA_OK);
  }
  for (int i = 0; i < 20; i++) { /* it neither starts again nor comes back to life */
    uint64_t word = dpa_stream_word(&stream);
    CHECK(word == 0 && word != first);
    CHECK(dpa_stream_status(&stream) == DPA_SIZE);
  }
  CHECK(dpa_stream_uniform(&stream) == ldexp(1.0, -1000));
  CHECK(dpa_stream_below(&stream, 10) == 0);
}

/* One adds what the other subtracts, modulo 2^64, and it is the stream's. */
static void check_mask(void) {
  dpa_key key;
  dpa_stream stream;
  uint64_t word[70];
  dpa_key_from_seed(&key, 11);
  for (int j = 0; j < 70; j++)
    word[j] = UINT64_MAX - (uint64_t)(j % 3);
  CHECK(dpa_mask(word, 70, &key, 5, 2, 0) == DPA_OK);
  dpa_stream_init(&stream, &key, 2, 5, DPA_MASK);
  for (int j = 0; j < 70; j++)
    CHECK(word[j] == UINT64_MAX - (uint64_t)(j % 3) + dpa_stream_word(&stream));
  CHECK(dpa_mask(word, 70, &key, 5, 2, 1) == DPA_OK);
  for (int j = 0; j < 70; j++)
    CHECK(word[j] == UINT64_MAX - (uint64_t)(j % 3));
  CHECK(dpa_mask(word, 0, &key, 5, 2, 1) == DPA_OK);
}

static void check_forget(void) {
  unsigned char bytes[48];
  memset(bytes, 0xab, sizeof bytes);
  dpa_forget(bytes + 8, 32);
  for (int i = 0; i < 48; i++)
    CHECK(bytes[i] == (i < 8 || i >= 40 ? 0xab : 0));
}

void test_stream(void) {
  check_vectors();
  check_key_stream();
  check_keys();
  check_party_keys();
  check_streams();
  check_end_of_stream();
  check_mask();
  check_forget();
}
