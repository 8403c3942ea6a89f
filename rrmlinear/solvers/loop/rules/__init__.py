"""LIBLINEAR's stopping rules: the rule, those of duals, those of gradients, and when a run looks at
one. They are evaluated at a run's weights and duals; LIBLINEAR's add up over the visits of a pass.
"""
