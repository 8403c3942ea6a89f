/* Vectors of classes: for the updates of updates.c, and for the scores of blocks.c. */
#ifndef RRM_CLASSES_VECTORS_H
#define RRM_CLASSES_VECTORS_H

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* Where vector c of a row begins. */
#define VECTOR_BEGIN(c, width, columns, stride) \
    ((c) + 1 < (columns) ? (c) * (width) : (stride) - (width))

#endif
