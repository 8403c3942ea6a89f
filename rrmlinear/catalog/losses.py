"""The table of losses. A new loss is a class, its stub, and a row here.

A row names its class, which is loaded where a loss is built.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rrmlinear.catalog.rows import LossRow
from rrmlinear.catalog.values import Number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rrmlinear.losses.block_base import BlockLoss

PIECES, SMOOTH = frozenset({"pieces"}), frozenset({"smooth"})
# Shark's default tolerance of 1e-6 is too coarse for a small gap, which needs this fraction of the
# gap.
SHARK_TOLERANCE, SHARK_FRACTION = 1e-6, 0.01


def hinge(smoothing: float) -> Any:
    """The hinge, smoothed where the smoothing is not 0."""
    from rrmlinear.losses.margin import Hinge, SmoothHinge

    return SmoothHinge(smoothing) if smoothing else Hinge()


def crammer_singer(smoothing: float) -> Any:
    """The loss of Crammer and Singer, smoothed where the smoothing is not 0."""
    from rrmlinear.losses.multiclass import CrammerSinger, SmoothCrammerSinger

    return SmoothCrammerSinger(smoothing) if smoothing else CrammerSinger()


def one_class(nu: float) -> Any:
    """Of the one-class machine. For ν = 1 the solution is known, and a solver sees no loss."""
    from rrmlinear.losses.regression import Quantile

    return Quantile(max(1 - nu, 1e-300), 0.0)


def deviance(power: float) -> Any:
    """Half the Tweedie deviance: Poisson's for the power 1, that of the gamma law for 2."""
    from rrmlinear.losses.regression import Deviance

    return Deviance(power)


def _table(*rows: LossRow) -> dict[str, LossRow]:
    return {row.name: row for row in rows}


