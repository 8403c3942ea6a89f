"""train --memory."""

import pytest

from rrmlinear import read_libsvm, write_container


@pytest.fixture
def container(folder, iris):
    write_container("iris.rrm", read_libsvm(iris))
    return "iris.rrm"


def test_a_container_is_streamed_and_the_report_says_so(train, small_blocks, digits):
    write_container("digits.rrm", digits)
    done = train.done("-s", "30", "--memory", "100K", "digits.rrm", "model")
    assert "is larger than 0.1 MB: examples are streamed in" in done.out


@pytest.mark.parametrize("size", ["0", "-1", "x", "1T", "", "nan", "1_0"])
def test_wrong_sizes_are_refused(train, container, size):
    error = train.error(f"--memory={size}", container, "model")
    assert f"--memory takes a number of bytes such as 500M, not {size!r}" in error


@pytest.mark.parametrize("folds", [(), ("-v", "3")])
def test_it_needs_a_container(train, iris, folds):
    error = train.error("-s", "30", *folds, "--memory", "1M", iris)
    assert "ERROR: --memory is for containers, and these examples are in memory" in error


@pytest.mark.parametrize("what", [("-v", "3"), ("-C", "-v", "3", "-s", "2")])
def test_folds_get_what_they_get_in_memory(train, container, iris, what):
    held = train.done("-s", "30", *what, "--memory", "1M", container)
    assert held.out.splitlines()[-1] == train("-s", "30", *what, iris).out.splitlines()[-1]


def test_a_limit_that_duals_exceed(train, container):
    error = train.error("-s", "30", "--memory", "10", container, "model")
    assert "ERROR: --memory is 1e-05 MB, and duals, weights and blocks of examples take" in error
