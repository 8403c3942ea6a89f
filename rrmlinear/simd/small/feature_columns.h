/* Loops over a small matrix by its columns, d × n: a feature's values of all examples in a row. A
 * piece of all columns stays in the caches; four of them share what is read of the examples. */
#ifndef RRM_FEATURE_COLUMNS_H
#define RRM_FEATURE_COLUMNS_H

#include <math.h>
#include "columns.h"

static const double LEAST_PIVOT = 1e-12;

enum { EXAMPLES_PER_PIECE = 256, FEATURES_AT_ONCE = 4, LINES_OF_SUMS = 3 };

/* out = X'w */
RRM_CLONES static void features_times(const double *X, ptrdiff_t d, ptrdiff_t n, const double *w,
                                      double *restrict out)
{
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE, j = 0;
        double *restrict s = out + begin;
        for (ptrdiff_t i = 0; i < size; i++)
            s[i] = 0;
        for (; j + FEATURES_AT_ONCE <= d; j += FEATURES_AT_ONCE) {
            const double *x0 = X + j * n + begin, *x1 = x0 + n, *x2 = x1 + n, *x3 = x2 + n;
            double w0 = w[j], w1 = w[j + 1], w2 = w[j + 2], w3 = w[j + 3];
#pragma omp simd
            for (ptrdiff_t i = 0; i < size; i++)
                s[i] += (w0 * x0[i] + w1 * x1[i]) + (w2 * x2[i] + w3 * x3[i]);
        }
        for (; j < d; j++)
            vector_axpy(s, w[j], X + j * n + begin, size);
    }
}

/* The sums of t times the features from x on, `count` of them, at most FEATURES_AT_ONCE. */
RRM_INLINE void features_dots(const double *t, const double *x, ptrdiff_t n, ptrdiff_t size,
                              ptrdiff_t count, double *sum)
{
    if (count < FEATURES_AT_ONCE) {
        for (ptrdiff_t j = 0; j < count; j++)
            sum[j] += vector_dot(t, x + j * n, size);
        return;
    }
    const double *x1 = x + n, *x2 = x1 + n, *x3 = x2 + n;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (ptrdiff_t i = 0; i < size; i++) {
        s0 += t[i] * x[i];
        s1 += t[i] * x1[i];
        s2 += t[i] * x2[i];
        s3 += t[i] * x3[i];
    }
    sum[0] += s0, sum[1] += s1, sum[2] += s2, sum[3] += s3;
}

/* out += Σ c_i a_i x_i */
RRM_CLONES static void features_add(const double *X, ptrdiff_t d, ptrdiff_t n, const double *c,
                                    const double *a, double *out)
{
    double t[EXAMPLES_PER_PIECE];
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE;
        for (ptrdiff_t i = 0; i < size; i++)
            t[i] = c[begin + i] * a[begin + i];
        for (ptrdiff_t j = 0; j < d; j += FEATURES_AT_ONCE) {
            ptrdiff_t count = d - j < FEATURES_AT_ONCE ? d - j : FEATURES_AT_ONCE;
            features_dots(t, X + j * n + begin, n, size, count, out + j);
        }
    }
}

/* The 3 × 4 sums of t_a times the features from x on, t of 3 lines, for a line of out each: twelve sums
 * and what they share are as many vectors as AVX2 has registers for. */
RRM_INLINE void features_square(const double *t, const double *x, ptrdiff_t n, ptrdiff_t size,
                                double *out, ptrdiff_t d)
{
    const double *t1 = t + EXAMPLES_PER_PIECE, *t2 = t1 + EXAMPLES_PER_PIECE;
    const double *x1 = x + n, *x2 = x1 + n, *x3 = x2 + n;
    double a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;
    double c0 = 0, c1 = 0, c2 = 0, c3 = 0;
#pragma omp simd reduction(+ : a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3)
    for (ptrdiff_t i = 0; i < size; i++) {
        double u = t[i], v = t1[i], w = t2[i];
        a0 += u * x[i], b0 += v * x[i], c0 += w * x[i];
        a1 += u * x1[i], b1 += v * x1[i], c1 += w * x1[i];
        a2 += u * x2[i], b2 += v * x2[i], c2 += w * x2[i];
        a3 += u * x3[i], b3 += v * x3[i], c3 += w * x3[i];
    }
    double *out1 = out + d, *out2 = out1 + d;
    out[0] += a0, out[1] += a1, out[2] += a2, out[3] += a3;
    out1[0] += b0, out1[1] += b1, out1[2] += b2, out1[3] += b3;
    out2[0] += c0, out2[1] += c1, out2[2] += c2, out2[3] += c3;
}

