"""Write the tables of choices in docs/: python tools/build/tables.py

Each table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench" / "report_page"))

from places import pattern_of

from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.losses import LOSSES, NAMED_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.rows import FEATURES, LossRow, RegularizerRow, SolverRow
from rrmlinear.catalog.solvers import SOLVERS, losses_of, regularizers_of
from rrmlinear.cli.flags import FLAGS
from rrmlinear.cli.usage import option_rows
from rrmlinear.estimators.objective import SOLVERS as PARAMETER_NAMES
from rrmlinear.estimators.svm import WestonWatkinsSVC

TOP = Path(__file__).resolve().parents[2]
PAGES = ("docs/command_line.md", "docs/losses.md", "docs/regularizers.md", "docs/solvers.md")
KINDS = {
    "binary": "two classes, y = ±1",
    "multiclass": "k classes, k scores",
    "regression": "regression",
    "measure": "two classes, the larger positive",
    "chain": "a class for each position of a sequence",
}


def option_table() -> str:
    """Options of the train command."""
    rows = ((f"`{option}`", meaning, default) for option, meaning, default in option_rows())
    return _table(("option", "meaning", "default"), rows)


def solver_table() -> str:
    """Solver types, with the losses and regularizers that they take."""
    rows = (
        (
            f"`{row.number}`",
            row.summary,
            _losses_told(row),
            _regularizers_told(row),
            "yes" if "free_bias" in row.choices else "",
        )
        for row in SOLVERS.values()
    )
    return _table(("`-s`", "method", "losses", "regularizers", "`-R`"), rows)


def loss_table() -> str:
    """Losses, by the kind of their labels."""
    rows = (
        (
            f"`{row.name}`",
            row.formula,
            _labels_told(title, row),
            _flags(row.takes),
            _smoothness(row),
        )
        for kind, title in KINDS.items()
        for row in NAMED_LOSSES.values()
        if row.kind == kind
    )
    return _table(("`--loss`", "φ", "labels", "numbers", "smooth"), rows)


def _labels_told(title: str, row: LossRow) -> str:
    if "order" in row.features:
        return "grades in queries" if row.name.startswith("rank") else "times, −t censored"
    return title if row.labels is None else f"{title}; y must {row.labels.allowed}"


def regularizer_table() -> str:
    """Regularizers."""
    rows = (
        (f"`{row.name}`", row.formula, _flags(row.choices), _flags(row.needed), _layout(row))
        for row in REGULARIZERS.values()
    )
    return _table(("`--regularizer`", "Ω", "takes", "needs", "for"), rows)


def need_table() -> str:
    """Names of solvers, what they need of loss and regularizer, and choices of them alone."""
    rows = (
        (f"`{row.number}`", _parameter_told(row), row.name, _needs_told(row), _flags(_own(row)))
        for row in SOLVERS.values()
        if not row.is_liblinear
    )
    return _table(("`-s`", "`solver=` of classes", "in model files", "needs", "choices"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "options": option_table,
    "solvers": solver_table,
    "losses": loss_table,
    "regularizers": regularizer_table,
    "needs": need_table,
}


def with_tables(text: str) -> str:
    """A page with its tables made anew."""
    for name, table in TABLES.items():
        place = pattern_of(f"table: {name}")
        text = place.sub(lambda found, table=table: found[1] + table() + found[3], text)
    return text


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines
    )


def _flags(names: Iterable[str]) -> str:
    return ", ".join(f"`{FLAGS[name].flag}`" for name in names)


def _parameter_told(row: SolverRow) -> str:
    own = WestonWatkinsSVC._solvers | PARAMETER_NAMES
    names = {number: name for name, number in own.items()}
    name = names.get(row.number, row.number)
    return f"`{name}`" if isinstance(name, str) else ""


def _layout(row: RegularizerRow) -> str:
    return "losses of all classes" if "several-columns" in row.needs else ""


def _smoothness(row: LossRow) -> str:
    if "smooth" in row.features:
        return "yes"
    return "with `--smoothing`" if "smoothing" in row.takes else ""


def _needs_told(row: SolverRow) -> str:
    needs = [", ".join(FEATURES[name].needed for name in sorted(need)) for need in row.needs]
    return "; or ".join(needs)


def _own(row: SolverRow) -> list[str]:
    """Choices of this solver, but for those of the objective."""
    return [name for name in row.choices if CHOICES[name].owner == "solver"]


def _losses_told(row: SolverRow) -> str:
    names = set(losses_of(row))
    if all({"smooth", "examples"} <= need for need in row.needs):
        return "smooth"
    of_one = {name for name, loss in LOSSES.items() if "one-score" in loss.could_offer}
    groups = ("all", set(NAMED_LOSSES)), ("all of examples", set(LOSSES)), ("of one score", of_one)
    far = {name for name, loss in LOSSES.items() if "bounded" not in loss.could_offer}
    for title, group in groups:
        if names >= group - far and len(names) > len(far):
            left_out = sorted(group - names)
            title += f" but {', '.join(left_out)}" if left_out else ""
            return ", ".join([title, *sorted(names - group)])
    return ", ".join(losses_of(row))


def _regularizers_told(row: SolverRow) -> str:
    names = regularizers_of(row)
    if names == tuple(REGULARIZERS):
        return "all"
    told = []
    for name in names:
        offers = REGULARIZERS[name].offers()
        losses = [
            {each for each in need if FEATURES[each].of == "loss"}
            for need in row.needs
            if {each for each in need if FEATURES[each].of == "regularizer"} <= offers
        ]
        few = [loss.name for loss in LOSSES.values() if losses[0] <= loss.could_offer]
        partly = len(losses) < len(row.needs)
        told.append(f"{name} with {', '.join(few)}" if partly and losses[0] else name)
    return ", ".join(told)


if __name__ == "__main__":
    for name in PAGES:
        page = TOP / name
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
