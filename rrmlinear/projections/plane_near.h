/* The root of a plane's equation from a good guess, by passes over all columns: two or three where
 * the guess is that of a problem nearby. Where they do not end, the search goes on without it. */
#ifndef RRM_PLANE_NEAR_H
#define RRM_PLANE_NEAR_H

#include "plane_project.h"

enum { NEAR_STEPS = 8 };

typedef struct {
    /* Σ s a(θ); Σ s q inside; Σ s at either bound. s a falls in θ, so that the last two are
     * monotone in θ: they are equal at two θ only where the same terms are at bounds. Counts of
     * terms are not, where s has both signs. */
    double total, slope, at_lower, at_upper;
} plane_value_t;

RRM_CLONES static plane_value_t plane_value(const plane_t *plane, double theta)
{
    stretch_memory_t memory;
    long_sum_t sum = {0, 0}, slope = {0, 0};
    double at_lower = 0, at_upper = 0;
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        double total = 0, steep = 0, low = 0, high = 0;
#pragma omp simd reduction(+ : total, steep, low, high)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double l = x.lower[i], u = x.upper[i], a = x.m[i] - theta * x.q[i];
            total += x.s[i] * knapsack_clip(a, l, u);
            steep += (a > l) & (a < u) ? x.s[i] * x.q[i] : 0;
            low += a <= l ? x.s[i] : 0;
            high += a >= u ? x.s[i] : 0;
        }
        long_add(&sum, total);
        long_add(&slope, steep);
        at_lower += low;
        at_upper += high;
    }
    plane_value_t value = {long_total(&sum), long_total(&slope), at_lower, at_upper};
    return value;
}

/* Newton's method from `guess`, exact once a step finds the same terms at their bounds as the one
 * before; θ is known to exist. */
static int plane_near(const plane_t *plane, double guess, double *theta)
{
    double low = -INFINITY, high = INFINITY, last_lower = NAN, last_upper = NAN;
    *theta = guess;
    for (int step = 0; step < NEAR_STEPS; step++) {
        plane_value_t found = plane_value(plane, *theta);
        double excess = found.total - plane->e * *theta - plane->z;
        double slope = found.slope + plane->e, next = *theta + excess / slope;
        if (excess == 0 || (found.at_lower == last_lower && found.at_upper == last_upper))
            return 0;
        if (excess > 0)
            low = *theta;
        else
            high = *theta;
        if (!(slope > 0 && next > low && next < high))
            break;
        last_lower = found.at_lower;
        last_upper = found.at_upper;
        *theta = next;
    }
    return plane_theta(plane, 0, low, high, theta);
}

#endif
