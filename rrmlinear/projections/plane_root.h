/* The θ of plane.h, fast or by the deterministic search.
 *
 * Fast: the root of a sample's equation brackets the root; one pass over all terms decides those that
 * the bracket decides and gathers the few others, among which Newton's method finds the root.
 * Deterministic: medians of kinks narrow the bracket until few terms are left, for knapsack_search.
 * A sample that misleads costs passes, and then the deterministic search, never the answer. */
#ifndef RRM_PLANE_ROOT_H
#define RRM_PLANE_ROOT_H

#include <stdlib.h>
#include "plane.h"

enum {
    SAMPLE_FROM = 1 << 10,   /* below, all terms are gathered at once */
    PLANE_NEWTON_STEPS = 24,
    PLANE_ATTEMPTS = 3       /* brackets tried, each wider, before the deterministic search */
};

/* What is returned in place of a root: no memory, and m that are not finite. */
enum { PLANE_NO_MEMORY = -1, PLANE_NOT_FINITE = -2 };

/* How many standard deviations of a sample's sum its bracket allows for. */
#define SAMPLE_DEVIATIONS 3.5

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

/* Gathers the terms that [low, high] leaves open and puts the others into e and z. Returns 1 where
 * low and high are found on both sides of the root, and 0 where not, telling which side it lies on
 * in `side` (−1: below low, 1: above high). */
