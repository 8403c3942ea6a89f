"""Losses φ with value, conjugate and exact dual step."""
