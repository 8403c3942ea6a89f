"""What is written is what is mapped, for every type and shape."""

import numpy as np
import pytest

from rrmlinear import Problem, read_libsvm, write_libsvm
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.container.layout import ContainerError
from rrmlinear.data.container.opening import open_container
from rrmlinear.data.container.writing import write_container
from rrmlinear.data.formats.opening import examples_of
from rrmlinear.data.rows import Rows

BLOCK = 2000  # bytes


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize(("weights", "qid"), [(False, False), (True, False), (True, True)])
def test_every_type(tmp_path, made, assert_same, values, indices, weights, qid):
    problem = made(values=values, indices=indices, weights=weights, qid=qid)
    write_container(tmp_path / "p", problem, block_bytes=BLOCK)
    opened = Problem.open(tmp_path / "p", verify=True)
    assert_same(problem, opened)
    assert not opened.rows.values.flags.writeable


def test_rows_of_no_values(tmp_path, assert_same):
    none = np.empty(0)
    rows = Rows(none, none.astype(np.int32), np.zeros(4, dtype=np.int64), 0)
    problem = Problem(rows, np.array([1.0, -1.0, 1.0]))
    write_container(tmp_path / "p", problem)
    assert_same(problem, Problem.open(tmp_path / "p", verify=True))


def test_no_examples_are_refused(tmp_path):
    none = np.empty(0)
    rows = Rows(none, none.astype(np.int32), np.zeros(1, dtype=np.int64), 3)
    with pytest.raises(ValueError, match="no examples"):
        write_container(tmp_path / "p", Problem(rows, none))
    assert list(tmp_path.iterdir()) == []


def test_dense_rows_lose_their_zeros(tmp_path):
    dense = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 3.0]])
    write_container(tmp_path / "p", Problem.from_arrays(dense, [1, 2, 3]))
    opened = Problem.open(tmp_path / "p", verify=True)
    assert opened.rows.n_stored == 3
    assert np.array_equal(opened.to_scipy().toarray(), dense)


@pytest.mark.parametrize("size", [1, 300, 1 << 23])
def test_blocks_cover_the_examples_and_no_size_changes_them(tmp_path, made, assert_same, size):
    problem = made(weights=True)
    write_container(tmp_path / "p", problem, block_bytes=size)
    mapped = open_container(tmp_path / "p", verify=True)
    ends = [mapped.bounds(k) for k in range(mapped.header.n_blocks)]
    assert [end[0] for end in ends] == [0] + [end[1] for end in ends[:-1]]
    assert ends[-1][1] == 200
    assert_same(problem, Problem.open(tmp_path / "p"))


def test_text_to_container_and_back(tmp_path, made, assert_same):
    problem = made(values=np.float64, qid=True)
    write_libsvm(tmp_path / "a.libsvm", problem)
    for a, b in [("a.libsvm", "b.rrm"), ("b.rrm", "c.rrm"), ("c.rrm", "d.libsvm.gz")]:
        convert(examples_of(tmp_path / a), tmp_path / b, block_bytes=BLOCK)
    convert(examples_of(tmp_path / "d.libsvm.gz"), tmp_path / "e.rrm")
    text = read_libsvm(tmp_path / "a.libsvm")
    for name in ("b.rrm", "c.rrm", "d.libsvm.gz", "e.rrm"):
        assert_same(text, read_libsvm(tmp_path / name))


def test_an_index_beyond_32_bits_widens_those_before(tmp_path, assert_same):
    lines = "".join(f"1 {k}:1 {k + 7}:2\n" for k in range(1, 2000))
    (tmp_path / "a").write_text(lines + f"-1 3:1 {2**40}:5\n" + lines)
    writing = convert(examples_of(tmp_path / "a"), tmp_path / "a.rrm", block_bytes=BLOCK)
    assert writing.n_features == 2**40
    assert_same(
        read_libsvm(tmp_path / "a", threads=1), Problem.open(tmp_path / "a.rrm", verify=True)
    )


def test_late_blocks_widen_early_ones(tmp_path, made, assert_same):
    from rrmlinear.data.container.pieces import pieces_of
    from rrmlinear.data.container.writing import container_file

    narrow, wide = made(seed=1), made(indices=np.int64, seed=2)
    with container_file(tmp_path / "p", BLOCK) as writer:
        for problem in (narrow, wide, narrow):
            for piece in pieces_of(problem):
                writer.add(piece)
        writer.finish(wide.n_features)
    opened = Problem.open(tmp_path / "p", verify=True)
    assert opened.rows.indices.dtype == np.int64
    parts = [problem.rows.indices.astype(np.int64) for problem in (narrow, wide, narrow)]
    assert np.array_equal(opened.rows.indices, np.concatenate(parts))


def test_the_reader_takes_a_container_by_its_bytes_whatever_its_name(tmp_path, made, assert_same):
    problem = made(values=np.float32)
    write_container(tmp_path / "name.libsvm", problem)
    assert_same(problem, read_libsvm(tmp_path / "name.libsvm"))
    double = read_libsvm(tmp_path / "name.libsvm", dtype=np.float64, n_features=99)
    assert double.rows.values.dtype == np.float64
    assert double.n_features == 99
    with pytest.raises(ValueError, match="has 50 features, and n_features is 7"):
        read_libsvm(tmp_path / "name.libsvm", n_features=7)


def test_a_stream_of_a_container_and_rows_out_of_order_are_refused(tmp_path, made):
    rows = Rows(np.ones(2), np.array([1, 0], np.int32), np.array([0, 2]), 2)
    with pytest.raises(ValueError, match="must increase"):
        write_container(tmp_path / "p", Problem(rows, np.ones(1)))
    write_container(tmp_path / "p.rrm", made())
    with (tmp_path / "p.rrm").open("rb") as file, pytest.raises(ValueError, match="by its path"):
        read_libsvm(file)


def test_text_is_no_container(tmp_path):
    (tmp_path / "t.rrm").write_text("1 1:1\n")
    with pytest.raises(ContainerError, match="is not a container"):
        Problem.open(tmp_path / "t.rrm")
    (tmp_path / "t.rrm").rename(tmp_path / "t")
    assert Problem.open(tmp_path / "t").n_examples == 1
    with pytest.raises(FileNotFoundError):
        Problem.open(tmp_path / "absent")
