"""The names of losses and regularizers as types: mypy and pyright refuse ``loss="hing"``.

A test holds them equal to the rows of the tables.
"""

from __future__ import annotations

from typing import Literal

#: Losses of labels.
ClassLoss = Literal[
    "hinge",
    "smooth-hinge",
    "squared-hinge",
    "generalized-hinge",
    "logistic",
    "crammer-singer",
    "smooth-crammer-singer",
    "softmax-of-hinge",
    "softmax",
    "weston-watkins",
]
#: Losses of numbers.
NumberLoss = Literal[
    "squared",
    "absolute",
    "epsilon-insensitive",
    "squared-epsilon-insensitive",
    "huber",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
    "binomial",
]
#: Losses of sequences and graphs.
LabellingLoss = Literal["crf", "m3n"]
#: Measures of all labels at once.
MeasureLoss = Literal[
    "f1", "fbeta", "error-rate", "precision-at-k", "recall-at-k", "prbep", "roc-area"
]
#: Losses of the order of examples.
OrderLoss = Literal["rank-hinge", "rank-squared-hinge", "rank-logistic", "cox-breslow", "cox-efron"]
#: Every loss that a `Parameter` takes.
AnyLoss = ClassLoss | NumberLoss | LabellingLoss | MeasureLoss | OrderLoss | Literal["one-class"]
#: Regularizers.
RegularizerName = Literal[
    "l2",
    "elastic-net",
    "l1",
    "elastic-ball",
    "l2-norm",
    "linf",
    "group-lasso",
    "sparse-group-lasso",
    "exclusive-lasso",
    "squared-group-norm",
    "l21",
    "l1inf",
    "trace-norm",
]
