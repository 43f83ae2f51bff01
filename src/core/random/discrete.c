#include "random/discrete.h"

#include "random/wide.h"

#define WORDS 4 /* 256 bits of a uniform number */

/* What is done so rarely that its arrays shall not burden who calls it. */
#ifdef __GNUC__
#define RARELY __attribute__((noinline, cold))
#else
#define RARELY
#endif

/* ---- whole numbers ----------------------------------------------------------- */

/* Uniform on 0, ..., n - 1, by one multiplication (Lemire 2019). */
static uint64_t below(dpa_stream *stream, uint64_t n) {
  uint64_t low, high = dpa_multiply(dpa_stream_word(stream), n, &low);
  if (low < n) {
    const uint64_t excess = (UINT64_MAX - n + 1) % n; /* 2^64 modulo n */
    while (low < excess)
      high = dpa_multiply(dpa_stream_word(stream), n, &low);
  }
  return high;
}

/* ---- uniform numbers, drawn word by word -------------------------------------- */

typedef struct lazy {
  uint64_t word[WORDS];
  int drawn;
} lazy;

static uint64_t word_of(dpa_stream *stream, lazy *u, int k) {
  if (k == u->drawn) {
    u->word[k] = dpa_stream_word(stream);
    u->drawn++;
  }
  return u->word[k];
}

static int undecided(dpa_stream *stream) {
  stream->spent = 1;
  return 0;
}

/* u < a / b, for 0 <= a <= b < 2^63. With w the next word of u, u b < a when what w
 * leaves of it, (a 2^64 - w b) / 2^64, exceeds b times the rest of u. */
static int less_than_ratio(dpa_stream *stream, lazy *u, uint64_t a, uint64_t b) {
  for (int k = 0; k < WORDS; k++) {
    uint64_t low;
    const uint64_t high = dpa_multiply(word_of(stream, u, k), b, &low);
    if (high >= a)
      return 0;
    if (a - high > 1 || low == 0 || UINT64_MAX - low + 1 >= b)
      return 1;
    a = UINT64_MAX - low + 1;
  }
  return undecided(stream);
}

static int less_than(dpa_stream *stream, lazy *u, lazy *v) {
  for (int k = 0; k < WORDS; k++) {
    const uint64_t one = word_of(stream, u, k), other = word_of(stream, v, k);
    if (one != other)
      return one < other;
  }
  return undecided(stream);
}

/* ---- trials --------------------------------------------------------------------- */

/* True with probability exp(-(a / b) (c / d)), a <= b, c <= d (von Neumann): uniform
 * numbers fall from a / b on n times in a row, and pass a trial of c / d each time,
 * with probability (a c / b d)^n / n!; the answer is whether n is even. d = 0: without
 * those trials. `first`: where not NULL, what the first of those trials begins with. */
static int exponential_trial(dpa_stream *stream, const uint64_t *first, uint64_t a,
                             uint64_t b, uint64_t c, uint64_t d) {
  lazy u[2];
  for (int n = 0;; n++) {
    lazy *const this = &u[n % 2], *const last = &u[(n + 1) % 2];
    if (d > 0) {
      lazy v;
      v.drawn = n == 0 && first;
      v.word[0] = v.drawn ? *first : 0;
      if (!less_than_ratio(stream, &v, c, d))
        return n % 2 == 0;
    }
    this->drawn = 0;
    const int falls =
        n == 0 ? less_than_ratio(stream, this, a, b) : less_than(stream, this, last);
    if (!falls || stream->spent)
      return n % 2 == 0;
  }
}

/* Strips of 1 / STRIPS standard deviation, and P(strip <= j) for P(j) proportional to
 * exp(-(j / STRIPS)^2 / 2): 256 bits, rounded down. What is left, 2^-237, is the strip
 * at 18 standard deviations; those beyond have 2^-240 together. */