/* The lower triangle of out += Σ h_i x_i x_i', d × d; some entries above it are written too. */
RRM_CLONES static void features_gram(const double *X, ptrdiff_t d, ptrdiff_t n, const double *h,
                                     double *out)
{
    double t[LINES_OF_SUMS * EXAMPLES_PER_PIECE];
    for (ptrdiff_t begin = 0; begin < n; begin += EXAMPLES_PER_PIECE) {
        ptrdiff_t size = n - begin < EXAMPLES_PER_PIECE ? n - begin : EXAMPLES_PER_PIECE;
        for (ptrdiff_t j = 0; j < d; j += LINES_OF_SUMS) {
            ptrdiff_t lines = d - j < LINES_OF_SUMS ? d - j : LINES_OF_SUMS;
            for (ptrdiff_t r = 0; r < lines; r++)
                for (ptrdiff_t i = 0; i < size; i++)
                    t[r * EXAMPLES_PER_PIECE + i] = h[begin + i] * X[(j + r) * n + begin + i];
            for (ptrdiff_t k = 0; k < j + lines; k += FEATURES_AT_ONCE) {
                const double *x = X + k * n + begin;
                ptrdiff_t count = d - k < FEATURES_AT_ONCE ? d - k : FEATURES_AT_ONCE;
                if (lines == LINES_OF_SUMS && count == FEATURES_AT_ONCE)
                    features_square(t, x, n, size, out + j * d + k, d);
                else
                    for (ptrdiff_t r = 0; r < lines; r++)
                        features_dots(t + r * EXAMPLES_PER_PIECE, x, n, size, count,
                                      out + (j + r) * d + k);
            }
        }
    }
}

/* The upper triangle U of U'U in the place of that of a matrix, d × d; 0 where a pivot is not
 * above 0. */
RRM_CLONES static int factorized(double *A, ptrdiff_t d)
{
    for (ptrdiff_t k = 0; k < d; k++) {
        double *line = A + k * d, pivot = line[k];
        if (!(pivot > 0))
            return 0;
        double scale = sqrt(pivot);
        for (ptrdiff_t j = k; j < d; j++)
            line[j] /= scale;
        for (ptrdiff_t i = k + 1; i < d; i++)
            vector_axpy(A + i * d + i, -line[i], line + i, d - i);
    }
    return 1;
}

/* x ← (U'U)⁻¹ x by this factor. */
RRM_CLONES static void factor_solved(const double *U, ptrdiff_t d, double *x)
{
    for (ptrdiff_t i = 0; i < d; i++) {
        x[i] /= U[i * d + i];
        vector_axpy(x + i + 1, -x[i], U + i * d + i + 1, d - i - 1);
    }
    for (ptrdiff_t i = d - 1; i >= 0; i--)
        x[i] = (x[i] - vector_dot(U + i * d + i + 1, x + i + 1, d - i - 1)) / U[i * d + i];
}

/* minimize ½ v'Hv − p'v + l1 ‖w + v‖₁ + (s/2)‖w + v‖² over each v_j in turn, H full, d × d: w and p
 * move with it. Returns the fall; `signs` counts the weights that have left 0, come to it or
 * crossed it. A weight whose diagonal of H is 0 stays. */
RRM_CLONES static double model_swept(const double *H, ptrdiff_t d, double l1, double s,
                                     double rounding, double *w, double *p, ptrdiff_t *signs)
{
    double fall = 0;
    *signs = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        double h = H[j * d + j], total = p[j] + h * w[j], size = fabs(total) - l1;
        double best = size > 0 ? copysign(size / (h + s), total) : 0, move = best - w[j];
        if (!(h + s > 0) || !(fabs(move) > rounding * fabs(best)))
            continue;
        *signs += (best > 0) - (best < 0) != (w[j] > 0) - (w[j] < 0);
        vector_axpy(p, -move, H + j * d, d);
        w[j] = best;
        fall += (h + s) * move * move / 2;
    }
    return fall;
}

