"""Block problems of the losses of k classes: the knapsacks that one example's duals are. Each
solves one example exactly; the losses and their tests call them.
"""
