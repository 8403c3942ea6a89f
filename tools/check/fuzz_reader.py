"""Fuzz rrmlinear.read_libsvm: python tools/check/fuzz_reader.py --inputs 100000 --seed 1

Every input is random LIBSVM-like text, broken in random places. It is read in one block, and in
tiny blocks by several threads. Both must agree with a slow reference: the same bits, or the same
line and column of the error or warning. The input is also read to packed rows where this is exact.
With --liblinear TRAIN a sample is also given to that LIBLINEAR binary. One input in ten is an
archive of several compressed members, damaged too: it is refused, or read as if it were whole.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import io
import lzma
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from libsvm_reference import RefusedError, read_text

from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.libsvm_format import read_libsvm
from rrmlinear.data.text.libsvm_reading import MIN_PACKED, Reading
from rrmlinear.data.text.line_blocks import LineBlocks

LABELS = ["1", "-1", "+1", "0", "2.5", "1e3", "3,4", "nan", "inf", "-0", "0x1p2", "a", "1e400"]
INDICES = ["1", "2", "3", "4", "7", "07", "+5", "-1", "0", "12345678", "123456789", "2147483647"]
INDICES += ["2147483648", "2147483649", "4294967297", "9223372036854775806", "9223372036854775807"]
INDICES += ["9223372036854775808", "99999999999999999999", "", "x", "1.5", "1 2", "\v3"]
VALUES = ["1", "0", "-1", "+2", ".5", "5.", "-.25", ".", "-", "", "1e5", "1e", "1e+", "1e-320"]
VALUES += [
    "1e400",
    "nan",
    "-inf",
    "infinity",
    "nan(12)",
    "0x1f.8p-3",
    "0x",
    "0x.p1",
    "1e22",
    "1e23",
]
VALUES += [
    "9007199254740993",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257",
]
VALUES += ["2.2250738585072011e-308", "2.2250738585072014e-308", "0x1p-1074", "0x1p-1075", "0e-999"]
VALUES += [
    "1\v2",
    "1\v",
    "1\rx",
    "1\r2 1:3",
    "1#",
    "1:2",
    "3.4028235e38",
    "3.4028236e38",
    "4e38",
    "1.7976931348623159e308",
]
BETWEEN = [
    " ",
    " ",
    " ",
    " ",
    "\t",
    "  ",
    " \t",
    " : ",
    " ::",
    " #",
    " # a:b ",
    " qid:3 ",
    " 5 ",
    " 1=3 ",
    "\r",
    "\r1 ",
    "\v",
]
ENDS = ["\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", " # c: d\n", " x\n", "\t\r\n", "", "\r"]
ENDS += [" 7\n", " 7\r\n", "\r\r\n", " # c\rd\n"]
BYTES = b"0123456789+-.:eExX #\t\r\n\v\0qid:naf\xff"


def random_number(chance: random.Random) -> str:
    """A finite decimal of any shape."""
    shape = chance.randrange(4)
    if shape == 0:
        return repr(chance.uniform(-1, 1))
    if shape == 1:
        return f"{chance.gauss(0, 1):.{chance.randrange(1, 25)}g}"
    digits = "".join(chance.choice("0123456789") for _ in range(chance.randrange(1, 30)))
    point = chance.randrange(len(digits) + 1)
    text = chance.choice(["", "-", "+"]) + digits[:point] + "." + digits[point:]
    bound = chance.choice([30, 30, 30, 330])
    return text + (f"e{chance.randrange(-bound, bound)}" if shape == 3 else "")


def random_line(chance: random.Random, odd: float) -> str:
    """One line, with more unusual parts for larger ``odd``."""

    def pick(usual: str, unusual: list[str]) -> str:
        return chance.choice(unusual) if chance.random() < odd else usual

    parts = [pick(chance.choice(["1", "-1", "2.5"]), LABELS)]
    if chance.random() < 0.05:
        parts.append(f" qid:{chance.randrange(9)}")
    index = 0
    for _ in range(chance.randrange(6)):
        index += chance.randrange(1, 4)
        parts.append(pick(" ", BETWEEN))
        parts.append(pick(str(index), INDICES) + pick(":", ["", "::", ": ", " :"]))
        parts.append(pick(random_number(chance), VALUES))
    return "".join(parts) + pick("\n", ENDS)


def random_text(chance: random.Random) -> bytes:
    """A few lines, often with bytes changed, put in, left out or repeated."""
    odd = chance.choice([0.0, 0.01, 0.05, 0.4])
    text = bytearray(
        "".join(random_line(chance, odd) for _ in range(chance.randrange(6))), "latin1"
    )
    for _ in range(chance.choice([0, 0, 0, 0, 0, 1, 2, 5])):
        at = chance.randrange(len(text) + 1)
        change = chance.randrange(4)
        if change == 0:
            text[at : at + 1] = bytes([chance.choice(BYTES)])
        elif change == 1:
            text[at:at] = bytes([chance.choice(BYTES)])
        elif change == 2:
            del text[at : at + chance.randrange(1, 8)]
        else:
            text[at:at] = text[at : at + chance.randrange(1, 20)]
    return bytes(text)


def read(text: bytes, **options: Any) -> tuple[Any, ...]:
    """("read", warning, arrays …), ("refused", line, column) or ("empty",)."""
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            problem = read_libsvm(io.BytesIO(text), **options)
    except LibsvmFormatError as error:
        return ("refused", error.line, error.column)
    except ValueError:
        return ("empty",)
    rows = problem.rows
    query_ids = None if problem.query_ids is None else problem.query_ids.tolist()
    arrays = (rows.indptr, rows.values, rows.indices, problem.labels)
    return (
        "read",
        warned_of(said),
        *(a.tobytes() for a in arrays),
        rows.indices.dtype,
        rows.shape,
        query_ids,
    )


def warned_of(said: list[warnings.WarningMessage]) -> tuple[int, int, int] | None:
    """(line, column, lines) of the only warning; None: there is none."""
    if not said:
        return None
    (warning,) = said
    text = str(warning.message)
    place = re.search(r", line (\d+), column (\d+): ", text)
    more = re.search(r"; (\d+) more such lines?$", text)
    assert place is not None, text
    return int(place[1]), int(place[2]), int(more[1]) + 1 if more else 1


def expected(
    text: bytes, dtype: Any, zero_based: bool | str, n_features: int | None, strict: bool
) -> Any:
    """The result that the reference expects of `read`."""
    try:
        examples = read_text(text, zero_based, n_features, dtype is np.float32, strict)
    except RefusedError as refused:
        return ("refused", refused.line, refused.column)
    if not examples.labels:
        return ("empty",)
    indices = [index for row in examples.rows for index, _ in row]
    from_zero = zero_based is True or (zero_based == "auto" and 0 in indices)
    stored = [index - (not from_zero) for index in indices]
    largest = max(indices, default=0)
    # an open base has to hold indices as written
    wide = max(largest if zero_based == "auto" else max(stored, default=0), 0) > 2**31 - 1
    index_type = np.dtype(np.int64 if wide else np.int32)
    width = n_features
    if width is None:
        width = max(stored, default=-1) + 1
    passed = examples.passed
    return (
        "read",
        (*min(passed.items()), len(passed)) if passed else None,
        np.cumsum([0] + [len(row) for row in examples.rows], dtype=np.int64).tobytes(),
        np.array([value for row in examples.rows for _, value in row], dtype=dtype).tobytes(),
        np.array(stored, dtype=index_type).tobytes(),
        np.array(examples.labels).tobytes(),
        index_type,
        (len(examples.rows), width),
        None if examples.query_ids[0] is None else examples.query_ids,
    )


def check(text: bytes, chance: random.Random) -> str:
    """The outcome of reading a text; AssertionError where two readings differ."""
    options = {
        "dtype": chance.choice([np.float64, np.float64, np.float32]),
        "zero_based": chance.choice([False, False, True, "auto"]),
        "n_features": chance.choice([None] * 6 + [0, 7, 20, 2**40]),
        "strict": chance.random() < 0.3,
    }
    whole = read(text, threads=1, **options)
    block_size, threads = chance.randrange(1, 60), chance.randrange(1, 4)
    cut = read(text, threads=threads, block_size=block_size, **options)
    assert whole == cut, (text, options, block_size, threads, whole, cut)
    wanted = expected(text, **options)
    assert whole == wanted, (text, options, whole, wanted)
    if whole[0] == "read" and options["zero_based"] is False and options["dtype"] is np.float64:
        check_packed(text, threads, block_size)
    return str(whole[0])


def check_packed(text: bytes, threads: int, block_size: int) -> None:
    """Read the text as a large file, whose rows are packed where that is exact."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = read_libsvm(io.BytesIO(text), threads=1)
    reading = Reading("", np.dtype(np.float64), None, False, False, compact=True)
    reading.run(LineBlocks(io.BytesIO(text), block_size, PADDING), MIN_PACKED, threads)
    rows = reading.problem().rows
    found = (rows.values == plain.rows.values) & (rows.indices == plain.rows.indices)
    assert found.all(), (text, threads, block_size)
    assert (rows.indptr == plain.rows.indptr).all(), (text, threads, block_size)


