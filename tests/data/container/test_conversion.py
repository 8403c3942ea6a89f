"""Conversion of files in little memory, whole or not at all."""

import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rrmlinear import Problem, read_libsvm
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.opening import examples_of

DIGITS = Path(__file__).resolve().parents[3] / "datasets" / "digits.libsvm"
#: Bytes by which a conversion may grow the process: a block, and what NumPy and the system take.
MOST_GROWTH = 24 << 20

CONVERSION = """
import sys
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.formats.opening import examples_of
def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
convert(examples_of(sys.argv[1]), sys.argv[1] + ".first.rrm")
before = peak()
convert(examples_of(sys.argv[2]), sys.argv[3])
print(peak() - before)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Text of 70 MB, nine times a block."""
    path = tmp_path_factory.mktemp("large") / "large"
    path.write_bytes(280 * DIGITS.read_bytes())
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_file(large, tmp_path):
    small = tmp_path / "small"
    small.write_bytes(DIGITS.read_bytes())
    container = tmp_path / "large.rrm"
    for source, target in [
        (large, container),
        (container, tmp_path / "again.rrm"),
        (container, tmp_path / "again.libsvm"),
    ]:
        words = [sys.executable, "-c", CONVERSION, small, source, target]
        grown = int(subprocess.run(words, capture_output=True, check=True, text=True).stdout)
        assert grown < MOST_GROWTH
    assert container.stat().st_size > 4 * MOST_GROWTH
    assert (tmp_path / "again.libsvm").read_bytes() == large.read_bytes()
    assert (tmp_path / "again.rrm").stat().st_size == pytest.approx(
        container.stat().st_size, rel=1e-2
    )


def test_progress_is_told_to_the_end(large, tmp_path):
    seen = []
    convert(examples_of(large), tmp_path / "p.rrm", lambda *pair: seen.append(pair))
    size = large.stat().st_size
    assert seen == sorted(seen)
    assert len(seen) > 50
    assert seen[-1] == (size, size)


def test_text_with_an_error_at_its_end_leaves_the_old_file(tmp_path):
    good = tmp_path / "good"
    good.write_bytes(DIGITS.read_bytes())
    bad = tmp_path / "bad"
    bad.write_bytes(8 * DIGITS.read_bytes() + b"1 2:3 1:4\n")
    convert(examples_of(good), tmp_path / "p.rrm")
    old = (tmp_path / "p.rrm").read_bytes()
    with pytest.raises(ValueError, match="Wrong input format at line 7185"):
        convert(examples_of(bad), tmp_path / "p.rrm", block_bytes=10000)
    assert (tmp_path / "p.rrm").read_bytes() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad", "good", "p.rrm"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "has no examples"),
        (b"# only a comment\n", "has no examples"),
        (b"1 1:1\n1 qid:3 1:1\n", "line 2.*qid: but those before have none"),
        (b"1 1:1\n1 1:nan\n", "line 2.*is not finite"),
    ],
)
def test_wrong_text_is_refused_as_the_reader_does(tmp_path, text, said):
    (tmp_path / "t").write_bytes(text)
    messages = []
    for call in (read_libsvm, lambda path: convert(examples_of(path), tmp_path / "p.rrm")):
        with pytest.raises(ValueError, match=f"(?s){said}") as caught:
            call(tmp_path / "t")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_text_that_is_passed_over_is_said_once_with_the_number_of_lines(tmp_path):
    (tmp_path / "t").write_bytes(b"1 1:1 foo\n" * 100_000)
    with pytest.warns(UserWarning, match=r"line 1, .*'foo'.*99999 more such lines") as caught:
        convert(examples_of(tmp_path / "t"), tmp_path / "p.rrm")
    assert len(caught) == 1
    with pytest.raises(ValueError, match="line 1"):
        convert(examples_of(tmp_path / "t", strict=True), tmp_path / "p.rrm")


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_write_the_same_file(tmp_path, threads):
    lines = [f"{i % 3} {1 + i % 9}:{i} {20 + i}:0.25\n" for i in range(90_000)]
    lines[50_000] = f"1 4:2 {2**40}:1 foo\n"  # wider than the blocks before it
    lines[70_000] = "# nothing but a comment\n"
    for name, text in [
        ("t", "".join(lines).encode()),
        ("z", gzip.compress("".join(lines).encode())),
    ]:
        (tmp_path / name).write_bytes(text)
        written, said = [], []
        for number in (1, threads):
            with pytest.warns(UserWarning, match="line 50001") as caught:
                convert(
                    examples_of(tmp_path / name, threads=number),
                    tmp_path / "p.rrm",
                    block_bytes=100_000,
                )
            written.append((tmp_path / "p.rrm").read_bytes())
            said.append([str(each.message) for each in caught])
        assert written[0] == written[1]
        assert said[0] == said[1]


