# A bracket of the root of a plane's equation that a sample of its terms suggests.

from rrmlinear.simd.planes cimport plane_t
from rrmlinear.simd.newton cimport bracket_t

ctypedef struct suggestion_t:
    bracket_t suggested       # where the root should be
    bracket_t proven          # where it is
    double moving, open       # shares of the terms that change inside, and that have a kink there


# Narrows the suggestion; returns 1 where suggested.low is the root itself, 0 where not, or a
# status.
cdef int sample_bracket(const plane_t* plane, suggestion_t* bracket) noexcept nogil
