"""Attributes of tokens: text in columns, as of the CoNLL tasks, to rows, by a template.

A template says which attributes a position has; a dictionary numbers attributes and labels.
"""
