/* Vectors of classes: for the updates of updates.c, and for the scores of blocks.c. */
#ifndef RRM_CLASSES_VECTORS_H
#define RRM_CLASSES_VECTORS_H

typedef double vec2 __attribute__((vector_size(16), aligned(8), may_alias));

/* How many classes make one vector. SSE2 takes half the time by plain loops. */
enum { PLAIN = 1, VEC4 = 4, VEC8 = 8 };
#if defined(__AVX512F__) || defined(__clang__)
enum { OWN_VEC = VEC8 };
#elif defined(__AVX__)
enum { OWN_VEC = VEC4 };
#else
enum { OWN_VEC = PLAIN };
#endif

/* Where vector c of a row begins. */
#define VECTOR_BEGIN(c, width, columns, stride) \
    ((c) + 1 < (columns) ? (c) * (width) : (stride) - (width))

#endif
