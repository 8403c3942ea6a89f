"""Solvers, a folder for each family. `loop` holds the outer loop and the steps that several share;
`dual`, `gradient`, `primal_dual`, `bundle`, `second_order` and `features` hold the methods. A
solver knows losses, regularizers and risks by their base classes alone.
"""
