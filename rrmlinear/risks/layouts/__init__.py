"""Layouts of scores: rows of several tasks, entries of a matrix, vectors of targets, planes, and
labels that depend on each other, along chains or over graphs. Each maps weights to scores and back;
the loss stays outside.
"""
