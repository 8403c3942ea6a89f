"""Loops over small matrices whose features stand in rows: products, Gram matrices, and Cholesky
factors.
"""
