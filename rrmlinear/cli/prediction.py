"""The predict command."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rrmlinear.cli import LeaveError
from rrmlinear.cli.files import (
    blaming,
    check_distinct,
    check_input,
    check_output,
    output_file,
    read_problem,
)
from rrmlinear.cli.options import parse_prediction
from rrmlinear.training.model import Model
from rrmlinear.training.model_file import ModelFileError, load_model

LABELS_AT_ONCE = 1 << 16


def main(arguments: Sequence[str]) -> None:
    """Read a model and examples, write a label for each. Raises LeaveError for what is wrong."""
    options = parse_prediction(arguments)
    check_input(options.test_file)
    check_output(options.output_file, "can't open output file")
    check_distinct(
        [("output", options.output_file)],
        [("test set", options.test_file), ("model", options.model_file)],
    )
    model = _load(options.model_file)
    if options.probabilities:
        raise LeaveError("probability output is only supported for logistic regression")
    problem = read_problem(options.test_file, options.threads)
    predicted = model.predict(problem, options.threads or 1)
    _write(options.output_file, predicted)
    if not options.quiet:
        correct, n = np.count_nonzero(predicted == problem.labels), len(predicted)
        print(f"Accuracy = {100.0 * correct / n:g}% ({correct}/{n})")


def _load(path: str) -> Model:
    try:
        with blaming(f"can't open model file {path}"):
            return load_model(path)
    except ModelFileError as error:
        raise LeaveError(f"{error}\ncan't open model file {path}") from None


def _write(path: str, predicted: NDArray[np.int64]) -> None:
    sentence = "can't write output file"
    with output_file(path, sentence) as file:
        for begin in range(0, len(predicted), LABELS_AT_ONCE):
            lines = map(str, predicted[begin : begin + LABELS_AT_ONCE].tolist())
            with blaming(f"{sentence} {path}"):
                file.write(("\n".join(lines) + "\n").encode())
