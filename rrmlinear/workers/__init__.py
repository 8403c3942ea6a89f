"""What training over workers of all kinds has in common: blocks dealt to parts, recipes of parts,
and what all agree on. `rrmlinear.dask` and `rrmlinear.mpi` hold the parts.
"""
