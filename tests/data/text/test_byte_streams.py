"""Sources and targets of text: paths, pipes, standard streams, file objects, compression."""

import bz2
import gzip
import importlib
import io
import lzma
import os
import random
import stat
import subprocess
import sys
import threading

import numpy as np
import pytest

from rrmlinear import Problem, read_libsvm, write_libsvm
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError

TEXT = b"".join(b"%d 1:%d.5 7:-0.25\n" % (i % 3, i) for i in range(3000))
COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def reads_zstd():
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return True
    return False


ZSTD = reads_zstd()


def is_text(problem):
    return (
        problem.n_examples == 3000
        and problem.rows.values[::2].tolist() == [i + 0.5 for i in range(3000)]
        and problem.labels.tolist() == [i % 3 for i in range(3000)]
    )


def some_problem():
    return Problem.from_arrays(np.array([[1.0, 0.5], [0, 2]]), [1, -1])


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("threads", [1, 2])
def test_compressed_files(tmp_path, suffix, threads):
    path = tmp_path / ("data" + suffix)
    path.write_bytes(COMPRESS[suffix](TEXT))
    assert is_text(read_libsvm(path, threads=threads, block_size=1000))
    with open(path, "rb") as file:
        assert is_text(read_libsvm(file, threads=threads))
        assert not file.closed


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compression_is_known_by_content(tmp_path, suffix):
    path = tmp_path / "data.txt"
    half = len(TEXT) // 2
    path.write_bytes(COMPRESS[suffix](TEXT[:half]) + COMPRESS[suffix](TEXT[half:]))
    assert is_text(read_libsvm(str(path)))
    plain = tmp_path / ("plain" + suffix)
    plain.write_bytes(TEXT)
    assert is_text(read_libsvm(os.fsencode(plain)))


