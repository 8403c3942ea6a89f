"""Record what fits find: python tests/recording/record.py [NAME …].

All cases of `cases`; or those named again and those without a record, while the others stay.
"""

import contextlib
import io
import json
import re
import sys
import tempfile
import warnings
from pathlib import Path

from cases import CASES
from problems import DATASETS, data, problem

import rrmlinear
from rrmlinear.cli.command import run as command
from rrmlinear.solvers.loop.result import Status

RECORDED = Path(__file__).resolve().parent / "recorded.json"


def run(case):
    """What the fit of a case ends with: status, objective, and gap, which bounds its excess."""
    doors = {"fit": _fit, "train": _train, "path": _path}
    with warnings.catch_warnings(
        action="ignore", category=UserWarning
    ):  # some cases end at their limit of passes
        status, objective, gap = doors.get(case.door, _estimator)(case)
    return {"status": status, "objective": float(objective), "gap": float(gap)}


def _fit(case):
    given = problem(case.problem, case.bias)
    if case.problem == "chains":
        result = rrmlinear.fit_sequences(given, rrmlinear.Parameter(**case.choices)).result
        return result.status.name, result.primal, result.gap
    start = rrmlinear.fit(given, rrmlinear.Parameter(**case.start)) if case.start else None
    result = rrmlinear.fit(given, rrmlinear.Parameter(**case.choices), start=start).result
    return result.status.name, result.primal, result.gap


def _train(case):
    """What the command line prints of its certificate."""
    flags = [f"{'-' if len(name) == 1 else '--'}{name}" for name in case.choices]
    chosen = [str(part) for pair in zip(flags, case.choices.values(), strict=True) for part in pair]
    said = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(said):
        file = DATASETS / f"{case.problem}.libsvm"
        rules = ["-B", f"{case.bias:g}", "--gap-tol", "1e-4"]
        command("training", [*chosen, *rules, str(file), str(Path(folder) / "model")])
    status = next(each.name for each in Status if each.value in said.getvalue())
    return status, *(re.search(rf"{name} = ([^\s,]+)", said.getvalue())[1] for name in _PRINTED)


_PRINTED = ("primal", r"\bgap")


def _path(case):
    given = data(case.problem)
    path = rrmlinear.path(given.X, given.y, sample_weight=given.sample_weight, **case.choices)
    return " ".join(each.name for each in path.statuses), path.primals.sum(), path.gaps.sum()


def _estimator(case):
    given = data(case.problem)
    model = getattr(rrmlinear, case.door)(**case.choices)
    if case.door == "MatrixCompletion":
        model.fit(given.X[:, 0], given.X[:, 1], given.y)
    else:
        tasks = {} if given.tasks is None else {"tasks": given.tasks}
        model.fit(given.X, given.y, sample_weight=given.sample_weight, **tasks)
    return model.status_.name, model.trace_[-1].primal, model.trace_[-1].gap


def load():
    """What was recorded, by the names of cases."""
    return json.loads(RECORDED.read_text(encoding="utf-8"))


def main(arguments):
    if unknown := sorted(set(arguments) - set(CASES)):
        raise SystemExit(f"no case is named {unknown[0]!r}")
    kept = load() if arguments else {}
    again = [name for name in CASES if name in arguments or name not in kept]
    found = {name: run(CASES[name]) if name in again else kept[name] for name in CASES}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(each)}" for name, each in found.items())
    RECORDED.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    print(f"{len(again)} of {len(found)} cases")


if __name__ == "__main__":
    main(sys.argv[1:])
