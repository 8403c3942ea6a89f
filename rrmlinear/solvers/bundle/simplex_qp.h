/* minimize ½ β'Qβ − b'β over β ≥ 0, Σ β_i = 1, Q symmetric and positive semidefinite.
 *
 * Active set of the β_i that may be above 0, its Cholesky factor kept from step to step. On the
 * simplex M = Q + τ 11' has the same minima as Q, and M of the set is positive definite as long as
 * its planes are affinely independent; one that is not enters along the direction of no curvature,
 * which ends where another leaves. */
#ifndef RRM_SIMPLEX_QP_H
#define RRM_SIMPLEX_QP_H

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct {
    ptrdiff_t size, stride, active; /* variables, doubles from row to row, variables in the set */
    double *Q, *L;                  /* L: rows of the factor of M, in the order of `order` */
    double *b, *beta, *g;           /* g = Qβ − b */
    ptrdiff_t *order;               /* the set */
    char *state;                    /* of each variable: QP_OUT, QP_IN or QP_REFUSED */
    double *step, *ones, *line;     /* scratch, `stride` each */
    double tau;
    ptrdiff_t changes; /* of the factor since it was made */
} qp_t;

enum { QP_OUT = 0, QP_IN = 1, QP_REFUSED = 2 };

/* A pivot that is this part of what it was taken from is zero but for rounding: where a variable
 * would enter, and where one is in the set already. */
#define QP_SINGULAR 1e-13
#define QP_DEPENDENT 1e-15
/* The factor is made anew after so many changes, or when τ is so far from the diagonal. */
#define QP_MOST_CHANGES 200
#define QP_FAR 16.0
#define QP_REFINEMENTS 2

static inline double qp_dot(const double *restrict a, const double *restrict c, ptrdiff_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; i++)
        sum += a[i] * c[i];
    return sum;
}

static inline void qp_axpy(double *restrict a, double x, const double *restrict c, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < n; i++)
        a[i] += x * c[i];
}

/* L l = x in place, the first half of a solution with M */
static inline void qp_forward(const qp_t *q, double *x)
{
    for (ptrdiff_t i = 0; i < q->active; i++) {
        const double *row = q->L + i * q->stride;
        x[i] = (x[i] - qp_dot(row, x, i)) / row[i];
    }
}

static inline void qp_backward(const qp_t *q, double *x)
{
    for (ptrdiff_t i = q->active - 1; i >= 0; i--) {
        const double *row = q->L + i * q->stride;
        x[i] /= row[i];
        qp_axpy(x, -x[i], row, i);
    }
}

static inline double qp_sum(const double *x, ptrdiff_t n)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* The square of the pivot that j would have, its row of the factor left in the next one. */
static inline double qp_pivot(qp_t *q, ptrdiff_t j)
{
    double *row = q->L + q->active * q->stride;
    const double *column = q->Q + j * q->stride;
    for (ptrdiff_t i = 0; i < q->active; i++)
        row[i] = column[q->order[i]] + q->tau;
    qp_forward(q, row);
    return column[j] + q->tau - qp_dot(row, row, q->active);
}

static inline void qp_enter(qp_t *q, ptrdiff_t j, double pivot)
{
    q->L[q->active * q->stride + q->active] = sqrt(pivot);
    q->order[q->active++] = j;
    q->state[j] = QP_IN;
    q->changes++;
}

/* Take the variable at this place out of the set; rotations make the rest triangular again. */
static inline void qp_leave(qp_t *q, ptrdiff_t place)
{
    ptrdiff_t s = q->stride, last = --q->active;
    q->state[q->order[place]] = QP_OUT;
    q->beta[q->order[place]] = 0;
    for (ptrdiff_t i = place; i < last; i++) {
        q->order[i] = q->order[i + 1];
        memcpy(q->L + i * s, q->L + (i + 1) * s, (size_t)(i + 2) * sizeof(double));
    }
    for (ptrdiff_t i = place; i < last; i++) {
        double *row = q->L + i * s, length = hypot(row[i], row[i + 1]);
        double c = row[i] / length, d = row[i + 1] / length;
        for (ptrdiff_t r = i; r < last; r++) {
            double *pair = q->L + r * s + i, first = pair[0];
            pair[0] = c * first + d * pair[1];
            pair[1] = c * pair[1] - d * first;
        }
    }
    q->changes++;
}