#define STRIPS 8
static const uint64_t strips[][WORDS] = {
    {0x1851cda5277937c1, 0x7b207910db602562, 0xd15802165087edc1, 0xdef28adfcdd6c6a0},
    {0x30732832430ba986, 0xa3c5b9b8bfe69a67, 0x1170dbcdad733ee6, 0x75baca8a2723fba4},
    {0x48056998ce1c50b7, 0x40dee67dacb74ae6, 0xb2e5ac2fa0e1034e, 0x800705efc2aee121},
    {0x5eb07fcfa1ac3ee4, 0xef4c9e565bb6d82c, 0x22bce9455939083a, 0x30d9f92aedd3a440},
    {0x7426c05b30c4bc2c, 0x6c9f3d260ca649f7, 0x179bc378f91fa5e1, 0x13ffd6077f4bac9c},
    {0x8827f51e64b3dcbd, 0xf1bc327f18aaae5a, 0x44712448aba3c8fb, 0x2a93eeb54c9ec4bd},
    {0x9a8370bccfb84f1a, 0xf911743d433ac9f0, 0x28956e0bcbbb35fb, 0x41fafe51393b074c},
    {0xab1911c1a5f1b7ff, 0xac6f3b904083290a, 0xf58254824b157421, 0x1c0522c24b1af3f4},
    {0xb9d935beef09e39a, 0x22a738e892398210, 0x1e343f8bac053422, 0x47bcb385fc63aa8b},
    {0xc6c3b588d208f6bd, 0xd3cd71e9c6d242e3, 0x042f160a6fc4cc52, 0x780cab15a6a1ee39},
    {0xd1e616ee54818348, 0xeed4303959b18170, 0xe721fadd1e0f404a, 0xce9bf363500e08d4},
    {0xdb592d116cf32813, 0x418e8c09c218c336, 0x27fb76660bc81604, 0x7ddc216fbbeecb42},
    {0xe33e6600d50e40ff, 0xea501ed92befc3a4, 0xf8f49cec4725d39e, 0xb7a0d161fae129fc},
    {0xe9bd02b9cc9639b4, 0x294d8a6e6d783f47, 0x4a61a11c44af5a4d, 0xdf8db412c613216a},
    {0xeeff6f5e98ae49bb, 0xb747f6c799d8da47, 0x268553e89cc57961, 0x4960ccfda01420b3},
    {0xf330e5ed51536cbf, 0x454837b68ed5d504, 0x5638dab8833e5420, 0x217a470278437322},
    {0xf67b7810c00cc289, 0xbecbf782eeb6caf9, 0xa764899ec289d517, 0xd823c2663c6a43f7},
    {0xf9068eab0525ab74, 0x5d6c5323950ceb40, 0xdc44c898d61c70eb, 0x65a5f05d9a39a473},
    {0xfaf5e10fea24061a, 0xdba67d294222b1a0, 0x2a0039122356404f, 0x3a38c2cb98da22c5},
    {0xfc68dbaacccfd48a, 0xce15803b137e5d2c, 0xf2b0cd1176258d58, 0x897adcac942f0f7d},
    {0xfd7a66999b56a2e0, 0xc6e8a77240092f05, 0xb07490fa3a5d52aa, 0x8b1ff1d7cd28c080},
    {0xfe40f8b3a511a097, 0x6e29ea3e14a3d1bc, 0xcc56c6a92231b2d3, 0xf933cd7aa1ed6f89},
    {0xfecee23226e53dfc, 0x57576763761192ec, 0x2f3d339a8af31723, 0x2ac3911016eb0e87},
    {0xff32bb2ffef49d3f, 0x1ded9f98d2c31e6e, 0x368babff80857497, 0xd2664ba2414a8c36},
    {0xff77e4c4d5386096, 0x7908b21a018fd0c3, 0x313b3452d2088d17, 0xb851297ca5c91e31},
    {0xffa70eed25977e7a, 0x63ec0e2280299e94, 0xa6509d22202d1e56, 0x42ed98a871a6384e},
    {0xffc6b921d84dc1db, 0xa75f2460a419eb27, 0x320b245e9a847e0b, 0x0bb6c49c182a5a15},
    {0xffdba701d1db7a44, 0xcde08bda624fc5ec, 0x38a6f49121f98b00, 0xac2de16677690722},
    {0xffe945715b6c5ab1, 0x3a17d8bf5b5c1c9b, 0x8d350ffa59bffa42, 0xf6ec6b1d5243eb68},
    {0xfff1feeff66d802a, 0x31603bb8f32ac95e, 0x1c64ac13f43b1777, 0x1afe5cf50cfb8da3},
    {0xfff77f95afa2ee2c, 0x56ba101e3b055cca, 0x12eaf8fd4286df55, 0x94ec19a6c7318b87},
    {0xfffaea3bd6ba3ba3, 0x71dc7823cde7d938, 0xf89e1b83cccf2e03, 0x708f8d49d1df40e8},
    {0xfffd00e55ea35dd2, 0xbc54ad4ab77a3609, 0x4a33ad4ac1d5fefc, 0xbedd163e203001f5},
    {0xfffe42a94fc04b15, 0x8e21720613998dd8, 0x254aec5a7ac91581, 0xe0defb9e178ad272},
    {0xffff014d126a327c, 0xd2e4b0ed91c287ed, 0xca531b38209b6167, 0xa2392c451891be9a},
    {0xffff70800da58bf7, 0xb6b16e37bf1e6a78, 0x94bd7d6d965e2f1a, 0x2b0bbb798fc1023c},
    {0xffffb05b43eff0d8, 0x8ac1f024906ef3c2, 0x38397e6747e3d296, 0xec50752dd0cc8dfc},
    {0xffffd475242087ef, 0xa5da8f8db9a822c8, 0x9dce9333c74b7816, 0xb42de8581c18371c},
    {0xffffe88d05061056, 0xf0aaf8e545c8ddae, 0xd310dd150a5b4b52, 0xe3cdc8eab3514788},
    {0xfffff38fa1e9e9c1, 0x8fe190c120de36f2, 0x37f478ca6adb2705, 0x279bf0e43dcdfa1a},
    {0xfffff98028f9756e, 0x8db90f86eec38662, 0x6ddbbaaf8054a553, 0xc49b8d26991f0dab},
    {0xfffffca7b4c6d51d, 0xdf4862d6873a06c2, 0xd5de42c0bf227806, 0xc4029f510e2f658b},
    {0xfffffe4df100d16f, 0xd54cdf7e7ad50488, 0x87c81d60a24b874d, 0xa229d048954078bd},
    {0xffffff274a1ce952, 0x36d5b475525f1b68, 0xc3f77b5475726f36, 0x6affee547734c3d6},
    {0xffffff956fa7ab5b, 0xc314dd5754b415ed, 0xa3427d2a0b7710f0, 0xd87ce670e3f8d4c4},
    {0xffffffcc63ee3f69, 0xfdea60c814ec8b72, 0x0b186c834a37304c, 0xa5b50da3283bc4e6},
    {0xffffffe762091719, 0xdb0b193c0a6e371a, 0x67e61fe123c241ae, 0xbb0ba4876ae5714e},
    {0xfffffff46f8b3b6c, 0x458bc72a507cf854, 0x74b84e8b562c1680, 0x09a1f5655f069b84},
    {0xfffffffaa6572084, 0x5cf79c76dc3df9fc, 0xc96cab25b2753b98, 0xb8ccfa1d8a9ac4d4},
    {0xfffffffd8fee7fc1, 0xf1dcfa1f4e6bee1e, 0xa9ae822675c577d5, 0x1d7f9308e9f4d754},
    {0xfffffffee7f72afd, 0x0efc50acefa8f897, 0x8fad68cb1fca62b1, 0xdd758be58ffe1377},
    {0xffffffff843ffb21, 0xb76e608c7f38586b, 0x42f4283906b1f7e7, 0x4c36f1e9539d3496},
    {0xffffffffca25076a, 0x0c985e8eec6f2984, 0x59d1a7f038a26eb2, 0x59fb3847248e9891},
    {0xffffffffe8eb3b3a, 0xb234e28e47f6b088, 0xc76c4c980a04f670, 0x723c18716b287963},
    {0xfffffffff6422de8, 0xaad2195c559161a3, 0x82a127591902e567, 0x22cd13a65435a0b6},
    {0xfffffffffbf3800f, 0xc515681953ad6901, 0xd8f691f86ba77e74, 0x5547206064a8bb9d},
    {0xfffffffffe57c444, 0xb3e730c71fbb6a7b, 0x99040dfc09c52b17, 0x1e4c1625f195ca88},
    {0xffffffffff5502d5, 0xc895f9ceb32edc5e, 0x1ce1b25618d7e1a2, 0x553a9a7df05edb00},
    {0xffffffffffbc2231, 0x7e46f8df5b9057a8, 0x4074c043bedefd3d, 0x72683e403b31e347},
    {0xffffffffffe5797e, 0x0f4153b1843d7e5c, 0x7c8608bea0b71f10, 0xb58e470df3f6d5b2},
    {0xfffffffffff5ca7a, 0x39f7355a008cf5c6, 0x856d2afca9e133b4, 0x0cd4c27b84fdd3ad},
    {0xfffffffffffc217a, 0x9afffc2b3f58a514, 0x4415123caa854d17, 0x63964e0326c7a64a},
    {0xfffffffffffe8e55, 0x13487fdd77a2ede0, 0x6c6f1347a61a7430, 0x6a7e386a2a6aaf49},
    {0xffffffffffff7825, 0xd9fd746b33cd819b, 0xecc4f0dedfca62b4, 0xdc6ecc93aa7fc39f},
    {0xffffffffffffced6, 0xa26f33ed9818d231, 0xe8f959369cbba836, 0x6c9e2cf740868e83},
    {0xffffffffffffee7b, 0x5e46eded15fe1425, 0xd24da268387096cc, 0xb37686239c7246ac},
    {0xfffffffffffff9da, 0x6d8a25cd2baed83e, 0x7b42c98bb7f2b8c8, 0x1691e897c5b450dd},
    {0xfffffffffffffde0, 0x5213b3ed1f0f83c1, 0xa7d1ab2a011b925f, 0x01573aa13de23bc6},
    {0xffffffffffffff47, 0x089621b0b53bf975, 0x4c72fef868577a02, 0x39b9da91e351bc8f},
    {0xffffffffffffffc2, 0x09643e4805ef652a, 0xbbdb502ba99dfffc, 0x0724be1355f739c5},
    {0xffffffffffffffeb, 0x8f8b6c476350b4ba, 0x62712b38083fec15, 0x4eb6325a7f8dfdbd},
    {0xfffffffffffffff9, 0x5c7d9ab7838bb866, 0xb7c5084d3c8a1e48, 0x378a46653136ef60},
    {0xfffffffffffffffd, 0xe077561bd166e54c, 0x0c883e9114889a5a, 0x0cdb6c2c243d25c0},
    {0xffffffffffffffff, 0x54d5ff6c73dc992c, 0xac7a98c72c213bf9, 0x7480ae3b2252b3e1},
    {0xffffffffffffffff, 0xcaed1f83290d5b1e, 0xc4726830e6edd960, 0xee09cd42fd32ca7a},
    {0xffffffffffffffff, 0xefcbbda1974dfc34, 0x8aa5d2d2fc505156, 0x5f3ae5875965b361},
    {0xffffffffffffffff, 0xfb20ef0a858a6f40, 0xc07ac2015e52d835, 0x71dd1af9a6b15186},
    {0xffffffffffffffff, 0xfe8edca90512c663, 0x71101160bc699dce, 0xcd7b120e60aa92f4},
    {0xffffffffffffffff, 0xff9469956aed69a2, 0xf56381d325c6f965, 0xb098dfd86ccb179b},
    {0xffffffffffffffff, 0xffe11ffc8c9ba9ec, 0xd43d423cd5947ab2, 0xf358338db1f4dff3},
    {0xffffffffffffffff, 0xfff7469cbfd036bd, 0x2cdbde61f15e61c2, 0xdf1e5b26e9ff5172},
    {0xffffffffffffffff, 0xfffd92a16d41eb83, 0x3caa85c68b2dcef9, 0x867d57439646727d},
    {0xffffffffffffffff, 0xffff55c863ebcc06, 0xe59b77ebd8957d05, 0x6f9833c90e8387e8},
    {0xffffffffffffffff, 0xffffd21699451caf, 0x4dc821cbc1cf083b, 0x26fa4dd52f3f81f6},
    {0xffffffffffffffff, 0xfffff3ce9ace6ba0, 0x4c12ab1b6b352628, 0x09eea128260aab85},
    {0xffffffffffffffff, 0xfffffccfcc39c692, 0x4187be847cbde0b1, 0x1ee85d8a5ce445ad},
    {0xffffffffffffffff, 0xffffff2ddc157a3f, 0xd5a1fe2162575bfd, 0xe0add7b620d11ce5},
    {0xffffffffffffffff, 0xffffffcabae51624, 0x7b10162d781261c0, 0xd2fbca1f881550f8},
    {0xffffffffffffffff, 0xfffffff2b444e744, 0xfa6405c5776997ba, 0x3a5df4638ef24dc9},
    {0xffffffffffffffff, 0xfffffffcbb893a70, 0x89670200ccf5da1b, 0x5af56f393eb85f6a},
    {0xffffffffffffffff, 0xffffffff359b31ef, 0xd7ea1f5a6868f9e1, 0xbf7e15fede18126e},
    {0xffffffffffffffff, 0xffffffffcfc857e9, 0xc6aa330e81791c3f, 0x8c79bdaf3dbdf15e},
    {0xffffffffffffffff, 0xfffffffff4b09d69, 0x378b4238b6f70baa, 0xb434fcaf40a9ef88},
    {0xffffffffffffffff, 0xfffffffffd634fd6, 0x70d34515d30cbc07, 0x00d3e1c59ccbc9b4},
    {0xffffffffffffffff, 0xffffffffff67f275, 0x725cde25bffbe7d6, 0x4a89621243248b21},
    {0xffffffffffffffff, 0xffffffffffddf52d, 0x367325e9af2c4d73, 0x934ada07e457be37},
    {0xffffffffffffffff, 0xfffffffffff87ef7, 0xf8216023fa661acc, 0x245b59b1c76f6065},
    {0xffffffffffffffff, 0xfffffffffffe5f12, 0x5b35ba8682d753d2, 0x63ac52a7e4b65bfb},
    {0xffffffffffffffff, 0xffffffffffffa6e8, 0x75ea0fabba02bf8e, 0x05bdd146ae309723},
    {0xffffffffffffffff, 0xffffffffffffed41, 0x81c1230f0dc0f45c, 0x7e113e52e941e235},
    {0xffffffffffffffff, 0xfffffffffffffc1e, 0x03d2d725b7252544, 0xe687c8fb15485d79},
    {0xffffffffffffffff, 0xffffffffffffff35, 0x46f6f31370e214e3, 0x92a9dc8838f33798},
    {0xffffffffffffffff, 0xffffffffffffffd7, 0x4aee7192d3602054, 0x554c4714a660239d},
    {0xffffffffffffffff, 0xfffffffffffffff7, 0xf3b5f4998b6d0139, 0xcd88451a135772d5},
    {0xffffffffffffffff, 0xfffffffffffffffe, 0x6ef54c54978748a1, 0xae98cdbc9f262355},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xb3240aef27f094b3, 0x41c02e41b872a30a},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xf17f54adf6900b3b, 0xf93e86195441271c},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfd4e44b7bc416406, 0x2a1474f5c9d22c69},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xff81d767bbfc9eae, 0x18591c222e4f203f},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffe947d9a4e777b2, 0x63cc95d61fea3839},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffbf8c4d4f3d3fd, 0xe243514e361c2b5a},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffff4bfb3be7d6ca, 0x01c3bb9690156d0c},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffe10f6130800e, 0x463f3db5636a9450},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffac3b41feb9d, 0x8a74943b98d739aa},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffff20b41cea73, 0x7f4183a1e0490dc3},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffdb5f7c2f54, 0x1d1839461f98808f},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffa15be6558, 0x3c6063aa5ef4bea1},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffff0f3bebb9, 0xa4d855f52d3bdbff},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffda4f51f1, 0xf665bd4e40acaaef},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffa30e8b4, 0x0797470760e82aec},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffff1e5884, 0x7055a9985b5ea2a3},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffde49b6, 0xb8adff912c75d149},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffffb0a96, 0xb921d9b38f8fd880},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffff482b, 0xbb9f138ba433547c},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffe5ca, 0x5524c20dcc65f56b},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffffffc52, 0x266b844a3520ffa3},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffff7d, 0xd59d3b586fa93f93},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffee, 0x49f9da87e04f0304},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffffffffd, 0xa09d4b6dd1b22717},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xafe44490672afd58},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xf5990cc7d2e5ea4f},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfeab8f6dca24e804},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffd52672a8e18c52},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffab0a875270ecd},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffff5a27f9d9f0b2},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffec14596c1a10},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffffda4ecaacbf1},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffb9c8d6d7aa},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffffff7f38b235e},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffff1777b889},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffe629e0c4},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffd2c7b37},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffb2142b},
    {0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff, 0xfffffffffff7bce7},
};
static const int strips_count = (int)(sizeof strips / sizeof *strips);

