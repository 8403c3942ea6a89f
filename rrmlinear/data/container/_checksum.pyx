"""XXH64 with seed 0, the checksum of the container's arrays: about 10 GB/s.

Source: Yann Collet, xxHash fast digest algorithm, version 0.1.1.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    STRIPE = 32     # bytes that the four sums take at a time

cdef uint64_t PRIME1 = 0x9E3779B185EBCA87
cdef uint64_t PRIME2 = 0xC2B2AE3D27D4EB4F
cdef uint64_t PRIME3 = 0x165667B19E3779F9
cdef uint64_t PRIME4 = 0x85EBCA77C2B2AE63
cdef uint64_t PRIME5 = 0x27D4EB2F165667C5


cdef inline uint64_t rotated(uint64_t x, int bits) noexcept nogil:
    return (x << bits) | (x >> (64 - bits))


cdef inline uint64_t rounded(uint64_t total, uint64_t lane) noexcept nogil:
    return rotated(total + lane * PRIME2, 31) * PRIME1


cdef inline uint64_t merged(uint64_t total, uint64_t part) noexcept nogil:
    return (total ^ rounded(0, part)) * PRIME1 + PRIME4


cdef inline uint64_t word_at(const unsigned char* p) noexcept nogil:
    cdef uint64_t word
    memcpy(&word, p, 8)
    return word


cdef class Checksum:
    """The checksum of bytes that come in pieces."""

    cdef uint64_t a, b, c, d, length
    cdef unsigned char[STRIPE] rest     # the last length % STRIPE bytes

    def __init__(self):
        self.a, self.b = PRIME1 + PRIME2, PRIME2
        self.c, self.d = 0, 0 - PRIME1
        self.length = 0

    def update(self, const unsigned char[::1] data not None):
        """Add these bytes."""
        cdef Py_ssize_t size = data.shape[0]
        if size:
            with nogil:
                self.add(&data[0], size)

    cdef void add(self, const unsigned char* p, Py_ssize_t size) noexcept nogil:
        cdef Py_ssize_t held = self.length % STRIPE, missing = STRIPE - held
        self.length += size
        if held:
            if size < missing:
                memcpy(self.rest + held, p, size)
                return
            memcpy(self.rest + held, p, missing)
            self.add_stripes(self.rest, 1)
            p += missing
            size -= missing
        self.add_stripes(p, size // STRIPE)
        memcpy(self.rest, p + size // STRIPE * STRIPE, size % STRIPE)

    cdef void add_stripes(self, const unsigned char* p, Py_ssize_t count) noexcept nogil:
        cdef uint64_t a = self.a, b = self.b, c = self.c, d = self.d
        cdef Py_ssize_t _stripe
        for _stripe in range(count):
            a = rounded(a, word_at(p))
            b = rounded(b, word_at(p + 8))
            c = rounded(c, word_at(p + 16))
            d = rounded(d, word_at(p + 24))
            p += STRIPE
        self.a, self.b, self.c, self.d = a, b, c, d

    def value(self):
        """The checksum of all bytes so far, a whole number of 64 bits."""
        cdef uint64_t total
        cdef uint32_t half
        cdef const unsigned char* p = self.rest
        cdef const unsigned char* end = self.rest + self.length % STRIPE
        if self.length < STRIPE:
            total = PRIME5
        else:
            total = rotated(self.a, 1) + rotated(self.b, 7)
            total += rotated(self.c, 12) + rotated(self.d, 18)
            total = merged(merged(merged(merged(total, self.a), self.b), self.c), self.d)
        total += self.length
        while end - p >= 8:
            total = rotated(total ^ rounded(0, word_at(p)), 27) * PRIME1 + PRIME4
            p += 8
        if end - p >= 4:
            memcpy(&half, p, 4)
            total = rotated(total ^ half * PRIME1, 23) * PRIME2 + PRIME3
            p += 4
        while p < end:
            total = rotated(total ^ p[0] * PRIME5, 11) * PRIME1
            p += 1
        total = (total ^ (total >> 33)) * PRIME2
        total = (total ^ (total >> 29)) * PRIME3
        return total ^ (total >> 32)


def checksum(const unsigned char[::1] data not None):
    """The checksum of these bytes."""
    whole = Checksum()
    whole.update(data)
    return whole.value()
