"""Updates of rows of weights for each class, the vectors of classes that loops take, and
probabilities of classes.
"""
