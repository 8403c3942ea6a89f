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
    uintptr_t from = (uintptr_t(begin) + PAGE - 1) / PAGE * PAGE;
    madvise(reinterpret_cast<void *>(from), (uintptr_t(begin) + size - from) / PAGE * PAGE,
            MADV_HUGEPAGE); /* advice: nothing is lost where it is refused */
#else
    (void)begin;
    (void)size;
#endif
}

} // namespace rrm

#endif
