/* The root finder under every projection: find θ with
 *
 *     Σ_j clip(p_j − c_j θ, l_j, u_j) = e θ + z,        c_j > 0, e ≥ 0,
 *
 * whose left side falls and right side rises in θ. Deterministic, O(n) in the worst case
 * (algorithm 8 of "Regularized Risk Minimization by Nesterov's Accelerated Gradient Methods"):
 * halve the set of kinks around its exact median, and add up for good whatever no longer changes. */
#ifndef RRM_KNAPSACK_H
#define RRM_KNAPSACK_H

#include <math.h>
#include "digit_selection.h"
#include "rows.h"

/* Each array has its own step: 0 where one number serves all terms, else 1. */
typedef struct {
    const double *p, *c, *lower, *upper;
    ptrdiff_t n, c_step, lower_step, upper_step;
    double e, z;
} knapsack_t;

RRM_INLINE double knapsack_clip(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

/* The root between low and high (either may be infinite), where the equation is known to have one.
 * `members` has room for n indices, `kinks` for 2n numbers. */
static double knapsack_search(const knapsack_t *problem, double low, double high,
                              ptrdiff_t *members, double *kinks)
{
    const double *p = problem->p;
    ptrdiff_t n = problem->n, n_kinks = 0;
    double fixed = 0, offset = 0, slope = problem->e; /* terms decided: fixed + offset − slope θ */
    for (ptrdiff_t j = 0; j < n; j++)
        members[j] = j;
    for (;;) {
        ptrdiff_t kept = 0;
        n_kinks = 0;
        for (ptrdiff_t m = 0; m < n; m++) {
            ptrdiff_t j = members[m];
            double c = problem->c[j * problem->c_step];
            double lower = problem->lower[j * problem->lower_step];
            double upper = problem->upper[j * problem->upper_step];
            double leaves_upper = (p[j] - upper) / c, reaches_lower = (p[j] - lower) / c;
            int first_inside = (leaves_upper > low) & (leaves_upper < high);
            int second_inside = (reaches_lower > low) & (reaches_lower < high);
            /* Which case it is cannot be foreseen: written and counted, not branched on. */
            int undecided = first_inside | second_inside;
            int at_upper = !undecided & (leaves_upper >= high);
            int at_lower = !undecided & !at_upper & (reaches_lower <= low);
            kinks[n_kinks] = leaves_upper;
            n_kinks += first_inside;
            kinks[n_kinks] = reaches_lower;
            n_kinks += second_inside & (reaches_lower > leaves_upper);
            members[kept] = j;
            kept += undecided;
            fixed += at_upper ? upper : at_lower ? lower : 0;
            offset += undecided | at_upper | at_lower ? 0 : p[j];
            slope += undecided | at_upper | at_lower ? 0 : c;
        }
        n = kept;
        if (n_kinks == 0)
            break;
        double theta = select_rank_by_digits(kinks, n_kinks, n_kinks / 2);
        double excess = (fixed - problem->z) + (offset - slope * theta);
        for (ptrdiff_t m = 0; m < n; m++) {
            ptrdiff_t j = members[m];
            excess += knapsack_clip(p[j] - problem->c[j * problem->c_step] * theta,
                                    problem->lower[j * problem->lower_step],
                                    problem->upper[j * problem->upper_step]);
        }
        if (excess == 0)
            return theta;
        if (excess > 0)
            low = theta;
        else
            high = theta;
    }
    if (slope > 0) /* one straight piece is left */
        return knapsack_clip((fixed - problem->z + offset) / slope, low, high);
    return isfinite(low) ? low : high; /* flat: every θ between them is a root */
}

#endif
