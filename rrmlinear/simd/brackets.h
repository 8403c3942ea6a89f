/* Loops over columns and gathered terms while the root of their equation is bracketed. */
#ifndef RRM_BRACKETS_H
#define RRM_BRACKETS_H

#include "planes.h"

/* Terms gathered in arrays of their own: Σ clip(p − c θ, lower, upper) = e θ + z. */
typedef struct {
    double *p, *c, *lower, *upper;
    ptrdiff_t n, room;
    double e, z;
} terms_t;

/* A stretch in a bracket: 0 for terms that do not change inside it, 1 for those that move along a
 * line, 2 for those that have a kink; no other type than double vectorizes. */
typedef struct {
    stretch_t columns;
    double kinds[PLANE_BLOCK];
    double fixed, rate;       /* the terms of kinds 0 and 1 add up to fixed − rate θ */
    double bad;               /* number of m that are not finite */
} bracketed_t;

RRM_CLONES static void plane_bracketed(const plane_t *plane, ptrdiff_t begin, double low,
                                       double high, stretch_memory_t *memory, bracketed_t *found)
{
    stretch_t x = plane_stretch(plane, begin, memory);
    double *kinds = found->kinds;
    double decided = 0, steep = 0, bad = 0;
#pragma omp simd reduction(+ : decided, steep, bad)
    for (ptrdiff_t i = 0; i < x.length; i++) {
        double m = x.m[i], q = x.q[i], s = x.s[i], l = x.lower[i], u = x.upper[i];
        double first = plane_line(m, q, low), second = plane_line(m, q, high);
        double a = clip_between(first, l, u), b = clip_between(second, l, u);
        double kinked = (a == first) & (b == second) ? 1.0 : 2.0;
        double kind = a == b ? 0.0 : kinked;
        double line = kind == 1 ? s * m : 0;
        decided += kind == 0 ? s * a : line;
        steep += kind == 1 ? s * q : 0;
        kinds[i] = kind;
        bad += fabs(m) <= DBL_MAX ? 0.0 : 1.0;
    }
    found->columns = x;
    found->fixed = decided;
    found->rate = steep;
    found->bad = bad;
}

/* Writes the kinks strictly inside (low, high), all columns read once; returns their number,
 * or −1 where m is not finite. */
RRM_CLONES static ptrdiff_t plane_kinks(const plane_t *plane, double low, double high,
                                        double *kinks)
{
    stretch_memory_t memory;
    double first[PLANE_BLOCK], second[PLANE_BLOCK];
    ptrdiff_t count = 0;
    int bad = 0;
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
#pragma omp simd reduction(| : bad)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double q = x.q[i];
            bad |= !(fabs(x.m[i]) <= DBL_MAX);
            first[i] = q == 0 ? INFINITY : (x.m[i] - x.upper[i]) / q;
            second[i] = q == 0 ? INFINITY : (x.m[i] - x.lower[i]) / q;
        }
        for (ptrdiff_t i = 0; i < x.length; i++) {
            kinks[count] = first[i];
            count += (first[i] > low) & (first[i] < high);
            kinks[count] = second[i];
            count += (second[i] > low) & (second[i] < high);
        }
    }
    return bad ? -1 : count;
}

#endif
