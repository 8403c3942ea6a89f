"""The comparison of two builds, here of one with itself."""

import re
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "tools" / "bench" / "builds" / "builds.py"


def run(*arguments):
    command = [sys.executable, str(TOOL), sys.executable, sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_task_has_a_line_and_the_mean_comes_last():
    done = run("--tasks", "projection: simplex 100,projection: l1_ball 100", "--pairs", "1")
    assert done.returncode == 0, done.stderr
    _, *lines, mean = done.stdout.splitlines()
    names = [re.split(r" {2,}", line)[0] for line in lines]
    sizes = ("100", "10000", "1000000")
    assert names == [f"projection: {name} {n}" for name in ("simplex", "l1_ball") for n in sizes]
    ratios = [float(line.split()[-1]) for line in lines]
    product = 1.0
    for ratio in ratios:
        assert ratio > 0
        product *= ratio
    assert abs(float(mean.split()[-1]) - product ** (1 / len(ratios))) < 2e-3


def test_an_unknown_task_is_told_with_those_that_exist():
    done = run("--tasks", "nonsense")
    assert done.returncode == 1
    assert "no task begins with nonsense" in done.stderr
    assert "fit: 30 letter.scale" in done.stderr
