/* A bracket of the root of plane.h that a sample of its terms suggests. */
#ifndef RRM_PLANE_SAMPLE_H
#define RRM_PLANE_SAMPLE_H

#include "plane_terms.h"

enum {
    NARROW_STEPS = 6,   /* full passes, at most, that halve a bracket of too many terms */
    OPEN_SHARE = 16     /* more than one in so many is too many: gathering costs as much as passes */
};

/* How many standard deviations of a sample's sum its bracket allows for. */
#define SAMPLE_DEVIATIONS 3.5

typedef struct {
    double low, high;               /* where the root should be */
    double proven_low, proven_high; /* where it is */
    double moving, open;            /* shares of the terms that change, and that do round a kink */
} bracket_t;

/* The root at sums moved by `deviation`, or an infinite θ where there is none. */
static int terms_end(const terms_t *terms, double deviation, double guess, double *theta)
{
    terms_t moved = *terms;
    moved.z += deviation;
    *theta = guess;
    if (terms_reach(&moved))
        return terms_newton(&moved, -INFINITY, INFINITY, theta);
    *theta = deviation > 0 ? -INFINITY : INFINITY;
    return 0;
}

/* n^(2/3) terms, one from each of as many equal stretches, at places that no period of the data is
 * in step with; e and z are their share. */
static int sample_draw(const plane_t *plane, terms_t *terms)
{
    ptrdiff_t count = (ptrdiff_t)cbrt((double)plane->n * (double)plane->n);
    ptrdiff_t every = plane->n / count;
    uint64_t state = 0x9e3779b97f4a7c15u;
    double share = (double)count / (double)plane->n;
    terms->e = plane->e * share;
    terms->z = plane->z * share;
    if (terms_reserve(terms, count))
        return PLANE_NO_MEMORY;
    for (ptrdiff_t k = 0; k < count; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ptrdiff_t j = k * every + (ptrdiff_t)((state >> 33) % (uint64_t)every);
        double m = plane->m.at[j * plane->m.step], s = plane->s.at[j * plane->s.step];
        double q = plane_rate(plane, plane->d.at[j * plane->d.step], s);
        double l = plane->lower.at[j * plane->lower.step];
        double u = plane->upper.at[j * plane->upper.step];
        m = plane->absolute ? fabs(m) : m;
        stretch_t one = {&m, &q, &l, &u, &s, 1};
        if (q != 0)
            terms_append(terms, &one, 0);
        else if (s != 0)
            terms->z -= s * knapsack_clip(m, l, u);
    }
    return 0;
}

/* The roots of the sample's equation with its sum moved up and down. */
static int sample_bracket(const terms_t *terms, bracket_t *bracket)
{
    if (!(terms->n && terms_reach(terms)))
        return 0;
    double squares = 0, theta = terms_guess(terms, -INFINITY, INFINITY);
    int status = terms_newton(terms, -INFINITY, INFINITY, &theta);
    double mean = (terms->e * theta + terms->z) / (double)terms->n;
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        double x = knapsack_clip(terms->p[j] - terms->c[j] * theta, terms->lower[j],
                                 terms->upper[j]) - mean;
        squares += x * x;
    }
    /* terms that are all alike still differ by rounding */
    double deviation = SAMPLE_DEVIATIONS * sqrt(squares)
                       + 1e-9 * (fabs(mean) * (double)terms->n + fabs(terms->z));
    if (status == 0 && deviation > 0 && isfinite(deviation))
        status = terms_end(terms, deviation, theta, &bracket->low)
                 | terms_end(terms, -deviation, theta, &bracket->high);
    return status;
}

/* Writes the sample's kinks strictly inside the bracket, counts the terms that have one and those
 * that change in it; returns the number of kinks. */
static ptrdiff_t sample_kinks(const terms_t *terms, const bracket_t *bracket, double *kinks,
                              ptrdiff_t *open, ptrdiff_t *moving)
{
    ptrdiff_t count = 0;
    *open = *moving = 0;
    for (ptrdiff_t j = 0; j < terms->n; j++) {
        double first = (terms->p[j] - terms->upper[j]) / terms->c[j];
        double second = (terms->p[j] - terms->lower[j]) / terms->c[j];
        int first_inside = (first > bracket->low) & (first < bracket->high);
        int second_inside = (second > bracket->low) & (second < bracket->high);
        kinks[count] = first;
        count += first_inside;
        kinks[count] = second;
        count += second_inside;
        *open += first_inside | second_inside;
        *moving += (first < bracket->high) & (second > bracket->low);
    }
    return count;
}

/* Where ties or crowds of kinks near the root leave too many terms open: passes over all terms at
 * the median of the kinks inside, which prove either side. Returns 1 where one is the root itself. */
static int sample_narrow(const plane_t *plane, const terms_t *terms, bracket_t *bracket)
{
    ptrdiff_t open, moving;
    double *kinks = malloc(sizeof(double) * (2 * terms->n + 2));
    if (!kinks)
        return PLANE_NO_MEMORY;
    for (int step = 0;; step++) {
        ptrdiff_t count = sample_kinks(terms, bracket, kinks, &open, &moving);
        bracket->moving = terms->n ? (double)moving / (double)terms->n : 0;
        bracket->open = terms->n ? (double)open / (double)terms->n : 0;
        if (step == NARROW_STEPS || open * OPEN_SHARE <= terms->n)
            break;
        double theta = select_rank_by_digits(kinks, count, count / 2);
        double excess = plane_sum(plane, theta) - plane->e * theta - plane->z;
        if (excess > 0)
            bracket->low = bracket->proven_low = theta;
        else
            bracket->high = bracket->proven_high = theta;
        if (excess == 0) {
            bracket->low = bracket->proven_low = theta;
            free(kinks);
            return 1;
        }
    }
    free(kinks);
    return 0;
}

/* Returns 1 where low = high is the root. */
static int plane_sample(const plane_t *plane, bracket_t *bracket)
{
    terms_t terms = {0};
    int status = sample_draw(plane, &terms);
    if (status == 0)
        status = sample_bracket(&terms, bracket);
    if (status == 0) {
        bracket->low = fmax(bracket->low, bracket->proven_low);
        bracket->high = fmin(bracket->high, bracket->proven_high);
        status = sample_narrow(plane, &terms, bracket);
    }
    terms_free(&terms);
    return status;
}

#endif
