/* Dot products and sums of long vectors. A matrix is taken in pieces of columns that stay in the
 * first-level cache, so that v, or the sum, is read from memory once. */
#ifndef RRM_COLUMNS_H
#define RRM_COLUMNS_H

#include <math.h>
#include "rows.h"

enum { COLUMNS_PER_PIECE = 1024 };

/* a'c */
static inline double vector_dot(const double *restrict a, const double *restrict c, ptrdiff_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t j = 0; j < n; j++)
        sum += a[j] * c[j];
    return sum;
}

/* The same by the widest vectors of the machine. */
RRM_CLONES static double wide_dot(const double *a, const double *c, ptrdiff_t n)
{
    return vector_dot(a, c, n);
}

/* a += x c */
static inline void vector_axpy(double *restrict a, double x, const double *restrict c, ptrdiff_t n)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++)
        a[j] += x * c[j];
}

/* out = a + x c */
RRM_CLONES static void vector_moved(const double *restrict a, double x, const double *restrict c,
                                    ptrdiff_t n, double *restrict out)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++)
        out[j] = a[j] + x * c[j];
}

/* Σ a_j b_j c_j */
RRM_CLONES static double vector_dot3(const double *restrict a, const double *restrict b,
                                     const double *restrict c, ptrdiff_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t j = 0; j < n; j++)
        sum += a[j] * b[j] * c[j];
    return sum;
}

/* Σ a_j c_j, which is returned, and Σ |a_j c_j| */
RRM_CLONES static double vector_sums(const double *restrict a, const double *restrict c,
                                     ptrdiff_t n, double *size)
{
    double sum = 0, sizes = 0;
#pragma omp simd reduction(+ : sum, sizes)
    for (ptrdiff_t j = 0; j < n; j++) {
        double product = a[j] * c[j];
        sum += product;
        sizes += fabs(product);
    }
    *size = sizes;
    return sum;
}

/* out = a + x */
RRM_CLONES static void vector_shifted(const double *restrict a, double x, ptrdiff_t n,
                                      double *restrict out)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++)
        out[j] = a[j] + x;
}

/* out = A v for the rows of A, count × d */
RRM_CLONES static void columns_times(const double *A, ptrdiff_t count, ptrdiff_t d,
                                     const double *restrict v, double *restrict out)
{
    for (ptrdiff_t r = 0; r < count; r++)
        out[r] = 0;
    for (ptrdiff_t begin = 0; begin < d; begin += COLUMNS_PER_PIECE) {
        ptrdiff_t n = d - begin < COLUMNS_PER_PIECE ? d - begin : COLUMNS_PER_PIECE;
        for (ptrdiff_t r = 0; r < count; r++) {
            const double *row = A + r * d + begin;
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (ptrdiff_t j = 0; j < n; j++)
                sum += row[j] * v[begin + j];
            out[r] += sum;
        }
    }
}

/* out += A'weights; rows of weight 0 are not read */
RRM_CLONES static void columns_add(const double *A, ptrdiff_t count, ptrdiff_t d,
                                   const double *weights, double *restrict out)
{
    for (ptrdiff_t begin = 0; begin < d; begin += COLUMNS_PER_PIECE) {
        ptrdiff_t n = d - begin < COLUMNS_PER_PIECE ? d - begin : COLUMNS_PER_PIECE;
        double *sum = out + begin;
        for (ptrdiff_t r = 0; r < count; r++) {
            const double *row = A + r * d + begin;
            double weight = weights[r];
            if (weight == 0)
                continue;
#pragma omp simd
            for (ptrdiff_t j = 0; j < n; j++)
                sum[j] += weight * row[j];
        }
    }
}

/* Steps of accelerated ascents with (s/2)‖w‖², whose solution is w = V / (s + κ): see
 * solvers/dual/_momentum.pyx. They read each vector once; y and p may be the same vector. */
enum { MOMENTUM_BLOCK = 1024 }; /* numbers in a row that are added up on their own */

typedef struct {
    double distance; /* ‖w − y‖² */
    double centre;   /* ‖y‖² */
    double uphill;   /* (y − w)'(w − p) */
    double weights;  /* ‖w‖² */
    double own;      /* ‖V − κ y‖² */
} momentum_look_t;

