"""Fuzz training with extreme choices and data: python tools/check/fuzz_extremes.py --runs 3000

Each run is a process of its own, by the command line or by Python. It must end within the limit by
a model with finite weights and a finite gap, or by one sentence and no file. Everything else is a
fault: a crash, a hang, a traceback, a gap or a weight that is no number. Exit code 1 if there is
any; ``--only N`` repeats run N.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import math
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from rrmlinear import Parameter, Problem, fit
from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.losses import NAMED_LOSSES, OWN_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.solvers import SOLVERS, losses_of, regularizers_of
from rrmlinear.catalog.values import Names, NamesOrWhole, Number, Switch, Whole
from rrmlinear.cli.command import run as run_command
from rrmlinear.cli.flags import FLAGS
from rrmlinear.training.model import Model

NUMBERS = [0.0, 5e-324, 1e-308, 1e-160, 1e-100, 1e-9, 1.0, 1e9, 1e99, 1e101, 1e154, 1e160, 1e300]
NUMBERS += [1.7e308, -1.0, math.inf, math.nan]
SCALES = [1e-300, 1e-160, 1e-30, 1e-3, 1.0, 1.0, 1.0, 1e3, 1e10, 1e150, 1e155, 1e300]
#: Choices that every run draws in its own way, or not at all.
OWN = {"solver", "loss", "regularizer", "max_passes", "time_limit", "threads", "class_weights"}
PASSES, SECONDS = (1, 3, 60, 300), 1.0


class Case(NamedTuple):
    """One run: its door, its data and its choices."""

    by_command: bool
    X: Any
    y: Any
    bias: float
    choices: dict[str, Any]


def data_of(chance: random.Random, kind: str) -> tuple[Any, Any]:
    """A few examples: extreme values, empty and repeated rows, constant columns, one class."""
    n, d = chance.choice([1, 2, 3, 8, 20]), chance.choice([1, 1, 2, 5, 12])
    rng = np.random.default_rng(chance.getrandbits(32))
    X = rng.normal(size=(n, d)) * chance.choice(SCALES)
    with np.errstate(over="ignore"):
        match chance.randrange(9):
            case 0:
                X *= 10.0 ** rng.uniform(-3, 3, d)
            case 1:
                X[:, 0] = chance.choice([*SCALES, 0.0])
            case 2:
                X[rng.integers(n)] = 0
            case 3:
                X[:] = X[0]
            case 4:
                X[rng.integers(n), rng.integers(d)] = chance.choice(SCALES)
            case 5:
                X = X * rng.integers(0, 2, (n, d))
            case 6:
                X *= 10.0 ** rng.uniform(-150, 150, d)
    X = np.clip(np.nan_to_num(X), -1e308, 1e308)
    if kind == "regression":
        y = rng.normal(size=n) * chance.choice(SCALES)
    else:
        y = rng.integers(0, chance.choice([1, 2, 2, 3, 5]), n) + 0.0
    if chance.random() < 0.15:  # a huge index
        width = chance.choice([d + 1, 10**4, 10**6])
        return csr_array((X.ravel(), (np.arange(n).repeat(d), _spread(n, d, width))), (n, width)), y
    return (csr_array(X) if chance.random() < 0.5 else X), y


def _spread(n: int, d: int, width: int) -> Any:
    return np.tile(np.r_[np.arange(d - 1), width - 1], n)


def value_of(chance: random.Random, name: str, d: int) -> Any:
    """A value of a choice, extreme where its kind has extremes."""
    values = CHOICES[name].values
    if isinstance(values, Number):
        return chance.choice(NUMBERS)
    if isinstance(values, Whole):
        most = 2**63 if values.most is None else values.most
        return chance.choice([values.least, values.least - 1, most, 2])
    if isinstance(values, NamesOrWhole) and chance.random() < 0.5:
        return chance.choice([1, 2, 10**9, 0])
    if isinstance(values, Names):
        return chance.choice([*values.names, *values.names, "nonsense"])
    if isinstance(values, Switch):
        return not values.usual
    if name == "groups":
        return [chance.randrange(3) for _ in range(min(d, 10**4))]
    if name == "unpenalized":
        return [chance.randrange(d)]
    return chance.choice([-1.0, 0.0, 1.0, -1e308, 1e308, 1e150, -1e-300, 5e-324])


def case_of(seed: int, number: int) -> Case:
    """Run ``number`` of a seed."""
    chance = random.Random(f"{seed} {number}")
    row = SOLVERS[chance.choice(list(SOLVERS))]
    loss = {**NAMED_LOSSES, **OWN_LOSSES}[chance.choice(losses_of(row))]
    X, y = data_of(chance, loss.kind)
    d = X.shape[1]
    choices: dict[str, Any] = {"solver": row.number, "max_passes": chance.choice(PASSES)}
    if "loss" in row.choices:
        choices["loss"] = loss.name
    names = {*row.choices, *loss.takes, "C", "gap_tol", "delta", "seed"}
    if "regularizer" in row.choices:
        regularizer = REGULARIZERS[chance.choice(regularizers_of(row))]
        choices["regularizer"] = regularizer.name
        choices |= {name: value_of(chance, name, d) for name in regularizer.needed}
        names |= set(regularizer.choices)
    for name in sorted((names & set(CHOICES)) - OWN):
        if chance.random() < 0.2:
            choices[name] = value_of(chance, name, d)
    if chance.random() < 0.2:
        choices["threads"] = 2
    if chance.random() < 0.2:
        choices["class_weights"] = {int(y[0]) if abs(y[0]) < 9 else 0: chance.choice(NUMBERS)}
    if chance.random() < 0.3:
        choices["time_limit"] = chance.choice([1e-9, SECONDS])
    bias = chance.choice([-1.0, -1.0, 1.0, 1.0, 1e-300, 1e150])
    return Case(chance.random() < 0.5, X, y, bias, choices)


def words_of(case: Case, folder: Path) -> list[str]:
    """The arguments of the command, with its files written."""
    rows = case.X.toarray() if hasattr(case.X, "toarray") and case.X.shape[1] < 10**5 else case.X
    sparse = csr_array(rows)
    lines = []
    for i, label in enumerate(case.y):
        place = slice(sparse.indptr[i], sparse.indptr[i + 1])
        pairs = zip(sparse.indices[place] + 1, sparse.data[place], strict=True)
        lines.append(" ".join([f"{label:.17g}", *(f"{j}:{x:.17g}" for j, x in pairs)]))
    (folder / "data").write_text("\n".join(lines) + "\n")
    words = [] if case.bias < 0 else ["-B", repr(case.bias)]
    for name, value in case.choices.items():
        flag = FLAGS[name].flag
        if name == "class_weights":
            words += [w for label, factor in value.items() for w in (f"-w{label}", repr(factor))]
        elif name == "groups":
            (folder / "groups").write_text("\n".join(map(str, value)) + "\n")
            words += [flag, str(folder / "groups")]
        elif name == "unpenalized":
            words += [flag, ",".join(str(column + 1) for column in value)]
        elif value is True:
            words.append(flag)
        else:
            words += [flag, str(value)]
    return [*words, str(folder / "data"), str(folder / "model")]


def fault_of(case: Case, folder: Path) -> str:
    """What is wrong with the outcome of a case in this process, or ""."""
    try:
        return _by_command(case, folder) if case.by_command else _by_python(case)
    except BaseException:
        return f"traceback\n{traceback.format_exc()}"


def _by_command(case: Case, folder: Path) -> str:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run_command("training", words_of(case, folder))
    said, model = err.getvalue(), folder / "model"
    if "Traceback" in said or "Error:" in said:
        return f"traceback\n{said}"
    if code == 0:
        if not np.isfinite(Model.load(model).weights).all():
            return "weights that are not finite"
        summary = [line for line in out.getvalue().splitlines() if line.startswith("primal = ")]
        return "" if _is_finite(summary[-1]) else f"no finite gap: {summary[-1]}"
    if model.exists() or any(folder.glob("*.part")):
        return "a file after an error"
    return "" if code == 1 and said.strip() else f"exit code {code}: {said!r}"


def _is_finite(summary: str) -> bool:
    told = summary.partition("(")[0]  # primal, dual and gap; then the target
    return "nan" not in told and "inf" not in told


def _by_python(case: Case) -> str:
    with warnings.catch_warnings(action="ignore"):
        try:
            problem = Problem.from_arrays(case.X, case.y, bias=case.bias)
            result = fit(problem, Parameter(**case.choices)).result
        except (ValueError, TypeError) as error:
            return "" if isinstance(error, ValueError) and str(error) else f"{error!r}"
        except MemoryError:
            return ""
    if not np.isfinite(result.weights).all():
        return "weights that are not finite"
    return "" if math.isfinite(result.gap) else f"{result.status.name} with gap {result.gap}"


def _child(case: Case, answer: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        answer.send(fault_of(case, Path(folder)))


def outcome_of(case: Case, limit: float) -> str:
    """`fault_of` in a process of its own, which may crash or hang."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_child, args=(case, there))
    child.start()
    there.close()
    try:
        fault = here.recv() if here.poll(limit) else f"hang: no end within {limit:g} s"
    except EOFError:
        child.join()
        fault = f"crash: exit code {child.exitcode}"
    if child.is_alive() and fault.startswith("hang"):
        child.kill()
    child.join()
    return str(fault)


