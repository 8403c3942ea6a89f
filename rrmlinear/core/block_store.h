/* The dual blocks of all examples by their nonzeros: per example the classes strictly between the
 * bounds with their values, and the classes at the upper bound without. */
#ifndef RRM_BLOCK_STORE_H
#define RRM_BLOCK_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int32_t n_between, n_upper;
    size_t capacity; /* bytes after this header: n_between values, then all classes */
} stored_block_t;

typedef struct {
    stored_block_t **blocks; /* NULL: a zero block */
    ptrdiff_t n;
} block_store_t;

static inline int block_store_start(block_store_t *store, ptrdiff_t n)
{
    store->blocks = (stored_block_t **)calloc((size_t)n + 1, sizeof(stored_block_t *));
    store->n = n;
    return store->blocks != NULL;
}

static inline void block_store_free(block_store_t *store)
{
    for (ptrdiff_t i = 0; store->blocks && i < store->n; i++)
        free(store->blocks[i]);
    free(store->blocks);
    store->blocks = NULL;
}

static inline void block_store_prefetch(const block_store_t *store, ptrdiff_t i)
{
    __builtin_prefetch(store->blocks[i], 1, 2);
}

/* Where each block would begin in a list of all duals, n + 1 numbers; returns how many of the duals
 * are at the upper bound. */
static inline int64_t block_store_begins(const block_store_t *store, int64_t *begins)
{
    int64_t upper = 0;
    begins[0] = 0;
    for (ptrdiff_t i = 0; i < store->n; i++) {
        const stored_block_t *block = store->blocks[i];
        begins[i + 1] = begins[i] + (block ? block->n_between + block->n_upper : 0);
        upper += block ? block->n_upper : 0;
    }
    return upper;
}

/* Adds block i to b, which holds zeros; returns how many classes it has. */
static inline ptrdiff_t block_store_unpack(const block_store_t *store, ptrdiff_t i, double upper,
                                           double *b)
{
    const stored_block_t *block = store->blocks[i];
    if (!block)
        return 0;
    const double *values = (const double *)(block + 1);
    const int32_t *classes = (const int32_t *)(values + block->n_between);
    for (int32_t t = 0; t < block->n_between; t++)
        b[classes[t]] = values[t];
    classes += block->n_between;
    for (int32_t t = 0; t < block->n_upper; t++)
        b[classes[t]] = upper;
    return block->n_between + block->n_upper;
}

/* Block i without its zeros: b[c] belongs to classes[c]; returns how many there are. */
static inline ptrdiff_t block_store_load(const block_store_t *store, ptrdiff_t i, double upper,
                                         double *b, int32_t *classes)
{
    const stored_block_t *block = store->blocks[i];
    if (!block)
        return 0;
    const double *values = (const double *)(block + 1);
    ptrdiff_t n = block->n_between + block->n_upper;
    memcpy(classes, values + block->n_between, (size_t)n * 4);
    for (ptrdiff_t t = 0; t < n; t++)
        b[t] = t < block->n_between ? values[t] : upper;
    return n;
}

/* Stores b as block i, where b[c] belongs to class names[c], or to class c if names is NULL. k is a
 * multiple of 8, scratch has room for 2 k int32. Returns 0 when there is no memory, and block i is
 * then as it was. */
static inline int block_store_pack(block_store_t *store, ptrdiff_t i, double upper, const double *b,
                                   const int32_t *names, ptrdiff_t k, int32_t *scratch)
{
    int32_t *between = scratch, *at_upper = scratch + k;
    int32_t n_between = 0, n_upper = 0;
    for (ptrdiff_t from = 0; from < k; from += 8) {
        double any = 0;
        for (int c = 0; c < 8; c++)
            any = b[from + c] > any ? b[from + c] : any;
        if (any == 0)
            continue;
        for (ptrdiff_t j = from; j < from + 8; j++) {
            between[n_between] = at_upper[n_upper] = (int32_t)j;
            n_between += b[j] > 0 && b[j] < upper;
            n_upper += b[j] >= upper;
        }
    }
    size_t needed = (size_t)n_between * 12 + (size_t)n_upper * 4;
    stored_block_t *block = store->blocks[i];
    if (!block || block->capacity < needed) {
        size_t capacity = needed + needed / 4 + 8;
        block = (stored_block_t *)malloc(sizeof(stored_block_t) + capacity);
        if (!block)
            return 0;
        block->capacity = capacity;
        free(store->blocks[i]);
        store->blocks[i] = block;
    }
    block->n_between = n_between;
    block->n_upper = n_upper;
    double *values = (double *)(block + 1);
    int32_t *classes = (int32_t *)(values + n_between);
    for (int32_t t = 0; t < n_between; t++) {
        values[t] = b[between[t]];
        classes[t] = names ? names[between[t]] : between[t];
    }
    for (int32_t t = 0; t < n_upper; t++)
        classes[n_between + t] = names ? names[at_upper[t]] : at_upper[t];
    return 1;
}

#endif
