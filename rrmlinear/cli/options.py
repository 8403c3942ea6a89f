"""Options and files of the train command, checked before anything is read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, NamedTuple

from rrmlinear.catalog.choices import CHOICES, Choices
from rrmlinear.catalog.losses import NAMED_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.selection import Selection, number_of, select
from rrmlinear.catalog.solvers import find_solver
from rrmlinear.catalog.values import Factors, Names, NamesOrWhole, Size, Switch, Whole
from rrmlinear.cli.columns import FACTOR_FILES, read_columns, read_factors, read_groups
from rrmlinear.cli.files import ENTRY, OFFSETS, asked_of, files_beside, offer_reading
from rrmlinear.cli.flags import FLAGS, SEARCHED, check_bias, sentence_of, without_effect
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import (
    MAX_THREADS,
    Parser,
    choice,
    class_weight,
    name_or_whole,
    number,
    output,
    size,
    whole,
)
from rrmlinear.core.records import replace
from rrmlinear.data.formats.asked import BY_EXAMPLE, flag_of
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import OWN, is_plain

FOLDS_OF_SEARCH = 5
#: Options that losses of sequences do not have, with a sentence each.
NOT_OF_SEQUENCES = {
    "search": "-C is not for losses of sequences: choose C by -v",
    "liblinear_model": "--liblinear-model is not for losses of sequences: LIBLINEAR's form has no "
    "place for transitions",
}


class LabelOptions(NamedTuple):
    """Options for files with several labels a line; None or False where they were not given."""

    prune: float | None = None
    thresholds: str | None = None
    positive_weight: float | None = None
    append: str | None = None
    resume: bool = False
    tree: int | None = None

    @property
    def given(self) -> str:
        """The first flag that was given, or ""."""
        names = ("--prune", "--thresholds", "--positive-weight", "--append", "--resume", "--tree")
        each = zip(names, self, strict=True)
        return next((n for n, v in each if v is not None and v is not False), "")


def _converter(name: str) -> Callable[[str], Any]:
    """The converter from the text after a flag to the value of its choice."""
    flag, values = FLAGS[name].flag, CHOICES[name].values
    others: dict[str, Callable[[str], Any]] = {
        "solver": name_or_whole,
        "loss": choice(flag, tuple(NAMED_LOSSES)),
        "regularizer": choice(flag, tuple(REGULARIZERS)),
        **dict.fromkeys(("groups", *FACTOR_FILES), str),  # the file, until all options are read
        "quantile": lambda text: tuple(map(number(flag), text.split(","))),
        "unpenalized": read_columns,
        "threads": whole(flag, 1, MAX_THREADS),
    }
    if name in others:
        return others[name]
    if isinstance(values, NamesOrWhole):
        return name_or_whole
    if isinstance(values, Names):
        return choice(flag, values.names)
    if isinstance(values, Size):
        return size(flag)
    if isinstance(values, Whole):
        return whole(flag, values.least, values.most)
    return number(flag)


def _offer_choices(parser: Parser) -> None:
    for name, flag in FLAGS.items():
        values = CHOICES[name].values
        if isinstance(values, Switch):
            parser.flag(flag.flag, dest=name, const=not values.usual)
        elif isinstance(values, Factors):
            parser.value("-w", dest=name, type=class_weight, repeats=True)
        else:
            parser.value(flag.flag, dest=name, type=_converter(name))


def _parameter(options: SimpleNamespace) -> tuple[Choices, list[str]]:
    """The choices that were made, all others by default; and sentences on those ignored."""
    made = {name: getattr(options, name) for name in FLAGS}
    if options.groups is not None:
        made["groups"] = read_groups(options.groups)
    for name in FACTOR_FILES:
        if (path := getattr(options, name)) is not None:
            made[name] = read_factors(path)
    made["class_weights"] = _products(options.class_weights)
    made = {name: value for name, value in made.items() if value is not None}
    said = []
    if options.search and not {"solver", "loss", "regularizer"} & set(made):
        made["solver"] = SEARCHED
        said.append(f"Solver not specified. Using -s {SEARCHED}")
    row = find_solver(number_of(Choices(**made)))
    if row.is_liblinear:
        said += [f"WARNING: {sentence}" for sentence in without_effect(row, made)]
    return Choices(**made), said


def _usage() -> str:
    from rrmlinear.cli.usage import TRAIN

    return TRAIN


def _all_usage() -> str:
    from rrmlinear.cli.usage import training_usage

    return training_usage()


def parser_of_training() -> Parser:
    """The parser of the train command, with a flag for each choice."""
    parser = Parser(_usage, outputs=1, all_usage=_all_usage)
    _offer_choices(parser)
    parser.value("-B", dest="bias", type=number("-B"), default=-1.0)
    parser.value("-v", dest="folds", type=whole("-v"))
    parser.value("--trace", dest="trace_file", type=output)
    parser.flag("--strict")
    parser.flag("--liblinear-model", dest="liblinear_model")
    parser.flag("--cache", dest="cached")
    parser.value("--report", dest="report_file", type=output)
    parser.value("--report-test", dest="report_test")
    parser.flag("--report-static", dest="report_static")
    parser.value("--dask")
    parser.value("--dashboard")
    parser.flag("--mpi")
    parser.value("--edges", dest="edges_file")
    parser.value("--cliques", dest="cliques_file")
    parser.flag("-C", dest="search")
    parser.value("--prune", type=number("--prune"))
    parser.value("--thresholds", type=choice("--thresholds", ("cv", "cost")))
    parser.value("--positive-weight", dest="positive_weight", type=number("--positive-weight"))
    parser.value("--append")
    parser.flag("--resume")
    parser.value("--tree", type=whole("--tree", 2))
    offer_reading(parser, more=(*OFFSETS, ENTRY))
    return parser


def parse_training(arguments: Sequence[str]) -> SimpleNamespace:
    """The train command's arguments, checked as far as they can be without the data: with those of
    its parser the choices ``chosen``, files by name, what was ``asked`` of them, and so on.

    Raises LeaveError for those that are wrong or do not fit each other.
    """
    parser = parser_of_training()
    options, files = parser.parse(arguments)
    if not files:
        raise parser.wrong("no training_set_file is given")
    if options.cached and files[0] == "-":
        raise parser.wrong("--cache needs a training_set_file with a name, not standard input")
    if options.dashboard is not None:
        _check_dashboard(parser, options)
    _check_report(parser, options)
    if options.dask is not None or options.mpi:
        _check_workers(parser, options, files[0])
    if len(files) > 2:
        raise parser.wrong(f"{files[2]} is one file too many: training set and model are named")
    if options.folds is not None and options.folds < 2:
        raise parser.wrong(f"n-fold cross validation: n must >= 2: -v is {options.folds}")
    levels = options.quantile or ()
    if len(levels) > 1:
        _check_levels(parser, options)
    options.quantile = levels[0] if levels else None
    try:
        parameter, said = _parameter(options)
        chosen = _selected(parameter, options)
        options.of_levels = [select(replace(parameter, quantile=level)) for level in levels]
    except ValueError as error:
        raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    options.chosen, options.warnings, options.asked = chosen, tuple(said), asked_of(options)
    options.labels = _labels_of(parser, options)
    options.folds = options.folds or (FOLDS_OF_SEARCH if options.search else None)
    options.training_file, options.model_file = files[0], _model_file(parser, files, options.folds)
    options.groups_file, options.reading_threads = options.groups, options.threads
    options.beside = files_beside(options.edges_file, options.cliques_file)
    return options


def _labels_of(parser: Parser, options: SimpleNamespace) -> LabelOptions:
    for flag, value in (("--prune", options.prune), ("--positive-weight", options.positive_weight)):
        if value is not None and not 0 <= value < math.inf:
            raise parser.wrong(f"{flag} is {value:g}; it must be a finite number of at least 0")
    given = options.prune, options.thresholds, options.positive_weight, options.append
    return LabelOptions(*given, bool(options.resume), options.tree)


def _check_dashboard(parser: Parser, options: SimpleNamespace) -> None:
    """Refuse an address of pages that is none, or without processes of this command."""
    if options.dask is None or not options.dask.startswith("local:"):
        raise parser.wrong("--dashboard has no effect without --dask local:n")
    port = options.dashboard.rpartition(":")[2]
    if not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise parser.wrong(
            f"--dashboard is an address with a port from 0 to 65535, such as 127.0.0.1:8787, got "
            f"{options.dashboard}"
        )


def _check_report(parser: Parser, options: SimpleNamespace) -> None:
    """Refuse options of a page without it, and test data of what saves no model."""
    given = {"--report-test": options.report_test, "--report-static": options.report_static}
    if options.report_file is None:
        parser.refuse(given, "has no effect without --report")
    if options.report_test is not None:
        for flag, is_given in (("-v", options.folds is not None), ("-C", options.search)):
            if is_given:
                raise parser.wrong(f"--report-test has no effect with {flag}, which saves no model")
        if options.edges_file is not None or options.cliques_file is not None:
            raise parser.wrong("--report-test takes no test data with edges or cliques")
        without = (ENTRY,) if format_of(options.report_test) else (*OWN, ENTRY)
        for name in BY_EXAMPLE:
            if name not in without and os.path.isfile(getattr(options, name) or ""):
                told = f"{flag_of(name)} names a file of the training data: --report-test takes"
                raise parser.wrong(f"{told} data that have this in themselves")


def _check_levels(parser: Parser, options: SimpleNamespace) -> None:
    """Refuse levels of quantiles that do not rise, and what is for one model."""
    if any(low >= high for low, high in pairwise(options.quantile)):
        raise parser.wrong("the levels of --quantile must rise")
    without = {
        "-v": options.folds,
        "-C": options.search,
        "--report": options.report_file,
        "--liblinear-model": options.liblinear_model,
        "--dask": options.dask,
        "--mpi": options.mpi,
    }
    parser.refuse(without, "takes one level of --quantile")


def _check_workers(parser: Parser, options: SimpleNamespace, file: str) -> None:
    """Refuse what training over workers does not do."""
    own = "--mpi" if options.mpi else "--dask"
    if file == "-":
        raise parser.wrong(f"{own} needs a training_set_file with a name: every worker opens it")
    without = {
        "--dask": options.dask if options.mpi else None,
        "-v": options.folds,
        "-C": options.search,
        "--cache": options.cached,
        "--report": options.report_file,
    }
    parser.refuse(without, f"has no effect with {own}")


def _products(weights: Sequence[tuple[str | int, float]]) -> Mapping[str | int, float]:
    """One weight for each label: repeated ones multiply, as in LIBLINEAR."""
    products: dict[str | int, float] = {}
    for label, weight in weights:
        products[label] = products.get(label, 1.0) * weight
    return products


def _selected(parameter: Choices, options: SimpleNamespace) -> Selection:
    row = find_solver(number_of(parameter))
    if options.trace_file is not None and (options.folds is not None or options.search):
        flag = "-C" if options.search else "-v"
        raise ValueError(f"--trace has no effect with {flag}, which trains several models")
    if options.search and row.loss == "one-class":
        raise ValueError(f"-C has no effect with -s {row.number}, which has no C")
    if row.is_liblinear:
        check_bias(row, bool(options.free_bias), options.bias)
    chosen = select(parameter)
    if chosen.kind != "regression" and (flag := asked_of(options).given(*OFFSETS)):
        raise ValueError(
            f"{flag} has no effect with loss {chosen.loss_row.name}: it is for losses of numbers"
        )
    if options.entry is not None:
        chosen.check_entry(flag_of(ENTRY))
    if chosen.kind == "chain":
        for flag in ("search", "liblinear_model"):
            if getattr(options, flag):
                raise ValueError(NOT_OF_SEQUENCES[flag])
        if options.edges_file is not None and options.cliques_file is not None:
            raise ValueError("--edges is for sequences and --cliques for graphs; give one of them")
    elif options.edges_file is not None:
        raise ValueError("--edges is for losses of sequences")
    elif options.cliques_file is not None:
        raise ValueError("--cliques is for losses of sequences, which are those of graphs too")
    check_bias(row, bool(options.free_bias), options.bias)
    return chosen


def _model_file(parser: Parser, files: Sequence[str], folds: int | None) -> str:
    if len(files) == 2:
        return files[1]
    several = not is_plain(files[0]) and not os.path.isdir(files[0])
    if (files[0] == "-" or several) and folds is None:
        what = "standard input" if files[0] == "-" else "several files or a URL"
        raise parser.wrong(f"training from {what} needs the name of a model_file")
    return os.path.basename(os.path.normpath(files[0])) + ".model"
