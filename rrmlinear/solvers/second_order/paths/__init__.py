"""Problems that differ in C and in the costs of their examples, as folds of cross validation do:
they share steps, reads of the data and second derivatives.
"""
