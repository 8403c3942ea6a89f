"""What the commands are given: options and files, checked before anything is read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rrmlinear.cli import LeaveError, usage
from rrmlinear.cli.columns import read_columns, read_groups
from rrmlinear.cli.parser import Parser, choice, number, whole
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import (
    BLOCKS,
    GRADIENT_CHOICES,
    LINE_SEARCHES,
    LOSSES,
    OPTIONS,
    REGULARIZERS,
    SAMPLINGS,
    SOLVER_TYPES,
    find_solver,
)

MOST_THREADS = 1024
#: Options of one number of a loss, a regularizer or a solver.
NUMBERS = (
    *("--l1", "--radius", "--lower", "--upper", "--limit"),
    *("--smoothing", "--huber", "--quantile", "--slope", "--budget", "--ratio"),
)
WITHOUT_EFFECT = {
    "-n": "it sets nu of the one-class SVM",
    "-C": "it searches the parameters of -s 0, 2 and 11",
}


@dataclass(frozen=True)
class TrainingOptions:
    """The train command as it was given."""

    parameter: Parameter
    bias: float
    folds: int | None
    quiet: bool
    trace_file: str | None
    groups_file: str | None
    reading_threads: int | None
    training_file: str
    model_file: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class PredictionOptions:
    """The predict command as it was given."""

    probabilities: bool
    threads: int | None
    quiet: bool
    test_file: str
    model_file: str
    output_file: str


def _class_weight(text: str) -> tuple[int, float]:
    label, _, weight = text.partition(":")
    return whole("-wi: i")(label), number(f"-w{label}")(weight)


def _solver(text: str) -> int | str:
    try:
        return int(text.replace("_", "x"))
    except ValueError:
        return text


def _inner(text: str) -> str | int:
    return int(text) if text.isdecimal() else text


def training_usage() -> str:
    """The usage text with the solver types, losses and regularizers that exist."""
    lines = [f"       {kind.number:>4} -- {kind.summary}" for kind in SOLVER_TYPES.values()]
    names = {
        kind: ", ".join(name for name, loss in LOSSES.items() if loss.kind == kind)
        for kind in ("binary", "multiclass", "regression")
    }
    free = [str(kind.number) for kind in SOLVER_TYPES.values() if "free_bias" in kind.takes]
    names["free_types"] = ", ".join(free)
    norms = [str(kind.number) for kind in SOLVER_TYPES.values() if "limit" in kind.takes]
    names["norm_types"] = ", ".join(norms)
    return usage.TRAIN.format(solver_types="\n".join(lines), **names)


def parse_training(arguments: Sequence[str]) -> TrainingOptions:
    """The train command's arguments, checked as far as they can be without the data."""
    parser = Parser(training_usage())
    parser.value("-s", dest="solver", type=_solver, default=Parameter.solver)
    parser.value("-c", dest="C", type=number("-c"), default=Parameter.C)
    parser.value("--loss", type=choice("--loss", tuple(LOSSES)))
    parser.value("--regularizer", type=choice("--regularizer", tuple(REGULARIZERS)))
    for name in NUMBERS:
        parser.value(name, type=number(name))
    parser.value("--groups", dest="groups_file")
    parser.value("--unpenalized", type=read_columns)
    parser.value("-p", dest="epsilon", type=number("-p"))
    parser.value("-e", dest="delta", type=number("-e"))
    parser.value("--gap-tol", type=number("--gap-tol"))
    parser.value("-t", dest="max_passes", type=whole("-t", 1), default=Parameter.max_passes)
    parser.value("--time-limit", type=number("--time-limit"))
    parser.value("--block", type=choice("--block", tuple(BLOCKS)))
    parser.value("--option", type=choice("--option", OPTIONS))
    parser.value("--sampling", type=choice("--sampling", SAMPLINGS))
    parser.flag("--averaging")
    parser.value("--line-search", type=choice("--line-search", LINE_SEARCHES))
    for name, names in GRADIENT_CHOICES.items():
        parser.value(f"--{name}", type=choice(f"--{name}", names))
    parser.flag("--accelerate")
    parser.value("--inner", type=_inner)
    parser.value("--batch", type=whole("--batch", 1))
    parser.value("-B", dest="bias", type=number("-B"), default=-1.0)
    parser.value("-w", dest="weights", type=_class_weight, action="append", default=[])
    parser.value("-v", dest="folds", type=whole("-v"))
    parser.value("-S", dest="seed", type=whole("-S", 0, 2**64 - 1), default=Parameter.seed)
    parser.value("-m", dest="threads", type=whole("-m", 1, MOST_THREADS))
    parser.value("--trace", dest="trace_file")
    parser.value("-n", dest="-n")
    parser.flag("-R", dest="free_bias")
    parser.flag("-C", dest="-C")
    options, files = parser.parse(arguments)
    if not files:
        raise parser.wrong("no training_set_file is given")
    if len(files) > 2:
        raise parser.wrong(f"{files[2]} is one file too many: training set and model are named")
    if options.folds is not None and options.folds < 2:
        raise parser.wrong("n-fold cross validation: n must >= 2")
    parameter = Parameter(
        solver=options.solver,
        C=options.C,
        class_weights=_products(options.weights),
        loss=options.loss,
        regularizer=options.regularizer,
        l1=options.l1,
        radius=options.radius,
        groups=None if options.groups_file is None else read_groups(options.groups_file),
        lower=options.lower,
        upper=options.upper,
        unpenalized=options.unpenalized,
        limit=options.limit,
        smoothing=options.smoothing,
        epsilon=options.epsilon,
        huber=options.huber,
        quantile=options.quantile,
        slope=options.slope,
        budget=options.budget,
        free_bias=options.free_bias or None,
        option=options.option,
        sampling=options.sampling,
        averaging=options.averaging or None,
        line_search=options.line_search,
        route=options.route,
        lipschitz=options.lipschitz,
        prox=options.prox,
        ratio=options.ratio,
        storage=options.storage,
        accelerate=options.accelerate or None,
        inner=options.inner,
        block=options.block,
        batch=options.batch,
        delta=Parameter.delta if options.delta is None else options.delta,
        gap_tol=options.gap_tol,
        max_passes=options.max_passes,
        time_limit=options.time_limit,
        seed=options.seed,
        threads=options.threads or 1,
    )
    _check(parameter, options)
    warnings = []
    if options.gap_tol is not None and options.delta is not None:
        warnings.append("-e has no effect where --gap-tol is given")
    return TrainingOptions(
        parameter,
        options.bias,
        options.folds,
        options.quiet,
        options.trace_file,
        options.groups_file,
        options.threads,
        files[0],
        _model_file(parser, files, options.folds),
        tuple(warnings),
    )


