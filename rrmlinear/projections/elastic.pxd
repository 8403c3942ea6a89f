# The ball of the elastic net, B = {w : γ‖w‖₁ + ½‖w‖² ≤ r}, γ ≥ 0: the projection on it, and max ⟨v,
# w⟩ over it.

# minimize ½‖a − x‖² over B, to out, which may be x. Negative where memory lacks or x is not finite.
cdef int elastic_ball_project(const double* x, Py_ssize_t n, double gamma, double radius,
                              bint deterministic, double* out) noexcept nogil
# max ⟨v, w⟩ over B, and a w that attains it unless w is NULL, which may be v. NaN where memory
# lacks or v is not finite.
cdef double elastic_ball_support(const double* v, Py_ssize_t n, double gamma, double radius,
                                 double* w) noexcept nogil
