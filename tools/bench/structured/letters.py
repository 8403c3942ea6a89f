"""Wrong letters of chains on the OCR set of handwritten words, in ten folds of words.

python tools/bench/structured/letters.py [--losses m3n crf] [-c 0.1 1] [--tenth] [--folds 10]

Each fold is tested with a model that is trained on the other nine. With --tenth the model is
trained on one fold and tested on the other nine, as in Taskar, Guestrin and Koller, Max-margin
Markov networks, 2003. A column of ones is appended, and training ends at a gap of --gap-tol of the
objective. RRMLINEAR_DATA names the folder of ocr-letters.xz and ocr-letters.seq.xz, the number of
the word of each letter.
"""

from __future__ import annotations

import argparse
import lzma
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from rrmlinear import Parameter, SequenceProblem, fit_sequences, read_libsvm

FOLDS = 10


def letters() -> SequenceProblem:
    """The words of the set."""
    folder = Path(os.environ.get("RRMLINEAR_DATA", "datasets"))
    with lzma.open(folder / "ocr-letters.seq.xz") as file:
        words = np.loadtxt(file, dtype=np.int64)
    problem = replace(read_libsvm(folder / "ocr-letters.xz"), query_ids=words)
    return SequenceProblem.from_problem(problem).with_bias(1.0)


def wrong_letters(
    problem: SequenceProblem, parameter: Parameter, tenth: bool, folds: int
) -> tuple[list[float], list[float], list[int]]:
    """Percent wrong, CPU seconds of training and passes of some of the ten folds."""
    order = np.random.default_rng(0).permutation(problem.n_sequences)
    wrong, seconds, passes = [], [], []
    for part in np.array_split(order, FOLDS)[:folds]:
        rest = np.setdiff1d(order, part)
        used, held_out = (part, rest) if tenth else (rest, part)
        training, test = (problem.take(np.sort(some)).with_bias(1.0) for some in (used, held_out))
        begun = time.process_time()
        model = fit_sequences(training, parameter)
        seconds.append(time.process_time() - begun)
        passes.append(model.result.passes)
        wrong.append(100 * float(np.mean(model.predict(test) != test.labels[test.label])))
    return wrong, seconds, passes


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--losses", nargs="+", choices=("m3n", "crf"), default=["m3n", "crf"])
    arguments.add_argument("-c", dest="costs", type=float, nargs="+", default=[0.1, 1.0])
    arguments.add_argument("--tenth", action="store_true", help="train on one fold, test on nine")
    arguments.add_argument("--folds", type=int, default=FOLDS, help="the first of the ten alone")
    arguments.add_argument("--gap-tol", type=float, default=1e-2)
    given = arguments.parse_args()
    problem = letters()
    print("| trained by | loss | C | wrong letters, % | passes | CPU seconds |")
    print("| --- " * 6 + "|")
    training = "one fold" if given.tenth else f"{FOLDS - 1} folds"
    for loss in given.losses:
        for C in given.costs:
            parameter = Parameter(solver="auto", loss=loss, C=C, gap_tol=given.gap_tol)
            wrong, seconds, passes = wrong_letters(problem, parameter, given.tenth, given.folds)
            print(
                f"| {training} | `{loss}` | {C:g} | {np.mean(wrong):.2f} ± {np.std(wrong):.2f} "
                f"| {np.mean(passes):.0f} | {np.mean(seconds):.2f} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
