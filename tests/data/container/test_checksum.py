"""XXH64: known values, and pieces against the whole."""

import numpy as np
import pytest

from rrmlinear.data.container._checksum import Checksum, checksum

#: The digests of xxHash's own documentation and of its Python package.
KNOWN = {b"": 0xEF46DB3751D8E999, b"a": 0xD24EC4F1A98C6E5B, b"abc": 0x44BC2CF5AD770999}
DATA = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8)


@pytest.mark.parametrize(("text", "value"), KNOWN.items())
def test_known_values(text, value):
    assert checksum(text) == value


def test_a_long_text_has_the_value_of_the_peer():
    xxhash = pytest.importorskip("xxhash")
    for length in [*range(100), 1000, 4999]:
        assert checksum(DATA[:length]) == xxhash.xxh64_intdigest(DATA[:length].tobytes())


def test_pieces_have_the_value_of_the_whole():
    rng = np.random.default_rng(1)
    total, at = Checksum(), 0
    while at < len(DATA):
        size = int(rng.integers(0, 90))
        total.update(DATA[at : at + size])
        at = min(at + size, len(DATA))
        assert total.value() == checksum(DATA[:at])


def test_every_bit_counts():
    values = {checksum(DATA[:200])}
    for place in range(200):
        for bit in range(8):
            altered = DATA[:200].copy()
            altered[place] ^= 1 << bit
            values.add(checksum(altered))
    assert len(values) == 1 + 200 * 8
