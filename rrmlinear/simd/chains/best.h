/* The best labelling of a sequence: Viterbi's recursion. */
#ifndef RRM_CHAIN_BEST_H
#define RRM_CHAIN_BEST_H

#include "labels.h"

/* The best labelling of a sequence in `best`; returns its score. The rows of `T` are padded weights;
 * `work` has length · k8 numbers. The first of equal labels wins. */
RRM_CLONES static double chain_best(const double *nodes, const int32_t *labels, ptrdiff_t length,
                                    ptrdiff_t k, ptrdiff_t k8, chain_pairs_t T,
                                    chain_change_t change, double *work, int32_t *best)
{
    for (ptrdiff_t t = 0; t < length; t++) {
        double *a = work + t * k8, s[8];
        if (t == 0) {
            chain_row(nodes, k, k8, labels[0], change, a);
            continue;
        }
        for (ptrdiff_t c = 0; c < k8; c += 8) {
            for (int j = 0; j < 8; j++)
                s[j] = c + j >= k ? CHAIN_EXCLUDED
                       : (nodes[t * k + c + j] + (c + j == labels[t] ? 0 : change.add))
                             * change.scale;
            chain_largest(a - k8, T.rows + t * T.step + c, k, k8, a + c);
            for (int j = 0; j < 8; j++)
                a[c + j] += s[j];
        }
    }
    const double *a = work + (length - 1) * k8;
    ptrdiff_t at = 0;
    for (ptrdiff_t j = 1; j < k; j++)
        at = a[j] > a[at] ? j : at;
    double value = a[at];
    for (ptrdiff_t t = length - 1; t >= 0; t--) {
        best[t] = (int32_t)at;
        if (t == 0)
            break;
        const double *before = work + (t - 1) * k8, *to = T.rows + t * T.step + at;
        ptrdiff_t from = 0;
        for (ptrdiff_t i = 1; i < k; i++)
            from = before[i] + to[i * k8] > before[from] + to[from * k8] ? i : from;
        at = from;
    }
    return value;
}

#endif
