"""The problem of a run in a sentence and a formula, and numbers as people read them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rrmlinear.catalog.choices import Choices
from rrmlinear.catalog.losses import ORDER_LOSSES, loss_row
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.rows import LossRow, RegularizerRow, resolved
from rrmlinear.catalog.selection import number_of
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.pages.run import Run

#: The task by the kind of labels.
TASKS = {
    "binary": "Tell two classes apart by one score",
    "multiclass": "Tell {classes} classes apart, all in one problem",
    "measure": "Rank examples of two classes for a measure of all labels at once",
    "regression": "Predict a number by a linear score",
    "rank": "Order the examples of each query by a linear score",
    "cox": "Tell by a linear score how early an event comes",
    "one-class": "Tell most examples from outliers",
    "chain": "Label every position of a sequence",
}
BY_TARGETS = "Tell {classes} classes apart by numbers, 1 for a class and −1 for others"
ONE_BY_ONE = "Tell {classes} classes apart, each against the rest"

#: The field's names of problems, by the loss; of the squared one by the regularizer.
NAMES = {
    **dict.fromkeys(("hinge", "smooth-hinge", "squared-hinge", "generalized-hinge"), "Linear SVM"),
    **dict.fromkeys(("weston-watkins", "softmax-of-hinge"), "Linear SVM"),
    **dict.fromkeys(("crammer-singer", "smooth-crammer-singer"), "Linear SVM"),
    **dict.fromkeys(("logistic", "softmax"), "Logistic regression"),
    **dict.fromkeys(
        ("epsilon-insensitive", "squared-epsilon-insensitive"), "Support vector regression"
    ),
    **dict.fromkeys(("rank-hinge", "rank-squared-hinge"), "Ranking SVM"),
    "rank-logistic": "Logistic ranking",
    **dict.fromkeys(("cox-breslow", "cox-efron"), "Cox regression"),
    "absolute": "Median regression",
    "one-class": "One-class SVM",
    "crf": "Conditional random field",
    "m3n": "Max-margin Markov network",
}
SQUARED = {"l2": "Ridge regression", "l1": "Lasso", "elastic-net": "Elastic net"}
OF_KINDS = {"regression": "{name} regression", "measure": "Linear classifier for {name}"}

#: Targets whose numbers are told one by one.
TOLD = 8

#: Signs of choices in the formulas of the catalog.
SYMBOLS = {
    "l1": "S",
    "radius": "R",
    "epsilon": "ε",
    "huber": "δ",
    "quantile": "q",
    "slope": "s",
    "smoothing": "γ",
    "nu": "ν",
    "beta": "β",
}


def number(value: float) -> str:
    """A number in at most six digits; thousands apart."""
    if math.isinf(value) or math.isnan(value):
        return "∞" if value > 0 else "−∞" if value < 0 else "unknown"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f").replace("-", "−")
    return f"{value:.6g}".replace("-", "−")


def size(n_bytes: float) -> str:
    """Bytes in a unit that leaves few digits."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if n_bytes < 1000 or unit == "GB":
            break
        n_bytes /= 1000
    return f"{n_bytes:.3g} {unit}"


def title(loss: str, choices: Choices, n_classes: int) -> str:
    """The problem by its name in the field, with the classes if there are any."""
    row, regularizer = loss_row(loss), _regularizer(choices).name
    if loss == "squared" and regularizer in SQUARED:
        name = "Least squares" if _is_alone(choices) else SQUARED[regularizer]
    else:
        word = row.title or loss.replace("-", " ")
        name = NAMES.get(loss) or OF_KINDS.get(row.kind, "{name} loss").format(name=word)
        name = f"{name[0].upper()}{name[1:]}"
        if regularizer != "l2":
            name += f" with {regularizer.replace('-', ' ')}"
    return (
        f"{name}, {number(n_classes)} {'class' if n_classes == 1 else 'classes'}"
        if n_classes
        else name
    )


def sentence(run: Run) -> str:
    """The problem in one sentence."""
    assert run.choices is not None
    row, regularizer = loss_row(run.loss), _regularizer(run.choices)
    classes = _n_classes(run)
    kind = row.name.split("-")[0] if row.name in ORDER_LOSSES else row.kind
    task = ONE_BY_ONE if row.kind == "binary" and classes > 2 else TASKS[kind]
    if kind == "regression" and run.n_classes:
        task = BY_TARGETS
    each = [choices for choices, _ in run.each] or [run.choices]
    told = f"{task.format(classes=classes)}: the {row.name} loss{_numbers(row, each)}"
    if all(map(_is_alone, each)):
        return f"{told}, without a regularizer."
    costs = of_each([choices.C for choices in each])
    return f"{told} with {regularizer.meaning}{_numbers(regularizer, each)}, C = {costs}."


def _is_alone(choices: Choices) -> bool:
    """Whether the loss stands without a regularizer."""
    return math.isinf(choices.C)


def of_each(values: Sequence[float]) -> str:
    """The number of all targets, or those of the targets in turn, or their range."""
    if len(set(values)) == 1:
        return number(values[0])
    if len(values) > TOLD:
        return f"{number(min(values))} to {number(max(values))}, of {len(values)} in turn"
    return f"{', '.join(map(number, values))} in turn"


def _n_classes(run: Run) -> int:
    if run.n_classes:
        return run.n_classes
    if run.facts is not None and run.facts.labels is not None:
        return len(run.facts.labels)
    return max(2, len(run.columns))


def _numbers(row: LossRow | RegularizerRow, each: Sequence[Choices]) -> str:
    """The numbers of a loss or a regularizer that are not 0, in parentheses."""
    of_targets = [resolved(row.takes, choices) for choices in each]
    numbers = [
        f"{SYMBOLS.get(name, name)} = {of_each([values[name] for values in of_targets])}"
        for name, value in of_targets[0].items()
        if isinstance(value, int | float) and value
    ]
    return f" ({', '.join(numbers)})" if numbers else ""


def formulas(loss: str, choices: Choices) -> list[str]:
    """The objective, and its parts, a line each."""
    row = loss_row(loss)
    if row.kind in ("measure", "chain"):
        scores = "s(y) the score of a labelling y" if row.kind == "chain" else "a_i = x_i'w"
    else:
        scores = "a = x'w" if row.kind != "multiclass" else "a_j = x'w_j"
    losses = f"φ = {row.formula},  {scores}"
    if _is_alone(choices):
        return ["minimize over w:  Σ_i φ_i(w)", losses]
    return ["minimize over w:  Ω(w) + C Σ_i φ_i(w)", f"Ω = {_regularizer(choices).formula}", losses]


def _regularizer(choices: Choices) -> RegularizerRow:
    return REGULARIZERS[choices.regularizer or find_solver(number_of(choices)).regularizer]
