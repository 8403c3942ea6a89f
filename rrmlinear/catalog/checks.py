"""The checks of choices against the rows of the tables: choices that contradict are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rrmlinear.catalog.choices import CHOICES, Choices, given, switched
from rrmlinear.catalog.errors import ChoiceError, Named, Sentence, no_effect
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS, free_columns
from rrmlinear.catalog.rows import BOUNDS, FEATURES, LossRow, RegularizerRow, SolverRow, resolved
from rrmlinear.catalog.solvers import OF_SOME_SOLVERS, losses_of, regularizers_of, solvers_with
from rrmlinear.catalog.values import Switch

Rows = tuple[SolverRow, LossRow, RegularizerRow]
#: Choices that only some losses or regularizers have.
OF_LOSSES = {name for name, row in CHOICES.items() if row.owner == "loss"}
OF_REGULARIZERS = {name for row in REGULARIZERS.values() for name in row.choices}
#: What loss, regularizer and layout offer, by the names and words of choices with their rows, which
#: have passed the checks: numbers alone change nothing there, and the tables have few of these.
_PASSED: dict[tuple[Any, ...], frozenset[str]] = {}
#: The defaults of all choices.
_DEFAULTS = {name: row.default for name, row in CHOICES.items()}


def checked_features(choices: Choices, rows: Rows, layout: frozenset[str]) -> frozenset[str]:
    """What loss, regularizer and ``layout`` offer with these choices, all of them checked.

    Raises ChoiceError for values out of range, for choices without effect or missing, and where
    something is needed that is not offered.
    """
    values, (_, loss, regularizer) = vars(choices), rows
    made = tuple([name for name, usual in _DEFAULTS.items() if values[name] is not usual])
    for name in made:
        row = CHOICES[name]
        if not row.values.admits(values[name]):
            raise row.values.refusal(name, values[name])
    for name in loss.positive:
        _check_positive(choices, name, Named("loss", loss.name))
    for name in regularizer.positive:
        _check_positive(choices, name, Named("regularizer", regularizer.name))
    words = tuple([values[name] for name in made if isinstance(values[name], (str, bool))])
    is_free = free_columns(choices) is not None
    weighed = bool(choices.class_weights), bool(choices.smoothing), is_free
    key = made, words, weighed, rows, layout
    if key in _PASSED:
        return _PASSED[key]
    asked = given(choices)
    _check_effects(choices, asked, rows)
    bounds = any(each is not None for each in (values[name] for name in BOUNDS))
    features = loss.offers(resolved(loss.takes, choices)) | layout
    features |= regularizer.offers(bounds, is_free)
    _check_features(choices, asked, rows, features)
    _PASSED[key] = features
    return features


def _check_effects(choices: Choices, asked: tuple[str, ...], rows: Rows) -> None:
    """Raise ChoiceError for choices without effect, and for missing ones."""
    solver, _, regularizer = rows
    for name in asked:
        _check_owner(choices, name, *rows)
    if choices.block is not None and choices.block not in solver.blocks:
        raise _no_block(choices.block, solver)
    for name in regularizer.needed:
        if getattr(choices, name) is None:
            needed = Named(name), f", the {CHOICES[name].meaning}"
            owner = Named("regularizer", regularizer.name)
            raise ChoiceError(owner, " needs ", *needed, field=name)
    turned = switched(choices)
    for name, other, place in _exclusions(asked, solver, regularizer):
        is_switch = isinstance(CHOICES[other].values, Switch)
        if name in asked and other in (turned if is_switch else asked):
            off = Named(other, False) if turned.get(other) is False else Named(other)
            raise ChoiceError(Named(name), " has no effect with ", off, *place, field=name)
    for name in asked:
        others = CHOICES[name].only_with
        if others and not set(others) & set(asked):
            named = [part for other in others for part in (" or ", Named(other))][1:]
            raise ChoiceError(Named(name), " has no effect without ", *named, field=name)


def _no_block(block: str, solver: SolverRow) -> ChoiceError:
    blocks = ", ".join(solver.blocks)
    place = (Named("solver", solver.number), f" ({solver.name}) has {blocks}")
    allowed = f"be one of {blocks}"
    return ChoiceError(
        Named("block"), f" is {block!r}; ", *place, field="block", value=block, allowed=allowed
    )


def _check_positive(choices: Choices, name: str, owner: Named) -> None:
    if getattr(choices, name) == 0:
        raise ChoiceError(Named(name), " is 0; ", owner, " needs it positive", field=name, value=0)


def _check_owner(
    choices: Choices, name: str, solver: SolverRow, loss: LossRow, regularizer: RegularizerRow
) -> None:
    value, this = getattr(choices, name), Named("solver", solver.number)
    if name in OF_SOME_SOLVERS and name not in solver.choices:
        raise no_effect(name, value, (this,), (Named("solver", *solvers_with(name)),))
    numbers = tuple(loss.takes) if "loss" in solver.choices else solver.numbers
    if name in OF_LOSSES and name not in numbers:
        place = Named("loss", loss.name) if "loss" in solver.choices else this
        raise no_effect(name, value, (place,), (_having("loss", NAMED_LOSSES, name, "takes"),))
    own = regularizer.choices if "regularizer" in solver.choices else ()
    if name in OF_REGULARIZERS and name not in own:
        place = Named("regularizer", regularizer.name) if "regularizer" in solver.choices else this
        others = _having("regularizer", REGULARIZERS, name, "choices")
        raise no_effect(name, value, (place,), (others,))


def _having(field: str, rows: Mapping[str, object], name: str, where: str) -> Named:
    return Named(field, *(other for other, row in rows.items() if name in getattr(row, where)))


def _exclusions(
    asked: Iterable[str], solver: SolverRow, regularizer: RegularizerRow
) -> Iterator[tuple[str, str, Sentence]]:
    """(choice, another choice that leaves it without effect, where)."""
    for name in asked:
        for other in CHOICES[name].excluded_by:
            yield name, other, ()
    for name, other in regularizer.excludes:
        yield name, other, (" of ", Named("regularizer", regularizer.name))
    for name, other in solver.excludes:
        yield name, other, (" and ", Named("solver", solver.number))


def _check_features(
    choices: Choices, asked: tuple[str, ...], rows: Rows, features: frozenset[str]
) -> None:
    """Raise ChoiceError where something is needed that neither loss nor regularizer offers."""
    solver, loss, regularizer = rows
    named = {
        "loss": Named("loss", loss.name),
        "regularizer": Named("regularizer", regularizer.name),
    }
    for name in sorted(regularizer.needs - features):
        feature = FEATURES[name]
        lacking = f"{feature.lacking}, where it would be {regularizer.single}"
        raise ChoiceError(
            named["regularizer"],
            f" is for {feature.needed}, and ",
            named["loss"],
            " has weights of transitions beside them" if "chain" in features else f" {lacking}",
            field="regularizer",
            value=regularizer.name,
        )
    for name in asked:
        row, value = CHOICES[name], getattr(choices, name)
        for missing in sorted(row.needs - features):
            feature = FEATURES[missing]
            raise no_effect(name, value, (named[feature.of],), (feature.needed,))
        wanted = row.values_need.get(value, frozenset()) if isinstance(value, str) else frozenset()
        for missing in sorted(wanted - features):
            feature = FEATURES[missing]
            raise ChoiceError(
                Named(name, value),
                f" needs {feature.needed}, and ",
                named[feature.of],
                f" {feature.lacking}",
                field=name,
                value=value,
            )
    if not any(need <= features for need in solver.needs):
        raise _unmet(solver, named, features)
    in_weights = choices.route in (None, "primal")
    if choices.prox == "optimized" and in_weights and "smooth" in features:
        raise ChoiceError(
            Named("prox", "optimized"),
            " has no effect with ",
            Named("route", "primal"),
            " and ",
            named["loss"],
            ", which is smooth",
            field="prox",
            value="optimized",
        )


def _unmet(solver: SolverRow, named: Mapping[str, Named], features: frozenset[str]) -> ChoiceError:
    """The error for a solver whose needs are not met; it names both sides.

    Needs that the loss meets come before those of other kinds of losses.
    """
    lacks = [sorted(need - features) for need in solver.needs]
    by_loss = [names for names in lacks if all(FEATURES[name].of != "loss" for name in names)]
    missing = list(dict.fromkeys(names[0] for names in by_loss or lacks))
    needed = " or ".join(FEATURES[name].needed for name in missing)
    sentence: list[str | Named] = [Named("solver", solver.number), f" needs {needed}"]
    for name in missing:
        sentence += [", and ", named[FEATURES[name].of], f" {FEATURES[name].lacking}"]
    if missing == ["smooth"]:
        sentence += [": choose a ", Named("smoothing"), " above 0"]
    elif FEATURES[missing[0]].of == "loss":
        sentence.append(f"; it takes {', '.join(losses_of(solver))}")
    else:
        sentence.append(f"; it takes {', '.join(regularizers_of(solver))}")
    of = FEATURES[missing[0]].of
    return ChoiceError(*sentence, field=of, value=named[of].chosen)
