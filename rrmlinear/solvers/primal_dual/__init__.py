"""Prox steps of weights and duals in turn, for kinks on both sides: Pdprox, its metric, the repair
of duals that leave their ball, and the same for matrices of low rank.
"""