#: Losses by name; score a = x'w, label y, residual r = y − a, scores a_j of classes j.
LOSSES: Mapping[str, LossRow] = _table(
    LossRow(
        "squared",
        "regression",
        "½ r²",
        "losses.regression:Squared",
        {},
        PIECES | SMOOTH | {"least-squares"},
    ),
    LossRow(
        "absolute", "regression", "|r|", "losses.regression:Absolute", {"smoothing": 0.0}, PIECES
    ),
    LossRow(
        "epsilon-insensitive",
        "regression",
        "max(0, |r| − ε)",
        "losses.regression:EpsilonInsensitive",
        {"epsilon": 0.1, "smoothing": 0.0},
        PIECES,
    ),
    LossRow(
        "squared-epsilon-insensitive",
        "regression",
        "max(0, |r| − ε)²",
        "losses.regression:SquaredEpsilonInsensitive",
        {"epsilon": 0.1},
        PIECES | SMOOTH,
    ),
    LossRow(
        "huber",
        "regression",
        "½ r², linear from |r| = δ on",
        "losses.regression:Huber",
        {"huber": 1.0},
        PIECES | SMOOTH,
    ),
    LossRow(
        "quantile",
        "regression",
        "max(q r, (q − 1) r), q the quantile",
        "losses.regression:Quantile",
        {"quantile": 0.5, "smoothing": 0.0},
        PIECES,
    ),
    LossRow(
        "poisson",
        "regression",
        "e^a − y a + y log y − y",
        partial(deviance, 1.0),
        {},
        SMOOTH,
        link="exp",
        labels=Number(least=0),
    ),
    LossRow(
        "gamma",
        "regression",
        "y e^(−a) + a − log y − 1",
        partial(deviance, 2.0),
        {},
        SMOOTH,
        link="exp",
        labels=Number(above=0),
    ),
    LossRow(
        "tweedie",
        "regression",
        "e^((2−p)a)/(2−p) + y e^(−(p−1)a)/(p−1) − y^(2−p)/((p−1)(2−p)), p the power",
        "losses.regression:Deviance",
        {"power": 1.5},
        SMOOTH,
        link="exp",
        labels=Number(least=0),
    ),
    LossRow(
        "binomial",
        "regression",
        "log(1 + e^a) − y a + y log y + (1 − y) log(1 − y)",
        "losses.margin:Binomial",
        {},
        SMOOTH,
        link="sigmoid",
        labels=Number(least=0, most=1),
    ),
    LossRow(
        "hinge", "binary", "max(0, 1 − y a)", "catalog.losses:hinge", {"smoothing": 0.0}, PIECES
    ),
    LossRow(
        "smooth-hinge",
        "binary",
        "the hinge, quadratic over a width γ",
        "losses.margin:SmoothHinge",
        {"smoothing": 1.0},
        PIECES | SMOOTH,
        positive=("smoothing",),
    ),
    LossRow(
        "squared-hinge",
        "binary",
        "max(0, 1 − y a)²",
        "losses.margin:SquaredHinge",
        {},
        PIECES | SMOOTH,
    ),
    LossRow(
        "generalized-hinge",
        "binary",
        "max(0, 1 − y a, 1 − s y a), s > 1 the slope",
        "losses.margin:GeneralizedHinge",
        {"slope": 2.0, "smoothing": 0.0},
        PIECES,
    ),
    LossRow(
        "logistic",
        "binary",
        "log(1 + e^(−y a))",
        "losses.margin:Logistic",
        {},
        SMOOTH,
        link="sigmoid",
    ),
    LossRow(
        "crammer-singer",
        "multiclass",
        "max over j≠y of max(0, 1 + a_j − a_y)",
        "catalog.losses:crammer_singer",
        {"smoothing": 0.0},
    ),
    LossRow(
        "smooth-crammer-singer",
        "multiclass",
        "the same, smoothed by γ",
        "losses.multiclass:SmoothCrammerSinger",
        {"smoothing": 1.0},
        SMOOTH,
        positive=("smoothing",),
    ),
    LossRow(
        "softmax-of-hinge",
        "multiclass",
        "γ log(1 + Σ_{j≠y} e^((1 + a_j − a_y)/γ))",
        "losses.multiclass:SoftmaxOfHinge",
        {"smoothing": 1.0},
        SMOOTH,
        positive=("smoothing",),
    ),
    LossRow(
        "softmax",
        "multiclass",
        "log Σ_j e^(a_j − a_y)",
        "losses.multiclass:Softmax",
        {},
        SMOOTH,
        link="softmax",
    ),
    LossRow(
        "weston-watkins",
        "multiclass",
        "Σ_{j≠y} max(0, 1 + a_j − a_y)",
        "losses.multiclass:WestonWatkins",
        {"smoothing": 0.0},
    ),
)

#: Losses that a solver type has alone. The one-class machine is a regression with a free intercept
#: −ρ: see `training.one_class`.
OWN_LOSSES: Mapping[str, LossRow] = _table(
    LossRow(
        "one-class",
        "one-class",
        "max(0, ρ − a) − ν ρ",
        "catalog.losses:one_class",
        {"nu": 0.5},
        PIECES,
        threshold=True,
    ),
)


#: Losses of sequences: score s(y) of a labelling y, h(y) its Hamming distance from the true one.
CHAIN_LOSSES: Mapping[str, LossRow] = _table(
    LossRow(
        "crf",
        "chain",
        "log Σ_y e^(s(y)) − s(true y)",
        "risks.layouts.chains.chain_loss:log_loss",
        {},
        SMOOTH,
        link="marginals",
    ),
    LossRow(
        "m3n",
        "chain",
        "max over y of h(y) + s(y) − s(true y)",
        "risks.layouts.chains.chain_loss:structured_hinge",
        {"smoothing": 0.0},
        frozenset({"labellings"}),
    ),
)


