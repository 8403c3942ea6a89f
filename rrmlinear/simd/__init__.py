"""The only loops in C: rows, blocks of k classes, products, whole arrays of losses, elementary
functions, and the barrier of threads. Everything here works on raw memory without the GIL and
knows nothing above it.
"""
