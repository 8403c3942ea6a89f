"""Projections and block problems: pure functions over one root finder.

The public functions take and return NumPy arrays and are loaded when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PUBLIC = {
    "box_halfspace": "simplices",
    "box_hyperplane": "simplices",
    "capped_simplex": "simplices",
    "chain_marginals": "marginals",
    "elastic_ball": "norm_balls",
    "entropy_capped_simplex": "simplices",
    "knapsack": "simplices",
    "l1_ball": "norm_balls",
    "linf1_prox": "norm_balls",
    "root": "simplices",
    "simplex": "simplices",
    "tree_marginals": "marginals",
}
__all__ = list(_PUBLIC)


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(import_module(f"rrmlinear.projections.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module 'rrmlinear.projections' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
