"""Updates of rows of weights for each class, and the vectors of classes that loops take."""
