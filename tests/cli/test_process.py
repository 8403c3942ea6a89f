"""The commands as processes: start-up, Ctrl-C, closed pipes, full disks."""

import bz2
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from itertools import count

import numpy as np
import pytest

import rrmlinear
from rrmlinear.cli import command

#: Training that takes several hundred thousand passes.
LONG = ("-s", 30, "--no-accelerate", "-c", 100, "--gap-tol", 1e-15)
HEAVY = ("sklearn", "matplotlib", "scipy", "rich", "hypothesis", "pooch", "pandas", "pyarrow")
HEAVY += ("argparse",)
#: What a training does not need: the parts of other losses, of a search, and of a path.
OF_OTHERS = ("data.graphs", "training.search", "solvers.features.set_paths")


def start(*arguments, command="train", **keywords):
    words = [sys.executable, "-m", f"rrmlinear.{command}", *map(str, arguments)]
    keywords = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | keywords
    return subprocess.Popen(words, **keywords)


def finished(process, timeout=60):
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def test_train_then_predict(iris, folder):
    code, out, err = finished(start("-c", 1, iris))
    assert (code, err) == (0, "")
    assert "optimization finished, #iter = " in out
    code, out, err = finished(start(iris, "iris.libsvm.model", "out", command="predict"))
    assert (code, err) == (0, "")
    assert out.startswith("Accuracy = 9")
    assert sorted(os.listdir(folder)) == ["iris.libsvm.model", "out"]


def test_usage_and_exit_code(folder):
    code, out, err = finished(start())
    assert code == 1
    assert out.startswith("Usage: train [options] training_set_file [model_file]\n")
    assert err == "no arguments are given\n"
    code, out, err = finished(start("--help", command="predict"))
    assert (code, err) == (0, "")


