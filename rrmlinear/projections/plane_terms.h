/* Terms of plane.h that are gathered in arrays of their own, and the root of their equation:
 * Newton's method, with the deterministic search behind it. */
#ifndef RRM_PLANE_TERMS_H
#define RRM_PLANE_TERMS_H

#include <stdlib.h>
#include "plane.h"

enum { PLANE_NEWTON_STEPS = 24 };

/* What is returned in place of a root: no memory, and m that are not finite. */
enum { PLANE_NO_MEMORY = -1, PLANE_NOT_FINITE = -2 };

/* Terms gathered: Σ clip(p − c θ, lower, upper) = e θ + z. */
typedef struct {
    double *p, *c, *lower, *upper;
    ptrdiff_t n, room;
    double e, z;
} terms_t;

static int terms_reserve(terms_t *terms, ptrdiff_t more)
{
    ptrdiff_t room = terms->room;
    double **columns[] = {&terms->p, &terms->c, &terms->lower, &terms->upper};
    if (terms->n + more <= room)
        return 0;
    room = room + room / 2 > terms->n + more ? room + room / 2 : terms->n + more;
    for (int k = 0; k < 4; k++) {
        double *column = realloc(*columns[k], sizeof(double) * room);
        if (!column)
            return PLANE_NO_MEMORY;
        *columns[k] = column;
    }
    terms->room = room;
    return 0;
}

static void terms_free(terms_t *terms)
{
    free(terms->p);
    free(terms->c);
    free(terms->lower);
    free(terms->upper);
}

RRM_INLINE void terms_append(terms_t *terms, const stretch_t *x, ptrdiff_t i)
{
    ptrdiff_t j = terms->n++;
    double s = x->s[i], first = s * x->lower[i], second = s * x->upper[i];
    terms->p[j] = s * x->m[i];
    terms->c[j] = s * x->q[i];
    terms->lower[j] = s < 0 ? second : first;
    terms->upper[j] = s < 0 ? first : second;
}

typedef struct {
    double total, slope, at_lower, at_upper;
} terms_value_t;

RRM_CLONES static terms_value_t terms_value(const terms_t *terms, double theta)
{
    double total = 0, slope = 0, at_lower = 0, at_upper = 0;
#pragma omp simd reduction(+ : total, slope, at_lower, at_upper)
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        double l = terms->lower[j], u = terms->upper[j], c = terms->c[j];
        double x = terms->p[j] - c * theta;
        total += knapsack_clip(x, l, u);
        slope += (x > l) & (x < u) ? c : 0;
        at_lower += x <= l ? 1.0 : 0.0;
        at_upper += x >= u ? 1.0 : 0.0;
    }
    terms_value_t value = {total, slope, at_lower, at_upper};
    return value;
}

/* The median search among gathered terms. */
static int terms_search(const terms_t *terms, double low, double high, double *theta)
{
    knapsack_t problem = {terms->p, terms->c, terms->lower, terms->upper, terms->n, 1, 1, 1,
                          terms->e, terms->z};
    ptrdiff_t *members = malloc(sizeof(ptrdiff_t) * (terms->n + 1));
    double *kinks = malloc(sizeof(double) * (2 * terms->n + 2));
    int status = members && kinks ? 0 : PLANE_NO_MEMORY;
    if (status == 0)
        *theta = knapsack_search(&problem, low, high, members, kinks);
    free(members);
    free(kinks);
    return status;
}

/* Newton's method from a first guess, kept inside [low, high]; along one straight piece a step is
 * exact, and a step that finds the same terms at their bounds as the last ends it. */
static int terms_newton(const terms_t *terms, double low, double high, double *theta)
{
    double last_lower = -1, last_upper = -1;
    for (int step = 0; step < PLANE_NEWTON_STEPS; step++) {
        terms_value_t found = terms_value(terms, *theta);
        double excess = found.total - terms->e * *theta - terms->z;
        double slope = found.slope + terms->e, next = *theta + excess / slope;
        if (excess == 0 || (found.at_lower == last_lower && found.at_upper == last_upper))
            return 0;
        if (excess > 0)
            low = *theta;
        else
            high = *theta;
        if (!(slope > 0 && next >= low && next <= high)) {
            if (!(isfinite(low) && isfinite(high)))
                break;
            next = low + (high - low) / 2;
            last_lower = last_upper = -1;
        } else {
            if (fabs(next - *theta) <= 1e-16 * fabs(*theta))
                return 0;
            last_lower = found.at_lower;
            last_upper = found.at_upper;
        }
        *theta = next;
    }
    return terms_search(terms, low, high, theta);
}

/* A guess for the root of gathered terms: an end or the middle of the bracket, or the root that the
 * terms would have without bounds. */
static double terms_guess(const terms_t *terms, double low, double high)
{
    if (isfinite(low) && isfinite(high))
        return low + (high - low) / 2;
    if (isfinite(low) || isfinite(high))
        return isfinite(low) ? low : high;
    double offset = 0, slope = 0;
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        offset += terms->p[j];
        slope += terms->c[j];
    }
    return terms->n || terms->e > 0 ? (offset - terms->z) / (slope + terms->e) : 0;
}

/* Whether Σ clip reaches e θ + z strictly inside what the bounds allow. */
static int terms_reach(const terms_t *terms)
{
    double least = 0, largest = 0;
    if (terms->e > 0)
        return 1;
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        least += terms->lower[j];
        largest += terms->upper[j];
    }
    return least < terms->z && terms->z < largest;
}

#endif
