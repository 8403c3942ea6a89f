"""What a solver of all examples has proved so far."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.regularizers.base import Regularizer

Array = NDArray[np.float64]


class Certificate:
    """The best of both sides so far: a primal value with its weights, a dual one with its duals.

    minimize Ω(w) + F(w) against maximize −F*(α) − Ω*(Σ c_i α_i x_i).
    """

    def __init__(self, risk: Any, regularizer: Regularizer) -> None:
        self.risk, self.regularizer = risk, regularizer
        self.primal, self.dual = math.inf, -math.inf
        self.weights: Array = np.zeros(risk.shape)
        self.alphas: Any = None

    def see_weights(self, w: Array, margins: Array) -> float:
        """The primal value at w."""
        primal = self.risk.value(margins) + self.regularizer.value_of(w.ravel())
        if primal < self.primal:
            self.primal, self.weights = primal, w
        return primal

    def see_duals(self, alphas: Array, vector: Array) -> float:
        """The dual value at α with v = Σ c_i α_i x_i, or at the part of α where Ω* is finite."""
        t = self.regularizer.dual_scale_of(vector.ravel())
        if t < 1:
            alphas, vector = t * alphas, t * vector
        dual = -self.risk.conjugate(alphas) - self.regularizer.conjugate_of(vector.ravel())
        if dual > self.dual:
            self.dual, self.alphas = dual, alphas
        return dual

    def measure(self) -> tuple[float, float]:
        """Both values again, from the weights and the duals alone."""
        w, alphas = self.weights, self.alphas
        primal = self.risk.value(self.risk.margins(w)) + self.regularizer.value_of(w.ravel())
        vector = self.risk.gradient(alphas).ravel()
        t = self.regularizer.dual_scale_of(vector)
        if t < 1:  # by rounding
            self.alphas, vector = t * alphas, t * vector
        dual = -self.risk.conjugate(self.alphas) - self.regularizer.conjugate_of(vector)
        self.primal, self.dual = primal, dual
        return primal, dual

    @property
    def gap(self) -> float:
        return self.primal - self.dual
