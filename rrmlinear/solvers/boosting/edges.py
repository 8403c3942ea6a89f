"""The problem over the hypotheses found so far: its points, their values, and the best of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rrmlinear.projections import entropy_capped_simplex
from rrmlinear.solvers.loop.inner import Array, inner
from rrmlinear.solvers.loop.tolerances import MIN_DIVISOR


class WeightBox:
    """Weights w of examples: 0 ≤ w_i ≤ cap_i, Σ w_i = 1.

    ``start`` is one of them and positive; ``caps`` are one number or n.
    """

    def __init__(self, start: Array, caps: Any) -> None:
        self.start, self.caps = start, caps
        self.logarithms = np.log(start)

    def divergence(self, w: Array, logarithms: Array) -> float:
        """Σ w_i log(w_i / v_i), for the logarithms of v."""
        return inner(w, np.log(np.maximum(w, MIN_DIVISOR)) - logarithms)

    def least(self, margins: Array, lam: float = 0.0) -> float:
        """min over w of λ Δ(w, start) + ⟨w, margins⟩; without λ the mean of the smallest."""
        if lam > 0:
            logarithms = self.logarithms - margins / lam
            w = entropy_capped_simplex(logarithms, self.caps, logarithms=True)
            return lam * self.divergence(w, self.logarithms) + inner(w, margins)
        order = np.argsort(margins)
        caps = self.caps[order] if np.ndim(self.caps) else np.full(len(order), self.caps)
        filled = np.minimum(np.cumsum(caps), 1.0)
        return inner(np.diff(filled, prepend=0.0), margins[order])


class Edges:
    """minimize λ Δ(w, start) + max_t ⟨u_t, w⟩ over a `WeightBox`, u_ti = y_i h_t(x_i).

    Its dual: maximize, over α ≥ 0 with Σ α_t = 1, the minimum of λ Δ(w, start) + ⟨w, U'α⟩ over the
    box. ``w`` and ``alphas`` are the best points so far, ``primal`` and ``dual`` their values;
    ``alphas`` may be shorter than the hypotheses are many, the rest being 0.
    """

    def __init__(self, box: WeightBox, lam: float) -> None:
        self.box, self.lam = box, lam
        self.memory = np.empty((1, len(box.start)))
        self.count = 0
        self.w, self.edge, self.entropy = box.start, -np.inf, 0.0
        self.alphas, self.dual = np.zeros(0), -np.inf

    def __len__(self) -> int:
        return self.count

    @property
    def U(self) -> Array:
        """The u_t as rows."""
        return self.memory[: self.count]

    @property
    def primal(self) -> float:
        return self.lam * self.entropy + self.edge

    @property
    def gap(self) -> float:
        return self.primal - self.dual

    def add(self, rows: list[Array]) -> None:
        """Add u_t; the first are given a dual value at once."""
        for each in rows:
            if self.count == len(self.memory):
                self.memory = np.concatenate([self.memory, np.empty_like(self.memory)])
            self.memory[self.count] = each
            self.count += 1
            self.edge = max(self.edge, inner(each, self.w))
        if not len(self.alphas):
            alphas = np.full(self.count, 1 / self.count)
            self.offer_alphas(alphas, alphas @ self.U)
        self._grown()

    def _grown(self) -> None:
        """Rows have been added."""

    def solve(self, goal: float, steps: int) -> bool:
        """Bring ``gap`` to the goal, in at most some steps; whether more steps would move."""
        raise TypeError(f"{type(self).__name__} does not say how it solves")

    def offer_weights(self, w: Array, edges: Array) -> None:
        """Keep w if it is the best so far; ``edges`` are U w."""
        edge = float(edges.max())
        entropy = self.box.divergence(w, self.box.logarithms) if self.lam else 0.0
        if self.lam * entropy + edge < self.primal:
            self.w, self.edge, self.entropy = w, edge, entropy

    def offer_alphas(self, alphas: Array, margins: Array, dual: float | None = None) -> None:
        """Keep α if it is the best so far; ``margins`` are U'α."""
        dual = self.box.least(margins, self.lam) if dual is None else dual
        if dual > self.dual:
            self.alphas, self.dual = alphas, dual