@pytest.mark.parametrize("line", ["1 2:3 1:4", "1 qid:3 1:1", "1 1:nan"])
def test_threads_name_the_first_wrong_line(tmp_path, line):
    lines = ["1 1:1 2:0.5"] * 140_000
    lines[90_000] = lines[135_000] = line
    (tmp_path / "t").write_text("\n".join(lines))
    before = threading.active_count()
    said = []
    for threads in (1, 3):
        with pytest.raises(ValueError, match=r"line 9000[12]\b") as caught:
            convert(examples_of(tmp_path / "t", threads=threads), tmp_path / "p.rrm")
        said.append(str(caught.value))
    assert said[0] == said[1]
    assert threading.active_count() == before
    assert os.listdir(tmp_path) == ["t"]


@pytest.mark.parametrize("target", ["p", "p.txt", "p.rrm.gz", "p.gz"])
def test_other_names_of_targets_are_refused(tmp_path, target):
    with pytest.raises(ValueError, match=r"must end in \.rrm"):
        convert(examples_of(DIGITS), tmp_path / target)


def held(folder, target="p.rrm"):
    """A conversion of standard input that has written 4 MB and waits for more."""
    words = [sys.executable, "-m", "rrmlinear.convert", "-", str(folder / target)]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(16 * DIGITS.read_bytes())
    process.stdin.flush()
    end = time.monotonic() + 60
    while not any(path.stat().st_size > 1 << 20 for path in folder.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("target", ["p.rrm", "p.libsvm"])
def test_ctrl_c_leaves_nothing(tmp_path, target):
    process = held(tmp_path, target)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"interrupted while converting standard input; nothing was saved" in said
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def largest_file():
    """Sets the size beyond which the system lets no file grow, as a full disk."""
    resource = pytest.importorskip("resource", reason="this system has no such limit")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("target", ["p.rrm", "p.libsvm"])
def test_a_full_disk_leaves_the_old_file(tmp_path, largest_file, target):
    convert(examples_of(DIGITS), tmp_path / target, block_bytes=1 << 14)
    old = (tmp_path / target).read_bytes()
    for size in (0, 100, 8192, 1 << 16, len(old) // 2, len(old) - 4096, len(old) - 1):
        largest_file(size)
        with pytest.raises(OSError, match="File too large"):
            convert(examples_of(DIGITS), tmp_path / target, block_bytes=1 << 14)
        assert [path.name for path in tmp_path.iterdir()] == [target]
        assert (tmp_path / target).read_bytes() == old
    largest_file(len(old))
    convert(examples_of(DIGITS), tmp_path / target, block_bytes=1 << 14)


def test_a_killed_conversion_leaves_no_container_and_the_next_one_cleans_up(tmp_path):
    process = held(tmp_path)
    process.kill()
    process.communicate(timeout=60)
    left = [path.name for path in tmp_path.iterdir()]
    assert "p.rrm" not in left
    assert all(name.endswith(".part") for name in left)
    convert(examples_of(DIGITS), tmp_path / "p.rrm")
    assert os.listdir(tmp_path) == ["p.rrm"]
    assert Problem.open(tmp_path / "p.rrm", verify=True).n_examples == 898
