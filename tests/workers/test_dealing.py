"""What workers read: containers are verified as far as they are taken, warnings are told."""

from dataclasses import replace

import numpy as np
import pytest

from rrmlinear import ContainerError, Parameter, Problem, read_libsvm, write_container
from rrmlinear.data.container.opening import open_container
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.workers.agreement import Agreement
from rrmlinear.workers.dealing import part_of, read, shape_of

PARAMETER = Parameter(loss="logistic", solver="auto")


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 3, 400)
    write_container(tmp_path / "p.rrm", Problem.from_arrays(X, y), block_bytes=2000)
    return tmp_path / "p.rrm"


def alter(path, name, example):
    """Change a bit of the number that this example has in an array."""
    mapped = open_container(path)
    section, data = mapped.header.section(name), bytearray(path.read_bytes())
    place = example
    if name in ("values", "indices"):
        place = int(mapped.arrays["indptr"][example])
    if name == "indptr":
        place += 1
    data[section.begin + section.dtype.itemsize * place] ^= 4
    path.write_bytes(data)
    return int(np.searchsorted(mapped.table["examples"], example, side="right")) + 1


def agreed(path, parts):
    return Agreement.of(PARAMETER, -1.0, [shape_of(*read(path))], parts)


@pytest.mark.parametrize("name", ["values", "indices", "indptr"])
def test_a_part_verifies_the_blocks_of_its_rows(path, name):
    block = alter(path, name, 350)
    recipes = agreed(path, 4).recipes
    for recipe in recipes[:3]:
        assert part_of(recipe, [read(path)[0]]).facts()
    with pytest.raises(ContainerError, match=f"p.rrm is damaged in block {block} of") as caught:
        part_of(recipes[3], [read(path)[0]])
    assert caught.value.block == block


def test_labels_are_verified_before_classes_are_agreed_on(path):
    block = alter(path, "labels", 350)
    with pytest.raises(ContainerError, match=f"block {block} of .* its labels"):
        agreed(path, 4)


def test_an_index_that_no_row_may_have_is_refused(path, tmp_path):
    """A file of another writer, whose checksums are right."""
    from rrmlinear.data.container.pieces import pieces_of
    from rrmlinear.data.container.writing import container_file

    with container_file(tmp_path / "q.rrm") as writer:
        for piece in pieces_of(Problem.open(path)):
            writer.add(replace(piece, indices=piece.indices + 2))
        writer.finish(5)
    recipe = agreed(tmp_path / "q.rrm", 1).recipes[0]
    with pytest.raises(ContainerError, match="indices that no row may have"):
        part_of(recipe, [read(tmp_path / "q.rrm")[0]])


def test_query_ids_are_refused_as_they_are_in_memory(tmp_path):
    """No loss of workers is one of sequences."""
    path = tmp_path / "chains"
    path.write_text("1 qid:1 1:1\n2 qid:1 2:1\n")
    with pytest.raises(LibsvmFormatError, match="only losses of sequences"):
        read(str(path))
    write_container(tmp_path / "mapped.rrm", read_libsvm(path))
    with pytest.raises(ValueError, match="query ids, which only losses of sequences"):
        read(str(tmp_path / "mapped.rrm"))


def test_names_are_those_of_all_blocks(path):
    problem = replace(Problem.open(path), feature_names=tuple("abcde"), label_names=("r", "s", "t"))
    problem = replace(problem, labels=problem.labels + 1, container=None)
    made = Agreement.of(PARAMETER, -1.0, [shape_of(problem)] * 2 + [shape_of(None)], 2)
    assert made.names == (tuple("abcde"), ("r", "s", "t"))
    other = replace(problem, label_names=("s", "r", "t"))
    with pytest.raises(ValueError, match="different names of features or labels"):
        Agreement.of(PARAMETER, -1.0, [shape_of(problem), shape_of(other)], 2)
    with pytest.raises(ValueError, match="the labels are words, such as 'r'"):
        Agreement.of(Parameter(loss="squared", solver="auto"), -1.0, [shape_of(problem)], 2)


def test_warnings_of_readers_are_given_by_who_agrees(tmp_path, recwarn):
    (tmp_path / "p.txt").write_text("1 1:1\n2 2:1 # left\n1 1:3 more\n")
    problem, told = read(tmp_path / "p.txt")
    assert not recwarn
    shapes = [shape_of(problem, told)] * 2
    with pytest.warns(UserWarning, match="line 3") as given:
        Agreement.of(PARAMETER, -1.0, shapes, 2)
    assert [str(each.message) for each in given] == [told]
    with pytest.raises(LibsvmFormatError, match="line 3"):
        read(tmp_path / "p.txt", strict=True)