def random_archive(chance: random.Random) -> tuple[list[bytes], list[bytes], bytes]:
    """(texts, each compressed to a member, the members one behind the other, mostly damaged)."""
    compress = chance.choice([gzip.compress, bz2.compress, lzma.compress])
    texts = [
        b"".join(b"%d 1:%d.5\n" % (chance.randrange(3), chance.randrange(99)) for _ in range(count))
        for count in (chance.randrange(1, 60) for _ in range(chance.randrange(1, 4)))
    ]
    members = [compress(text) for text in texts]
    archive = bytearray(b"".join(members))
    at, change = chance.randrange(len(archive)), chance.randrange(8)
    if change == 0:
        archive[at] ^= chance.randrange(1, 256)
    elif change == 1:
        del archive[at:]
    elif change == 2:
        del archive[at : at + chance.randrange(1, 40)]
    elif change == 3:
        archive[at:at] = chance.randbytes(chance.randrange(1, 9))
    elif change == 4:
        archive += chance.choice([b"1 1:1\n", b"\n", b"x", bytes(archive[:at]), b"\r"])
    elif change == 5:
        end = chance.randrange(len(members) + 1)
        archive[:] = b"".join(members[:end]) + texts[0] + b"".join(members[end:])
    elif change == 6:
        archive[at : at + 8] = bytes(8)
    return texts, members, bytes(archive)


