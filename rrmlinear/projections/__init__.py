"""Projections and block problems: pure functions over one root finder."""
