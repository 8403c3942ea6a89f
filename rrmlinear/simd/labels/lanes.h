/* Sixteen labels side by side: scores of a row, updates, and the moves of its duals.
 *
 * W has sixteen numbers for a feature, one for each label: in single precision they fill a line of
 * the cache. Duals lie alike, sixteen for a row. Sums over long rows are taken in pieces, so that their
 * rounding stays small. */
#ifndef RRM_LABEL_LANES_H
#define RRM_LABEL_LANES_H

#include "rows.h"

enum { LANES = 16 };

/* z = Σ_t x_t W[t]. W, z and steps are of floats where `is_single`, else of doubles; `width` is
 * vector_width(). */
void lane_scores(const row_t *row, const void *W, int is_single, int width, void *z);

/* The same in double precision, also of weights in single precision. */
void lane_exact_scores(const row_t *row, const void *W, int is_single, int width, double *z);

/* W[t] += x_t steps. */
void lane_update(const row_t *row, void *W, int is_single, int width, const void *steps);

/* Sixteen numbers as doubles. */
RRM_INLINE void lane_doubles(const void *from, int is_single, double *to)
{
    for (int l = 0; l < LANES; l++)
        to[l] = is_single ? (double)((const float *)from)[l] : ((const double *)from)[l];
}

/* Costs of both sides of each label: of rows that have it, and of others. */
typedef struct {
    double with[LANES], without[LANES];
} lane_costs_t;

/* y_l = ±1 by the bits of a row of cost c, its costs c_l, and the curvatures c_l ‖x‖². */
RRM_CLONES static void lane_sides(unsigned bits, double c, double square, const lane_costs_t *costs,
                                  double *restrict y, double *restrict cost,
                                  double *restrict curvature)
{
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
        int has = bits >> l & 1;
        y[l] = has ? 1 : -1;
        cost[l] = c * (has ? costs->with[l] : costs->without[l]);
        curvature[l] = cost[l] * square;
    }
}

/* Whether c · `gap` · `unit` is above 1 for any label: only then `lane_moves` reads `new`. */
RRM_CLONES static int lane_above(const double *restrict cost, const double *restrict gap,
                                 const double *restrict unit)
{
    double above = 0;
#pragma omp simd reduction(+ : above)
    for (int l = 0; l < LANES; l++)
        above += cost[l] * gap[l] * unit[l] > 1 ? 1 : 0;
    return above > 0;
}

/* Move duals to `new` where c · `gap` · `unit` is above 1, and add these up in `sum`; the rises of the dual objective are added to
 * `rises`. With `has_box` φ*(−α) is γ/2 α² − y α, and a rise is exact, else it is at least that of
 * the curvature c (c ‖x‖² + γ). steps = c δ, 0 where a dual stays. Returns bits: 1 where one moves, 2
 * where one is not 0. A label that has ended has costs of 0 and does not move. */
#define DEFINE_MOVES(real)                                                                       \
    RRM_CLONES static int lane_moves_##real(                                                     \
        const double *restrict y, const double *restrict cost, const double *restrict curvature, \
        double smoothing, int has_box, const double *restrict scores, const double *restrict gap, const double *restrict new, \
        const double *restrict unit, real *restrict alpha, real *restrict steps,                \
        double *restrict rises, double *restrict sum)                                                                  \
    {                                                                                            \
        double moved = 0, any = 0, all = 0;                                                               \
        _Pragma("omp simd reduction(+ : moved, any, all)") for (int l = 0; l < LANES; l++)            \
        {                                                                                        \
            double to = (double)(real)new[l], from = (double)alpha[l], delta = to - from;        \
            double bend = delta * (curvature[l] + smoothing) / 2;                                \
            double pull = has_box ? y[l] - scores[l] - smoothing * from : 2 * bend;              \
            double rise = cost[l] * delta * (pull - bend);                                       \
            double part = cost[l] * gap[l] * unit[l];                                             \
            int moves = part > 1 && rise > 0;                                  \
            all += part;                                                                          \
            steps[l] = moves ? (real)(cost[l] * delta) : 0;                                      \
            alpha[l] = (real)(moves ? to : from);                                                \
            rises[l] += moves ? rise : 0;                                                        \
            moved += moves ? 1.0 : 0.0;                                                          \
            any += (cost[l] > 0) & (alpha[l] != 0) ? 1.0 : 0.0;                                  \
        }                                                                                        \
        *sum = all;                                                                               \
        return (moved > 0) + 2 * (any > 0);                                                      \
    }
