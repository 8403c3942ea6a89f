/* The soft-max-of-hinge φ(m) = γ log(1 + Σ_j exp(m_j/γ)), its conjugate and its block problem.
 *
 * With the true class as one more class, of margin 0 and with what Σ b leaves of c, a block is a
 * point p = b/c of the simplex, (c φ)*(−b) + cost Σ b = cγ Σ p log p over all classes, and the best
 * new block from p⁰ solves, with κ = qc/γ and a = m/γ,
 *
 *     log p_j + κ (p_j − p⁰_j) = a_j − ρ,   Σ_j p_j = 1.
 *
 * For a given ρ each p_j is a Wright omega function, found by the iteration of Fritsch, Shafer and
 * Crowley, of order four; derivatives of p_j by ρ follow from t_j = 1/(1 + κ p_j):
 * −p t, p t³, p t⁴ (2 − 3t). So Σ p falls and is convex in ρ, and a logarithm for each class gives a
 * step on ρ of order four; two or three such rounds are enough. Classes that take no part (the true
 * class, padding) have margins of −1e300; the first of them lends its place to the true class. Loops
 * run to k, a multiple of 8. */
#ifndef RRM_SOFTMAX_BLOCKS_H
#define RRM_SOFTMAX_BLOCKS_H

#include <math.h>
#include "class_blocks.h"
#include "elementary.h"

enum { SOFTMAX_ROUNDS = 120, SOFTMAX_NEWTON_ROUNDS = 30 };

#define SOFTMAX_EXCLUDED (-1e299)
/* Below e to this power a share of the block is zero. */
#define SOFTMAX_LEAST (-600.0)
/* How far Σ b may leave c by rounding, relative to c. */
#define SOFTMAX_ROUNDING 1e-10

RRM_INLINE double softmax_exp(double x)
{
    double e = exp_simd(x > SOFTMAX_LEAST ? x : SOFTMAX_LEAST);
    return x > SOFTMAX_LEAST ? e : 0;
}

/* x log x, also at 0. */
RRM_INLINE double entropy_term(double x)
{
    return x * log_simd(x > 1e-300 ? x : 1);
}

RRM_INLINE double softmax_top(const double *margins, ptrdiff_t k)
{
    double top = 0; /* the true class */
#pragma omp simd reduction(max : top)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        top = margins[j] > top ? margins[j] : top;
    return top;
}

/* log(1 + Σ exp(m_j/γ)) − top/γ. */
RRM_INLINE double softmax_log_sum(const double *margins, double top, double inverse_gamma,
                                  ptrdiff_t k)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        sum += softmax_exp((margins[j] - top) * inverse_gamma);
    return top > 0 ? log(sum + exp(-top * inverse_gamma)) : log1p(sum);
}

RRM_CLONES static double softmax_value(const double *margins, double gamma, ptrdiff_t k)
{
    double top = softmax_top(margins, k);
    return top + gamma * softmax_log_sum(margins, top, 1 / gamma, k);
}

RRM_CLONES static void softmax_derivative(const double *margins, double gamma, ptrdiff_t k,
                                          double *p)
{
    double top = softmax_top(margins, k), inverse = 1 / gamma;
    double log_sum = softmax_log_sum(margins, top, inverse, k);
#pragma omp simd
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        p[j] = softmax_exp((margins[j] - top) * inverse - log_sum);
}

/* γ [Σ b log(b/c) + (c − Σ b) log(1 − Σ b/c)] − cost Σ b, infinite outside of b ≥ 0, Σ b ≤ c. */
RRM_CLONES static double softmax_conjugate(const double *b, double c, double gamma, double cost,
                                           ptrdiff_t k)
{
    double total = 0, entropy = 0, least = 0, inverse = c > 0 ? 1 / c : 0;
#pragma omp simd reduction(+ : total, entropy) reduction(min : least)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double p = b[j] * inverse;
        total += p;
        entropy += entropy_term(p);
        least = b[j] < least ? b[j] : least;
    }
    if (least < 0 || total > 1 + SOFTMAX_ROUNDING)
        return INFINITY;
    if (total < 1)
        entropy += (1 - total) * log1p(-total);
    return c * (gamma * entropy - cost * total);
}

