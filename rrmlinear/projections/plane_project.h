/* The projection of plane.h: θ by either way of plane_root.h, then a(θ). */
#ifndef RRM_PLANE_PROJECT_H
#define RRM_PLANE_PROJECT_H

#include "plane_root.h"

/* Writes a(θ) of the terms that `theta` was found for and moves them once more where θ has too few
 * digits for the sum; `size` is Σ |s a| of terms that are written already. */
static void plane_settle(const plane_t *plane, double theta, double size, double *out)
{
    plane_written_t written = plane_write(plane, theta, out);
    for (int step = 0; step < 3; step++) {
        if (!(fabs(written.miss) > 1e-14 * (size + written.size) && written.slope > 0))
            break;
        written.miss += plane_shift(plane, written.miss / written.slope, out);
    }
}

static int plane_settle_kept(const kept_t *kept, const plane_t *plane, double theta)
{
    double *memory = malloc(sizeof(double) * (6 * kept->n + 1)), *values = memory + 5 * kept->n;
    if (!memory)
        return PLANE_NO_MEMORY;
    plane_t part = kept_plane(kept, plane, memory);
    plane_settle(&part, theta, long_total(&kept->size), values);
    for (ptrdiff_t k = 0; k < kept->n; k++)
        kept->out[kept->places[k]] = values[k];
    free(memory);
    return 0;
}

/* To out, which may be m. */
static int plane_project(const plane_t *plane, int deterministic, double low, double high,
                         double *out, double *theta)
{
    kept_t kept = {0};
    int status;
    kept.out = out == plane->m.at ? NULL : out;
    if (deterministic)
        status = plane_search(plane, low, high, theta);
    else
        status = plane_newton(plane, low, high, &kept, theta);
    if (status >= 0 && kept.done)
        status = plane_settle_kept(&kept, plane, *theta);
    else if (status >= 0)
        plane_settle(plane, *theta, 0, out);
    free(kept.places);
    return status < 0 ? status : 0;
}

#endif