RRM_CLONES static int plane_gather(const plane_t *plane, double low, double high, terms_t *terms,
                                   int *side)
{
    stretch_memory_t memory;
    unsigned char open[PLANE_BLOCK];
    long_sum_t fixed = {0, 0}, slope = {0, 0}, at_low = {0, 0}, at_high = {0, 0};
    terms->n = 0;
    plane_open(plane, &memory);
    for (ptrdiff_t begin = 0; begin < plane->n; begin += PLANE_BLOCK) {
        stretch_t x = plane_stretch(plane, begin, &memory);
        double decided = 0, steep = 0, above = 0, below = 0;
        int any = 0, bad = 0;
#pragma omp simd reduction(+ : decided, steep, above, below) reduction(| : any, bad)
        for (ptrdiff_t i = 0; i < x.length; i++) {
            double m = x.m[i], q = x.q[i], s = x.s[i], l = x.lower[i], u = x.upper[i];
            double first = plane_line(m, q, low), second = plane_line(m, q, high);
            double a = knapsack_clip(first, l, u), b = knapsack_clip(second, l, u);
            int constant = a == b, straight = (a == first) & (b == second);
            decided += constant ? s * a : straight ? s * m : 0;
            steep += !constant & straight ? s * q : 0;
            above += s == 0 ? 0 : s * a;
            below += s == 0 ? 0 : s * b;
            open[i] = !constant & !straight;
            any |= !constant & !straight;
            bad |= !(fabs(m) <= DBL_MAX);
        }
        long_add(&fixed, decided);
        long_add(&slope, steep);
        long_add(&at_low, above);
        long_add(&at_high, below);
        if (bad)
            return PLANE_NOT_FINITE;
        if (any) {
            if (terms_reserve(terms, x.length))
                return PLANE_NO_MEMORY;
            ptrdiff_t places[PLANE_BLOCK], count = 0;
            for (ptrdiff_t i = 0; i < x.length; i++) { /* which are open cannot be foreseen */
                places[count] = i;
                count += open[i];
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
    return *side == 0;
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

/* A bracket that the root of a sample's equation suggests: n^(2/3) terms, one from each of as many
 * equal stretches, at places that no period of the data is in step with. */
static int plane_sample(const plane_t *plane, double *low, double *high)
{
    ptrdiff_t count = (ptrdiff_t)cbrt((double)plane->n * (double)plane->n);
    ptrdiff_t every = plane->n / count;
    uint64_t state = 0x9e3779b97f4a7c15u;
    double share = (double)count / (double)plane->n, theta, mean, squares = 0;
    terms_t terms = {0};
    int status = terms_reserve(&terms, count);
    terms.e = plane->e * share;
    terms.z = plane->z * share;
    for (ptrdiff_t k = 0; status == 0 && k < count; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ptrdiff_t j = k * every + (ptrdiff_t)((state >> 33) % (uint64_t)every);
        double m = plane->m.at[j * plane->m.step], s = plane->s.at[j * plane->s.step];
        double q = plane_rate(plane, plane->d.at[j * plane->d.step], s);
        double l = plane->lower.at[j * plane->lower.step];
        double u = plane->upper.at[j * plane->upper.step];
        m = plane->absolute ? fabs(m) : m;
        stretch_t one = {&m, &q, &l, &u, &s, 1};
        if (q != 0)
            terms_append(&terms, &one, 0);
        else if (s != 0)
            terms.z -= s * knapsack_clip(m, l, u);
    }
    *low = -INFINITY;
    *high = INFINITY;
    if (status == 0 && terms.n && terms_reach(&terms)) {
        theta = terms_guess(&terms, -INFINITY, INFINITY);
        status = terms_newton(&terms, -INFINITY, INFINITY, &theta);
        mean = (terms.e * theta + terms.z) / (double)terms.n;
        for (ptrdiff_t j = 0; j < terms.n; j++) {
            double x = knapsack_clip(terms.p[j] - terms.c[j] * theta, terms.lower[j],
                                     terms.upper[j]) - mean;
            squares += x * x;
        }
        /* terms that are all alike still differ by rounding */
        double deviation = SAMPLE_DEVIATIONS * sqrt(squares)
                           + 1e-9 * (fabs(mean) * (double)terms.n + fabs(terms.z));
        if (status == 0 && deviation > 0 && isfinite(deviation))
            status = terms_end(&terms, deviation, theta, low)
                     | terms_end(&terms, -deviation, theta, high);
    }
    terms_free(&terms);
    return status;
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
        status = plane_gather(plane, low, high, &terms, &side);
    if (status >= 0)
        status = terms_search(&terms, low, high, theta);
    terms_free(&terms);
    return status;
}

/* The root in [low, high], where the equation is known to have one. */
static int plane_newton(const plane_t *plane, double low, double high, double *theta)
{
    double first = -INFINITY, last = INFINITY, wide = 1;
    terms_t terms = {0};
    int status = 0, side = 0;
    if (plane->n >= SAMPLE_FROM)
        status = plane_sample(plane, &first, &last);
    for (int attempt = 0; status == 0 && attempt < PLANE_ATTEMPTS; attempt++) {
        first = first > low ? first : low;
        last = last < high ? last : high;
        if (plane->n >= SAMPLE_FROM && first == low && last == high)
            break; /* all terms would be gathered */
        status = plane_gather(plane, first, last, &terms, &side);
        if (status == 1) {
            *theta = terms_guess(&terms, first, last);
            status = terms_newton(&terms, first, last, theta);
            terms_free(&terms);
            return status;
        }
        wide = 8 * (last - first);
        if (side < 0) {
            high = last = first;
            first = isfinite(wide) ? first - wide : -INFINITY;
        } else {
            low = first = last;
            last = isfinite(wide) ? last + wide : INFINITY;
        }
    }
    terms_free(&terms);
    return status < 0 ? status : plane_search(plane, low, high, theta);
}

/* Projects: θ by either way, then a(θ), moved once more where θ has too few digits for the sum. */
static int plane_project(const plane_t *plane, int deterministic, double low, double high,
                         double *out, double *theta)
{
    int status = deterministic ? plane_search(plane, low, high, theta)
                               : plane_newton(plane, low, high, theta);
    if (status < 0)
        return status;
    plane_written_t written = plane_write(plane, *theta, out);
    for (int step = 0; step < 3; step++) {
        if (!(fabs(written.miss) > 1e-14 * written.size && written.slope > 0))
            break;
        written.miss += plane_shift(plane, written.miss / written.slope, out);
    }
    return 0;
}

#endif
