"""Layouts of scores: rows of several tasks, entries of a matrix, vectors of targets, planes, and
sequences. Each maps weights to scores and back; the loss stays outside.
"""
