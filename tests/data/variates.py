#!/usr/bin/env python3
"""Random variates of formats/base/rng.h, by the same steps in Python: the source of the
numbers in tests/unit/base.c.  Python's floats are IEEE doubles, rounded after each step."""
import math

M = (1 << 64) - 1


def splitmix(x):
    x = (x + 0x9E3779B97F4A7C15) & M
    z = x
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & M
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & M
    return x, z ^ (z >> 31)


class Rng:
    def __init__(self, seed, purpose, index):
        h = 0xCBF29CE484222325
        for c in purpose.encode():
            h = ((h ^ c) * 0x100000001B3) & M
        x, z = splitmix(seed)
        x, z = splitmix(z ^ h)
        x = z ^ index
        self.s = []
        for _ in range(4):
            x, z = splitmix(x)
            self.s.append(z)

    def u64(self):
        s = self.s
        rotl = lambda v, k: ((v << k) | (v >> (64 - k))) & M
        result = (rotl((s[1] * 5) & M, 7) * 9) & M
        t = (s[1] << 17) & M
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def unit(self):
        return (self.u64() >> 11) * 2.0 ** -53

    def exponential(self):
        return 0 - log(1 - self.unit())

    def normal(self):
        while True:
            u = 2 * self.unit() - 1
            v = 2 * self.unit() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * log(s) / s)

    def gamma_from_1(self, shape):
        d = shape - 1.0 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal()
            v = 1 + c * x
            if v <= 0:
                continue
            v = v * v * v
            u = 1 - self.unit()
            if log(u) < 0.5 * x * x + d - d * v + d * log(v):
                return d * v

    def gamma(self, shape):
        if shape >= 1:
            return self.gamma_from_1(shape)
        g = self.gamma_from_1(shape + 1)
        return g * exp(log(1 - self.unit()) / shape)


HIGH, LOW = float.fromhex("0x1.62e42fee00000p-1"), float.fromhex("0x1.a39ef35793c76p-33")


def log(x):
    m, k = math.frexp(x)
    if m < float.fromhex("0x1.6a09e667f3bcdp-1"):
        m *= 2
        k -= 1
    s = (m - 1) / (m + 1)
    s2 = s * s
    total = 0.0
    for i in range(12, 0, -1):
        total = (total + 1.0 / (2 * i + 1)) * s2
    return k * HIGH + (k * LOW + (2 * s * total + 2 * s))


def exp(x):
    k = math.floor(x / (HIGH + LOW) + 0.5)
    r = x - k * HIGH - k * LOW
    total = 1.0
    for i in range(14, 0, -1):
        total = 1 + total * r / i
    return math.ldexp(total, k)


r = Rng(42, "arrivals", 0)
print("exponential", r.exponential().hex(), r.exponential().hex())
r = Rng(42, "arrivals", 1)
print("gamma", r.gamma(0.5).hex(), r.gamma(4).hex(), "normal", r.normal().hex())
