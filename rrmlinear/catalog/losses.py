"""The table of losses. A new loss is a class, its stub, and a row here.

A row names its class, which is loaded where a loss is built.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rrmlinear.catalog.rows import NONE, LossRow
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


def _rows(kind: str, room: str) -> Callable[..., LossRow]:
    """What makes rows of losses of this kind, whose classes stand in this module where no other is
    named.
    """

    def row(
        name: str,
        formula: str,
        maker: str | Callable[..., Any],
        takes: Mapping[str, Any] = NONE,
        features: frozenset[str] = frozenset(),
        **more: Any,
    ) -> LossRow:
        place = f"{room}:{maker}" if isinstance(maker, str) else maker
        return LossRow(name, kind, formula, place, takes, features, **more)

    return row


_of_numbers, _of_two = _rows("regression", "losses.regression"), _rows("binary", "losses.margin")
_of_classes = _rows("multiclass", "losses.multiclass")
_of_sequences = _rows("chain", "risks.layouts.chains.chain_loss")
_measure = _rows("measure", "losses.measures")
_of_ranks = _rows("regression", "losses.orders")
#: Losses of means e^a, and smoothings that may not be 0.
_of_means: Any = partial(_of_numbers, features=SMOOTH, link="exp")
SMOOTHED: Any = {"takes": {"smoothing": 1.0}, "positive": ("smoothing",)}
KINKED = {"smoothing": 0.0}

#: Losses by name; score a = x'w, label y, residual r = y − a, scores a_j of classes j.
LOSSES: Mapping[str, LossRow] = _table(
    _of_numbers("squared", "½ r²", "Squared", {}, PIECES | SMOOTH | {"least-squares"}),
    _of_numbers("absolute", "|r|", "Absolute", KINKED, PIECES),
    _of_numbers(
        *("epsilon-insensitive", "max(0, |r| − ε)", "EpsilonInsensitive"),
        takes={"epsilon": 0.1, "smoothing": 0.0},
        features=PIECES,
    ),
    _of_numbers(
        *("squared-epsilon-insensitive", "max(0, |r| − ε)²", "SquaredEpsilonInsensitive"),
        takes={"epsilon": 0.1},
        features=PIECES | SMOOTH,
    ),
    _of_numbers("huber", "½ r², linear from |r| = δ on", "Huber", {"huber": 1.0}, PIECES | SMOOTH),
    _of_numbers(
        *("quantile", "max(q r, (q − 1) r), q the quantile", "Quantile"),
        takes={"quantile": 0.5, "smoothing": 0.0},
        features=PIECES,
    ),
    _of_means("poisson", "e^a − y a + y log y − y", partial(deviance, 1.0), labels=Number(least=0)),
    _of_means("gamma", "y e^(−a) + a − log y − 1", partial(deviance, 2.0), labels=Number(above=0)),
    _of_means(
        "tweedie",
        "e^((2−p)a)/(2−p) + y e^(−(p−1)a)/(p−1) − y^(2−p)/((p−1)(2−p)), p the power",
        "Deviance",
        takes={"power": 1.5},
        labels=Number(least=0),
    ),
    LossRow(
        *("binomial", "regression", "log(1 + e^a) − y a + y log y + (1 − y) log(1 − y)"),
        "losses.margin:Binomial",
        features=SMOOTH,
        link="sigmoid",
        labels=Number(least=0, most=1),
    ),
    _of_two("hinge", "max(0, 1 − y a)", hinge, KINKED, PIECES),
    _of_two(
        *("smooth-hinge", "the hinge, quadratic over a width γ", "SmoothHinge"),
        features=PIECES | SMOOTH,
        **SMOOTHED,
    ),
    _of_two("squared-hinge", "max(0, 1 − y a)²", "SquaredHinge", {}, PIECES | SMOOTH),
    _of_two(
        *("generalized-hinge", "max(0, 1 − y a, 1 − s y a), s > 1 the slope", "GeneralizedHinge"),
        takes={"slope": 2.0, "smoothing": 0.0},
        features=PIECES,
    ),
    _of_two("logistic", "log(1 + e^(−y a))", "Logistic", {}, SMOOTH, link="sigmoid"),
    _of_classes("crammer-singer", "max over j≠y of max(0, 1 + a_j − a_y)", crammer_singer, KINKED),
    _of_classes(
        *("smooth-crammer-singer", "the same, smoothed by γ", "SmoothCrammerSinger"),
        features=SMOOTH,
        **SMOOTHED,
    ),
    _of_classes(
        *("softmax-of-hinge", "γ log(1 + Σ_{j≠y} e^((1 + a_j − a_y)/γ))", "SoftmaxOfHinge"),
        features=SMOOTH,
        **SMOOTHED,
    ),
    _of_classes("softmax", "log Σ_j e^(a_j − a_y)", "Softmax", {}, SMOOTH, link="softmax"),
    _of_classes("weston-watkins", "Σ_{j≠y} max(0, 1 + a_j − a_y)", "WestonWatkins", KINKED),
)

#: Losses that a solver type has alone. The one-class machine is a regression with a free intercept
#: −ρ: see `training.one_class`.
OWN_LOSSES: Mapping[str, LossRow] = _table(
    LossRow(
        *("one-class", "one-class", "max(0, ρ − a) − ν ρ", one_class, {"nu": 0.5}, PIECES),
        threshold=True,
    )
)


#: Losses of sequences: score s(y) of a labelling y, h(y) its Hamming distance from the true one.
CHAIN_LOSSES: Mapping[str, LossRow] = _table(
    _of_sequences("crf", "log Σ_y e^(s(y)) − s(true y)", "log_loss", {}, SMOOTH, link="marginals"),
    _of_sequences(
        *("m3n", "max over y of h(y) + s(y) − s(true y)", "structured_hinge"),
        takes=KINKED,
        features=frozenset({"labellings"}),
    ),
)


#: Measures of two classes. The loss is n Δ(y', y) less the Σ y_i a_i of the examples that y' labels
#: wrongly, for the worst labels y'. The formulas are those of Δ.
MEASURE_LOSSES: Mapping[str, LossRow] = _table(
    _measure("f1", "1 − F1", "FBeta", title="F1"),
    _measure("fbeta", "1 − F_β", "FBeta", {"beta": 1.0}, title="F_beta"),
    _measure("error-rate", "the fraction of wrong labels", "ErrorRate"),
    _measure(
        *("precision-at-k", "1 − the precision of the k largest scores", "PrecisionAtK"),
        takes={"k": None},
        threshold=True,
        title="Precision at k",
    ),
    _measure(
        *("recall-at-k", "1 − the recall of the k largest scores", "RecallAtK"),
        takes={"k": None},
        threshold=True,
        title="Recall at k",
    ),
    _measure(
        *("prbep", "1 − precision and recall where they are equal", "PrecisionAtK"),
        threshold=True,
        title="Precision-recall break-even",
    ),
    _measure(
        *("roc-area", "1 − the area under the ROC curve", "RocArea"),
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
        _of_ranks(name, formula, maker, {}, ORDER | of, title=title)
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
    LossRow("distance", "vectors", "‖r‖₂", "losses.multiclass:Distance", {"smoothing": 0.0})
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
