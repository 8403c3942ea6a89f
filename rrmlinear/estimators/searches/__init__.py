"""Estimators that choose their regularization by cross validation, and how folds are scored."""
