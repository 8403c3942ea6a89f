/* Coordinates of a vector in groups, read where they lie where a group's are neighbours. */
#ifndef RRM_PARTITION_H
#define RRM_PARTITION_H

#include <stddef.h>

typedef struct {
    const ptrdiff_t *starts;  /* of groups in `indices`, count + 1 of them; NULL: all are of one size */
    const ptrdiff_t *indices; /* coordinates group by group; NULL: 0, 1, 2, … */
    ptrdiff_t count;
    ptrdiff_t size;           /* of each group, without starts */
    ptrdiff_t largest;        /* room that a scattered group takes */
} partition_t;

static inline ptrdiff_t group_start(const partition_t *groups, ptrdiff_t g)
{
    return groups->starts ? groups->starts[g] : g * groups->size;
}

static inline ptrdiff_t group_size(const partition_t *groups, ptrdiff_t g)
{
    return groups->starts ? groups->starts[g + 1] - groups->starts[g] : groups->size;
}

/* The group's coordinates: w itself, or a copy in `room`. */
static inline const double *group_read(const partition_t *groups, const double *w, ptrdiff_t g,
                                       double *room)
{
    ptrdiff_t start = group_start(groups, g), n = group_size(groups, g);
    if (!groups->indices)
        return w + start;
    for (ptrdiff_t i = 0; i < n; i++)
        room[i] = w[groups->indices[start + i]];
    return room;
}

/* Back to w what was read and changed. */
static inline void group_write(const partition_t *groups, double *w, ptrdiff_t g,
                               const double *changed)
{
    if (!groups->indices)
        return;
    ptrdiff_t start = group_start(groups, g), n = group_size(groups, g);
    for (ptrdiff_t i = 0; i < n; i++)
        w[groups->indices[start + i]] = changed[i];
}

#endif
