"""Coordinate descent over features for the squared loss: the Lasso and the elastic net. Columns of
the data are the rows that the kernel visits.
"""