/* scale = 1 / (s + κ). */
RRM_CLONES static momentum_look_t momentum_look(const double *V, const double *y, const double *p,
                                                ptrdiff_t n, double scale, double kappa)
{
    momentum_look_t sum = {0, 0, 0, 0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += MOMENTUM_BLOCK) {
        ptrdiff_t end = n - begin < MOMENTUM_BLOCK ? n : begin + MOMENTUM_BLOCK;
        double distance = 0, centre = 0, uphill = 0, weights = 0, own = 0;
#pragma omp simd reduction(+ : distance, centre, uphill, weights, own)
        for (ptrdiff_t j = begin; j < end; j++) {
            double w = V[j] * scale, away = y[j] - w, part = V[j] - kappa * y[j];
            distance += away * away;
            centre += y[j] * y[j];
            uphill += away * (w - p[j]);
            weights += w * w;
            own += part * part;
        }
        sum.distance += distance;
        sum.centre += centre;
        sum.uphill += uphill;
        sum.weights += weights;
        sum.own += own;
    }
    return sum;
}

/* y ← w + β (w − p), V ← V + κ' y' − κ y, p ← w. */
RRM_CLONES static void momentum_step(double *V, double *y, double *p, ptrdiff_t n, double scale,
                                     double kappa, double next_kappa, double beta)
{
    if (y == p && beta == 0) {
#pragma omp simd
        for (ptrdiff_t j = 0; j < n; j++) {
            double w = V[j] * scale;
            V[j] += next_kappa * w - kappa * y[j];
            y[j] = w;
        }
        return;
    }
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double w = V[j] * scale, next = w + beta * (w - p[j]);
        V[j] += next_kappa * next - kappa * y[j];
        y[j] = next;
        p[j] = w;
    }
}

/* Coordinate descent on a Gram matrix: visits of all weights, whose pulls stay at hand. */

/* minimize ½ w'Gw − q'w + l1 ‖w‖₁ + (modulus/2) ‖w‖² over one weight after the other, which stays at
 * least 0 if `positive`; `pull` is q − Gw. A weight whose diagonal of G is 0 never moves, and one
 * that would change by at most the part `rounding` does not. Returns the decrease. */
RRM_CLONES static double gram_sweep(const double *G, ptrdiff_t stride, ptrdiff_t k, double l1,
                                    double modulus, int positive, double rounding,
                                    double *restrict w, double *restrict pull)
{
    double decrease = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        double curvature = G[j * stride + j];
        if (curvature <= 0)
            continue;
        double total = pull[j] + curvature * w[j];
        double beyond = (positive ? total : fabs(total)) - l1;
        double best = beyond > 0 ? beyond / (curvature + modulus) : 0;
        best = total > 0 ? best : -best;
        double move = best - w[j];
        if (fabs(move) > rounding * fabs(best)) {
            vector_axpy(pull, -move, G + j * stride, k);
            w[j] = best;
            decrease += (curvature + modulus) * move * move / 2;
        }
    }
    return decrease;
}

/* pull −= Σ_t change_t G_t for the rows of G named by `some`, `count` of them, d numbers of each. */
RRM_CLONES static void gram_pull(const double *G, ptrdiff_t stride, ptrdiff_t d,
                                 const ptrdiff_t *some, const double *change, ptrdiff_t count,
                                 double *restrict pull)
{
    for (ptrdiff_t t = 0; t < count; t++)
        if (change[t] != 0)
            vector_axpy(pull, -change[t], G + some[t] * stride, d);
}

/* The rows and columns of G named by `some`. */
static inline void gram_part(const double *G, ptrdiff_t stride, const ptrdiff_t *some, ptrdiff_t count,
                             double *restrict out)
{
    for (ptrdiff_t t = 0; t < count; t++) {
        const double *row = G + some[t] * stride;
        for (ptrdiff_t u = 0; u < count; u++)
            out[t * count + u] = row[some[u]];
    }
}

/* A += x v v' for the first n rows and columns of A. */
RRM_CLONES static void rank_one(double *A, ptrdiff_t stride, ptrdiff_t n, double x,
                                const double *restrict v)
{
    for (ptrdiff_t t = 0; t < n; t++)
        vector_axpy(A + t * stride, x * v[t], v, n);
}

#endif
