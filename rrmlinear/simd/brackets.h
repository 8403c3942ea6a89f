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

RRM_CLONES static value_t terms_value(const void *gathered, double theta)
{
    const terms_t *terms = gathered;
    double total = 0, derivative = 0, at_lower = 0, at_upper = 0;
#pragma omp simd reduction(+ : total, derivative, at_lower, at_upper)
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        double l = terms->lower[j], u = terms->upper[j], c = terms->c[j];
        double x = terms->p[j] - c * theta;
        total += clip_between(x, l, u);
        derivative += (x > l) & (x < u) ? c : 0;
        at_lower += x <= l ? 1.0 : 0.0;
        at_upper += x >= u ? 1.0 : 0.0;
    }
    return (value_t){total - terms->e * theta - terms->z, derivative + terms->e, at_lower, at_upper,
                     fabs(theta)};
}

/* A stretch in a bracket: 0 for terms that do not change inside it, 1 for those that move along a
 * line, 2 for those that have a kink; no other type than double vectorizes. */
typedef struct {
    stretch_t columns;
    double kinds[PLANE_BLOCK];
    double fixed, rate;       /* the terms of kinds 0 and 1 add up to fixed − rate θ */
    double at_low, at_high;   /* Σ s a at the bracket's ends */
    double moving, open, bad; /* numbers of kinds above 0, of kind 2 and of m that are not finite */
} bracketed_t;

RRM_CLONES static void plane_bracketed(const plane_t *plane, ptrdiff_t begin, double low,
                                       double high, stretch_memory_t *memory, bracketed_t *found)
{
    stretch_t x = plane_stretch(plane, begin, memory);
    double *kinds = found->kinds;
    double decided = 0, steep = 0, above = 0, below = 0, any = 0, open = 0, bad = 0;
#pragma omp simd reduction(+ : decided, steep, above, below, any, open, bad)
    for (ptrdiff_t i = 0; i < x.length; i++) {
        double m = x.m[i], q = x.q[i], s = x.s[i], l = x.lower[i], u = x.upper[i];
        double first = plane_line(m, q, low), second = plane_line(m, q, high);
        double a = clip_between(first, l, u), b = clip_between(second, l, u);
        double kinked = (a == first) & (b == second) ? 1.0 : 2.0;
        double kind = a == b ? 0.0 : kinked;
        double line = kind == 1 ? s * m : 0;
        decided += kind == 0 ? s * a : line;
        steep += kind == 1 ? s * q : 0;
        above += s == 0 ? 0 : s * a;
        below += s == 0 ? 0 : s * b;
        kinds[i] = kind;
        any += kind;
        open += kind == 2 ? 1.0 : 0.0;
        bad += fabs(m) <= DBL_MAX ? 0.0 : 1.0;
    }
    found->columns = x;
    found->fixed = decided;
    found->rate = steep;
    found->at_low = above;
    found->at_high = below;
    found->moving = any;
    found->open = open;
    found->bad = bad;
}

/* Writes a stretch at θ, an end of the bracket; returns Σ s a and Σ |s a| of the terms that the
 * bracket decides. */
typedef struct {
    double sum, size;
} decided_t;

RRM_INLINE decided_t plane_write_stretch(const plane_t *plane, const bracketed_t *found,
                                         ptrdiff_t begin, double theta, int absolute, double *out)
{
    const stretch_t x = found->columns;
    const double *signs = plane->m.at + begin * plane->m.step, *kinds = found->kinds;
    double total = 0, all = 0;
#pragma omp simd reduction(+ : total, all)
    for (ptrdiff_t i = 0; i < x.length; i++) {
        double a = clip_between(plane_line(x.m[i], x.q[i], theta), x.lower[i], x.upper[i]);
        double term = kinds[i] ? 0 : x.s[i] * a;
        total += term;
        all += fabs(term);
        out[begin + i] = absolute && signs[i] < 0 && a != 0 ? -a : a;
    }
    return (decided_t){total, all};
}

RRM_CLONES static decided_t plane_write_decided(const plane_t *plane, const bracketed_t *found,
                                                ptrdiff_t begin, double theta, double *out)
{
    return plane->absolute ? plane_write_stretch(plane, found, begin, theta, 1, out)
                           : plane_write_stretch(plane, found, begin, theta, 0, out);
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
