/* Scores and updates of k classes: a row of W holds the k weights of one feature.
 *
 * `stride` is the distance between rows of W in doubles: block_stride(k) with zeros as padding, or k.
 * The last vector of a row ends with the row and overlaps the one before where k is no multiple of the
 * vector's length: no load goes beyond the row. Aligned rows are faster while W stays in a cache: by
 * a tenth for 10 classes. For threads W is cut into panels, one behind the other, each with a multiple
 * of 8 classes of all features: cores fetch neighbouring lines ahead, so lines that one core writes
 * must not lie beside lines that another reads. */
#ifndef RRM_BLOCKS_H
#define RRM_BLOCKS_H

#include "rows.h"

/* Doubles from one row of W to the next: the least padding that keeps vector loads aligned. */
static inline ptrdiff_t block_stride(ptrdiff_t k)
{
    return k <= 2 ? 2 : k <= 4 ? 4 : (k + 7) / 8 * 8;
}

/* scores = Σ_t x_t W[t, :], aligned to 64 bytes, for W or a panel of it. The number of sums follows
 * from `whole`, the stride of W in one piece. */
void block_scores(const row_t *row, const double *W, ptrdiff_t stride, ptrdiff_t whole,
                  double *scores);

/* scores[c] = Σ_t x_t W[t · stride + places[c]]: some classes of an example, n a multiple of 4. */
void block_scores_some(const row_t *row, const double *W, ptrdiff_t stride, const int64_t *places,
                       ptrdiff_t n, double *scores);

/* W[t, :] += x_t steps, for W or a panel of it. */
void block_update(const row_t *row, double *W, ptrdiff_t stride, const double *steps);

/* W[t · stride + places] += x_t steps: some classes alone. */
void block_update_some(const row_t *row, double *W, ptrdiff_t stride, const int64_t *places,
                       const double *steps, ptrdiff_t n);

/* The margin of classes that do not count: the true class and padding. Every loss of it is 0. */
#define EXCLUDED_MARGIN (-1e300)

/* m_j = cost + scale (s_j − s_label); EXCLUDED_MARGIN for the true class and padding. k8 is k rounded
 * up to a multiple of 8. */
RRM_CLONES static void block_margins(const double *scores, ptrdiff_t k, ptrdiff_t k8,
                                     ptrdiff_t label, double cost, double scale, double *margins)
{
    double shift = cost - scale * scores[label];
    /* Whole vectors are written: a number written into one would keep its next load waiting. */
#pragma omp simd
    for (ptrdiff_t j = 0; j < (k8 & ~(ptrdiff_t)7); j++)
        margins[j] = (j != label) & (j < k) ? scale * scores[j] + shift : EXCLUDED_MARGIN;
}

typedef struct {
    ptrdiff_t n;     /* classes whose block entry moved, the true class not among them */
    double sum;      /* Σ δ */
    double linear;   /* Σ δ_j (cost − m_j): how ½‖W‖² rises to first order */
    double squared;  /* Σ δ² */
} block_change_t;

/* The change δ = new − old of a block: steps = −δ, and +Σ δ for the true class, are the factors with
 * which the example's row moves the weights. An entry that moves by at most `rounding` stays. */
RRM_CLONES static block_change_t block_change(const double *margins, double cost,
                                              const double *old, double *new, ptrdiff_t k8,
                                              ptrdiff_t label, double rounding, double *steps)
{
    double ns[8] = {0}, sums[8] = {0}, linears[8] = {0}, squares[8] = {0};
    BY_EIGHT(j, k8) {
        double from = old[j + l], to = new[j + l], delta = to - from;
        double one = (delta > rounding) | (delta < -rounding) ? 1 : 0;
        delta = one > 0 ? delta : 0;
        new[j + l] = one > 0 ? to : from;
        steps[j + l] = -delta;
        ns[l] += one;
        sums[l] += delta;
        linears[l] += delta * (cost - margins[j + l]);
        squares[l] += delta * delta;
    }
    double sum = sum_of_8(sums);
    double *line = steps + (label & ~(ptrdiff_t)7); /* again as a whole */
#pragma omp simd
    for (ptrdiff_t j = 0; j < 8; j++)
        line[j] = j == (label & 7) ? sum : line[j];
    return (block_change_t){(ptrdiff_t)sum_of_8(ns), sum, sum_of_8(linears), sum_of_8(squares)};
}

/* The nonzero steps, packed, and their columns, counted from `base`; returns how many. */
static inline ptrdiff_t block_pack_steps(const double *steps, ptrdiff_t columns, int64_t base,
                                         int64_t *places, double *packed)
{
    ptrdiff_t n = 0;
    for (ptrdiff_t j = 0; j < columns; j++) {
        places[n] = base + j;
        packed[n] = steps[j];
        n += steps[j] != 0;
    }
    return n;
}

/* sums[c] += Σ_t W[t, c]², added in the order of the rows. */
RRM_CLONES static void add_squares(const double *W, ptrdiff_t rows, ptrdiff_t stride, double *sums)
{
    for (ptrdiff_t t = 0; t < rows; t++)
#pragma omp simd
        for (ptrdiff_t c = 0; c < stride; c++)
            sums[c] += W[t * stride + c] * W[t * stride + c];
}

#endif
