/* The ball of the elastic net, B = {w : γ‖w‖₁ + ½‖w‖² ≤ r}, γ ≥ 0: the projection on it, and
 * max ⟨v, w⟩ over it.
 *
 * Both have w = sign(v) max(|v| − θγ, 0) / (1 + θ), or / θ for the maximum, and in y = θ (2 + θ), or
 * t = θ², the size of w is a sum of clipped lines, whose root plane_root.h finds:
 *
 *     Σ max(0, |x_j| (2γ + |x_j|) − γ² y) = 2r (1 + y),        Σ max(0, v_j² − γ² t) = 2r t. */
#ifndef RRM_ELASTIC_BALL_H
#define RRM_ELASTIC_BALL_H

#include <string.h>
#include "plane_root.h"

/* A sum met to this part of its bound is met. */
#define ELASTIC_ROUNDING 1e-14

typedef struct {
    double size, sum, squares, steep; /* γ‖a‖₁ + ½‖a‖², ‖a‖₁, ‖a‖², Σ (γ + |a_j|)² over a_j ≠ 0 */
} elastic_size_t;

/* Of a = x / unit. */
RRM_CLONES static elastic_size_t elastic_size(const double *x, ptrdiff_t n, double unit,
                                              double gamma)
{
    long_sum_t sum = {0, 0}, squares = {0, 0}, steep = {0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += PLANE_BLOCK) {
        ptrdiff_t end = n - begin < PLANE_BLOCK ? n : begin + PLANE_BLOCK;
        double one = 0, two = 0, all = 0;
#pragma omp simd reduction(+ : one, two, all)
        for (ptrdiff_t j = begin; j < end; j++) {
            double a = fabs(x[j]) / unit;
            one += a;
            two += a * a;
            all += a > 0 ? (gamma + a) * (gamma + a) : 0;
        }
        long_add(&sum, one);
        long_add(&squares, two);
        long_add(&steep, all);
    }
    elastic_size_t found = {0, long_total(&sum), long_total(&squares), long_total(&steep)};
    found.size = gamma * found.sum + found.squares / 2;
    return found;
}

RRM_CLONES static double elastic_largest(const double *x, ptrdiff_t n)
{
    double largest = 0;
#pragma omp simd reduction(max : largest)
    for (ptrdiff_t j = 0; j < n; j++)
        largest = fabs(x[j]) > largest ? fabs(x[j]) : largest;
    return largest;
}

/* The root ≥ 0 of Σ max(0, u_j (b + u_j) − γ² y) = e y + z, u = |x| / unit. */
RRM_CLONES static void elastic_column(const double *x, ptrdiff_t n, double unit, double b,
                                      double *column)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double u = fabs(x[j]) / unit;
        column[j] = u * (b + u);
    }
}

static int elastic_root(const double *x, ptrdiff_t n, double unit, double b, double gamma,
                        double e, double z, int deterministic, double *y)
{
    double zero = 0, one = 1, infinite = INFINITY, slope = gamma * gamma;
    double *column = malloc(sizeof(double) * n);
    if (!column)
        return PLANE_NO_MEMORY;
    elastic_column(x, n, unit, b, column);
    plane_t plane = {{column, 1}, {&slope, 0}, {&zero, 0}, {&infinite, 0}, {&one, 0}, n, e, z, 1, 0};
    int status = plane_theta(&plane, deterministic, 0, INFINITY, y);
    free(column);
    return status < 0 ? status : 0;
}

/* out = sign(x) max(|x| / unit − cut, 0) · factor; out may be x. */
RRM_CLONES static void elastic_write(const double *x, ptrdiff_t n, double unit, double cut,
                                     double factor, double *out)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double a = fabs(x[j]) / unit - cut;
        out[j] = copysign((a > 0 ? a : 0) * factor, x[j]);
    }
}