static int below_step(dpa_stream *stream, lazy *u, const uint64_t step[WORDS]) {
  for (int k = 0; k < WORDS; k++) {
    const uint64_t word = word_of(stream, u, k);
    if (word != step[k])
      return word < step[k];
  }
  return undecided(stream);
}

/* Where the search begins: the first strip that words with these upper 6 bits are in.
 */
static const unsigned char strip_from[64] = {
    0, 0, 0, 0, 0, 0, 0,  1,  1,  1,  1,  1,  1,  2,  2,  2,  2,  2,  2,  3, 3, 3,
    3, 3, 4, 4, 4, 4, 4,  4,  5,  5,  5,  5,  5,  6,  6,  6,  6,  7,  7,  7, 7, 8,
    8, 8, 8, 9, 9, 9, 10, 10, 10, 11, 11, 12, 12, 13, 13, 14, 15, 16, 17, 19};

/* Where the first words are the same. */
RARELY static int strip_from_word(dpa_stream *stream, uint64_t word, int j) {
  lazy u;
  u.word[0] = word;
  u.drawn = 1;
  while (j < strips_count && !below_step(stream, &u, strips[j]))
    j++;
  return j;
}

static int strip_of(dpa_stream *stream) {
  const uint64_t word = dpa_stream_word(stream);
  int j = strip_from[word >> 58];
  while (j < strips_count && word > strips[j][0])
    j++;
  if (j < strips_count && word < strips[j][0])
    return j;
  return strip_from_word(stream, word, j);
}