/* c φ(m) + (c φ)*(−b) − Σ b_j (m_j − cost): cγ Σ p_j log(p_j / softmax_j), over all classes. */
RRM_CLONES static double softmax_gap(const double *margins, const double *b, double c,
                                     double gamma, ptrdiff_t k)
{
    double top = softmax_top(margins, k), inverse_gamma = 1 / gamma, inverse = c > 0 ? 1 / c : 0;
    double log_sum = softmax_log_sum(margins, top, inverse_gamma, k);
    double total = 0, divergence = 0;
#pragma omp simd reduction(+ : total, divergence)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double p = b[j] * inverse, log_p = log_simd(p > 1e-300 ? p : 1);
        double a = p > 0 ? (margins[j] - top) * inverse_gamma : 0;
        total += p;
        divergence += p * (log_p - a + log_sum);
    }
    if (total < 1)
        divergence += (1 - total) * (log1p(-total) + top * inverse_gamma + log_sum);
    return divergence > 0 ? c * gamma * divergence : 0;
}

static inline ptrdiff_t softmax_workspace(ptrdiff_t k) { return 3 * k; }

/* Where an iteration stands: Σ p, its derivatives by ρ, the first with its sign changed, and the
 * largest relative error that the last p had. */
typedef struct {
    double sum, fall, second, third, error;
} softmax_sums_t;

/* p for a level ρ to about a tenth, from scratch. With ω = κp and ζ = log ω + ω: Padé's quotient in
 * e^ζ up to ζ = 1, and ζ − log ζ + (log ζ)/ζ beyond. */
RRM_INLINE void softmax_guess(const double *a, const double *old, double kappa, double rho,
                              ptrdiff_t k, double *p)
{
    double log_kappa = log_roughly(kappa), inverse = 1 / kappa, turn = 1 - log_kappa;
#pragma omp simd
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double z = a[j] - rho + kappa * old[j], zeta = z + log_kappa;
        double clipped = z > SOFTMAX_LEAST ? z : SOFTMAX_LEAST;
        double e = exp_roughly(clipped < turn ? clipped : turn), x = kappa * e;
        double l = log_roughly(zeta > 1 ? zeta : 1);
        double beyond = ((zeta - l) * zeta + l) * inverse;
        double share = zeta > 1 ? beyond : e * (1 + 4.0 / 3 * x);
        share /= zeta > 1 ? zeta : 1 + x * (7.0 / 3 + 5.0 / 6 * x);
        p[j] = z > SOFTMAX_LEAST ? share : 0;
    }
}

/* p moved along ρ by δ, by its Taylor polynomial. */
RRM_INLINE double softmax_moved(double p, double t, double delta)
{
    double s = delta * t;
    return p * (1 - s * (1 - s * t * (0.5 + s * (2 - 3 * t) * (1.0 / 6))));
}

/* Improve p, which belongs to ρ − δ. A share may grow ninefold at most. */
RRM_INLINE softmax_sums_t softmax_round(const double *a, const double *old, double kappa,
                                        double rho, double delta, ptrdiff_t k, double *p, double *t)
{
    double sum = 0, fall = 0, second = 0, third = 0, error = 0;
#pragma omp simd reduction(+ : sum, fall, second, third) reduction(max : error)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double x = softmax_moved(p[j], t[j], delta), w = 1 + kappa * x;
        double log_x = log_simd(x > 0 ? x : 1);
        double r = x > 0 ? a[j] - rho - log_x - kappa * (x - old[j]) : 0;
        double bound = r < -w ? -w : r > 2 * w ? 2 * w : r;
        double q = w * (w + 2.0 / 3 * bound);
        x += x * bound * (2 * q - bound) / (2 * w * (q - bound));
        double inverse = 1 / (1 + kappa * x), size = (r < 0 ? -r : r) * inverse;
        p[j] = x;
        t[j] = inverse;
        sum += x;
        x *= inverse;
        fall += x;
        x *= inverse * inverse;
        second += x;
        third += x * inverse * (2 - 3 * inverse);
        error = size > error ? size : error;
    }
    return (softmax_sums_t){sum, fall, second, third, error};
}

/* The step δ after which Σ p would be 1: Householder's, of order four, and exact to a tenth for
 * exponentials from 0.1 to 10. Where it makes no sense, Newton's, or one for exponentials. */
