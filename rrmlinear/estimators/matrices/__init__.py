"""Estimators whose weights are one matrix: completion from entries, and several targets at once."""
