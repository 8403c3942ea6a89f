"""The first weights and duals of Newton's method."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rrmlinear.solvers.loop.certificate import Certificate
from rrmlinear.solvers.loop.first import first_weights, nearest_duals

Array = NDArray[np.float64]


class Begin(NamedTuple):
    """What is known where Newton's method begins."""

    w: Array
    #: F at w.
    at: Any
    #: The duals of the examples, 0 where none are given, and Σ c_i α_i x_i.
    alphas: Any
    vector: Array
    #: The gap of both, or the loss at w without duals.
    gap: float


def beginning(certificate: Certificate, weights: Array | None, duals: Any) -> Begin:
    """The duals given, made feasible, and their weights, or those given where their primal is
    lower; without duals the ``weights`` or 0. All are offered to the certificate.

    Weights that an accelerated ascent averaged may be far lower than those of its duals.
    """
    risk, omega = certificate.risk, certificate.regularizer
    w, at = first_weights(risk, omega, weights)
    if duals is None:
        certificate.offer_weights(w, at)
        return Begin(w, at, 0.0, np.zeros(risk.shape), at.value)
    alphas = nearest_duals(risk, duals, at.scores)
    vector = risk.gradient(alphas)
    certificate.offer_duals(alphas, vector)
    if omega.modulus > 0:
        of_duals = omega.primal_of(vector.ravel()).reshape(risk.shape)
        there = certificate.at(risk.scores(of_duals))
        value = there.value + omega.value_of(of_duals.ravel())
        if weights is None or not at.value + omega.value_of(w.ravel()) < value:
            w, at = of_duals, there
    certificate.offer_weights(w, at)
    return Begin(w, at, alphas, vector, certificate.gap)
