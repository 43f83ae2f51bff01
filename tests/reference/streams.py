"""The package's random streams and noise, written from their documentation alone
(src/core/random/stream.h, key.h, mask.h, mechanism.h, discrete.h and draw.h), in whole numbers where those
are: a stream is ChaCha20 (RFC 8439) keyed by a party's key, one for each (user, round, purpose).

    python3 tests/reference/streams.py         checks itself and prints what tests/core knows
"""

import hashlib
import math
from decimal import Decimal, getcontext

import numpy as np

PURPOSE_OBJECTIVE, PURPOSE_OUTPUT, PURPOSE_THRESHOLD, PURPOSE_QUERY = 0, 1, 2, 3
PURPOSE_RELEASE, PURPOSE_DERIVE, PURPOSE_MASK = 6, 8, 10
MASK32 = 0xFFFFFFFF
STRIPS = 8  # of a standard deviation, see discrete.h
STEPS = 41  # a scale is between 2^40 and 2^41 steps of its grid


def quarter_round(s, a, b, c, d):
    for left, right, target, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[left] = (s[left] + s[right]) & MASK32
        mixed = s[target] ^ s[left]
        s[target] = ((mixed << turn) | (mixed >> (32 - turn))) & MASK32


def chacha20_block(key, counter, nonce):
    """64 bytes from 32 bytes of key, the block counter and three 32-bit words of nonce."""
    words = [int.from_bytes(key[i:i + 4], "little") for i in range(0, 32, 4)]
    constants = [int.from_bytes(b"expand 32-byte k"[i:i + 4], "little") for i in range(0, 16, 4)]
    start = constants + words + [counter] + list(nonce)
    s = list(start)
    for _ in range(10):
        for column in range(4):
            quarter_round(s, column, column + 4, column + 8, column + 12)
        for k in range(4):
            quarter_round(s, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return b"".join(((u + v) & MASK32).to_bytes(4, "little") for u, v in zip(s, start))


def key_from_seed(seed):
    key = seed.to_bytes(8, "little") + b"dpadmm seeded simulation"
    return chacha20_block(key, 0, (0, 0, 0))[:32]


def party_key(key, party):
    """The key of party 0, 1, ... of a run: src/core/random/key.h."""
    return chacha20_block(key, 0, (party, 0, PURPOSE_DERIVE))[:32]


class Stream:
    def __init__(self, key, user, iteration, purpose):
        self.key, self.nonce = key, (user, iteration, purpose)
        self.counter, self.bytes = 0, b""

    def word(self):
        if not self.bytes:
            self.bytes = chacha20_block(self.key, self.counter, self.nonce)
            self.counter += 1
        word, self.bytes = int.from_bytes(self.bytes[:8], "little"), self.bytes[8:]
        return word

    def uniform(self):
        word = self.word()
        mantissa, high = word & ((1 << 52) - 1), word >> 52
        if high:
            exponent = 1 + 12 - high.bit_length()
        else:
            exponent = 13
            while exponent < 1000:
                more = self.word()
                exponent += 64 - more.bit_length()
                if more:
                    break
        return math.ldexp(1 + mantissa / 2.0**52, -exponent)

    def exponential(self, fine):
        u = self.uniform()
        if 1 - u >= fine:
            return -math.log(u)
        return -math.log1p(-((1 - u - 2.0**-53) + 2.0**-53 * self.uniform()))

    def gaussian(self, sigma, d):
        out = []
        while len(out) < d:
            r = math.sqrt(2 * self.exponential(2.0**-20))
            angle = 2 * math.pi * self.uniform()
            out += [sigma * r * math.cos(angle), sigma * r * math.sin(angle)]
        return np.array(out[:d])

    def gamma(self, alpha, d):
        out = []
        while len(out) < d:
            r = math.sqrt(2 * self.exponential(0.5))
            angle = math.pi / 2 * self.uniform()
            signs = self.word()
            pair = [-r * math.cos(angle) if signs >> 63 else r * math.cos(angle),
                    -r * math.sin(angle) if signs >> 62 & 1 else r * math.sin(angle)]
            out += pair[1:] if len(out) == d - 1 else pair
        size = math.fsum(self.exponential(0.5) for _ in range(d)) / alpha
        return size * np.array(out) / np.linalg.norm(out)

    def laplace(self, b, d):
        out = []
        for _ in range(d):
            negative = self.word() >> 63
            size = b * self.exponential(0.5)
            out.append(-size if negative else size)
        return np.array(out)

    # ---- discrete noise: whole numbers only

    def below(self, n):
        """floor(w n / 2^64), w drawn again where that is not uniform."""
        while True:
            product = self.word() * n
            if product % 2**64 >= 2**64 % n:
                return product >> 64

    def uniform_number(self):
        return Lazy(self)

    def trial(self, a, b, c=None, d=None):
        """True with probability exp(-(a/b)(c/d)), or exp(-a/b)."""
        last, n = None, 0
        while True:
            if d and not self.uniform_number().below_ratio(c, d):
                return n % 2 == 0
            this = self.uniform_number()
            if not (this.below_ratio(a, b) if last is None else this.below(last)):
                return n % 2 == 0
            last, n = this, n + 1

    def discrete_gaussian(self, s):
        while True:
            u, j = self.uniform_number(), 0
            while not u.below_number(COARSE[j]):
                j += 1
            r, negative = divmod(self.below(2 * -(-s // STRIPS)), 2)
            size = -(-j * s // STRIPS) + r
            e, unit = STRIPS * size - j * s, 2 * STRIPS**2
            m = 1 + (2 * j + 1) // unit
            if e >= s or not all(self.trial(e, s, 2 * j * s + e, unit * m * s) for _ in range(m)):
                continue
            if not negative or size > 0:
                return -size if negative else size

    def discrete_laplace(self, t):
        while True:
            r = self.below(t)
            if not self.trial(r, t):
                continue
            v = 0
            while self.trial(1, 1):
                v += 1
            size, negative = v * t + r, self.word() >> 63
            if not negative or size > 0:
                return -size if negative else size

    def gamma_spread(self, s, d):
        squares = sum(self.discrete_gaussian(4096 * s)**2 for _ in range(d + 1))
        return 2 + math.isqrt(squares) // 4096

    def discrete_gamma(self, s, d):
        spread = self.gamma_spread(s, d)
        return [self.discrete_gaussian(spread) for _ in range(d)]


class Lazy:
    """A uniform number of which as many words are drawn as it takes to compare it."""

    def __init__(self, stream):
        self.stream, self.value, self.words = stream, 0, 0

    def more(self, words):
        while self.words < words:
            self.value, self.words = self.value << 64 | self.stream.word(), self.words + 1
        return self.value >> 64 * (self.words - words)

    def below_ratio(self, a, b):
        """u < a/b: u is in [value, value + 1) / 2^(64 words)."""
        words = 1
        while True:
            value, one = self.more(words), 1 << 64 * words
            if value * b >= a * one:
                return False
            if (value + 1) * b <= a * one:
                return True
            words += 1

    def below(self, other):
        words = 1
        while self.more(words) == other.more(words):
            words += 1
        return self.more(words) < other.more(words)

    def below_number(self, digits):
        """u < digits / 2^256"""
        words = 1
        while words < 4 and self.more(words) == digits >> 64 * (4 - words):
            words += 1
        return self.more(words) < digits >> 64 * (4 - words)


def coarse_table():
    """floor(2^256 P(strip <= j)) for P(j) proportional to exp(-(j/STRIPS)^2/2)."""
    getcontext().prec = 160
    mass = [(-Decimal(j * j) / (2 * STRIPS**2)).exp() for j in range(60 * STRIPS)]
    total = sum(mass)
    return [int(sum(mass[:j + 1]) / total * 2**256) for j in range(18 * STRIPS)] + [2**256]


COARSE = coarse_table()


def release(stream, kind, scale, value):
    """What may be sent of a value: on the grid of the scale, with discrete noise."""
    d = len(value)
    length, longer = (1 / scale, math.sqrt((d + 1) / 2**13)) if kind == "gamma" else (scale, 1)
    exponent = math.frexp(max(1, longer) * length)[1] - STEPS
    steps = math.ceil(math.ldexp(length, -exponent))
    if kind == "gamma":
        drawn = stream.discrete_gamma(steps, d)
    else:
        drawn = [getattr(stream, "discrete_" + kind)(steps) for _ in value]
    return np.array([math.ldexp(round(math.ldexp(v, -exponent)), exponent)
                     + math.ldexp(float(k), exponent) for v, k in zip(value, drawn)])


# ---- masks of secure sums: src/core/random/mask.h and R/site-agreement.R

PRIME = 2**255 - 19
BASE = (9).to_bytes(32, "little")


def x25519(secret, point):
    """RFC 7748, section 5: the u-coordinate of secret times a point of Curve25519."""
    k = bytearray(secret)
    k[0], k[31] = k[0] & 248, k[31] & 127 | 64
    k = int.from_bytes(k, "little")
    u = (int.from_bytes(point, "little") & 2**255 - 1) % PRIME
    x2, z2, x3, z3, swap = 1, 0, u, 1, 0
    for t in reversed(range(255)):
        bit = k >> t & 1
        if swap ^ bit:
            x2, z2, x3, z3 = x3, z3, x2, z2
        swap = bit
        a, b, c, e = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb = a * a % PRIME, b * b % PRIME
        x3, z3 = (e * a + c * b)**2 % PRIME, u * (e * a - c * b)**2 % PRIME
        x2, z2 = aa * bb % PRIME, (aa - bb) * (aa + 121665 * (aa - bb)) % PRIME
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, PRIME - 2, PRIME) % PRIME).to_bytes(32, "little")


def pair_mask(secrets, run, plan, inbox, round_number, attempt, d):
    """What the first of a pair of sites adds and the second subtracts; `inbox`: its numbers."""
    public = [x25519(secret, BASE) for secret in secrets]
    shared = x25519(secrets[0], public[1])
    assert shared == x25519(secrets[1], public[0])
    text = f"dpadmm secure sum 1 {run} {plan}".encode()
    key = hashlib.blake2b(text + public[0] + public[1], key=shared, digest_size=32).digest()
    digest = hashlib.sha256(np.array(inbox, "<f8").tobytes()).hexdigest().encode()
    key = hashlib.blake2b(digest, key=key, digest_size=32).digest()
    stream = Stream(key, attempt, round_number, PURPOSE_MASK)
    return [stream.word() for _ in range(d)]


def check_x25519():
    """RFC 7748, section 5.2, after one and after a thousand steps."""
    k = u = BASE
    for step in range(1000):
        k, u = x25519(k, u), k
        if step == 0:
            assert k.hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    assert k.hex() == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"


def check_cipher():
    """RFC 8439, section 2.3.2."""
    block = chacha20_block(bytes(range(32)), 1, (0x09000000, 0x4A000000, 0))
    assert block.hex() == (
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")


def main():
    """Known answers, for test_noise.c, test_discrete.c and test_gamma_norm.c in tests/core."""
    check_cipher()
    check_x25519()

    def stream(seed=42):
        return Stream(key_from_seed(seed), 3, 7, 1)

    for name, numbers in (("gaussian", stream().gaussian(2.5, 5)), ("gamma", stream().gamma(0.8, 5)),
                          ("laplace", stream().laplace(1.5, 4))):
        print(name, ", ".join(f"{x:.17g}" for x in numbers))
    for s in (1, 3, 1000, 2**40 + 12345):
        drawn = stream()
        print("discrete gaussian", s, [drawn.discrete_gaussian(s) for _ in range(8)])
        drawn = stream()
        print("discrete laplace", s, [drawn.discrete_laplace(s) for _ in range(8)])
    for s, d in ((1, 1), (3, 2), (1000, 5), (2**40 + 12345, 3), (2**34, 10**3)):
        print("discrete gamma", s, d, stream().gamma_spread(s, d), stream().discrete_gamma(s, d)[:3])
    print("release", ", ".join(f"{x:.17g}" for x in release(stream(), "gamma", 1 / 0.3, [0.1, -2.0, 1e9])))
    masks = pair_mask([bytes(range(32)), bytes(range(100, 132))], "0123456789abcdef" * 2, "c" * 64,
                      [1, -0.5], 7, 2, 9)
    print("mask", "".join(word.to_bytes(8, "little").hex() for word in masks))
    print("release", ", ".join(f"{x:.17g}" for x in release(stream(), "gaussian", 0.3, [0.1, -2.0, 1e9])))


if __name__ == "__main__":
    main()
