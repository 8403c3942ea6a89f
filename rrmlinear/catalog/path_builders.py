"""Solvers of a whole path at once."""

from rrmlinear.solvers.features.gram_path import gram_path

__all__ = ["gram_path"]
