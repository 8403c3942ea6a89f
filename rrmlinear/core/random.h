/* Seeded random numbers: splitmix64 and Lemire's unbiased-enough multiply-shift; no global state. */
#ifndef RRM_RANDOM_H
#define RRM_RANDOM_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* The state of stream `number` of a seed. */
static inline uint64_t random_stream(uint64_t seed, uint64_t number)
{
    uint64_t state = seed ^ (number * 0xd1342543de82ef95u);
    return random_next(&state);
}

/* Uniform on 0 … bound−1; the bias is below bound/2^64. */
static inline uint64_t random_below(uint64_t *state, uint64_t bound)
{
    return (uint64_t)(((unsigned __int128)random_next(state) * bound) >> 64);
}

/* Fisher–Yates. */
static inline void random_shuffle(uint64_t *state, int64_t *order, ptrdiff_t n)
{
    for (ptrdiff_t i = n - 1; i > 0; i--) {
        ptrdiff_t j = (ptrdiff_t)random_below(state, (uint64_t)i + 1);
        int64_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

#endif