def test_start_up_imports_nothing_heavy(iris, folder):
    script = (
        "import sys; from rrmlinear.cli.command import run\n"
        f"assert run('training', ['-q', {iris!r}, 'm']) == 0\n"
        f"print([name for name in {OF_OTHERS!r} if f'rrmlinear.{{name}}' in sys.modules])\n"
        f"assert run('prediction', [{iris!r}, 'm', 'out']) == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.stdout.splitlines()[0] == ended.stdout.splitlines()[-1] == "[]"


#: Modules of Python that take long to load, and that no short command needs.
SLOW = ("argparse", "concurrent.futures", "email", "hashlib", "importlib.metadata", "json")
SLOW += ("multiprocessing", "shutil", "subprocess", "tempfile")


@pytest.fixture
def long_problem(folder):
    """Examples for a long training."""
    X = np.random.default_rng(0).standard_normal((1500, 40)).round(3)
    rrmlinear.write_libsvm("long", rrmlinear.Problem.from_arrays(X, np.arange(1500) % 60))
    return "long"


def cpu_seconds_of_ended():
    ended = os.times()
    return ended.children_user + ended.children_system


def interrupt(process):
    """What the process says when it is interrupted. It works on for two seconds at most: by the
    clock on the wall it may wait for others.
    """
    ended_before, begin = cpu_seconds_of_ended(), time.perf_counter()
    # by the clock of the process; 0 on systems that show no clocks of others
    spent = time.clock_gettime((~process.pid << 3) | 2) if sys.platform == "linux" else 0.0
    process.send_signal(signal.SIGINT)
    ended = finished(process)
    assert time.perf_counter() - begin < 10.0
    assert cpu_seconds_of_ended() - ended_before - spent < 2.0
    return ended


def test_interrupted_import(monkeypatch, capsys):
    def breaks(name):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("a compiled module failed") from None
        return import_module(name)

    monkeypatch.setattr(command, "import_module", breaks)
    before = signal.getsignal(signal.SIGINT)
    assert command.run("training", ["--version"]) == 130
    assert capsys.readouterr() == ("", "interrupted; nothing was saved\n")
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_training(long_problem, folder, threads):
    arguments = (*LONG, "-m", threads, "--trace", "t", long_problem, "m")
    process = start(*arguments)
    assert process.stdout.readline().startswith("pass     1 ")
    code, _, err = interrupt(process)
    assert code == 130
    assert err.startswith("interrupted after pass ")
    assert err.endswith("; nothing was saved\n")
    assert os.listdir(folder) == ["long"]


def test_interrupted_reading(folder):
    process = start("-", "m", stdin=subprocess.PIPE)
    process.stdin.write("1 1:1\n" * 100_000)
    process.stdin.flush()  # what a pipe does not hold has been read
    code, out, err = interrupt(process)
    assert (code, out) == (130, "")
    assert err == "interrupted while reading standard input; nothing was saved\n"
    assert os.listdir(folder) == []


def test_interrupted_reading_of_a_stream_without_end(folder):
    process = start("-", "m", stdin=subprocess.PIPE, text=False)
    lines = b"".join(b"%d 1:0.5 7:-1.25 %d:3e-2\n" % (i % 3, i + 8) for i in range(1000))
    is_read = threading.Event()

    def feed():
        with suppress(OSError):
            for number in count():
                process.stdin.write(lines)
                if number == 1000:
                    is_read.set()

    thread = threading.Thread(target=feed)
    thread.start()
    assert is_read.wait(60)
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    code = process.wait(timeout=60)
    assert time.perf_counter() - begin < 10.0
    thread.join()
    err = process.stderr.read()
    assert (code, process.stdout.read()) == (130, b"")
    assert err == b"interrupted while reading standard input; nothing was saved\n"
    for stream in (process.stdout, process.stderr):
        stream.close()
    with suppress(OSError):
        process.stdin.close()


#: A preparation that says when it has begun, and is slow from the third of its slices on: by power
#: iteration that does not end, and by a system of many features.
PREPARATION = """
import sys, time
import numpy as np
from scipy.sparse import csr_array
from rrmlinear import Problem
from rrmlinear.cli import training
from rrmlinear.cli.command import run
from rrmlinear.risks import hessian
from rrmlinear.solvers.loop import power
from rrmlinear.solvers.second_order import factors

def said(check):
    def say():
        sys.stdout.write("begun\\n" * (not told))
        sys.stdout.flush()
        told.append(1)
        time.sleep(5 * (len(told) > 2))
        check()
    return say

told = []
power.EIGENVALUE_ACCURACY = -np.inf
for module in (power, hessian, factors):
    module.check_time = said(module.check_time)
n, d = 10_000, 500
values = np.random.default_rng(0).standard_normal(n * d)
rows = csr_array((values, np.tile(np.arange(d), n), np.arange(n + 1) * d), (n, 2 * d))
problem = Problem.from_arrays(rows, np.arange(n) % 2)
training.check_input = lambda path: None
training.read_problem = lambda *options: problem
sys.exit(run("training", [*sys.argv[1:], "data", "m"]))
"""


@pytest.mark.parametrize(
    "choices",
    [
        ("-s", 37, "--loss", "hinge", "--ratio", 1),
        ("-s", 37, "--loss", "hinge", "--ratio", 1, "-B", 1, "-R"),
        ("-s", "newton", "--loss", "squared-hinge"),
    ],
)
def test_interrupted_preparation(folder, choices):
    words = [sys.executable, "-c", PREPARATION, *map(str, choices)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    code, out, err = interrupt(process)
    assert (code, out) == (130, "")
    assert err == "interrupted before the first pass was done; nothing was saved\n"
    assert os.listdir(folder) == []


def test_closed_pipe_gives_no_traceback(long_problem, folder):
    process = start(*LONG, "--trace", "t", long_problem, "m")
    assert process.stdout.readline().startswith("pass     1 ")
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 141
    assert os.listdir(folder) == ["long"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk_under_standard_output(iris, folder):
    with open("/dev/full", "w") as full:
        code, _, err = finished(start(iris, stdout=full))
    assert code == 1
    assert err == "ERROR: [Errno 28] No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_full_disk_under_the_model(iris, folder):
    code, out, err = finished(start("-q", iris, "/dev/full"))
    assert (code, out) == (1, "")
    assert err == "can't save model to file /dev/full\nNo space left on device\n"


def test_no_standard_output_and_a_narrow_encoding(iris, folder):
    line = f'"{sys.executable}" -m rrmlinear.train -s 3 -t 2 -e 1e-9 "{iris}" m >&-'
    ended = subprocess.run(
        line, shell=True, stderr=subprocess.PIPE, env=os.environ | {"PYTHONIOENCODING": "ascii"}
    )
    assert ended.returncode == 0
    assert ended.stderr.startswith(b"WARNING: the limit on passes")
    assert os.listdir(folder) == ["m"]


@pytest.mark.parametrize("command", ["train", "predict"])
def test_closed_standard_input(command, iris, folder):
    assert finished(start("-q", iris, "m"))[0] == 0
    files = {"train": "- other", "predict": "- m out"}[command]
    line = f'"{sys.executable}" -m rrmlinear.{command} {files} <&-'
    ended = subprocess.run(line, shell=True, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == "can't open input file -\nstandard input is closed\n"
    assert os.listdir(folder) == ["m"]


def test_a_later_member_that_is_damaged(folder):
    first = bz2.compress(b"1 1:1\n-1 1:2\n")
    (folder / "data.bz2").write_bytes(first + b"1 1:3\n")
    code, out, err = finished(start("data.bz2", "m"))
    assert (code, out) == (1, "")
    assert err.startswith(
        f"ERROR: data.bz2 holds damaged bzip2 data in the member at byte {len(first)}"
    )
    assert os.listdir(folder) == ["data.bz2"]
