"""The benches of small fits find their parts."""

import subprocess
import sys
from pathlib import Path

import pytest

SMALL = Path(__file__).resolve().parents[3] / "tools" / "bench" / "small"


@pytest.mark.parametrize("name", ["small_fits.py", "small_types.py"])
def test_a_bench_tells_its_options(name, tmp_path):
    words = [sys.executable, str(SMALL / name), "--help"]
    ended = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("usage: ")