DEFINE_MOVES(float)
DEFINE_MOVES(double)
#undef DEFINE_MOVES

RRM_INLINE int lane_moves(const double *y, const double *cost, const double *curvature,
                          double smoothing, int has_box, const double *scores, const double *gap, const double *new,
                          const double *unit, int is_single, void *alpha, void *steps,
                          double *rises, double *sum)
{
    return is_single ? lane_moves_float(y, cost, curvature, smoothing, has_box, scores, gap, new, unit,
                                        (float *)alpha, (float *)steps, rises, sum)
                     : lane_moves_double(y, cost, curvature, smoothing, has_box, scores, gap, new, unit,
                                         (double *)alpha, (double *)steps, rises, sum);
}

/* Losses with φ*(−α) = γ/2 b² − b on 0 ≤ b ≤ B for b = y α: all of a visit in one loop. m = 1 − y z;
 * the b that attains φ is clip(m/γ, 0, B). */
typedef struct {
    double smoothing, upper;
} hinge_t;

/* `gaps` are added to as well: c times φ(z) + φ*(−α) + z α. The rest is as in lane_moves. */
/* Σ_l a_l, in pairs; the terms are lost. */
#define DEFINE_SUM(real)                              \
    RRM_INLINE real lanes_sum_##real(real *a)         \
    {                                                 \
        for (int l = 0; l < 8; l++)                   \
            a[l] += a[l + 8];                         \
        for (int l = 0; l < 4; l++)                   \
            a[l] += a[l + 4];                         \
        return (a[0] + a[2]) + (a[1] + a[3]);         \
    }
DEFINE_SUM(float)
DEFINE_SUM(double)
#undef DEFINE_SUM

