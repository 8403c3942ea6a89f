/* Loops over the columns of a projection on a box cut by a plane:
 *
 *     minimize ½ Σ d_j² (a_j − m_j)²   subject to   l_j ≤ a_j ≤ u_j,   Σ s_j a_j = z,
 *
 * a_j = clip(m_j − θ q_j, l_j, u_j), q_j = s_j / d_j². The left side of Σ s_j a_j(θ) = z + e θ falls
 * in θ and its right side does not (e = 0 for a projection; others put more there). A column of the
 * problem is an array or one number for all; no pass makes a copy of it. A term with s_j q_j = 0
 * does not depend on θ. */
#ifndef RRM_PLANES_H
#define RRM_PLANES_H

#include <float.h>
#include "newton.h"

enum { PLANE_BLOCK = 256 };

typedef struct {
    const double *at;
    ptrdiff_t step; /* 0: one number for all */
} column_t;

typedef struct {
    column_t m, d, lower, upper, s;
    ptrdiff_t n;
    double e, z;
    int rates;     /* d holds q itself, of the sign of s */
    int absolute;  /* m stands for |m|, and what is written gets the signs of m */
} plane_t;

/* A stretch of all columns, q in place of d, with unit steps. */
typedef struct {
    const double *m, *q, *lower, *upper, *s;
    ptrdiff_t length;
} stretch_t;

typedef struct {
    double m[PLANE_BLOCK], q[PLANE_BLOCK], lower[PLANE_BLOCK], upper[PLANE_BLOCK], s[PLANE_BLOCK];
} stretch_memory_t;

RRM_INLINE double clip_between(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

/* A sum over many blocks that keeps the rounding of its additions. */
typedef struct {
    double value, lost;
} long_sum_t;

RRM_INLINE void long_add(long_sum_t *sum, double x)
{
    double total = sum->value + x, back = total - sum->value;
    sum->lost += (sum->value - (total - back)) + (x - back);
    sum->value = total;
}

RRM_INLINE double long_total(const long_sum_t *sum) /* the loss is NaN beside infinities */
{
    return isfinite(sum->value) ? sum->value + sum->lost : sum->value;
}

RRM_INLINE const double *plane_column(const column_t *column, ptrdiff_t begin, const double *filled)
{
    return column->step ? column->at + begin : filled;
}

RRM_INLINE double plane_rate(const plane_t *plane, double d, double s)
{
    double q = plane->rates ? d : s / (d * d);
    return s * q == 0 ? 0 : q;
}

/* What is the same for all stretches. */
RRM_INLINE void plane_open(const plane_t *plane, stretch_memory_t *memory)
{
    double m = plane->m.at[0], q = plane_rate(plane, plane->d.at[0], plane->s.at[0]);
    ptrdiff_t length = plane->n < PLANE_BLOCK ? plane->n : PLANE_BLOCK;
    m = plane->absolute ? fabs(m) : m;
    for (ptrdiff_t i = 0; i < length; i++) {
        memory->m[i] = m;
        memory->q[i] = q;
        memory->lower[i] = plane->lower.at[0];
        memory->upper[i] = plane->upper.at[0];
        memory->s[i] = plane->s.at[0];
    }
}

RRM_INLINE stretch_t plane_stretch(const plane_t *plane, ptrdiff_t begin, stretch_memory_t *memory)
{
    ptrdiff_t length = plane->n - begin < PLANE_BLOCK ? plane->n - begin : PLANE_BLOCK;
    stretch_t stretch = {plane_column(&plane->m, begin, memory->m), memory->q,
                         plane_column(&plane->lower, begin, memory->lower),
                         plane_column(&plane->upper, begin, memory->upper),
                         plane_column(&plane->s, begin, memory->s), length};
    if (plane->d.step | plane->s.step) {
        const double *d = plane->d.at + begin * plane->d.step;
        if (plane->rates && plane->d.step && !plane->s.step)
            stretch.q = d;
        else if (plane->d.step) {
#pragma omp simd
            for (ptrdiff_t i = 0; i < length; i++)
                memory->q[i] = plane_rate(plane, d[i], stretch.s[i]);
        } else {
#pragma omp simd
            for (ptrdiff_t i = 0; i < length; i++)
                memory->q[i] = plane_rate(plane, *d, stretch.s[i]);
        }
    }
    if (plane->absolute && plane->m.step) {
#pragma omp simd
        for (ptrdiff_t i = 0; i < length; i++)
            memory->m[i] = fabs(stretch.m[i]);
        stretch.m = memory->m;
    }
    return stretch;
}

/* m − θ q, θ infinite or not. */
RRM_INLINE double plane_line(double m, double q, double theta)
{
    double x = m - theta * q;
    return q == 0 ? m : x;
}

/* What is wrong with the columns, as bits, and the sums that the box allows. */
enum { PLANE_BAD_M = 1, PLANE_BAD_D = 2, PLANE_BAD_BOX = 4, PLANE_BAD_S = 8 };

typedef struct {
    double least, largest, size; /* of Σ s a; of the finite bounds of its terms, Σ |s bound| */
    int wrong;
} plane_range_t;

RRM_CLONES static plane_range_t plane_range(const plane_t *plane)
{
    stretch_memory_t memory;
    long_sum_t least = {0, 0}, largest = {0, 0}, size = {0, 0};
    int wrong = 0;
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        const double *d = plane->d.at + begin * plane->d.step;
        ptrdiff_t d_length = plane->d.step ? x.length : 1;
        double low = 0, high = 0, all = 0;
        int bad = 0;
        for (ptrdiff_t i = 0; i < d_length; i++)
            bad |= (d[i] > 0 || plane->rates) && fabs(d[i]) <= DBL_MAX ? 0 : PLANE_BAD_D;
#pragma omp simd reduction(+ : low, high, all) reduction(| : bad)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double s = x.s[i], l = x.lower[i], u = x.upper[i];
            double first = s == 0 ? 0 : s * l, second = s == 0 ? 0 : s * u;
            low += s < 0 ? second : first;
            high += s < 0 ? first : second;
            all += (fabs(first) <= DBL_MAX ? fabs(first) : 0)
                   + (fabs(second) <= DBL_MAX ? fabs(second) : 0);
            bad |= fabs(x.m[i]) <= DBL_MAX ? 0 : PLANE_BAD_M;
            bad |= fabs(s) <= DBL_MAX ? 0 : PLANE_BAD_S;
            bad |= (l <= u) & (l <= DBL_MAX) & (u >= -DBL_MAX) ? 0 : PLANE_BAD_BOX;
        }
        long_add(&least, low);
        long_add(&largest, high);
        long_add(&size, all);
        wrong |= bad;
    }
    plane_range_t range = {long_total(&least), long_total(&largest), long_total(&size), wrong};
    return range;
}

