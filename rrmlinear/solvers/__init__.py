"""Solvers, a room for each family: `loop` holds the outer loop and what all share; `dual`,
`gradient`, `primal_dual`, `bundle`, `second_order` and `features` hold the methods. A solver knows
losses, regularizers and risks by their base classes alone.
"""
