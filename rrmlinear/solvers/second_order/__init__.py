"""Newton's method over all examples, on the augmented Lagrangian of losses with kinks. Its systems
are as small as the number of features, or of examples whose duals lie between their bounds.
"""
