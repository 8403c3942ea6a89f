"""The text that the scripts write."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array


@pytest.fixture
def libsvm_text(script):
    return script("libsvm_text")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("wrap", [np.asarray, csr_array])
def test_lines_are_short_and_leave_zeros_out(libsvm_text, dtype, wrap):
    X = np.array([[0.5, 0, -0.123457], [0, 0, 0], [1, 1e-6, 3.141593]], dtype=dtype)
    text = libsvm_text.format_rows(wrap(X), np.array([1.0, -1.0, 151.5]))
    assert text == "1 1:0.5 3:-0.123457\n-1\n151.5 1:1 2:1e-06 3:3.141593\n"


def test_blocks_follow_each_other(libsvm_text, tmp_path):
    block = (np.eye(2), np.array([1, 2]))
    libsvm_text.write_blocks(tmp_path / "new" / "file", [block, block])
    assert (tmp_path / "new" / "file").read_text() == "1 1:1\n2 2:1\n" * 2


def test_a_failure_half_way_leaves_the_old_file(libsvm_text, tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def blocks():
        yield np.eye(2), np.array([1, 2])
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        libsvm_text.write_blocks(path, blocks())
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
