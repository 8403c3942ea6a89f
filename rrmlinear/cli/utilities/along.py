"""The path command: one problem for many values of C, in a table and a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import rrmlinear
from rrmlinear.catalog.losses import LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.rows import NEEDED
from rrmlinear.cli.files import (
    asked_of,
    check_distinct,
    check_input,
    check_output,
    offer_reading,
    read_problem,
)
from rrmlinear.cli.flags import sentence_of
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.pages import check_page, command_of, page_errors
from rrmlinear.cli.parser import MAX_THREADS, Parser, choice, number, output, real_number, whole
from rrmlinear.cli.report import warnings_said
from rrmlinear.cli.usage import PATH
from rrmlinear.data.text.whole_file import whole_file

MISSING = "path needs scikit-learn: pip install 'rrmlinear[sklearn]'"
#: Regularizers that need no number that this command has no option for.
KNOWN = tuple(
    name
    for name, row in REGULARIZERS.items()
    if not any(needed is NEEDED and each != "l1" for each, needed in row.takes.items())
)


def main(arguments: Sequence[str]) -> None:
    """Solve along the path, print a line for each C, and write what is asked for."""
    parser = Parser(lambda: PATH)
    parser.value("--loss", type=choice("--loss", tuple(LOSSES)), default="squared-hinge")
    parser.value("--regularizer", type=choice("--regularizer", KNOWN), default="l2")
    parser.value("--l1", type=number("--l1"))
    parser.value("--Cs", type=_values, default=10)
    parser.value("--gap-tol", dest="tol", type=number("--gap-tol"), default=1e-4)
    parser.flag("--no-intercept", dest="no_intercept")
    parser.value("--weights", dest="weights_file", type=output)
    parser.value("--report", dest="report_file", type=output)
    parser.flag("--report-static", dest="static")
    offer_reading(parser, but=("weights", "query_ids"))
    parser.value("-m", dest="threads", type=whole("-m", 1, MAX_THREADS))
    options, files = parser.parse(arguments)
    if len(files) != 1:
        raise parser.wrong("no data_file is given" if not files else "path takes one data_file")
    if options.static and options.report_file is None:
        raise parser.wrong("--report-static has no effect without --report")
    if not options.tol > 0:
        raise LeaveError(f"ERROR: --gap-tol is {options.tol:g}; it must be above 0")
    check_input(files[0])
    outputs = [("report file", options.report_file), ("weights file", options.weights_file)]
    check_distinct([each for each in outputs if each[1] is not None], [("data file", files[0])])
    if options.report_file is not None:
        check_page(options.report_file)
    if options.weights_file is not None:
        check_output(options.weights_file, "can't open output file")
    try:
        path = rrmlinear.path
    except ImportError:
        raise LeaveError(f"ERROR: {MISSING}") from None
    with warnings_said():
        problem = read_problem(files[0], options.threads, False, asked=asked_of(options))
        choices: dict[str, Any] = {"regularizer": options.regularizer, "tol": options.tol}
        choices |= {"fit_intercept": not options.no_intercept, "n_jobs": options.threads}
        choices |= {} if options.l1 is None else {"l1": options.l1}
        try:
            found = path(problem, loss=options.loss, Cs=options.Cs, **choices)
        except ValueError as error:
            raise LeaveError(f"ERROR: {sentence_of(error)}") from None
    if not options.quiet:
        print("C\tobjective\tgap\tpasses\tfeatures\tstatus")
        for at, status in enumerate(found.statuses):
            ends = f"{found.Cs[at]:.6g}\t{found.primals[at]:.9g}\t{found.gaps[at]:.3g}"
            print(f"{ends}\t{found.passes[at]}\t{found.nonzeros[at]}\t{status.value}")
    if options.weights_file is not None:
        with page_errors(options.weights_file), whole_file(options.weights_file) as file:
            np.savez(file, Cs=found.Cs, weights=found.coefs, intercepts=found.intercepts)
    if options.report_file is not None:
        with page_errors(options.report_file):
            command = command_of("path", arguments)
            found.report(options.report_file, static=options.static, command=command)


def _values(text: str) -> Any:
    """How many values, or the values themselves, separated by commas."""
    if "," not in text and text.isascii() and text.isdigit():
        return int(text)
    try:
        return [real_number(word) for word in text.split(",")]
    except ValueError:
        raise LeaveError(
            f"ERROR: --Cs takes a number of values, or values such as 0.1,1,10, not {text!r}"
        ) from None