/* Σ s_j a_j(θ). */
RRM_CLONES static double plane_sum(const plane_t *plane, double theta)
{
    stretch_memory_t memory;
    long_sum_t sum = {0, 0};
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        double total = 0;
#pragma omp simd reduction(+ : total)
        for (ptrdiff_t i = 0; i < x.length; i++)
            total += x.s[i] * clip_between(plane_line(x.m[i], x.q[i], theta), x.lower[i],
                                            x.upper[i]);
        long_add(&sum, total);
    }
    return long_total(&sum);
}

/* The value of the equation at θ, which is finite. Terms at bounds are told by their sums of s: s a
 * falls in θ, so that these are monotone, which numbers of terms are not where s has both signs. */
RRM_CLONES static value_t plane_value(const void *terms, double theta)
{
    const plane_t *plane = terms;
    stretch_memory_t memory;
    long_sum_t sum = {0, 0}, derivative = {0, 0};
    double at_lower = 0, at_upper = 0;
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        double total = 0, steep = 0, low = 0, high = 0;
#pragma omp simd reduction(+ : total, steep, low, high)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double l = x.lower[i], u = x.upper[i], a = x.m[i] - theta * x.q[i];
            total += x.s[i] * clip_between(a, l, u);
            steep += (a > l) & (a < u) ? x.s[i] * x.q[i] : 0;
            low += a <= l ? x.s[i] : 0;
            high += a >= u ? x.s[i] : 0;
        }
        long_add(&sum, total);
        long_add(&derivative, steep);
        at_lower += low;
        at_upper += high;
    }
    value_t value = {long_total(&sum) - plane->e * theta - plane->z,
                     long_total(&derivative) + plane->e, at_lower, at_upper, 0};
    return value;
}

/* Writes a(θ), which may take the place of m; returns how far Σ s a misses z + e θ, its size
 * Σ |s a| and Σ s q over the terms inside their bounds, by which that falls in θ. */
typedef struct {
    double miss, size, derivative;
} plane_written_t;

RRM_CLONES static plane_written_t plane_write(const plane_t *plane, double theta, double *out)
{
    stretch_memory_t memory;
    long_sum_t sum = {0, 0}, size = {0, 0}, derivative = {0, 0};
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        const double *signs = plane->m.at + begin * plane->m.step;
        double total = 0, all = 0, steep = 0;
#pragma omp simd reduction(+ : total, all, steep)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double l = x.lower[i], u = x.upper[i];
            double a = clip_between(plane_line(x.m[i], x.q[i], theta), l, u);
            total += x.s[i] * a;
            all += fabs(x.s[i] * a);
            steep += (a > l) & (a < u) ? x.s[i] * x.q[i] : 0;
            out[begin + i] = plane->absolute && signs[i] < 0 && a != 0 ? -a : a;
        }
        long_add(&sum, total);
        long_add(&size, all);
        long_add(&derivative, steep);
    }
    double right = plane->e == 0 ? plane->z : plane->z + plane->e * theta; /* θ may be infinite */
    plane_written_t written = {long_total(&sum) - right, long_total(&size),
                               long_total(&derivative)};
    return written;
}

#endif