def _products(weights: Sequence[tuple[int, float]]) -> Mapping[int, float]:
    """One weight for each label: repeated ones multiply, as in LIBLINEAR."""
    products: dict[int, float] = {}
    for label, weight in weights:
        products[label] = products.get(label, 1.0) * weight
    return products


def _check(parameter: Parameter, options: argparse.Namespace) -> None:
    try:
        find_solver(parameter.solver)
        for name, purpose in WITHOUT_EFFECT.items():
            if getattr(options, name):
                raise ValueError(f"{name} has no effect with -s {parameter.solver}: {purpose}")
        if options.trace_file is not None and options.folds is not None:
            raise ValueError("--trace has no effect with -v, which trains several models")
        parameter.check()
        if options.free_bias and not options.bias > 0:
            raise ValueError("To not regularize bias, must specify -B 1 along with -R")
    except ValueError as error:
        raise LeaveError(f"ERROR: {error}") from None


def _model_file(parser: Parser, files: Sequence[str], folds: int | None) -> str:
    if len(files) == 2:
        return files[1]
    if files[0] == "-" and folds is None:
        raise parser.wrong("training from standard input needs the name of a model_file")
    return os.path.basename(files[0]) + ".model"


def parse_prediction(arguments: Sequence[str]) -> PredictionOptions:
    """The predict command's arguments."""
    parser = Parser(usage.PREDICT)
    parser.value("-b", dest="probabilities", type=choice("-b", ("0", "1")), default="0")
    parser.value("-m", dest="threads", type=whole("-m", 1, MOST_THREADS))
    options, files = parser.parse(arguments)
    names = ("test_file", "model_file", "output_file")
    if len(files) < len(names):
        raise parser.wrong(f"no {names[len(files)]} is given")
    if len(files) > len(names):
        raise parser.wrong(f"{files[3]} is one file too many: test, model and output are named")
    return PredictionOptions(options.probabilities == "1", options.threads, options.quiet, *files)
