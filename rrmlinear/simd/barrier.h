/* A barrier for threads that meet every microsecond: each raises its own flag and watches the
 * others'.
 *
 * A meeting moves one cache line each way, some 50 ns between two cores of one chip; a shared counter
 * costs six times that. A thread that waits longer than a visit may share its core with the one it
 * waits for: it yields the core; if the flag is still down, it sleeps so that the scheduler can move
 * it. */
#ifndef RRM_BARRIER_H
#define RRM_BARRIER_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

typedef struct {
    _Alignas(128) atomic_long meetings; /* how many this thread has come to */
} flag_t;

enum { SPINS_BEFORE_YIELD = 1 << 9, SPINS_BEFORE_SLEEP = SPINS_BEFORE_YIELD + 64 };

/* Come to the next meeting as thread `me`, and wait until all threads have. What each wrote before
 * it came, all may read after. */
static inline void flags_meet(flag_t *flags, int n_threads, int me)
{
    long number = atomic_load_explicit(&flags[me].meetings, memory_order_relaxed) + 1;
    atomic_store_explicit(&flags[me].meetings, number, memory_order_release);
    for (int t = 0; t < n_threads; t++)
        for (int spins = 0;
             atomic_load_explicit(&flags[t].meetings, memory_order_acquire) < number;) {
            if (++spins > SPINS_BEFORE_SLEEP)
                nanosleep(&(struct timespec){0, 1000}, NULL);
            else if (spins > SPINS_BEFORE_YIELD)
                sched_yield();
#if defined(__x86_64__)
            else
                __builtin_ia32_pause();
#endif
        }
}

/* The processor that this thread runs on, or −1 where the system does not say. */
static inline int current_processor(void)
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

#endif