/* What τ should be: the mean of the diagonal over the set, or over all where that is 0. */
static inline double qp_size(const qp_t *q)
{
    double inside = 0, all = 0;
    for (ptrdiff_t i = 0; i < q->active; i++)
        inside += q->Q[q->order[i] * q->stride + q->order[i]] / (double)q->active;
    if (inside > 0)
        return inside;
    for (ptrdiff_t j = 0; j < q->size; j++)
        all += q->Q[j * q->stride + j] / (double)q->size;
    return all > 0 ? all : 1;
}

/* Factor the set anew, in its order; what then depends on others leaves, its weight to the rest. */
static inline void qp_factor(qp_t *q)
{
    ptrdiff_t count = q->active;
    q->tau = qp_size(q);
    q->active = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t j = q->order[i];
        double pivot = qp_pivot(q, j), most = q->Q[j * q->stride + j] + q->tau;
        if (pivot > QP_DEPENDENT * most)
            qp_enter(q, j, pivot);
        else
            q->state[j] = QP_OUT, q->beta[j] = 0;
    }
    q->changes = 0;
}

static inline int qp_factor_is_stale(const qp_t *q)
{
    double size = qp_size(q);
    return q->changes > QP_MOST_CHANGES || size > QP_FAR * q->tau || size * QP_FAR < q->tau;
}

/* β to a sum of 1, and g at it */
static inline void qp_look(qp_t *q)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < q->active; i++)
        sum += q->beta[q->order[i]];
    for (ptrdiff_t j = 0; j < q->size; j++)
        q->g[j] = -q->b[j];
    for (ptrdiff_t i = 0; i < q->active; i++) {
        ptrdiff_t j = q->order[i];
        q->beta[j] /= sum;
        qp_axpy(q->g, q->beta[j], q->Q + j * q->stride, q->size);
    }
}

/* step ← the way to the minimum over the set's plane Σ β = 1, given g there but for a constant */
static inline void qp_newton(qp_t *q, const double *g)
{
    for (ptrdiff_t i = 0; i < q->active; i++)
        q->step[i] = -g[i], q->ones[i] = 1;
    qp_forward(q, q->step);
    qp_forward(q, q->ones);
    double nu = -qp_dot(q->ones, q->step, q->active) / qp_dot(q->ones, q->ones, q->active);
    qp_axpy(q->step, nu, q->ones, q->active);
    qp_backward(q, q->step);
}

/* How much of the step keeps β ≥ 0, at most `most`; the place that ends it, or −1. */
static inline double qp_room(const qp_t *q, double most, ptrdiff_t *place)
{
    *place = -1;
    for (ptrdiff_t i = 0; i < q->active; i++) {
        double beta = q->beta[q->order[i]];
        if (beta + most * q->step[i] < 0 || (q->step[i] < 0 && beta <= 0)) {
            most = beta / -q->step[i];
            *place = i;
        }
    }
    return most;
}

static inline void qp_move(qp_t *q, double part)
{
    for (ptrdiff_t i = 0; i < q->active; i++) {
        double *beta = q->beta + q->order[i];
        *beta += part * q->step[i];
        *beta = *beta > 0 ? *beta : 0;
    }
}

/* β to the minimum over a subset of the set, those that reach 0 leaving it. Returns 0 where the last
 * of the set has just entered and does not rise: what made it enter was rounding. */
