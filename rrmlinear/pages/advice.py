"""What suits a data set: solver types, losses, and what to know before training."""

from __future__ import annotations

from collections.abc import Iterator

from rrmlinear.pages.facts import DataFacts
from rrmlinear.pages.words import number

#: Lengths of columns that differ by more than this make a regularizer treat features unequally.
UNEVEN = 100.0
#: A class with a smaller part of the examples than this is rare, where it also has less than half
#: of an equal share.
RARE = 0.05
#: Stored values per place from which on dense rows are smaller: 8 bytes a place against 12 a value.
DENSE = 2 / 3
#: Whole labels of more distinct values than this may be numbers as well as classes.
FEW_CLASSES = 20


def commands(facts: DataFacts) -> list[tuple[str, str]]:
    """(purpose, options of the train command) that take these labels, the first choice first."""
    if facts.sequences is not None:
        return [("probabilities of labels", "--loss crf"), ("labels alone, sooner", "--loss m3n")]
    if facts.queries is not None:
        return [
            ("ranks within queries", "--loss rank-squared-hinge"),
            ("ranks from few features", "--loss rank-squared-hinge --regularizer l1"),
        ]
    if facts.labels is None:
        return _regressions()
    found = _classifiers(facts)
    return found + _regressions() if len(facts.labels) > FEW_CLASSES else found


def _classifiers(facts: DataFacts) -> list[tuple[str, str]]:
    assert facts.labels is not None
    if len(facts.labels) == 1:
        return [("outliers from examples of one kind", "-s 21")]
    if len(facts.labels) > 2:
        return [
            ("labels, all classes in one problem", "-s 30"),
            ("labels, each class against the rest", "-s 1"),
            ("probabilities of labels", "--loss softmax"),
            ("labels from few features", "-s 5"),
        ]
    found = [
        ("labels", "-s 1"),
        ("probabilities of labels", "-s 7"),
        ("labels from few features", "-s 5"),
    ]
    if _has_rare(facts):
        found.insert(1, ("the F1 of a rare class", "--loss f1"))
    return found


def _has_rare(facts: DataFacts) -> bool:
    if facts.counts is None or len(facts.counts) < 2:
        return False
    return facts.rarest < min(RARE, 0.5 / len(facts.counts))


def _regressions() -> list[tuple[str, str]]:
    return [
        ("numbers: means", "-s 11 -p 0"),
        ("numbers: medians, not moved by outliers", "--loss absolute"),
        ("numbers: means from few features", "--loss squared --regularizer l1"),
    ]


def remarks(facts: DataFacts) -> Iterator[str]:
    """Sentences on what makes the data hard, or the model unlike what one expects."""
    columns = facts.column_norms
    if columns is not None and columns.ratio > UNEVEN:
        yield (
            f"The longest column is {number(columns.ratio)} times as long as the shortest one. Any "
            "solver here trains on them as they are; but the regularizer holds the weights of "
            "short columns back more. Scale columns where they are to count alike."
        )
    if facts.unused:
        yield f"{number(facts.unused)} columns are all zero: their weights will be 0."
    if facts.empty:
        yield f"{number(facts.empty)} rows are all zero: only a bias (-B 1) can tell them apart."
    if _has_rare(facts):
        weights = "" if facts.sequences is not None else "-wi weighs classes. "
        yield (
            f"The rarest class has {facts.rarest:.2%} of the examples. {weights}Compare models by "
            "a measure of that class, not by accuracy."
        )
    if not facts.is_dense and facts.density > DENSE:
        yield f"{facts.density:.0%} of the matrix is stored: a dense array is smaller and quicker."
    if facts.d > facts.n:
        option = "-C" if facts.sequences is None else "-v"
        yield (
            "There are more columns than rows: a linear score fits almost any labels, so that C is "
            f"best found by {option}."
        )