def faults(seed: int, numbers: Any, limit: float, log: Any = None) -> dict[int, str]:
    """The faults of these runs by their numbers."""
    found = {}
    for number in numbers:
        fault = outcome_of(case_of(seed, number), limit)
        if fault:
            found[number] = fault
            if log is not None:
                print(f"run {number}: {fault}\n  {told(seed, number)}", file=log, flush=True)
    return found


def told(seed: int, number: int) -> str:
    """A run in one line."""
    case = case_of(seed, number)
    door = "command" if case.by_command else "fit"
    return f"{door}, {case.X.shape[0]} x {case.X.shape[1]}, bias {case.bias:g}, {case.choices}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="runs at a time")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds until a run hangs")
    parser.add_argument("--only", type=int, help="the number of one run")
    given = parser.parse_args()
    if given.only is not None:
        print(told(given.seed, given.only))
        sys.exit(bool(faults(given.seed, [given.only], given.limit, sys.stdout)))
    begin = time.perf_counter()
    shares = [range(w, given.runs, given.workers) for w in range(given.workers)]
    with ThreadPoolExecutor(given.workers) as pool:
        parts = pool.map(lambda s: faults(given.seed, s, given.limit, sys.stdout), shares)
        found = {number: fault for part in parts for number, fault in part.items()}
    kinds = Counter(fault.split("\n")[0].split(":")[0] for fault in found.values())
    print(
        f"{given.runs} runs, {len(found)} faults {dict(kinds) or ''}, "
        f"{time.perf_counter() - begin:.0f} s"
    )
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
