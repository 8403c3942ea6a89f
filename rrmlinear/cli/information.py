"""The info command: what a data set holds, and which type and range of C suit it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rrmlinear.catalog.parameter import Parameter
from rrmlinear.catalog.selection import select
from rrmlinear.cli.files import (
    asked_of,
    check_distinct,
    check_input,
    offer_reading,
    read_chains,
    read_labelled,
    read_problem,
    reading,
    words_of,
)
from rrmlinear.cli.flags import SEARCHED
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.pages import check_page, command_of, page_errors
from rrmlinear.cli.parser import MAX_THREADS, Parser, output, whole
from rrmlinear.cli.report import warnings_said
from rrmlinear.cli.usage import INFO, WIDTH
from rrmlinear.core.records import replace
from rrmlinear.data.formats.known import format_of
from rrmlinear.data.formats.opening import OWN
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem
from rrmlinear.exports.plain_file import known_of
from rrmlinear.pages import advice, page
from rrmlinear.pages.facts import DataFacts, facts_of
from rrmlinear.pages.run import versions
from rrmlinear.pages.sections import data_lines, data_section
from rrmlinear.training.labels.label_report import label_lines
from rrmlinear.training.search import largest_cost, smallest_cost

#: Classes whose numbers of examples are printed one by one.
MOST_CLASSES = 10
TRAIN = "python -m rrmlinear.train"
#: Options of other files than text of several labels.
BESIDE = (*OWN, "names")
#: What is searched for C by the kind of labels: LIBLINEAR's own types, and the loss of ranks.
SEARCHED_REGRESSION = 11
SEARCHED_RANKS: Final = "rank-squared-hinge"


def main(arguments: Sequence[str]) -> None:
    """Read the file and print its facts, or write them as a page."""
    parser = Parser(lambda: INFO)
    parser.flag("--strict")
    parser.flag("--sequences")
    parser.value("--report", dest="report_file", type=output)
    offer_reading(parser)
    parser.value("-m", dest="threads", type=whole("-m", 1, MAX_THREADS))
    options, files = parser.parse(arguments)
    if len(files) != 1:
        raise parser.wrong("no data_file is given" if not files else "info takes one data_file")
    path, given = files[0], words_of(options, files[0])
    check_input(path)
    if options.report_file is not None:
        check_distinct([("report file", options.report_file)], [("data file", path)])
        check_page(options.report_file)
    with reading(path):
        of_estimator = known_of(path)
    if of_estimator is not None:
        if options.report_file is not None:
            raise LeaveError(f"ERROR: --report is about data, and {path} holds an estimator")
        print("\n".join(_aligned(list(of_estimator.items()))))
        return
    with warnings_said():
        how = path, options.threads, bool(options.strict)
        asked = asked_of(options)
        labelled = None if options.sequences else read_labelled(*how, asked)
        if labelled is not None and not format_of(path) and (flag := asked.given(*BESIDE)):
            raise LeaveError(f"ERROR: {flag} has no effect: {path} has several labels a line")
        if labelled is None:
            read = read_chains if options.sequences else read_problem
            problem = read(*how, asked=replace(asked, queries=True))
    if labelled is not None:
        known = label_lines(labelled)
        told, tried = [], [("each label against the rest", f"{TRAIN} -s 1 -B 1 {given}")]
        lines: Iterable[str] = _aligned(known, tried)
    else:
        if problem.n_features == 0 or problem.rows.shape[0] == 0:
            raise LeaveError(f"ERROR: {path} has no features; at least one is needed")
        facts = facts_of(problem)
        told = list(advice.remarks(facts))
        tried = [(purpose, f"{TRAIN} {flags} {given}") for purpose, flags in advice.commands(facts)]
        tried += [("C by cross validation", line) for line in _searches(problem, facts, given)]
        lines = _lines(facts, told, tried)
    if options.report_file is not None:
        made = [("command", command_of("info", arguments)), *versions()]
        sections = [
            page.Section("Data", known) if labelled is not None else data_section(facts),
            *([page.Section("What to try", lines=tried, warnings=told)] if tried or told else []),
            page.Section("How it was made", made),
        ]
        with page_errors(options.report_file):
            page.write_page(options.report_file, f"Data of {path}", sections)
    if not options.quiet:
        print("\n".join(lines))


def _searches(problem: Problem | SequenceProblem, facts: DataFacts, given: str) -> Iterator[str]:
    """The command that searches C, with its range for these data."""
    is_one = facts.labels is not None and len(facts.labels) < 2
    if is_one or isinstance(problem, SequenceProblem):
        return
    if facts.queries is not None:
        flags, chosen = f"--loss {SEARCHED_RANKS}", select(Parameter(loss=SEARCHED_RANKS))
    else:
        number = SEARCHED_REGRESSION if facts.labels is None else SEARCHED
        flags, chosen = f"-s {number}", select(Parameter(solver=number))
    first, last = smallest_cost(problem, chosen, 0.0), largest_cost(chosen)
    ends = f"(C from {first:.2g}, where weights are near 0, to {last:.0f})"
    yield f"{TRAIN} -C {flags} {given}  {ends}"


def _lines(
    facts: DataFacts, told: Sequence[str], tried: Sequence[tuple[str, str]]
) -> Iterator[str]:
    classes: list[tuple[str, str]] = []
    if facts.labels is not None and facts.counts is not None:
        order = facts.counts.argsort(kind="stable")[::-1].tolist()
        some = order[:MOST_CLASSES]
        classes += [(f"  label {facts.labels[at]}", str(facts.counts[at])) for at in some]
        classes += [(f"  and {len(order) - MOST_CLASSES} more", "")] * (len(order) > MOST_CLASSES)
    return _aligned(data_lines(facts), tried, classes, told)


def _aligned(
    known: Sequence[tuple[str, str]],
    tried: Sequence[tuple[str, str]] = (),
    classes: Sequence[tuple[str, str]] = (),
    told: Sequence[str] = (),
) -> Iterator[str]:
    width = max(len(name) for name, _ in (*known, *tried)) + 4
    for name, value in (*known, *classes):
        yield f"{name:{width}}{value}".rstrip()
    for sentence in told:
        yield textwrap.fill(sentence, WIDTH, initial_indent="note: ", subsequent_indent="      ")
    if tried:
        yield "to try:"
    for purpose, line in tried:
        yield f"{'  ' + purpose:{width}}{line}"
