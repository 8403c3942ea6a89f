# Where a sum of falling steps crosses 0, the weighted median behind the best intercept;
# simd/steps.h has the sum.

from rrmlinear.simd.steps cimport steps_t


# A b with S(b−) ≥ 0 ≥ S(b+), the middle of them where there are many: searched from `guess`, and
# `move` away from it. `memory` has room for 3 · parts · n numbers. Needs a step that is not 0.
cdef double steps_root(const steps_t* steps, double guess, double move,
                       double* memory) noexcept nogil
