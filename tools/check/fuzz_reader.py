"""Fuzz rrmlinear.read_libsvm: python tools/check/fuzz_reader.py --inputs 100000 --seed 1

Every input is random LIBSVM-like text, broken in random places. It is read in one block, and in
tiny blocks by several threads. Both must agree with a slow reference: the same bits, or the same
line and column of the error or warning. The input is also read to packed rows where this is exact.
With --liblinear TRAIN a sample is also given to that LIBLINEAR binary. One input in ten is an
archive of several compressed members, damaged too: it is refused, or read as if it were whole.
"""

from __future__ import annotations

import argparse
import io
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
from random_texts import random_archive, random_text

from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.libsvm_format import read_libsvm
from rrmlinear.data.text.libsvm_reading import MIN_PACKED, Reading
from rrmlinear.data.text.line_blocks import LineBlocks


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
    with warnings.catch_warnings(action="ignore"):
        plain = read_libsvm(io.BytesIO(text), threads=1)
    reading = Reading("", np.dtype(np.float64), None, False, False, compact=True)
    reading.run(LineBlocks(io.BytesIO(text), block_size, PADDING), MIN_PACKED, threads)
    rows = reading.problem().rows
    found = (rows.values == plain.rows.values) & (rows.indices == plain.rows.indices)
    assert found.all(), (text, threads, block_size)
    assert (rows.indptr == plain.rows.indptr).all(), (text, threads, block_size)


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