/* ---- laws ------------------------------------------------------------------------ */

/* Whether a point e / STRIPS into strip j stays: with probability
 * exp(-e (2 j s + e) / (2 STRIPS^2 s^2)), in as many trials as its exponent needs. */
static int keep_in_strip(dpa_stream *stream, uint64_t j, uint64_t e, uint64_t s) {
  const uint64_t unit = 2 * STRIPS * STRIPS, trials = 1 + (2 * j + 1) / unit;
  const uint64_t c = 2 * j * s + e, d = unit * trials * s;
  for (uint64_t k = 0; k < trials; k++) {
    uint64_t low;
    const uint64_t first = dpa_stream_word(stream);
    /* mostly its first trial fails, by the first word */
    if (dpa_multiply(first, d, &low) < c &&
        !exponential_trial(stream, &first, e, s, c, d))
      return 0;
  }
  return 1;
}

int64_t dpa_discrete_gaussian(dpa_stream *stream, uint64_t s) {
  const uint64_t width = (s + STRIPS - 1) / STRIPS;
  while (!stream->spent) {
    const uint64_t j = (uint64_t)strip_of(stream);
    const uint64_t drawn = below(stream, 2 * width);
    const uint64_t size = (j * s + STRIPS - 1) / STRIPS + drawn / 2;
    const uint64_t e = STRIPS * size - j * s;
    if (e >= s ||
        !keep_in_strip(stream, j, e, s)) /* the next strip's, or too far out */
      continue;
    if (drawn % 2 == 0)
      return (int64_t)size;
    if (size > 0)
      return -(int64_t)size;
  }
  return 0;
}

static int negative(dpa_stream *stream) {
  return (int)(dpa_stream_word(stream) >> 63);
}

int64_t dpa_discrete_laplace(dpa_stream *stream, uint64_t t) {
  while (!stream->spent) {
    const uint64_t r = below(stream, t);
    if (!exponential_trial(stream, NULL, r, t, 0, 0))
      continue;
    uint64_t v = 0;
    while (v < 1000 && exponential_trial(stream, NULL, 1, 1, 0, 0))
      v++;
    const int64_t size = (int64_t)(v * t + r);
    if (!negative(stream))
      return size;
    if (size > 0)
      return -size;
  }
  return 0;
}
