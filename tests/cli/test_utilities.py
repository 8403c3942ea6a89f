"""scale and path: the same text as LIBSVM's svm-scale, the same path as from Python."""

import os
import shutil
import subprocess

import numpy as np
import pytest

from rrmlinear import path, read_libsvm
from rrmlinear.cli.command import run

DATA = "1 1:0.5 3:-2 4:7\n-1 2:3.25 3:1e-3 4:7\n2.5 1:-4 2:1 4:7\n1\n"
TEST = "1 1:9 2:-1 5:2\n0 3:0.1 4:6\n"
#: What svm-scale of LIBSVM 3.37 writes of them: `svm-scale -s ranges data`, `-r ranges test`.
SCALED = (
    "1 1:1 2:-1 3:-1 4:1 \n-1 1:0.777778 2:1 3:1 4:1 \n"
    "2.5 1:-1 2:-0.384615 3:0.999 4:1 \n1 1:0.777778 2:-1 3:0.999 4:-1 \n"
)
RANGES = "x\n-1 1\n1 -4 0.5\n2 0 3.25\n3 -2 0.001\n4 0 7\n"


@pytest.fixture
def call(folder, capsys):
    (folder / "data").write_text(DATA)
    (folder / "test").write_text(TEST)

    def call(command, *arguments):
        code = run(f"utilities.{command}", [str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


def test_scale_writes_what_svm_scale_writes(call, folder):
    code, _, err = call("scaling", "-s", "ranges", "data", "out")
    assert code == 0
    assert "original #nonzeros 9" in err
    assert (folder / "out").read_text() == SCALED
    assert (folder / "ranges").read_text() == RANGES


PROGRAM = os.path.join(os.environ.get("LIBSVM_PROGRAMS", ""), "svm-scale")
PROGRAM = PROGRAM if os.path.exists(PROGRAM) else shutil.which("svm-scale")


@pytest.mark.skipif(PROGRAM is None, reason="needs LIBSVM's svm-scale, or LIBSVM_PROGRAMS")
@pytest.mark.parametrize(
    "options",
    [[], ["-l", "0"], ["-l", "0.25", "-u", "0.75"], ["-y", "-1", "2"], ["-l", "0", "-y", "0", "1"]],
)
def test_scale_and_svm_scale_agree(call, folder, options, iris):
    for data in ("data", iris):
        words = [PROGRAM, *options, "-s", "theirs", data]
        theirs = subprocess.run(words, capture_output=True, text=True)
        assert call("scaling", *options, "-s", "ours", data, "out")[0] == 0
        assert (folder / "out").read_text() == theirs.stdout
        assert (folder / "ours").read_text() == (folder / "theirs").read_text()
    subprocess.run([PROGRAM, *options, "-s", "theirs", "data"], capture_output=True)
    theirs = subprocess.run([PROGRAM, "-r", "theirs", "test"], capture_output=True, text=True)
    code, _, err = call("scaling", "-r", "theirs", "test", "out")
    assert (code, err) == (0, theirs.stderr)
    assert (folder / "out").read_text() == theirs.stdout


def test_ranges_of_other_data_scale_features_unseen_to_zero(call, folder):
    call("scaling", "-s", "ranges", "-y", "0", "1", "data", "out")
    assert (folder / "ranges").read_text() == "y\n0 1\n-1 2.5\n" + RANGES
    code, _, err = call("scaling", "-r", "ranges", "test", "out")
    out = (folder / "out").read_text()
    assert code == 0
    assert "feature index 5 appeared in file test was not seen" in err
    labels = [float(line.split()[0]) for line in out.splitlines()]
    np.testing.assert_allclose(labels, [2 / 3.5, 1 / 3.5])
    assert "5:" not in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-l", "1", "-u", "1", "data"], "a lower limit must be below"),
        (["-y", "3", "data"], "ERROR: -y takes a finite number"),
        (["-r", "a", "-s", "b", "data"], "-r and -s cannot be given together"),
        (["-r", "absent", "data"], "can't open input file absent"),
        (["-r", "data", "data"], "ERROR: line 1 of data must be x"),
        (["data", "data"], "cannot be the output"),
    ],
)
def test_scale_refuses_what_does_not_fit(call, arguments, said):
    code, _, err = call("scaling", *arguments)
    assert code == 1
    assert said in err


def test_path_is_that_of_python(call, iris, folder):
    code, out, err = call("along", "--Cs", "0.1,1,10", "--weights", "w.npz", iris)
    assert (code, err) == (0, "")
    found = path(read_libsvm(iris), Cs=[0.1, 1, 10])
    told = [line.split("\t") for line in out.splitlines()]
    assert told[0] == ["C", "objective", "gap", "passes", "features", "status"]
    assert [float(row[1]) for row in told[1:]] == [float(f"{each:.9g}") for each in found.primals]
    with np.load(folder / "w.npz") as kept:
        np.testing.assert_array_equal(kept["weights"], found.coefs)


def test_path_offers_no_regularizer_that_needs_an_option_it_lacks(call, iris):
    code, _, said = call("along", "--regularizer", "group-lasso", iris)
    assert code == 1
    assert "one of l2, elastic-net, l1, l2-norm, linf, l21, l1inf, trace-norm, not 'group" in said


def test_path_writes_its_page(call, iris, folder):
    pytest.importorskip("plotly", reason="pages need plotly")
    words = ["-q", "--Cs", "4", "--report", "p.html", "--report-static", iris]
    assert call("along", *words) == (0, "", "")
    text = (folder / "p.html").read_text(encoding="utf-8")
    assert "a path over 4 values of C" in text
    assert "python -m rrmlinear path -q --Cs 4" in text
    assert call("along", "--Cs", "0", iris)[2].startswith("ERROR: Cs is 0; it must be")
    assert call("along", "--Cs", "a", iris)[2].startswith("ERROR: --Cs takes a number")
    assert call("along", "--gap-tol", "0", iris)[2].startswith("ERROR: --gap-tol is 0; it must")