#define DEFINE_HINGES(real)                                                                       \
    RRM_CLONES static int hinge_visit_##real(unsigned bits, double c, double square,              \
                                             const lane_costs_t *costs, const hinge_t *loss,      \
                                             const real *restrict z,                              \
                                             const double *restrict unit, real *restrict alpha,  \
                                             real *restrict steps, double *restrict rises,        \
                                             double *restrict gaps, double *restrict sum)        \
    {                                                                                             \
        const real gamma = (real)loss->smoothing, B = (real)loss->upper, half = gamma / 2;        \
        const real norm = (real)square, inverse = gamma > 0 ? 1 / gamma : 0;                      \
        real rise[LANES], gap[LANES], part[LANES], flags[LANES];                                  \
        _Pragma("omp simd") for (int l = 0; l < LANES; l++)                                       \
        {                                                                                         \
            int has = bits >> l & 1;                                                              \
            real y = has ? (real)1 : (real)-1;                                                    \
            real cost = (real)(c * (has ? costs->with[l] : costs->without[l]));                   \
            real m = 1 - y * z[l], b = y * alpha[l], q = cost * norm, s = q + gamma;        \
            real best = gamma > 0 ? m * inverse : B, to = (q * b + m) / s;                        \
            best = m > 0 ? best : 0;                                                              \
            best = best > B ? B : best;                                                           \
            to = to > 0 ? to : 0;                                                                 \
            to = to > B ? B : to;                                                                 \
            real share = cost * (best - b) * (m - half * (best + b)), delta = to - b;             \
            real held = share * (real)unit[l];                                                    \
            int moves = held > 1;                                                                 \
            part[l] = held;                                                                       \
            gap[l] = share;                                                                       \
            rise[l] = moves ? cost * delta * (m - gamma * b - delta * s / 2) : 0;                 \
            steps[l] = moves ? cost * y * delta : 0;                                              \
            alpha[l] = moves ? y * to : alpha[l];                                                 \
            flags[l] = (real)(moves ? 1 : 0) + (real)((cost > 0) & (alpha[l] != 0) ? 2 * LANES : 0); \
        }                                                                                         \
        for (int l = 0; l < LANES; l++) {                                                         \
            rises[l] += rise[l];                                                                  \
            gaps[l] += gap[l];                                                                    \
        }                                                                                         \
        *sum = (double)lanes_sum_##real(part);                                                    \
        int found = (int)lanes_sum_##real(flags);                                                 \
        return (found % (2 * LANES) > 0) + 2 * (found >= 2 * LANES);                                                       \
    }                                                                                             \
    /* Sums of gaps, of c (b − γ/2 b²) and of c α z; returns whether a gap is above `least`. */   \
    RRM_CLONES static int hinge_measure_##real(                                                   \
        unsigned bits, double c, const lane_costs_t *costs, const hinge_t *loss,                  \
        const real *restrict z, const double *restrict least, const real *restrict alpha,         \
        double *restrict gaps, double *restrict sums, double *restrict cross)                     \
    {                                                                                             \
        const real gamma = (real)loss->smoothing, B = (real)loss->upper, half = gamma / 2;        \
        const real inverse = gamma > 0 ? 1 / gamma : 0;                                           \
        real gap[LANES], sum[LANES], product[LANES], above = 0;                                   \
        _Pragma("omp simd reduction(+ : above)") for (int l = 0; l < LANES; l++)                  \
        {                                                                                         \
            int has = bits >> l & 1;                                                              \
            real y = has ? (real)1 : (real)-1;                                                    \
            real cost = (real)(c * (has ? costs->with[l] : costs->without[l]));                   \
            real m = 1 - y * z[l], b = y * alpha[l];                                        \
            real best = gamma > 0 ? m * inverse : B;                                              \
            best = m > 0 ? best : 0;                                                              \
            best = best > B ? B : best;                                                           \
            gap[l] = cost * (best - b) * (m - half * (best + b));                                 \
            sum[l] = cost * b * (1 - half * b);                                                   \
            product[l] = cost * alpha[l] * z[l];                                            \
            above += gap[l] > (real)least[l] ? 1 : 0;                                             \
        }                                                                                         \
        for (int l = 0; l < LANES; l++) {                                                         \
            gaps[l] += gap[l];                                                                    \
            sums[l] += sum[l];                                                                    \
            cross[l] += product[l];                                                               \
        }                                                                                         \
        return above > 0;                                                                         \
    }
DEFINE_HINGES(float)
DEFINE_HINGES(double)
#undef DEFINE_HINGES

RRM_INLINE int hinge_visit(unsigned bits, double c, double square, const lane_costs_t *costs,
                           const hinge_t *loss, const void *z, const double *unit,
                           int is_single, void *alpha, void *steps, double *rises, double *gaps, double *sum)
{
    return is_single ? hinge_visit_float(bits, c, square, costs, loss, (const float *)z, unit, (float *)alpha,
                                         (float *)steps, rises, gaps, sum)
                     : hinge_visit_double(bits, c, square, costs, loss, (const double *)z, unit, (double *)alpha,
                                          (double *)steps, rises, gaps, sum);
}

RRM_INLINE int hinge_measure(unsigned bits, double c, const lane_costs_t *costs,
                             const hinge_t *loss, const void *z, const double *least,
                             int is_single, const void *alpha, double *gaps, double *sums,
                             double *cross)
{
    return is_single ? hinge_measure_float(bits, c, costs, loss, (const float *)z, least, (const float *)alpha,
                                           gaps, sums, cross)
                     : hinge_measure_double(bits, c, costs, loss, (const double *)z, least, (const double *)alpha,
                                            gaps, sums, cross);
}

