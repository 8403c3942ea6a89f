"""Blocks and threads change nothing: properties of the reader over random text."""

import gzip
import io
import os
import random
import signal
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rrmlinear import read_libsvm
from rrmlinear.data.text._libsvm_parser import count_marks


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32))
def test_random_texts_agree_with_the_reference(fuzz_reader, seed):
    chance = random.Random(seed)
    outcome = fuzz_reader.check(fuzz_reader.random_text(chance), chance)
    assert outcome in ("read", "refused", "empty")


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_damaged_archives_lose_nothing(fuzz_reader, seed):
    assert fuzz_reader.check_archive(random.Random(seed)) in ("archive read", "archive refused")


@settings(max_examples=200)
@given(
    text=st.text(alphabet="0123456789 :.-+e#\n\r\tqidnax", max_size=60),
    block_size=st.integers(1, 70),
    threads=st.integers(1, 3),
)
def test_any_text_is_the_same_in_any_blocks(fuzz_reader, text, block_size, threads):
    data = text.encode()
    whole = fuzz_reader.read(data, threads=1)
    assert fuzz_reader.read(data, threads=threads, block_size=block_size) == whole


@pytest.fixture(scope="module")
def long_text():
    """4000 rows of 0 to 39 features, some with comments that hold colons."""
    rng = np.random.default_rng(5)
    lines = []
    for i in range(4000):
        indices = np.flatnonzero(rng.random(400) < rng.random() * 0.1) + 1
        pairs = " ".join(f"{j}:{rng.normal():.6g}" for j in indices)
        lines.append(f"{i % 7} {pairs}" + (" # a:b c:d" if i % 50 == 3 else ""))
        if i % 80 == 9:
            lines.append("# note: nothing")
    return ("\n".join(lines) + "\n").encode()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("block_size", [100, 1009, 65536])
def test_long_file_in_blocks(tmp_path, long_text, block_size, threads):
    path = tmp_path / "data"
    path.write_bytes(long_text)
    one = read_libsvm(io.BytesIO(long_text), threads=1, block_size=1 << 24)
    many = read_libsvm(path, threads=threads, block_size=block_size)
    for name in ("values", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(many.rows, name), getattr(one.rows, name))
    np.testing.assert_array_equal(many.labels, one.labels)
    assert many.n_examples == 4000


def test_a_line_longer_than_many_blocks():
    values = np.arange(1, 5001) / 7
    text = "1 " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(values)) + "\n"
    problem = read_libsvm(io.BytesIO(text.encode() * 3), threads=2, block_size=64)
    np.testing.assert_array_equal(problem.rows.values, np.tile(values, 3))


@pytest.mark.parametrize("block_size", [1000, 1 << 19])
def test_a_number_of_thousands_of_digits(block_size):
    long = b"7 1:0.125 2:0.0484443546162001\n"
    text = long * 700 + b"0" * 20_000 + b" 1:0.18987698889305016 2:" + b"3" * 9_000 + b"e-9000\n"
    problem = read_libsvm(io.BytesIO(text + long), block_size=block_size, threads=1)
    assert problem.labels.tolist() == [7.0] * 700 + [0.0, 7.0]
    assert problem.rows.values[1400:].tolist() == [
        0.18987698889305016,
        1 / 3,
        0.125,
        0.0484443546162001,
    ]


def test_a_failing_stream_is_reported_and_threads_end():
    class Failing(io.RawIOBase):
        parts = [b"1 1:1\n" * 100] * 5

        def readable(self):
            return True

        def readinto(self, buffer):
            if not self.parts:
                raise OSError(5, "the disk failed")
            part = self.parts.pop()
            buffer[: len(part)] = part
            return len(part)

    before = threading.active_count()
    with pytest.raises(OSError, match="the disk failed"):
        read_libsvm(io.BufferedReader(Failing(), 1000), threads=3, block_size=500)
    assert threading.active_count() == before


def test_interrupt_ends_all_threads(monkeypatch, long_text):
    from rrmlinear.data.text import libsvm_reading

    reserved = []

    def interrupt(*arguments):
        reserved.append(arguments)
        if threading.current_thread() is threading.main_thread() and len(reserved) > 3:
            raise KeyboardInterrupt
        return count_marks(*arguments)

    monkeypatch.setattr(libsvm_reading, "count_marks", interrupt)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        read_libsvm(io.BytesIO(long_text), threads=2, block_size=200)
    assert threading.active_count() == before


def run_python(program, *arguments, **options):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options)


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_stops_within_a_second(threads):
    program = (
        "import rrmlinear, sys\n"
        "class Endless:\n"
        "    def read(self, size): return b'1 1:1\\n' if size > 5 else b'#' * (size - 1) + b'\\n'\n"
        "print('begin', flush=True)\n"
        "rrmlinear.read_libsvm(Endless(), threads=int(sys.argv[1]), block_size=10_000)\n"
    )
    child = run_python(program, threads, stderr=subprocess.DEVNULL)
    assert child.stdout.readline() == "begin\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    try:
        child.communicate(timeout=10)
    finally:
        child.kill()
    assert child.returncode in (-signal.SIGINT, 128 + signal.SIGINT)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="sanitizers take memory")
@pytest.mark.parametrize(
    "compress", [bytes, lambda text: gzip.compress(text, 1)], ids=["plain", "gzip"]
)
def test_peak_memory(tmp_path, long_text, compress):
    path = tmp_path / "data"
    path.write_bytes(compress(long_text * 40))
    program = (
        "import sys, gzip, rrmlinear\n"
        "from rrmlinear import read_libsvm\n"
        "def peak():\n"
        "    for line in open('/proc/self/status'):\n"
        "        if line.startswith('VmHWM'): return 1024 * int(line.split()[1])\n"
        "before = peak()\n"
        "problem = read_libsvm(sys.argv[1], threads=2)\n"
        "rows = problem.rows\n"
        "parts = rows.values, rows.indices, rows.indptr, problem.labels\n"
        "print((peak() - before) / sum(part.nbytes for part in parts))\n"
    )
    output, _ = run_python(program, path).communicate(timeout=60)
    # the allocator of a free-threaded Python keeps 12 to 18 MB that are free, of files of any size
    assert float(output) < (1.6 if sysconfig.get_config_var("Py_GIL_DISABLED") else 1.3)
