"""Commands over the workers of a cluster: `train --dask`, and `plan`, which tells what it would
take.
"""