#: Measures of two classes. The loss is n Δ(y', y) less the Σ y_i a_i of the examples that y' labels
#: wrongly, for the worst labels y'. The formulas are those of Δ.
MEASURE_LOSSES: Mapping[str, LossRow] = _table(
    LossRow("f1", "measure", "1 − F1", "losses.measures:FBeta", title="F1"),
    LossRow("fbeta", "measure", "1 − F_β", "losses.measures:FBeta", {"beta": 1.0}, title="F_beta"),
    LossRow("error-rate", "measure", "the fraction of wrong labels", "losses.measures:ErrorRate"),
    LossRow(
        "precision-at-k",
        "measure",
        "1 − the precision of the k largest scores",
        "losses.measures:PrecisionAtK",
        {"k": None},
        threshold=True,
        title="Precision at k",
    ),
    LossRow(
        "recall-at-k",
        "measure",
        "1 − the recall of the k largest scores",
        "losses.measures:RecallAtK",
        {"k": None},
        threshold=True,
        title="Recall at k",
    ),
    LossRow(
        "prbep",
        "measure",
        "1 − precision and recall where they are equal",
        "losses.measures:PrecisionAtK",
        threshold=True,
        title="Precision-recall break-even",
    ),
    LossRow(
        "roc-area",
        "measure",
        "1 − the area under the ROC curve",
        "losses.measures:RocArea",
        threshold=True,
        title="ROC area",
    ),
)
ORDER, LIKELIHOOD = frozenset({"measure", "order"}), "minus the log partial likelihood"
TAU, CONCORDANCE = "Kendall's tau", "Concordance"
#: Losses of the order of examples, t = s_i − s_j for y_i > y_j within a query; labels are grades.
#: Those of Cox take a time, with the sign − where it is censored, and a query is a stratum.
ORDER_LOSSES: Mapping[str, LossRow] = _table(
    *(
        LossRow(name, "regression", formula, f"losses.orders:{maker}", {}, ORDER | of, title=title)
        for name, formula, maker, of, title in (
            ("rank-hinge", "Σ max(0, 1 − t)", "rank_hinge", set(), TAU),
            ("rank-squared-hinge", "Σ max(0, 1 − t)²", "rank_squared_hinge", SMOOTH, TAU),
            ("rank-logistic", "Σ log(1 + e^(−t))", "rank_logistic", SMOOTH, TAU),
            ("cox-breslow", f"{LIKELIHOOD}, Breslow's ties", "cox_breslow", SMOOTH, CONCORDANCE),
            ("cox-efron", f"{LIKELIHOOD}, Efron's ties", "cox_efron", SMOOTH, CONCORDANCE),
        )
    )
)
#: Losses that the command line knows by name.
NAMED_LOSSES: Mapping[str, LossRow] = {**LOSSES, **CHAIN_LOSSES, **MEASURE_LOSSES, **ORDER_LOSSES}


#: Losses of regression, and those of several targets in one: of tasks, and of a matrix's entries.
REGRESSION_LOSSES = {
    name: row for name, row in LOSSES.items() if row.kind == "regression" and row.link is None
}
TASK_LOSSES: Mapping[str, LossRow] = REGRESSION_LOSSES | _table(
    LossRow("distance", "vectors", "‖r‖₂", "losses.multiclass:Distance", {"smoothing": 0.0}),
)


def own_measure(loss: Callable[[int, int, int, int], float]) -> LossRow:
    """The row of a loss of contingency tables; see `OwnTable`."""
    from rrmlinear.losses.measures import OwnTable

    return LossRow("own", "measure", "a loss of contingency tables", partial(OwnTable, loss))


def measure_value(
    row: LossRow, numbers: Mapping[str, Any], positive: NDArray[np.bool_], scores: NDArray[Any]
) -> float:
    """1 minus the loss of a row of a measure at some scores; its numbers may be left out."""
    from rrmlinear.losses.measures import measured

    build = row.build(*(numbers.get(name, usual) for name, usual in row.takes.items()))
    return measured(build, positive, scores)


def loss_row(name: str) -> LossRow:
    """The loss of this name, also where only one solver type has it."""
    return NAMED_LOSSES[name] if name in NAMED_LOSSES else OWN_LOSSES[name]


def block_loss(block: str | None, gap_tol: float | None) -> BlockLoss:
    """The Weston–Watkins loss with the block solver of this name, knapsack by default."""
    from rrmlinear.losses.multiclass import WestonWatkins, WestonWatkinsShark, WestonWatkinsWalrus

    if block == "walrus":
        return WestonWatkinsWalrus()
    if block == "shark":
        asked = math.inf if gap_tol is None else SHARK_FRACTION * gap_tol
        return WestonWatkinsShark(min(SHARK_TOLERANCE, asked))
    return WestonWatkins()
