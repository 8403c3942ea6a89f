"""Newton's method over all examples, through ever less smoothed losses. Its systems are as small as
the number of features.
"""
