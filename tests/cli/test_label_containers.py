"""Containers of several labels an example hold what text and arrays do."""

import numpy as np
import pytest
import scipy.sparse as sp

from rrmlinear import (
    ContainerError,
    MultilabelProblem,
    Problem,
    read_multilabel,
    write_container,
    write_multilabel,
)


def problem_of(names=None, n=300):
    chance = np.random.default_rng(1)
    X = sp.random_array((n, 20), density=0.3, rng=chance, format="csr")
    Y = chance.random((n, 9)) < 0.2
    return MultilabelProblem.from_arrays(X, Y, chance.uniform(0.5, 2, n), names=names)


def assert_same(found, given):
    assert (found.labels.names == given.labels.names).all()
    assert (found.labels.begins == given.labels.begins).all()
    assert (found.labels.members == given.labels.members).all()
    assert (found.rows.values == given.rows.values).all()
    assert (found.rows.indices == given.rows.indices).all()


@pytest.mark.parametrize("names", [None, list("zyxwvutsr"), [9, 8, 7, 6, 5, 4, 3, 2, 10]])
def test_a_problem_is_read_back(names, tmp_path):
    given = problem_of(names)
    write_container(tmp_path / "a.rrm", given, block_bytes=2000)
    for found in (
        MultilabelProblem.open(tmp_path / "a.rrm"),
        MultilabelProblem.open(tmp_path / "a.rrm", verify=True),
        read_multilabel(tmp_path / "a.rrm"),
    ):
        assert_same(found, given)
        assert (found.weights == given.weights).all()


@pytest.mark.parametrize("names", [None, list("zyxwvutsr")])
def test_text_and_containers_are_converted_to_each_other(convert, info, names, tmp_path):
    given = problem_of(names)
    write_multilabel(tmp_path / "a.libsvm", given)
    told = convert(tmp_path / "a.libsvm", tmp_path / "a.rrm")
    assert told.out == f"300 examples, 20 features, {given.rows.n_stored} stored values, 9 labels\n"
    expected = read_multilabel(tmp_path / "a.libsvm")
    assert_same(read_multilabel(tmp_path / "a.rrm"), expected)
    assert convert(tmp_path / "a.rrm", tmp_path / "b.rrm").code == 0
    assert convert(tmp_path / "b.rrm", tmp_path / "b.libsvm").code == 0
    assert_same(read_multilabel(tmp_path / "b.libsvm"), expected)
    of_text, of_container = (info(tmp_path / f"a.{end}") for end in ("libsvm", "rrm"))
    facts = [told.out.partition("to try")[0] for told in (of_text, of_container)]
    assert facts[0] == facts[1]
    assert "labels" in facts[0]


def test_a_header_and_labels_twice(convert, tmp_path):
    (tmp_path / "x.libsvm").write_text("4 3 3\n2,0,2 0:1 2:2\n 1:1\n1 2:3\n\n")
    assert convert(tmp_path / "x.libsvm", tmp_path / "x.rrm").code == 0
    found = read_multilabel(tmp_path / "x.rrm")
    assert found.labels.matrix().toarray().tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert found.rows.shape == (4, 3)
    (tmp_path / "x.libsvm").write_text("5 3 3\n2,0 0:1 2:2\n 1:1\n")
    error = convert.error(tmp_path / "x.libsvm", tmp_path / "y.rrm")
    assert "has 2 examples, but its header says 5" in error
    (tmp_path / "x.libsvm").write_text("1,2 1:1\n" * 9 + "1,-2 1:1\n")
    error = convert.error(tmp_path / "x.libsvm", tmp_path / "y.rrm")
    assert "line 10" in error
    assert "the label '-2' is negative" in error
    (tmp_path / "x.libsvm").write_text("1,2 1:1\n" * 9 + " 1:1 1:x\n")
    assert "line 10" in convert("--strict", tmp_path / "x.libsvm", tmp_path / "y.rrm").err
    assert not (tmp_path / "y.rrm").exists()


def test_each_kind_of_container_names_its_reader(tmp_path):
    write_container(tmp_path / "a.rrm", problem_of())
    write_container(tmp_path / "b.rrm", Problem.from_arrays(np.eye(3), [1, 2, 1]))
    with pytest.raises(ContainerError, match="several labels an example: MultilabelProblem"):
        Problem.open(tmp_path / "a.rrm")
    with pytest.raises(ContainerError, match="has one label an example: Problem"):
        MultilabelProblem.open(tmp_path / "b.rrm")
