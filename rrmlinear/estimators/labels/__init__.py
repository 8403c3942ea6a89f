"""Classifiers of rows that have any number of labels."""