RRM_INLINE double softmax_step(const softmax_sums_t *at)
{
    double f = at->sum - 1, d = at->fall;
    double above = d * d - f * at->second / 2;
    double below = d * (d * d - f * at->second) - f * f * at->third / 6;
    if (at->sum > 0.1 && above > 0.1 * d * d && below > 0.1 * d * d * d)
        return f * above / below;
    return at->sum > 1 ? f / d : log(at->sum) * at->sum / d;
}

/* The new block; returns its Σ b. The search for ρ stands here beside its loops, inlined into one clone
 * for each machine: with a call for each loop, blocks of 3 and of 10 classes took 1.03 to 1.08 of the
 * time. */
RRM_CLONES static double softmax_block(const double *margins, const double *b, double q, double c,
                                       double gamma, ptrdiff_t k, double *new_b, double *work)
{
    double *a = work, *old = work + k, *t = work + 2 * k, *p = new_b;
    double kappa = q * c / gamma, inverse_gamma = 1 / gamma, inverse = 1 / c;
    double top = softmax_top(margins, k), held = 0, low = -INFINITY, high = -INFINITY;
    double largest = 0, least = 1, rho = -INFINITY, delta = 0;
    ptrdiff_t own = k - 1;
    if (!(c > 0)) {
        memset(new_b, 0, (size_t)k * sizeof(double));
        return 0;
    }
    kappa = kappa > 1e-290 ? kappa < 1e40 ? kappa : 1e40 : 1e-290; /* products stay finite */
    /* ρ lies where one share is 1, where none is above 1/k, or between. */
#pragma omp simd reduction(+ : held) reduction(min : own, least) reduction(max : low, high, largest)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        int excluded = margins[j] < SOFTMAX_EXCLUDED;
        double share = b[j] * inverse, x = (margins[j] - top) * inverse_gamma;
        double one = x - kappa * (1 - share), none = x + kappa * share;
        a[j] = x;
        p[j] = old[j] = share;
        t[j] = 0;
        held += share;
        low = one > low ? one : low;
        high = none > high ? none : high;
        largest = share > largest ? share : largest;
        least = !excluded && share < least ? share : least;
        own = excluded && j < own ? j : own;
    }
    double rest = held < 1 ? 1 - held : 0;
    a[own] = -top * inverse_gamma;
    p[own] = old[own] = rest;
    low = fmax(low, a[own] - kappa * (1 - rest)) - 1e-3 - 1e-12 * kappa;
    high = fmax(high, a[own] + kappa * rest) + log_roughly((double)k) - kappa / (double)k + 1e-2
           + 1e-12 * kappa;
    largest = fmax(largest, rest);
    least = fmin(least, rest);
    /* It is first guessed from the largest share, as though that stayed. */
#pragma omp simd reduction(max : rho)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++)
        rho = old[j] >= largest && a[j] > rho ? a[j] : rho;
    rho -= log_simd(largest);
    rho = rho > low ? (rho < high ? rho : high) : low;

    int guess = !(least > 1e-300);
    for (int round = 0; round < SOFTMAX_ROUNDS; round++) {
        if (guess) {
            delta = 0;
            softmax_guess(a, old, kappa, rho, k, p);
        }
        softmax_sums_t at = softmax_round(a, old, kappa, rho, delta, k, p, t);
        if (!guess && at.error > 1) {
            guess = 1;
            continue;
        }
        delta = softmax_step(&at);
        double excess = at.sum - 1;
        if (at.error <= 1e-3 && (fabs(delta) <= 3e-4 || fabs(excess) <= 1e-15))
            break;
        if (excess > 1e-4 * at.fall) /* less may be the error of the shares */
            low = rho;
        else if (excess < -1e-4 * at.fall)
            high = rho;
        if (!(rho + delta > low && rho + delta < high) || round > SOFTMAX_NEWTON_ROUNDS)
            delta = low + (high - low) / 2 - rho;
        rho += delta;
        guess = !(fabs(delta) < 0.5);
    }
    if (!(fabs(delta) <= 3e-4))
        delta = 0;
    double total = 0;
#pragma omp simd reduction(+ : total)
    for (ptrdiff_t j = 0; j < CLASSES(k); j++) {
        double x = c * softmax_moved(p[j], t[j], delta);
        x = j == own ? 0 : x;
        new_b[j] = x;
        total += x;
    }
    return total;
}

#endif
