/* a(θ) of plane.h written while θ is still searched for: what a bracket of the root decides is
 * written at once, and the few other terms are kept for later. Where nearly all are decided, as on a
 * simplex, this saves a pass over memory. */
#ifndef RRM_PLANE_KEPT_H
#define RRM_PLANE_KEPT_H

#include "plane_terms.h"

/* Worth it where at most one in so many changes inside the bracket. */
#define KEPT_SHARE 0.125

typedef struct {
    double *out;             /* NULL: nothing is written early */
    ptrdiff_t *places;       /* of terms that are not yet written */
    ptrdiff_t n, room;
    long_sum_t sum, size;    /* Σ s a and Σ |s a| of those that are */
    int done;                /* all terms are written or kept */
} kept_t;

static void kept_open(kept_t *kept)
{
    kept->n = kept->done = 0;
    kept->sum = kept->size = (long_sum_t){0, 0};
}

/* Writes a stretch at an end of the bracket; `moves` tells the terms that it does not decide. */
RRM_INLINE int kept_stretch(kept_t *kept, const plane_t *plane, const stretch_t *x,
                            ptrdiff_t begin, double theta, const double *moves, int any)
{
    const double *signs = plane->m.at + begin * plane->m.step;
    double total = 0, all = 0;
#pragma omp simd reduction(+ : total, all)
    for (ptrdiff_t i = 0; i < x->length; i++) {
        double a = knapsack_clip(plane_line(x->m[i], x->q[i], theta), x->lower[i], x->upper[i]);
        double term = moves[i] ? 0 : x->s[i] * a;
        total += term;
        all += fabs(term);
        kept->out[begin + i] = plane->absolute && signs[i] < 0 && a != 0 ? -a : a;
    }
    long_add(&kept->sum, total);
    long_add(&kept->size, all);
    if (!any)
        return 0;
    if (kept->n + x->length > kept->room) {
        ptrdiff_t room = 2 * kept->room + PLANE_BLOCK;
        ptrdiff_t *places = realloc(kept->places, sizeof(ptrdiff_t) * room);
        if (!places)
            return PLANE_NO_MEMORY;
        kept->places = places;
        kept->room = room;
    }
    for (ptrdiff_t i = 0; i < x->length; i++) {
        kept->places[kept->n] = begin + i;
        kept->n += moves[i] != 0;
    }
    return 0;
}

/* The plane of the kept terms alone, its columns in `memory` of 5 n numbers. */
static plane_t kept_plane(const kept_t *kept, const plane_t *plane, double *memory)
{
    plane_t part = *plane;
    column_t *columns[] = {&part.m, &part.d, &part.lower, &part.upper, &part.s};
    for (int c = 0; c < 5; c++) {
        if (!columns[c]->step)
            continue;
        for (ptrdiff_t k = 0; k < kept->n; k++)
            memory[c * kept->n + k] = columns[c]->at[kept->places[k]];
        columns[c]->at = memory + c * kept->n;
    }
    part.n = kept->n;
    part.z -= long_total(&kept->sum);
    return part;
}

#endif
