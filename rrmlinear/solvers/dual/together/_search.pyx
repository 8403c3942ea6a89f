"""The maximum of the logistic loss's dual over one or two directions."""

from libc.math cimport fmax, isfinite, log, sqrt

from rrmlinear.risks.scalar cimport ScalarRisk

import numpy as np

cdef enum:
    MOST_STEPS = 8  # of Newton's method

# A search ends after a step that raises the dual by less than LEAST_RISE of ‖v‖²/λ. It leaves each
# dual more than KEPT of its distance from a bound, and a step in it goes at most WITHIN of the way
# to there: duals that come near a bound would hold up the next searches. RIDGE is added to the
# scaled matrix of a step, whose directions may be parallel.
cdef double LEAST_RISE = 1e-11, KEPT = 0.1, WITHIN = 0.9, RIDGE = 1e-11


def best_multiples(ScalarRisk risk not None, const double[::1] alphas not None,
                   const double[:, ::1] moves not None, const double[:, ::1] gram not None,
                   const double[::1] slope not None, double size):
    """t that maximizes −Σ c_i φ*(−α_i − Σ_k t_k m_ki) − t'slope − ½ t'gram t over one or two moves
    m_k, the rows of ``moves``. ``size`` is ‖v‖²/λ.
    """
    cdef Py_ssize_t n = alphas.shape[0], i, _step
    cdef Py_ssize_t count = moves.shape[0]
    cdef bint two = count == 2
    cdef const double* c = &risk.cost[0]
    cdef const double* y = &risk.y[0]
    cdef double t = 0, u = 0, p, q, a, b = 0, weight, pull, along, part, most
    cdef double rise_t, rise_u, tt, tu, uu, root_t, root_u, cosine, by_t, by_u
    if not (moves.shape[1] == n == len(risk.costs) and count in (1, 2)):
        raise ValueError(f"duals and one or two moves of {len(risk.costs)} examples are needed")
    if not gram.shape[0] == gram.shape[1] == slope.shape[0] == count:
        raise ValueError(f"slopes and products of {count} moves are needed")
    with nogil:
        for _step in range(MOST_STEPS):
            rise_t, tt = -slope[0] - gram[0, 0] * t, gram[0, 0]
            rise_u, tu, uu = 0, 0, 1
            if two:
                rise_t -= gram[0, 1] * u
                rise_u, tu, uu = -slope[1] - gram[1, 0] * t - gram[1, 1] * u, gram[0, 1], gram[1, 1]
            for i in range(n):
                a = y[i] * moves[0, i]
                p = y[i] * alphas[i] + t * a
                if two:
                    b = y[i] * moves[1, i]
                    p += u * b
                pull, weight = c[i] * log(p / (1 - p)), c[i] / (p * (1 - p))
                rise_t -= a * pull
                rise_u -= b * pull
                tt += weight * a * a
                tu += weight * a * b
                uu += weight * b * b
            root_t, root_u = sqrt(tt), sqrt(uu)
            if not (isfinite(root_t) and isfinite(root_u) and root_t > 0 and root_u > 0):
                break
            cosine = tu / root_t / root_u
            p, q = rise_t / root_t, rise_u / root_u
            weight = (1 + RIDGE - cosine) * (1 + RIDGE + cosine)
            by_t = ((1 + RIDGE) * p - cosine * q) / weight / root_t
            by_u = ((1 + RIDGE) * q - cosine * p) / weight / root_u
            most = 0
            for i in range(n):
                a, q = y[i] * moves[0, i], y[i] * alphas[i]
                p, along = q + t * a, by_t * a
                if two:
                    b = y[i] * moves[1, i]
                    p += u * b
                    along += by_u * b
                part = along / (1 - p - KEPT * (1 - q)) if along > 0 else -along / (p - KEPT * q)
                most = fmax(most, part)
            part = WITHIN / most if most > WITHIN else 1
            t += part * by_t
            u += part * by_u
            if rise_t * by_t + rise_u * by_u <= LEAST_RISE * size:
                break
    return np.array([t, u] if two else [t])
