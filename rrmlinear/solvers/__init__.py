"""Solvers: one outer loop (base), one module each."""
