"""Boosting by linear programs: the classifier, its ensembles of stumps, features or learners, and
scikit-learn's estimators as weak learners.
"""
