"""Updates of rows of weights for each class, the vectors of classes that loops take, moves of an
example's duals, probabilities of classes, and the block steps of the softmax.
"""
