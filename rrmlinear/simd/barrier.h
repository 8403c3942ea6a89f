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
#include <stdatomic.h>
#if defined(_WIN32)
/* windows.h has these two, and macros of common names such as `near` */
__declspec(dllimport) int __stdcall SwitchToThread(void);
__declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
#else
#include <sched.h>
#include <time.h>
#endif

typedef struct {
    _Alignas(128) atomic_llong meetings; /* how many this thread has come to: 2^31 take half an hour */
} flag_t;

enum { SPINS_BEFORE_YIELD = 1 << 9, SPINS_BEFORE_SLEEP = SPINS_BEFORE_YIELD + 64 };

static inline void yield_core(void)
{
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
}

/* The shortest sleep that the system has. */
static inline void sleep_shortly(void)
{
#if defined(_WIN32)
    Sleep(1);
#else
    nanosleep(&(struct timespec){0, 1000}, NULL);
#endif
}

/* Come to the next meeting as thread `me`, and wait until all threads have. What each wrote before
 * it came, all may read after. */
static inline void flags_meet(flag_t *flags, int n_threads, int me)
{
    long long number = atomic_load_explicit(&flags[me].meetings, memory_order_relaxed) + 1;
    atomic_store_explicit(&flags[me].meetings, number, memory_order_release);
    for (int t = 0; t < n_threads; t++)
        for (int spins = 0;
             atomic_load_explicit(&flags[t].meetings, memory_order_acquire) < number;) {
            if (++spins > SPINS_BEFORE_SLEEP)
                sleep_shortly();
            else if (spins > SPINS_BEFORE_YIELD)
                yield_core();
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