/* Moves a by −step along (γ + |a|) sign(a), as far as 0. */
RRM_CLONES static void elastic_move(double *a, ptrdiff_t n, double gamma, double step)
{
#pragma omp simd
    for (ptrdiff_t j = 0; j < n; j++) {
        double size = fabs(a[j]), moved = size - step * (gamma + size);
        a[j] = copysign((size > 0) & (moved > 0) ? moved : 0, a[j]);
    }
}

/* minimize ½‖a − x‖² over B, to out, which may be x. Negative where memory lacks or x is not finite. */
static int elastic_ball_project(const double *x, ptrdiff_t n, double gamma, double radius,
                                int deterministic, double *out)
{
    double unit = elastic_largest(x, n), y = 0; /* in units of the largest no square overflows */
    double g = gamma / unit, r = radius / unit / unit;
    if (unit == 0 || radius == 0) {
        memset(out, 0, sizeof(double) * n);
        return 0;
    }
    elastic_size_t found = elastic_size(x, n, unit, g);
    if (found.size <= r) {
        memmove(out, x, sizeof(double) * n);
        return 0;
    }
    if (gamma == 0) {
        elastic_write(x, n, unit, 0, sqrt(2 * r / found.squares) * unit, out);
        return 0;
    }
    int status = elastic_root(x, n, unit, 2 * g, g, 2 * r, 2 * r, deterministic, &y);
    if (status < 0)
        return status;
    double theta = y / (1 + sqrt(1 + y));
    elastic_write(x, n, unit, theta * g, 1 / (1 + theta), out);
    /* θ has too few digits where x is far outside: a last Newton step along dθ, from a itself */
    for (int step = 0; step < 2; step++) {
        found = elastic_size(out, n, 1, g);
        if (fabs(found.size - r) <= ELASTIC_ROUNDING * r || found.steep == 0)
            break;
        elastic_move(out, n, g, (found.size - r) / found.steep);
    }
    elastic_write(out, n, 1, 0, unit, out);
    return 0;
}

/* max ⟨v, w⟩ over B, and a w that attains it unless w is NULL, which may be v.
 *
 * At any θ > 0 the dual function θ r + Σ max(|v_j| − θγ, 0)² / (2θ) is an upper bound of the maximum,
 * met at the root: what is returned is above it by the square of θ's error. NaN where memory lacks
 * or v is not finite. */
static double elastic_ball_support(const double *v, ptrdiff_t n, double gamma, double radius,
                                   double *w)
{
    double unit = elastic_largest(v, n), scale = sqrt(2 * radius); /* w / scale has r = ½ */
    double g = gamma / scale, t = 0, theta, cut;
    if (unit == 0 || radius == 0) {
        if (w)
            memset(w, 0, sizeof(double) * n);
        return 0;
    }
    if (gamma == 0)
        t = elastic_size(v, n, unit, 0).squares;
    else if (elastic_root(v, n, unit, 0, g, 1, 0, 0, &t) < 0)
        return NAN;
    theta = sqrt(t);
    cut = theta * g;
    long_sum_t squares = {0, 0};
    for (ptrdiff_t begin = 0; begin < n; begin += PLANE_BLOCK) {
        ptrdiff_t end = n - begin < PLANE_BLOCK ? n : begin + PLANE_BLOCK;
        double total = 0;
        for (ptrdiff_t j = begin; j < end; j++) {
            double over = fabs(v[j]) / unit - cut;
            total += over > 0 ? over * over : 0;
        }
        long_add(&squares, total);
    }
    if (w) { /* the multiple that lies on the sphere, whatever digits θ lacks */
        elastic_write(v, n, unit, cut, 1 / theta, w);
        elastic_size_t found = elastic_size(w, n, 1, g);
        double half = g * found.sum, root = half + sqrt(half * half + found.squares);
        if (root > 0)
            elastic_write(w, n, 1, 0, scale / root, w);
    }
    return unit * scale * (theta / 2 + long_total(&squares) / (2 * theta));
}

#endif