/* The same for the weights that are not 0, as many as `face` takes, at once: a step to the optimum of
 * their signs, up to the first that comes to 0. LEAST_PIVOT of its diagonal is added to H: so features
 * that depend on each other have a step too, which takes one to 0. `factor`, `step` and `face` are for
 * work. */
RRM_CLONES static void model_stepped(const double *H, ptrdiff_t d, double l1, double s, double *w,
                                     double *p, double *factor, double *step, ptrdiff_t *face)
{
    ptrdiff_t count = 0, last = -1;
    double t = 1;
    for (ptrdiff_t j = 0; j < d; j++)
        if (w[j] != 0 && H[j * d + j] > 0)
            face[count++] = j;
    for (ptrdiff_t i = 0; i < count; i++) {
        const double *line = H + face[i] * d;
        double weight = w[face[i]];
        for (ptrdiff_t j = i; j < count; j++)
            factor[i * count + j] = line[face[j]];
        factor[i * count + i] += s + LEAST_PIVOT * line[face[i]];
        step[i] = p[face[i]] - s * weight - copysign(l1, weight);
    }
    if (count == 0 || !factorized(factor, count))
        return;
    factor_solved(factor, count, step);
    for (ptrdiff_t i = 0; i < count; i++) {
        double back = -w[face[i]];
        if (back * step[i] > 0 && back / step[i] < t)
            t = back / step[i], last = i;
    }
    for (ptrdiff_t i = 0; i < count; i++) {
        ptrdiff_t j = face[i];
        w[j] = i == last ? 0 : w[j] + t * step[i];
        vector_axpy(p, -t * step[i], H + j * d, d);
    }
}

/* step, of `all` weights, ← the v that minimizes all of it over these d features, from the lower triangle
 * of their H, which becomes full: sweeps that end where one lowers it by at most `accuracy` of what all
 * have, or after `most`, and where these leave all signs as they are, steps at once. w, p, factor and
 * face are for work. */
RRM_CLONES static void model_solved(double *H, const ptrdiff_t *features, ptrdiff_t d, ptrdiff_t all,
                                    double l1, double s, double rounding, double accuracy, int most,
                                    const double *begin, const double *pull, double *w, double *p,
                                    double *factor, ptrdiff_t *face, double *step)
{
    double total = 0;
    for (ptrdiff_t i = 0; i < d; i++) {
        w[i] = begin[features[i]], p[i] = pull[features[i]];
        for (ptrdiff_t j = 0; j < i; j++)
            H[j * d + i] = H[i * d + j];
    }
    for (int number = 0; number < most; number++) {
        ptrdiff_t signs;
        double fall = model_swept(H, d, l1, s, rounding, w, p, &signs);
        total += fall;
        if (!(fall > accuracy * total))
            break;
        if (signs == 0)
            model_stepped(H, d, l1, s, w, p, factor, step, face);
    }
    for (ptrdiff_t j = 0; j < all; j++)
        step[j] = 0;
    for (ptrdiff_t j = 0; j < d; j++)
        step[features[j]] = w[j] - begin[features[j]];
}

/* The derivative by t of l1 ‖w + t v‖₁, on the side of the search: a weight leaves 0 at its start, and
 * comes to it at its end. */
static inline double norm_rate(const double *w, const double *v, double l1, double t, ptrdiff_t d)
{
    double rate = 0;
    for (ptrdiff_t j = 0; j < d; j++) {
        double moved = w[j] + t * v[j];
        moved = moved != 0 || t > 0 ? moved : v[j];
        rate += moved != 0 ? copysign(v[j], v[j] * moved) : -fabs(v[j]);
    }
    return l1 * rate;
}

/* Some examples of `m` features of X as m × count, and their h at the front. */
static inline void features_taken(const double *X, const ptrdiff_t *features, ptrdiff_t m,
                                  ptrdiff_t n, const ptrdiff_t *places, ptrdiff_t count,
                                  double *out, double *h)
{
    for (ptrdiff_t i = 0; i < count; i++)
        h[i] = h[places[i]];
    for (ptrdiff_t j = 0; j < m; j++)
        for (ptrdiff_t i = 0; i < count; i++)
            out[j * count + i] = X[features[j] * n + places[i]];
}

#endif