@pytest.mark.parametrize("suffix", COMPRESS)
def test_damaged_compressed_files(tmp_path, suffix):
    path = tmp_path / ("data" + suffix)
    whole = COMPRESS[suffix](TEXT)
    for damaged in (whole[: len(whole) // 2], whole[:20] + b"\xff\0\xff\0" + whole[24:]):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"data\.\w+ holds damaged \w+ data: "):
            read_libsvm(path)


@pytest.mark.parametrize("suffix", COMPRESS)
def test_later_members(tmp_path, suffix):
    """BZ2File and LZMAFile take a damaged later member for the end of the file."""
    path = tmp_path / ("data" + suffix)
    half = len(TEXT) // 2
    first, second = COMPRESS[suffix](TEXT[:half]), COMPRESS[suffix](TEXT[half:])
    at, chance = len(first), random.Random(0)
    damaged = {
        "its magic": (at, first + b"x" + second[1:]),
        "its end": (at, first + second[: len(second) // 2]),
        "no more than its magic": (at, first + second[:3]),
        "text behind": (at, first + b"1 1:1\n"),
        "text behind the last": (at + len(second), first + second + b"1 1:1\n"),
    }
    for k in range(20):
        place, changed = chance.randrange(len(second)), bytearray(second)
        changed[place] ^= chance.randrange(1, 256)
        if suffix != ".gz" or not 3 <= place < 10:  # gzip's time and system have no check
            damaged[f"bit {k}"] = (at, first + changed)
    for offset, data in damaged.values():
        path.write_bytes(data)
        with pytest.raises(ValueError, match=rf" data in the member at byte {offset}: "):
            read_libsvm(path)
    if suffix != ".bz2":  # gzip and xz let zero bytes fill up blocks
        path.write_bytes(first + bytes(512) + second + bytes(100_000))
        assert is_text(read_libsvm(path))


def test_a_fault_in_a_compressed_file_has_its_line():
    with pytest.raises(LibsvmFormatError, match="at line 3001\n"):
        read_libsvm(io.BytesIO(gzip.compress(TEXT + b"x\n" + TEXT)), threads=2, block_size=512)


@pytest.mark.skipif(ZSTD, reason="this Python reads zstd")
def test_zstd_without_a_package_says_what_is_needed(tmp_path):
    with pytest.raises(ValueError, match=r"backports\.zstd or zstandard must be installed"):
        read_libsvm(io.BytesIO(b"\x28\xb5\x2f\xfd" + bytes(20)))
    with pytest.raises(ValueError, match=r"backports\.zstd or zstandard must be installed"):
        write_libsvm(tmp_path / "data.zst", some_problem())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not ZSTD, reason="needs Python 3.14, backports.zstd or zstandard")
def test_zstd_is_written_and_read(tmp_path):
    problem = read_libsvm(io.BytesIO(TEXT))
    write_libsvm(tmp_path / "data.zst", problem)
    compressed = (tmp_path / "data.zst").read_bytes()
    assert compressed[:4] == b"\x28\xb5\x2f\xfd"
    assert is_text(read_libsvm(tmp_path / "data.zst"))
    assert read_libsvm(io.BytesIO(compressed * 2)).n_examples == 6000
    for more in (b"1 1:1\n", compressed[:-5], compressed[:2]):
        with pytest.raises(ValueError, match=f"in the member at byte {len(compressed)}: "):
            read_libsvm(io.BytesIO(compressed + more))
    with pytest.raises(ValueError, match="damaged zstd data"):
        read_libsvm(io.BytesIO(compressed[: len(compressed) // 2]))


def test_standard_input():
    program = "import rrmlinear; print(rrmlinear.read_libsvm('-').n_examples)"
    for text in (TEXT, gzip.compress(TEXT)):
        done = subprocess.run(
            [sys.executable, "-c", program], input=text, capture_output=True, check=True
        )
        assert done.stdout.strip() == b"3000"
    done = subprocess.run([sys.executable, "-c", program], input=b"1 x:1", capture_output=True)
    assert b"Wrong input format at line 1\nstandard input, line 1, column 3" in done.stderr


def test_closed_standard_streams():
    program = "import rrmlinear; rrmlinear.read_libsvm('-')"
    command = f'"{sys.executable}" -c "{program}" <&-'
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr.endswith("OSError: [Errno 9] standard input is closed\n")
    problem = "import rrmlinear, io; p = rrmlinear.read_libsvm(io.BytesIO(b'1 1:1')); "
    command = f"""'{sys.executable}' -c "{problem}rrmlinear.write_libsvm('-', p)" >&-"""
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
    assert done.stderr.endswith("OSError: [Errno 9] standard output is closed\n")


def test_standard_output(capsysbinary):
    write_libsvm("-", some_problem())
    assert capsysbinary.readouterr().out == b"1 1:1 2:0.5\n-1 2:2\n"


def test_file_objects():
    class OnlyRead:
        def __init__(self):
            self.stream = io.BytesIO(TEXT)

        def read(self, size):
            return self.stream.read(min(size, 37))

    assert is_text(read_libsvm(OnlyRead(), threads=2))
    assert is_text(read_libsvm(io.BufferedReader(io.BytesIO(TEXT))))
    stream = io.BytesIO(b"skipped\n" + TEXT)
    stream.readline()
    assert is_text(read_libsvm(stream))


def test_a_pipe_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(TEXT))
    writer.start()
    assert is_text(read_libsvm(path, threads=2, block_size=777))
    writer.join()


def test_text_files_are_refused(tmp_path):
    class TextReader:
        def read(self, size):
            return "1 1:1"

    for file in (io.StringIO("1 1:1\n"), TextReader()):
        with pytest.raises(TypeError, match="binary mode is needed"):
            read_libsvm(file)
    with pytest.raises(TypeError, match="binary mode is needed"):
        write_libsvm(io.StringIO(), some_problem())


@pytest.mark.parametrize("read", [read_libsvm, Problem.open])
def test_numbers_are_no_files_and_those_of_the_caller_stay_open(read):
    with open(os.devnull, "rb") as file:
        with pytest.raises(TypeError, match="not int"):
            read(file.fileno())
        os.fstat(file.fileno())


@pytest.mark.filterwarnings("ignore:stat")
def test_arrays_are_no_files():
    with pytest.raises(TypeError, match="a path or a binary file object is needed, not ndarray"):
        read_libsvm(np.eye(2))


def test_a_stream_without_data_yet():
    class Waiting:
        name = "socket"

        def read(self, size):
            return None

    with pytest.raises(BlockingIOError, match="socket has no data yet"):
        read_libsvm(Waiting())


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        read_libsvm(tmp_path / "none")
    assert caught.value.filename == str(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        read_libsvm(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        write_libsvm(tmp_path / "none" / "data", some_problem())
    assert caught.value.filename == str(tmp_path / "none" / "data")
    with pytest.raises(IsADirectoryError):
        write_libsvm(tmp_path, some_problem())


@pytest.mark.parametrize("suffix", ["", *COMPRESS])
def test_write_to_path(tmp_path, suffix):
    path = tmp_path / ("data" + suffix)
    problem = read_libsvm(io.BytesIO(TEXT))
    write_libsvm(path, problem)
    assert os.listdir(tmp_path) == [path.name]
    assert (path.read_bytes() == TEXT) == (suffix == "")
    assert is_text(read_libsvm(path))


def test_a_failed_write_leaves_what_was_there(tmp_path, monkeypatch):
    from rrmlinear.data.text import libsvm_format

    def fail(*arguments):
        raise OSError(28, "no space left")

    path = tmp_path / "data.gz"
    path.write_bytes(b"before")
    monkeypatch.setattr(libsvm_format, "write_rows", fail)
    with pytest.raises(OSError, match="no space left"):
        write_libsvm(path, some_problem())
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["data.gz"]


def test_write_through_links_and_to_devices(tmp_path):
    (tmp_path / "real").write_bytes(b"before")
    (tmp_path / "link").symlink_to("real")
    write_libsvm(tmp_path / "link", some_problem())
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes().startswith(b"1 1:1")
    write_libsvm("/dev/null", some_problem())
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
