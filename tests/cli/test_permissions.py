"""Files that the system does not let the commands read or write: a sentence, and no new file."""

import ctypes
import json
import os
import subprocess
import sys

import pytest

from rrmlinear.cli.command import run

#: Linux: prctl's number, and the rights of root to pass over permissions.
DROP_RIGHT, OVERRIDE, READ_SEARCH = 24, 1, 2

#: Runs each of the commands on standard input, and writes their outcomes.
COMMANDS = """
import contextlib, io, json, sys
from rrmlinear.cli.command import run

ended = []
for name, arguments in json.load(sys.stdin):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(name, arguments)
    ended.append((code, out.getvalue(), err.getvalue()))
json.dump(ended, sys.stdout)
"""
CLOSED, SECRET, FIXED = "closed/new", "secret", "fixed"
TRAIN = ("training", "-q")
CASES = [
    ("can't open input file secret", *TRAIN, SECRET, "new"),
    ("can't open input file hidden/data", *TRAIN, "hidden/data", "new"),
    ("can't open input file secret.rrm", *TRAIN, "secret.rrm", "new"),
    ("can't open input file secret", *TRAIN, "--loss", "crf", "--edges", SECRET, "chains", "new"),
    ("can't open groups file secret", *TRAIN, "--groups", SECRET, "--loss", "softmax")
    + ("--regularizer", "group-lasso", "data", "new"),
    ("can't save model to file closed/new", *TRAIN, "data", CLOSED),
    ("can't save model to file fixed", *TRAIN, "data", FIXED),
    ("can't write cache file closed/data.cache.rrm", *TRAIN, "--cache", "closed/data", "new"),
    ("can't open trace file closed/new", *TRAIN, "--trace", CLOSED, "data", "new"),
    ("can't open trace file fixed", *TRAIN, "--trace", FIXED, "data", "new"),
    ("can't open input file secret", "prediction", SECRET, "model", "new"),
    ("can't open model file secret", "prediction", "data", SECRET, "new"),
    ("can't open output file closed/new", "prediction", "data", "model", CLOSED),
    ("can't open output file fixed", "prediction", "data", "model", FIXED),
    ("can't open input file secret", "conversion", SECRET, "new.rrm"),
    ("can't open output file closed/new.rrm", "conversion", "data", "closed/new.rrm"),
    (
        "can't open input file secret.npy",
        "conversion",
        "--labels",
        "secret.npy",
        "X.npy",
        "new.rrm",
    ),
    ("can't open input file secret", "clusters.planning", SECRET),
    ("can't open input file secret", "information", SECRET),
    ("can't open input file secret", "attributes", SECRET, "new"),
    ("can't open output file closed/new", "attributes", "columns", CLOSED),
    ("can't open dictionary file fixed", "attributes", "columns", "new", FIXED),
]
REPORT = [
    ("can't write report file closed/new", *TRAIN, "--report", CLOSED, "data", "new"),
    ("can't write report file fixed", *TRAIN, "--report", FIXED, "data", "new"),
]


@pytest.fixture(scope="module")
def rooms(tmp_path_factory):
    """A folder with files and folders without permissions, in which a small process obeys them."""
    if os.name != "posix":
        pytest.skip("another system's permissions")
    folder = tmp_path_factory.mktemp("rooms")
    _fill(folder)
    modes = {"closed": 0o555, "hidden": 0, FIXED: 0o444, SECRET: 0}
    modes |= {"secret.rrm": 0, "secret.npy": 0}
    for name, mode in modes.items():
        (folder / name).chmod(mode)
    yield folder
    for name in ("closed", "hidden"):
        (folder / name).chmod(0o755)


def _fill(folder):
    import numpy as np

    lines = "1 1:1 2:1\n-1 1:2 2:3\n"
    for name in ("closed", "hidden"):
        (folder / name).mkdir()
        (folder / name / "data").write_text(lines)
    for name in ("data", SECRET):
        (folder / name).write_text(lines)
    (folder / FIXED).write_text("old")
    (folder / "chains").write_text("1 qid:1 1:1\n2 qid:1 2:1\n")
    (folder / "columns").write_text("a N A\nb V B\n")
    np.save(folder / "X.npy", np.eye(2))
    np.save(folder / "secret.npy", np.array([1.0, -1.0]))
    data = str(folder / "data")
    assert run("training", ["-q", data, str(folder / "model")]) == 0
    assert run("conversion", ["-q", data, str(folder / "secret.rrm")]) == 0


@pytest.fixture(scope="module")
def outcomes(rooms):
    """(code, output, errors) of each case, and the files that all of them have left."""
    before = _files(rooms)
    cases = [*CASES, *REPORT]
    try:
        ended = subprocess.run(
            [sys.executable, "-c", COMMANDS],
            input=json.dumps([(name, arguments) for _, name, *arguments in cases]),
            capture_output=True,
            text=True,
            cwd=rooms,
            preexec_fn=_drop_rights if os.geteuid() == 0 else None,
        )
    except subprocess.SubprocessError:
        pytest.skip("this system has no root that obeys permissions")
    assert ended.returncode == 0, ended.stderr
    return dict(zip(cases, json.loads(ended.stdout), strict=True)), before, _files(rooms)


def _drop_rights():
    """Let root obey permissions from the next program on."""
    library = ctypes.CDLL(None)
    for right in (OVERRIDE, READ_SEARCH):
        if library.prctl(DROP_RIGHT, right, 0, 0, 0) != 0:
            raise PermissionError("no right to drop rights")


def _files(folder):
    return sorted((str(path), path.stat().st_mtime_ns) for path in folder.rglob("*"))


def assert_refused(outcomes, case):
    code, out, err = outcomes[0][case]
    assert (code, out) == (1, "")
    assert err == f"{case[0]}\nPermission denied\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[1:]))
def test_one_sentence(outcomes, case):
    assert_refused(outcomes, case)


@pytest.mark.parametrize("case", REPORT, ids=lambda case: " ".join(case[1:]))
def test_one_sentence_about_a_page(outcomes, case):
    for package in ("jinja2", "plotly"):
        pytest.importorskip(package, reason="pages need it")
    assert_refused(outcomes, case)


def test_no_file_is_new_changed_or_left_in_parts(outcomes):
    _, before, after = outcomes
    assert before == after
