"""Labels of CoNLL 2000's test sentences by conditional random fields: right ones, and F1 of chunks.

python tools/bench/structured/chunking.py [--sequences M]

The attributes are those of the template `chunking`. "edges" adds parts of speech as features of the
pairs of neighbours; "observed" trains weights only for pairs of an attribute and a label that occur
together. C = 1, to a gap of 1 %. RRMLINEAR_DATA names the folder of conll2000.train.txt and
conll2000.test.txt, plain or compressed.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from data_files import data_file

from rrmlinear import Parameter, fit_sequences
from rrmlinear.data.attributes.builtin import BUILTIN
from rrmlinear.data.attributes.chunks import chunk_score
from rrmlinear.data.attributes.columns import read_columns
from rrmlinear.data.attributes.dictionary import Dictionary
from rrmlinear.data.attributes.templates import parse_template

EDGES = "edge pos[0]\nedge pos[-1]|pos[0]\n"
#: Template, and whether only observed pairs have weights.
WAYS = {
    "chunking": (BUILTIN["chunking"], False),
    "edges": (BUILTIN["chunking"] + EDGES, False),
    "observed": (BUILTIN["chunking"], True),
}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sequences", type=int, help="of the training part; default all")
    given = arguments.parse_args()
    training, test = (
        read_columns(data_file(f"conll2000.{part}.txt"), ["word", "pos"])
        for part in ("train", "test")
    )
    ends = list(pairwise(test.starts.tolist()))
    true = [test.labels[begin:end] for begin, end in ends]
    print("| features | of edges | weights that are not 0 | passes | labels right, % | F1 |")
    print("| --- " * 6 + "|")
    for name, (text, observed) in WAYS.items():
        dictionary, problem = Dictionary.of(training, parse_template(text, name))
        if given.sequences:
            problem = problem.take(np.arange(given.sequences))
        parameter = Parameter(solver="auto", loss="crf", C=1.0, gap_tol=0.01, observed=observed)
        model = fit_sequences(problem, parameter)
        names = dictionary.names(model.predict(dictionary.problem(test)[0]))
        score = chunk_score(true, [names[begin:end] for begin, end in ends])
        right = np.mean([a == b for a, b in zip(test.labels, names, strict=True)])
        weights = (model.weights, model.transitions, model.edge_weights)
        nonzeros = sum(np.count_nonzero(each) for each in weights if each is not None)
        print(
            f"| {name} | {len(dictionary.edges)} | {nonzeros} | {model.result.passes} "
            f"| {100 * right:.2f} | {100 * score.f1:.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
