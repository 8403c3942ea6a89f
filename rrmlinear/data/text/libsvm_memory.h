/* Large pages for large arrays: fewer page faults while they are first filled. */
#ifndef RRM_LIBSVM_MEMORY_H
#define RRM_LIBSVM_MEMORY_H

#include <cstddef>
#include <cstdint>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rrm {

static inline void advise_large_pages(void *begin, size_t size)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr size_t LARGE = size_t(1) << 22, PAGE = 4096;
    if (size < LARGE)
        return;
    /* from the first page to the last, the allocator's header with them: memory advised in part
     * is two mappings, which realloc could not grow without a copy */
    uintptr_t from = uintptr_t(begin) / PAGE * PAGE;
    uintptr_t to = (uintptr_t(begin) + size + PAGE - 1) / PAGE * PAGE;
    madvise(reinterpret_cast<void *>(from), to - from, MADV_HUGEPAGE);
#else
    (void)begin;
    (void)size;
#endif
}

} // namespace rrm

#endif
