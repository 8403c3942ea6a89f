# The length of a step in one dual α, given its score a: to the maximum, or along the line to −φ'(a)
# by the fraction that a bound gives, or by a fixed one.
from rrmlinear.losses.base cimport ScalarLoss

cdef enum:
    MAXIMUM, BOUND, FIXED


cdef inline double step_end(ScalarLoss loss, int option, double y, double score, double alpha,
                            double curvature, double gap) noexcept nogil:
    """α after a visit; ``gap`` is its example's, per unit of cost.

    The maximum lies between α and −φ'(a), so that the best point of that line, option II of the
    paper, is the maximum itself.
    """
    cdef double end, line, part, gamma = loss.smoothing
    if option == MAXIMUM:
        return loss.dual_step(y, score, alpha, curvature)
    end = -loss.derivative(y, score)
    line = end - alpha
    if line == 0:
        return alpha
    part = gamma / (gamma + curvature)
    if option == BOUND:
        part = (gap / (line * line) + gamma / 2) / (gamma + curvature)
    if part >= 1:
        return end
    alpha += part * line
    # Rounding must not carry it beyond the end of the line, which may be a bound.
    return min(alpha, end) if line > 0 else max(alpha, end)
