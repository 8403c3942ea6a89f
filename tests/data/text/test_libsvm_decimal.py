"""Every value read is Python's float of the same text, bit for bit."""

import io
import random
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rrmlinear import read_libsvm

SMALLEST = sys.float_info.min


def read_values(texts):
    """The values read where each text stands in a feature and, again, in a label."""
    data = "".join(f"{text} 1:{text}\n" for text in texts).encode()
    problem = read_libsvm(io.BytesIO(data))
    return problem.labels, problem.rows.values


def assert_read_as_python_does(texts):
    wanted = np.array([float(text) for text in texts])
    for got in read_values(texts):
        wrong = np.flatnonzero(got.view(np.int64) != wanted.view(np.int64))
        assert [texts[k] for k in wrong] == []


def in_range(text):
    """Whether strtod takes it without an error: zero as written, or a normal number."""
    value = abs(float(text))
    if value == 0:
        return not set(text.lower().partition("e")[0]) & set("123456789")
    return SMALLEST < value < float("inf")


def random_texts(kind, count):
    chance = random.Random(kind)
    for _ in range(count):
        if kind == "repr":
            yield repr(chance.uniform(-1, 1) * 10.0 ** chance.randrange(-300, 300))
        elif kind == "general":
            yield f"{chance.gauss(0, 10):.{chance.randrange(1, 25)}g}"
        elif kind == "scaled":
            yield f"{chance.uniform(-1, 1):.{chance.randrange(1, 10)}f}"
        elif kind == "bits":
            bits = np.array([chance.getrandbits(64)], dtype=np.uint64)
            yield f"{bits.view(np.float64)[0]:.{chance.randrange(14, 20)}e}"
        elif kind == "digits":
            digits = "".join(chance.choice("0123456789") for _ in range(chance.randrange(1, 40)))
            point = chance.randrange(len(digits) + 1)
            text = chance.choice(["", "-", "+", "0", "000"]) + digits[:point] + "." + digits[point:]
            yield text + chance.choice(["", "", f"e{chance.randrange(-40, 40)}", "E+7"])
        else:  # halfway between two doubles, and one digit to either side
            value = chance.getrandbits(53) | 1 << 52
            half = str(2 * value + 1)
            yield half + chance.choice(["", ".0", ".0000000001", "e3", "e-3"])
            yield str(int(half) - 1) + ".9999999999999999999999"


@pytest.mark.parametrize("kind", ["repr", "general", "scaled", "bits", "digits", "halfway"])
def test_random_numbers(kind):
    texts = [text for text in random_texts(kind, 60_000) if in_range(text)]
    assert len(texts) > 40_000
    assert_read_as_python_does(texts)


def test_numbers_near_the_limits_are_read_as_python_reads_them():
    whole = [2**k + d for k in (31, 32, 52, 53, 54, 63, 64) for d in (-1, 0, 1)]
    texts = [str(number) for number in whole]
    texts += [f"{mantissa}e{power}" for mantissa in whole for power in range(-30, 31)]
    texts += [f"1e{power}" for power in range(-307, 309)]
    texts += ["0." + "0" * zeros + "123456789" for zeros in range(30)]
    texts += ["1" + "0" * zeros + ".5" for zeros in range(40)]
    texts += ["9" * n + "." + "9" * m for n in range(1, 22) for m in range(22)]
    texts += ["1.7976931348623157e308", "2.2250738585072015e-308", "0", "-0", "0.0", "-0.", "+.0"]
    texts += ["0e-400", "0e400", "00000000000000000000000000000000000000001", "1e+00000000005"]
    assert_read_as_python_does(texts)


@settings(max_examples=300)
@given(st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False))
@example(2.2250738585072014e-308)
def test_shortest_digits_of_any_double(value):
    assert_read_as_python_does([repr(value), f"{value:.17g}", f"{value:.30e}"])


@settings(max_examples=200)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_hexadecimal_numbers_are_read_as_python_reads_them(value):
    labels, values = read_values([value.hex()])
    assert labels.tobytes() == values.tobytes() == np.float64(value).tobytes()