static inline int qp_descend(qp_t *q, int entered)
{
    double *g = q->line;
    ptrdiff_t place;
    for (ptrdiff_t i = 0; i < q->active; i++)
        g[i] = q->g[q->order[i]];
    for (;;) {
        qp_newton(q, g);
        if (entered && q->step[q->active - 1] <= 0)
            return 0;
        entered = 0;
        double part = qp_room(q, 1, &place);
        qp_move(q, part);
        if (place < 0)
            return 1;
        qp_leave(q, place);
        for (ptrdiff_t i = 0; i < q->active; i++) /* QΔ = −g + ν1 over the set */
            g[i] = (1 - part) * g[i + (i >= place)];
    }
}

/* Let j enter where M would become singular: along directions without curvature, each until another
 * leaves. Returns whether j has entered. */
static inline int qp_exchange(qp_t *q, ptrdiff_t j, double pivot)
{
    ptrdiff_t place;
    double most = q->Q[j * q->stride + j] + q->tau;
    while (!(pivot > QP_SINGULAR * most)) {
        memcpy(q->step, q->L + q->active * q->stride, (size_t)q->active * sizeof(double));
        qp_backward(q, q->step);
        for (ptrdiff_t i = 0; i < q->active; i++)
            q->step[i] = -q->step[i];
        double part = qp_room(q, INFINITY, &place);
        if (place < 0) { /* weights of a direction sum to 0, so this is rounding */
            q->beta[j] = 0;
            return 0;
        }
        qp_move(q, part);
        qp_leave(q, place);
        q->beta[j] += part;
        pivot = qp_pivot(q, j);
    }
    qp_enter(q, j, pivot);
    return 1;
}

/* β'g − min g, what the objective is above its minimum at most, and the variable that attains it
 * among those that may enter; `rounding` is what of that may be rounding. */
static inline double qp_violation(const qp_t *q, ptrdiff_t *entering, double *rounding)
{
    double mean = 0, least = INFINITY, scale = 0, enters = INFINITY;
    *entering = -1;
    for (ptrdiff_t i = 0; i < q->active; i++) {
        ptrdiff_t j = q->order[i];
        mean += q->beta[j] * q->g[j];
        scale += q->beta[j] * (fabs(q->b[j]) + q->Q[j * q->stride + j]);
    }
    for (ptrdiff_t j = 0; j < q->size; j++) {
        least = fmin(least, q->g[j]);
        if (q->state[j] == QP_OUT && q->g[j] < enters)
            enters = q->g[j], *entering = j;
    }
    *rounding = 4 * 2.220446049250313e-16 * scale;
    if (enters >= mean - *rounding)
        *entering = -1;
    return mean - least;
}

/* From β, whose support is the set, to the minimum; returns β'g − min g there. Each step lowers the
 * objective, so that β is no worse than before wherever this ends. */
static inline double qp_solve(qp_t *q, double tolerance, ptrdiff_t most_steps)
{
    double violation, rounding, pivot;
    ptrdiff_t entering;
    int settled = 0, refined = 0;
    for (ptrdiff_t j = 0; j < q->size; j++)
        if (q->state[j] == QP_REFUSED)
            q->state[j] = QP_OUT;
    for (ptrdiff_t number = 0;; number++) {
        if (qp_factor_is_stale(q)) {
            qp_factor(q);
            settled = 0;
        }
        qp_look(q);
        violation = qp_violation(q, &entering, &rounding);
        if (violation <= tolerance || violation <= rounding || number >= most_steps)
            return violation;
        if (!settled || entering < 0) {
            if (entering < 0 && refined++ == QP_REFINEMENTS)
                return violation; /* of the set itself, which is rounding */
            qp_descend(q, 0);
            settled = 1;
            continue;
        }
        pivot = qp_pivot(q, entering);
        if (!(pivot > QP_SINGULAR * (q->Q[entering * q->stride + entering] + q->tau))) {
            settled = 0;
            if (!qp_exchange(q, entering, pivot))
                q->state[entering] = QP_REFUSED;
            continue;
        }
        qp_enter(q, entering, pivot);
        if (!qp_descend(q, 1)) {
            qp_leave(q, q->active - 1);
            q->state[entering] = QP_REFUSED;
        }
    }
}

#endif