/* out += ‖w_l − y_l‖² of n features, or ‖w_l‖² where Y is NULL. */
#define DEFINE_SQUARES(real, other)                                                               \
    RRM_CLONES static void lane_squares_##real##_##other(                                         \
        const real *W, const other *Y, ptrdiff_t n, double *restrict out)                         \
    {                                                                                             \
        double sums[LANES] = {0};                                                                 \
        for (ptrdiff_t j = 0; j < n; j++)                                                         \
            for (int l = 0; l < LANES; l++) {                                                     \
                double w = W[j * LANES + l], apart = w - (Y ? (double)Y[j * LANES + l] : 0);      \
                sums[l] += apart * apart;                                                         \
            }                                                                                     \
        for (int l = 0; l < LANES; l++)                                                           \
            out[l] += sums[l];                                                                    \
    }
DEFINE_SQUARES(float, float)
DEFINE_SQUARES(float, double)
DEFINE_SQUARES(double, double)
#undef DEFINE_SQUARES

#define DEFINE_ANCHORS(real)                                                                      \
    /* y = w + β (w − last), last = w, and w moves by κ/(1 + κ) of what y has moved. */           \
    RRM_CLONES static void lane_anchors_##real(real *restrict W, real *restrict Y,                \
                                               real *restrict last, ptrdiff_t n, double kappa,    \
                                               double beta, const double *open)                   \
    {                                                                                             \
        real share[LANES], on[LANES];                                                             \
        for (int l = 0; l < LANES; l++) {                                                         \
            on[l] = (real)(open[l] > 0);                                                          \
            share[l] = on[l] * (real)(kappa / (1 + kappa));                                       \
        }                                                                                         \
        for (ptrdiff_t j = 0; j < n * LANES; j += LANES)                                          \
            for (int l = 0; l < LANES; l++) {                                                     \
                real w = W[j + l], moved = w + (real)beta * (w - last[j + l]) - Y[j + l];         \
                last[j + l] = w;                                                                  \
                W[j + l] = w + share[l] * moved;                                                  \
                Y[j + l] += on[l] * moved;                                                        \
            }                                                                                     \
    }
DEFINE_ANCHORS(float)
DEFINE_ANCHORS(double)
#undef DEFINE_ANCHORS

RRM_INLINE void lane_squares(const void *W, int is_single, const void *Y, int is_single_too,
                             ptrdiff_t n, double *out)
{
    if (!is_single)
        lane_squares_double_double((const double *)W, (const double *)Y, n, out);
    else if (is_single_too)
        lane_squares_float_float((const float *)W, (const float *)Y, n, out);
    else
        lane_squares_float_double((const float *)W, (const double *)Y, n, out);
}

RRM_INLINE void lane_anchors(void *W, void *Y, void *last, int is_single, ptrdiff_t n, double kappa,
                             double beta, const double *open)
{
    is_single ? lane_anchors_float((float *)W, (float *)Y, (float *)last, n, kappa, beta, open)
              : lane_anchors_double((double *)W, (double *)Y, (double *)last, n, kappa, beta, open);
}

/* Numbers of n features of the open labels, of doubles; 0 where `from` is NULL. */
RRM_INLINE void lane_copies(const double *from, void *to, int is_single, ptrdiff_t n,
                            const double *open)
{
    for (ptrdiff_t i = 0; i < n * LANES; i++)
        if (open[i % LANES] > 0) {
            if (is_single)
                ((float *)to)[i] = from ? (float)from[i] : 0;
            else
                ((double *)to)[i] = from ? from[i] : 0;
        }
}

/* Sixteen numbers times a factor. */
RRM_INLINE void lane_scaled(void *numbers, int is_single, double factor)
{
    for (int l = 0; l < LANES; l++)
        if (is_single)
            ((float *)numbers)[l] *= (float)factor;
        else
            ((double *)numbers)[l] *= factor;
}

#endif
