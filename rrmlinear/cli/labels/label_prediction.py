"""The predict command with a model of many labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.cli.files import blaming, output_file, read_labels
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.report import warn_of_features, warnings_said
from rrmlinear.core.records import replace
from rrmlinear.metrics import RANKS, measures_of
from rrmlinear.training.labels.label_model import LabelModel
from rrmlinear.training.labels.label_tree import LabelTree, load_label_model

LINES_AT_ONCE = 1 << 12


def predict_labels(options: Any) -> None:
    """Write the labels of each example, and tell how many are right. LeaveError for errors."""
    model = _load(options.model_file)
    k, limit = options.top_k, options.threshold
    if k is not None and limit is not None:
        raise LeaveError("ERROR: --top-k and --threshold: give one of them")
    is_tree = isinstance(model, LabelTree)
    if options.beam is not None and not is_tree:
        raise LeaveError("ERROR: --beam is for trees of labels; see --tree of train")
    if options.probabilities:
        raise LeaveError("ERROR: -b 1 is not for models of many labels; --scores tells the scores")
    if k is not None and k > model.n_labels:
        raise LeaveError(f"ERROR: --top-k is {k}, and the model has {model.n_labels} labels")
    asked = replace(options.asked, features=model.feature_names)
    with warnings_said():
        problem = read_labels(options.test_file, options.threads, options.strict, asked=asked)
    warn_of_features(problem, model, options.test_file)
    if limit is not None and not is_tree:
        model = model.with_thresholds(np.full(model.n_labels, limit))
    most = min(max(RANKS), model.n_labels)
    search = {"beam": options.beam} if options.beam is not None else {}
    places, scores = model.predict_top_k(problem, max(k or 1, most), **search)
    found = None
    if is_tree:
        scores -= model.limit
    if k is None and is_tree:
        found = model.scores_above(problem, limit or 0.0, **search)
        rows, best = (np.split(each, found.indptr[1:-1]) for each in (found.indices, found.data))
    elif k is None:
        found = model.predict(problem)
        rows, best = _lists_of(found, model, problem, options.scores)
    else:
        # a search in a tree may meet fewer labels
        met = (places[:, :k] >= 0).sum(axis=1).tolist()
        rows = [line[:count] for line, count in zip(places, met, strict=True)]
        best = [line[:count] for line, count in zip(scores, met, strict=True)]
    _write(options, model, rows, best if options.scores else None)
    if options.quiet or not len(problem.labels.members):
        return
    measures = measures_of(problem.labels.among(model.names), places, found)
    told = {name: f"{name} = {100 * value:g}%" for name, value in measures.items()}
    print(", ".join([line for name, line in told.items() if name.startswith("P@")]))
    if found is not None:
        print(f"{told['Micro-F1']}, {told['Macro-F1']}")


def _load(path: str) -> Any:
    try:
        with blaming(f"can't open model file {path}"):
            return load_label_model(path)
    except ValueError as error:
        raise LeaveError(f"{error}\ncan't open model file {path}") from None


def _lists_of(found: Any, model: LabelModel, problem: Any, with_scores: bool) -> tuple[Any, Any]:
    ends = list(zip(found.indptr[:-1], found.indptr[1:], strict=True))
    rows = [found.indices[a:b] for a, b in ends]
    if not with_scores:
        return rows, None
    scores: list[NDArray[np.float64]] = []
    for begin, some in model.in_batches(problem):
        scores += [line[rows[begin + i]] for i, line in enumerate(some)]
    return rows, scores


def _write(options: Any, model: LabelModel, rows: list[Any], scores: list[Any] | None) -> None:
    names = [str(name) for name in model.names.tolist()]
    path, sentence = options.output_file, "can't write output file"
    with output_file(path, sentence) as file, blaming(f"{sentence} {path}"):
        for begin in range(0, len(rows), LINES_AT_ONCE):
            lines = []
            for i in range(begin, min(begin + LINES_AT_ONCE, len(rows))):
                if scores is None:
                    lines.append(",".join([names[j] for j in rows[i].tolist()]))
                else:
                    both = zip(rows[i].tolist(), scores[i].tolist(), strict=True)
                    lines.append(" ".join([f"{names[j]}:{score:.9g}" for j, score in both]))
            file.write(("\n".join(lines) + "\n").encode())