def check_archive(chance: random.Random) -> str:
    """The outcome of reading an archive; AssertionError where examples are lost or made up."""
    texts, members, archive = random_archive(chance)
    outcome = read(archive, threads=1, block_size=chance.choice([10, 1 << 19]))
    if outcome[0] == "read":
        wholes = [k for k in range(1, len(members) + 1) if b"".join(members[:k]) == archive]
        count = wholes[0] if wholes else len(members)
        assert outcome == read(b"".join(texts[:count]), threads=1), (archive, count)
    return "archive " + ("read" if outcome[0] == "read" else "refused")


def differs_by_design(text: bytes) -> bool:
    """Whether LIBLINEAR reads this differently, as documented, or would take all memory."""
    return bool(
        re.search(rb"[#\0qnNiI]|[0-9]{7,}\s*:|\r\n|[eE]\+?[0-9]{3}", text)
        or not text.endswith(b"\n")
        or not text.strip()
    )


def check_liblinear(text: bytes, train: str, folder: Path) -> bool:
    """Compare accepting and the line refused with the binary; False where it is not comparable."""
    if differs_by_design(text):
        return False
    data = folder / "data"
    data.write_bytes(text)
    command = [train, "-q", "-s", "3", "-e", "10", str(data), str(folder / "model")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    refused = re.search(r"Wrong input format at line (\d+)", done.stderr)
    outcome = read(text)
    if refused is None:
        assert outcome[0] == "read", (text, outcome, done)
    else:
        assert outcome[:2] == ("refused", int(refused[1])), (text, outcome, done)
    return True


def main() -> int:
    """Run, and say how many inputs were read and refused."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--liblinear", metavar="TRAIN", help="LIBLINEAR's train program")
    parser.add_argument("--sample", type=int, default=2000, help="inputs for LIBLINEAR")
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    counts: dict[str, int] = {}
    compared, begin = 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.inputs):
            if number % 10 == 9:
                outcome = check_archive(chance)
                counts[outcome] = counts.get(outcome, 0) + 1
                continue
            text = random_text(chance)
            outcome = check(text, chance)
            counts[outcome] = counts.get(outcome, 0) + 1
            if arguments.liblinear and compared < arguments.sample:
                compared += check_liblinear(text, arguments.liblinear, Path(folder))
    seconds = time.perf_counter() - begin
    print(f"{arguments.inputs} inputs, seed {arguments.seed}, {seconds:.1f} s: {counts}")
    if arguments.liblinear:
        print(f"{compared} inputs compared with {arguments.liblinear}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
