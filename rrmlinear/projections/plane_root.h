/* The θ of plane.h, fast or by the deterministic search.
 *
 * Fast: the root of a sample's equation brackets the root; one pass over all terms decides those that
 * the bracket decides and gathers the few others, among which Newton's method finds the root.
 * Deterministic: medians of kinks narrow the bracket until few terms are left, for knapsack_search.
 * A sample that misleads costs passes, and then the deterministic search, never the answer. */
#ifndef RRM_PLANE_ROOT_H
#define RRM_PLANE_ROOT_H

#include "plane_kept.h"
#include "plane_sample.h"

enum {
    SAMPLE_FROM = 1 << 10,   /* below, all terms are gathered at once */
    PLANE_ATTEMPTS = 3       /* brackets tried, each wider, before the deterministic search */
};

/* A bracket that leaves a larger share of the terms open is not worth gathering them. */
#define MOST_OPEN 0.5

/* Gathers the terms that [low, high] leaves open and puts the others into e and z. Returns 1 where
 * low and high are found on both sides of the root, and 0 where not, telling which side it lies on
 * in `side` (−1: below low, 1: above high). */
RRM_CLONES static int plane_gather(const plane_t *plane, double low, double high, terms_t *terms,
                                   kept_t *kept, int *side)
{
    stretch_memory_t memory;
    double moves[PLANE_BLOCK]; /* 0: not, 1: along a line, 2: round a kink; no other type vectorizes */
    long_sum_t fixed = {0, 0}, slope = {0, 0}, at_low = {0, 0}, at_high = {0, 0};
    terms->n = 0;
    kept_open(kept);
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        double decided = 0, steep = 0, above = 0, below = 0, any = 0, open = 0, bad = 0;
#pragma omp simd reduction(+ : decided, steep, above, below, any, open, bad)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double m = x.m[i], q = x.q[i], s = x.s[i], l = x.lower[i], u = x.upper[i];
            double first = plane_line(m, q, low), second = plane_line(m, q, high);
            double a = knapsack_clip(first, l, u), b = knapsack_clip(second, l, u);
            double kinked = (a == first) & (b == second) ? 1.0 : 2.0;
            double kind = a == b ? 0.0 : kinked;
            double line = kind == 1 ? s * m : 0;
            decided += kind == 0 ? s * a : line;
            steep += kind == 1 ? s * q : 0;
            above += s == 0 ? 0 : s * a;
            below += s == 0 ? 0 : s * b;
            moves[i] = kind;
            any += kind;
            open += kind == 2 ? 1.0 : 0.0;
            bad += fabs(m) <= DBL_MAX ? 0.0 : 1.0;
        }
        long_add(&fixed, decided);
        long_add(&slope, steep);
        long_add(&at_low, above);
        long_add(&at_high, below);
        if (bad)
            return PLANE_NOT_FINITE;
        if (kept->out && kept_stretch(kept, plane, &x, begin, low, moves, any > 0))
            return PLANE_NO_MEMORY;
        if (open > 0) {
            if (terms_reserve(terms, x.length))
                return PLANE_NO_MEMORY;
            ptrdiff_t places[PLANE_BLOCK], count = 0;
            for (ptrdiff_t i = 0; i < x.length; i++) { /* which are open cannot be foreseen */
                places[count] = i;
                count += moves[i] == 2;
            }
            for (ptrdiff_t k = 0; k < count; k++)
                terms_append(terms, &x, places[k]);
        }
    }
    terms->e = plane->e + long_total(&slope);
    terms->z = plane->z - long_total(&fixed);
    *side = 0;
    if (isfinite(low) && long_total(&at_low) < plane->z + plane->e * low)
        *side = -1;
    else if (isfinite(high) && long_total(&at_high) > plane->z + plane->e * high)
        *side = 1;
    kept->done = kept->out && *side == 0;
    return *side == 0;
}

/* Writes the kinks strictly inside (low, high), all columns read once; returns their number. */
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
    return bad ? PLANE_NOT_FINITE : count;
}

/* Algorithm 8 between bounds of the root. */
static int plane_search(const plane_t *plane, double low, double high, double *theta)
{
    terms_t terms = {0};
    kept_t none = {0};
    int side, status = 0;
    double *kinks = malloc(sizeof(double) * (2 * plane->n + 2));
    if (!kinks)
        return PLANE_NO_MEMORY;
    for (;;) {
        ptrdiff_t count = plane_kinks(plane, low, high, kinks);
        if (count < 0)
            status = PLANE_NOT_FINITE;
        if (count <= plane->n / 4)
            break;
        *theta = select_rank_by_digits(kinks, count, count / 2);
        double excess = plane_sum(plane, *theta) - plane->e * *theta - plane->z;
        if (excess == 0) {
            free(kinks);
            return 0;
        }
        if (excess > 0)
            low = *theta;
        else
            high = *theta;
    }
    free(kinks);
    if (status == 0)
        status = plane_gather(plane, low, high, &terms, &none, &side);
    if (status >= 0)
        status = terms_search(&terms, low, high, theta);
    terms_free(&terms);
    return status;
}

/* The root in [low, high], where the equation is known to have one. Where `kept` has an `out` and
 * nearly all terms are decided early, those are written there. */
static int plane_newton(const plane_t *plane, double low, double high, kept_t *kept, double *theta)
{
    bracket_t bracket = {-INFINITY, INFINITY, low, high, 1, 0};
    double *out = kept->out;
    terms_t terms = {0};
    int status = 0, side = 0;
    if (plane->n >= SAMPLE_FROM)
        status = plane_sample(plane, &bracket);
    if (status == 1) {
        *theta = bracket.low;
        return 0;
    }
    double first = fmax(bracket.low, low), last = fmin(bracket.high, high), wide;
    low = bracket.proven_low;
    high = bracket.proven_high;
    kept->out = bracket.moving <= KEPT_SHARE ? out : NULL;
    int attempts = bracket.open <= MOST_OPEN ? PLANE_ATTEMPTS : 0;
    for (int attempt = 0; status == 0 && attempt < attempts; attempt++) {
        status = plane_gather(plane, first, last, &terms, kept, &side);
        if (status == 1) {
            *theta = terms_guess(&terms, first, last);
            status = terms_newton(&terms, first, last, theta);
            terms_free(&terms);
            return status;
        }
        wide = 8 * (last - first);
        if (side < 0) {
            high = last = first;
            first = fmax(isfinite(wide) ? first - wide : -INFINITY, low);
        } else {
            low = first = last;
            last = fmin(isfinite(wide) ? last + wide : INFINITY, high);
        }
    }
    terms_free(&terms);
    return status < 0 ? status : plane_search(plane, low, high, theta);
}

/* The same by either way, nothing written. */
static int plane_theta(const plane_t *plane, int deterministic, double low, double high,
                       double *theta)
{
    kept_t none = {0};
    return deterministic ? plane_search(plane, low, high, theta)
                         : plane_newton(plane, low, high, &none, theta);
}

#endif
