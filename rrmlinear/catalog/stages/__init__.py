"""The automatic solver: which solvers take a task, in which order, and what each may cost."""
