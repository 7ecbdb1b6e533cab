"""Prints ECDSA signatures on P-256 at the edges of the arithmetic (FIPS 186-5 section 6.4.2), with the right verdict of each.

A line is: a name, the public key (SubjectPublicKeyInfo, base64), the SHA-256 of the message, the signature (r and s), and
valid or invalid. The signatures come from plain arithmetic with whole numbers, apart from any library: the numbers u and v
of the check are chosen, and r, s and the digest follow from them.
"""

import base64
import hashlib

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
INFINITY = None


def add(first, second):
    """Returns the sum of two points."""
    if first is INFINITY:
        return second
    if second is INFINITY:
        return first
    if first[0] == second[0]:
        if (first[1] + second[1]) % P == 0:
            return INFINITY
        slope = (3 * first[0] * first[0] - 3) * pow(2 * first[1], -1, P) % P
    else:
        slope = (second[1] - first[1]) * pow(second[0] - first[0], -1, P) % P
    x = (slope * slope - first[0] - second[0]) % P
    return x, (slope * (first[0] - x) - first[1]) % P


def times(number, point):
    """Returns the product of a number and a point."""
    result = INFINITY
    for bit in bin(number % N)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def number(name):
    """Returns a number that looks random and is the same in each run."""
    return int.from_bytes(hashlib.sha512(name.encode()).digest(), "big") % (N - 1) + 1


def line(name, key, digest, r, s, verdict):
    """Prints one signature."""
    point = b"".join(value.to_bytes(32, "big") for value in key)
    info = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004") + point
    print(name, base64.b64encode(info).decode(), f"{digest:064x}", f"{r:064x}{s:064x}", verdict)


def made(u, v, key):
    """Returns the digest, r and s of the signature at whose check u and v come out."""
    r = add(times(u, G), times(v, key))[0] % N
    s = r * pow(v, -1, N) % N
    return u * s % N, r, s


EDGES = {
    "1": 1, "2": 2, "3": 3, "63": 63, "64": 64, "65": 65, "127": 127, "128": 128, "2^14": 1 << 14, "2^128": 1 << 128,
    "2^252": 1 << 252, "2^255": 1 << 255, "2^256-n": (1 << 256) - N, "n-1": N - 1, "n-2": N - 2, "n-64": N - 64,
    "(n-1)/2": (N - 1) // 2, "(n+1)/2": (N + 1) // 2, "ones": (1 << 255) - 1, "5s": int("5" * 64, 16),
    "as": int("a" * 64, 16), "windows-of-64": sum(64 << (7 * place) for place in range(35)),
    "windows-of-63": sum(63 << (7 * place) for place in range(36)), "windows-of-1": sum(1 << (7 * place) for place in range(36)),
}


def edges():
    """Prints signatures with u and v at the edges of the windows of a multiplication, and the same with one bit changed."""
    names = list(EDGES)
    for index, first in enumerate(names):
        for second in (first, names[(index * 7 + 5) % len(names)], names[(index * 11 + 3) % len(names)]):
            u, v = EDGES[first], EDGES[second]
            key = times(number(f"key {first} {second}"), G)
            digest, r, s = made(u, v, key)
            name = f"u={first},v={second}"
            line(name, key, digest, r, s, "valid")
            line(name + ",s-negative", key, digest, r, N - s, "valid")
            line(name + ",digest-changed", key, digest ^ 1, r, s, "invalid")
            line(name + ",r-changed", key, digest, r ^ 2, s, "invalid")
            line(name + ",s-changed", key, digest, r, s ^ 4, "invalid")


def keys():
    """Prints signatures by keys that are close to the generator."""
    for name, factor in {"g": 1, "2g": 2, "3g": 3, "minus-g": N - 1, "minus-2g": N - 2, "half-g": (N + 1) // 2}.items():
        key = times(factor, G)
        digest, r, s = made(number("u" + name), number("v" + name), key)
        line("key=" + name, key, digest, r, s, "valid")
        line("key=" + name + ",digest-changed", key, digest ^ 1, r, s, "invalid")


def sums():
    """Prints signatures at whose check the two products are equal, opposite, or nothing."""
    for place in range(4):
        secret, v = number(f"secret {place}"), number(f"product {place}")
        key = times(secret, G)
        digest, r, s = made(v * secret % N, v, key)
        line(f"equal-products-{place}", key, digest, r, s, "valid")
        r = number(f"r {place}")
        s = r * pow(v, -1, N) % N
        line(f"opposite-products-{place}", key, -v * secret * s % N, r, s, "invalid")
        digest, r, s = made(0, v, key)
        line(f"digest-0-{place}", key, 0, r, s, "valid")
        line(f"digest-n-{place}", key, N, r, s, "valid")
        line(f"digest-n+1-{place}", key, N + 1, r, s, "invalid")
        digest = (1 << 256) - 1
        r = times(number(f"nonce {place}"), G)[0] % N
        s = pow(number(f"nonce {place}"), -1, N) * (digest + r * secret) % N
        line(f"digest-all-ones-{place}", key, digest, r, s, "valid")


def ranges():
    """Prints signatures whose r or s is out of range, and some whose point has an x of n or more."""
    secret = number("ranges")
    key = times(secret, G)
    digest, r, s = made(number("u"), number("v"), key)
    top = (1 << 256) - 1
    for name, changed in {
        "r=0": (0, s), "s=0": (r, 0), "both=0": (0, 0), "r=n": (N, s), "s=n": (r, N), "both=n": (N, N), "r=n+1": (N + 1, s),
        "s=n+1": (r, N + 1), "r=p": (P, s), "r=top": (top, s), "s=top": (r, top), "both=top": (top, top), "r=1": (1, s),
        "s=1": (r, 1), "both=1": (1, 1), "swapped": (s, r), "r-negative": (N - r, s),
    }.items():
        line(name, key, digest, *changed, "invalid")
    x, found = N, 0
    while found < 6:
        square = (pow(x, 3, P) - 3 * x + B) % P
        y = pow(square, (P + 1) // 4, P)
        if y * y % P == square and x > N:
            # The key is chosen so that the sum is this point.
            u, v = number(f"u of {found}"), number(f"v of {found}")
            key = times(pow(v, -1, N), add((x, y), times(N - u, G)))
            r = x - N
            s = r * pow(v, -1, N) % N
            line(f"x-beyond-n-{found}", key, u * s % N, r, s, "valid")
            line(f"x-beyond-n-{found},r-not-reduced", key, u * s % N, x, s, "invalid")
            found += 1
        x += 1


edges()
keys()
sums()
ranges()
