"""LIBLINEAR's spelling of options, made plain for argparse."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rrmlinear import __version__
from rrmlinear.cli import LeaveError, usage
from rrmlinear.training.parameter import Parameter
from rrmlinear.training.registry import BLOCKS, SOLVER_TYPES, find_solver

MOST_THREADS = 1024
WITHOUT_EFFECT = {
    "-p": "it sets the loss of support vector regression",
    "-n": "it sets nu of the one-class SVM",
    "-R": "it leaves the bias unregularized for -s 0, 2, 5, 6 and 11",
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


class Parser:
    """argparse behind LIBLINEAR's rules of where options end and values stand."""

    def __init__(self, usage_text: str):
        self.usage_text = usage_text
        self.parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        self.takes_value: dict[str, bool] = {}
        self.flag("-h", "--help")
        self.flag("--version")
        self.flag("-q", dest="quiet")

    def flag(self, *names: str, **keywords: Any) -> None:
        """An option without value."""
        self.takes_value |= dict.fromkeys(names, False)
        self.parser.add_argument(*names, action="store_true", **keywords)

    def value(self, name: str, **keywords: Any) -> None:
        """An option with a value."""
        self.takes_value[name] = True
        self.parser.add_argument(name, **keywords)

    def parse(self, arguments: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
        """(options, files), or LeaveError for --help, --version and what cannot be read."""
        plain, files = self._split(arguments)
        options = self.parser.parse_args(plain)
        if options.help:
            raise LeaveError(output=self.usage_text, exit_code=0)
        if options.version:
            raise LeaveError(output=f"rrmlinear {__version__}", exit_code=0)
        return options, files

    def wrong(self, message: str) -> LeaveError:
        """The error for a command that shows how it is to be called."""
        return LeaveError(message, self.usage_text)

    def _split(self, arguments: Sequence[str]) -> tuple[list[str], list[str]]:
        """Options, each as ``name`` or ``name=value``, and what follows them.

        Options end at the first argument without - (or - alone, or after --). Of those with one -
        only the second character tells, and -wi, whose i is 1 … is made -w=i:weight.
        """
        options: list[str] = []
        at = 0
        while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
            argument = arguments[at]
            at += 1
            if argument == "--":
                return options, list(arguments[at:])
            if argument.startswith("--"):
                name, equals, value = argument.partition("=")
            else:
                name, equals, value = argument[:2], "", ""
            if name not in self.takes_value:
                raise self.wrong(f"unknown option: {name}")
            if not self.takes_value[name]:
                if equals:
                    raise self.wrong(f"{name} takes no value, and {value!r} is given")
                options.append(name)
                continue
            if not equals:
                if at == len(arguments):
                    raise self.wrong(f"{argument} needs a value")
                value = arguments[at]
                at += 1
            options.append(f"{name}={argument[2:]}:{value}" if name == "-w" else f"{name}={value}")
        files = list(arguments[at:])
        for file in files[1:]:
            if file.startswith("-"):
                raise self.wrong(f"{file} stands after a file; options come first")
        return options, files


def _whole(name: str, least: int | None = None, most: int | None = None) -> Callable[[str], int]:
    allowed = "" if least is None else f" of at least {least}"
    allowed += "" if most is None else f" and at most {most}"

    def convert(text: str) -> int:
        try:
            number = int(text.replace("_", "x"))
        except ValueError:
            number = None
        if (
            number is None
            or (least is not None and number < least)
            or (most is not None and number > most)
        ):
            raise LeaveError(f"ERROR: {name} takes a whole number{allowed}, not {text!r}")
        return number

    return convert


def _number(name: str) -> Callable[[str], float]:
    def convert(text: str) -> float:
        try:
            number = float(text.replace("_", "x"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise LeaveError(f"ERROR: {name} takes a finite number, not {text!r}")
        return number

    return convert


def _choice(name: str, choices: Sequence[str]) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in choices:
            raise LeaveError(f"ERROR: {name} takes one of {', '.join(choices)}, not {text!r}")
        return text

    return convert


def _class_weight(text: str) -> tuple[int, float]:
    label, _, weight = text.partition(":")
    return _whole("-wi: i")(label), _number(f"-w{label}")(weight)


def training_usage() -> str:
    """The usage text with the solver types that exist."""
    types = "\n".join(f"       {kind.number:2} -- {kind.summary}" for kind in SOLVER_TYPES.values())
    return usage.TRAIN.format(solver_types=types)


def parse_training(arguments: Sequence[str]) -> TrainingOptions:
    """The train command's arguments, checked as far as they can be without the data."""
    parser = Parser(training_usage())
    parser.value("-s", dest="solver", type=_whole("-s"), default=Parameter.solver)
    parser.value("-c", dest="C", type=_number("-c"), default=Parameter.C)
    parser.value("-e", dest="delta", type=_number("-e"))
    parser.value("--gap-tol", type=_number("--gap-tol"))
    parser.value("-t", dest="max_passes", type=_whole("-t", 1), default=Parameter.max_passes)
    parser.value("--time-limit", type=_number("--time-limit"))
    parser.value("--block", type=_choice("--block", tuple(BLOCKS)))
    parser.value("-B", dest="bias", type=_number("-B"), default=-1.0)
    parser.value("-w", dest="weights", type=_class_weight, action="append", default=[])
    parser.value("-v", dest="folds", type=_whole("-v"))
    parser.value("-S", dest="seed", type=_whole("-S", 0, 2**64 - 1), default=Parameter.seed)
    parser.value("-m", dest="threads", type=_whole("-m", 1, MOST_THREADS))
    parser.value("--trace", dest="trace_file")
    for name in ("-p", "-n"):
        parser.value(name, dest=name)
    for name in ("-R", "-C"):
        parser.flag(name, dest=name)
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
        block=options.block,
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
    parser.value("-b", dest="probabilities", type=_choice("-b", ("0", "1")), default="0")
    parser.value("-m", dest="threads", type=_whole("-m", 1, MOST_THREADS))
    options, files = parser.parse(arguments)
    names = ("test_file", "model_file", "output_file")
    if len(files) < len(names):
        raise parser.wrong(f"no {names[len(files)]} is given")
    if len(files) > len(names):
        raise parser.wrong(f"{files[3]} is one file too many: test, model and output are named")
    return PredictionOptions(options.probabilities == "1", options.threads, options.quiet, *files)
