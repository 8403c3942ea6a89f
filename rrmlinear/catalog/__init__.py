"""The one table of what can be chosen: a row for each choice, loss, regularizer and solver, with
what each needs and offers. `select` looks a Parameter up once, checks it and builds its loss and
regularizer; the builders make solvers. The catalog alone names concrete classes.
"""
