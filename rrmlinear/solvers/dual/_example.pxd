# An example with its dual, and what the visits of a pass add up.
from libc.math cimport fabs
from libc.stdint cimport int64_t

# It fills a cache line, so that a visit asks for one.
cdef struct example_t:
    double alpha
    double y
    double cost
    double curvature        # ‖x‖² over the modulus of the first Ω
    double gap              # its gap when last computed, times its cost
    double conjugate        # φ*(−α)
    double before           # α before the last visit
    double padding

# Counts and sums of the visits with one copy of v since the pass began: a cache line.
cdef struct progress_t:
    int64_t moved           # visits that changed a dual since the pass began
    double gap_rise
    double conjugate_rise
    double size_rise        # of Σ c_i curvature_i |α_i|
    int64_t support_rise    # of the duals that are not zero
    int64_t bound_rise      # of those at a bound
    int64_t padding[2]


cdef inline void progress_begin(progress_t* progress) noexcept nogil:
    """Count from here."""
    progress.moved = progress.support_rise = progress.bound_rise = 0
    progress.gap_rise = progress.conjugate_rise = progress.size_rise = 0


cdef inline void progress_take(progress_t* total, progress_t* progress) noexcept nogil:
    """Add the sizes to a total, and count from here."""
    total.size_rise += progress.size_rise
    total.support_rise += progress.support_rise
    total.bound_rise += progress.bound_rise
    progress_begin(progress)


cdef inline void example_count(const example_t* at, progress_t* progress, int sign,
                               double bound) noexcept nogil:
    """Add the size of a dual, times ``sign``; ``bound`` is the largest size, NaN if it is not asked
    for.
    """
    cdef double size = fabs(at.alpha)
    progress.size_rise += sign * at.cost * at.curvature * size
    progress.support_rise += sign * (size > 0)
    progress.bound_rise += sign * (size >= bound)


cdef inline void example_move(example_t* at, progress_t* progress, double alpha, double conjugate,
                              double bound) noexcept nogil:
    """Move the dual to ``alpha``, where φ* is ``conjugate``."""
    progress.conjugate_rise += at.cost * (conjugate - at.conjugate)
    example_count(at, progress, -1, bound)
    at.alpha, at.conjugate = alpha, conjugate
    example_count(at, progress, 1, bound)
    progress.moved += 1
