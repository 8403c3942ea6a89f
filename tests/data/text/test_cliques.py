"""Cliques of graphs as text: what is read, and what is refused with its line and column."""

import io

import pytest

from rrmlinear.data.text.libsvm_errors import LibsvmFormatError
from rrmlinear.data.text.libsvm_format import read_graphs

NODES = b"3 qid:7 1:1\n1 qid:7 2:2\n1 qid:7 1:1\n2 qid:-1 1:1\n3 qid:9 1:1\n3 qid:9 3:1\n"


def read(cliques, nodes=NODES):
    return read_graphs(io.BytesIO(nodes), io.BytesIO(cliques))


def test_lines_stand_in_any_order_and_a_graph_may_have_none():
    problem = read(b"qid:9 2 1\n# the first\nqid:7 1 2\nqid:7 2 3 # end\r\n")
    assert problem.starts.tolist() == [0, 3, 4, 6]
    assert problem.cliques == [[(0, 1), (1, 2)], [], [(1, 0)]]
    assert problem.types is None
    assert problem.names == ["qid:7", "qid:-1", "qid:9"]
    some = problem.take(problem.starts[:2][::-1] * 0 + [2, 0])
    assert some.cliques == [[(1, 0)], [(0, 1), (1, 2)]]
    assert some.names == ["qid:9", "qid:7"]


def test_types_stand_in_front():
    problem = read(b"0 qid:9 2 1\n5 qid:7 1 2\n-5 qid:7 3\n")
    assert problem.cliques == [[(0, 1), (2,)], [], [(1, 0)]]
    assert problem.types == [[5, -5], [], [0]]
    assert problem.take(problem.starts[:1]).types == [[5, -5]]


def test_no_cliques_at_all():
    assert read(b"").cliques == [[], [], []]


@pytest.mark.parametrize(
    ("text", "line", "column", "sentence"),
    [
        (b"qid:7 1 2\n\n", 2, 1, "found the end where"),
        (b"qid:7 1 2\n1 2\n", 2, 3, "found '2' where"),
        (b"qid:7 1 2\nqid:x 1\n", 2, 1, "found 'qid:x' where"),
        (b"qid:7 1 2\n3\n", 2, 2, "found the end where"),
        (b"qid:7\n", 1, 6, "found the end where"),
        (b"qid:7 1 b\n", 1, 9, "found 'b' where"),
        (b"qid:7 1:1\n", 1, 7, "found '1:1' where"),
        (b"# none\nqid:8 1 2\n", 2, 1, "there is no graph of qid:8"),
        (b"qid:7 1 4\n", 1, 9, "qid:7 has the nodes 1 ... 3, and no node 4"),
        (b"qid:7 0 1\n", 1, 7, "and no node 0"),
        (b"qid:7 1 2 1\n", 1, 11, "node 1 stands in this clique already"),
        (b"qid:7 1 2\n1 qid:7 2 3\n", 2, 1, "a type stands here; all lines have one"),
        (b"1 qid:7 1 2\nqid:7 2 3\n", 2, 1, "no type stands here"),
    ],
)
def test_what_is_refused_with_its_place(text, line, column, sentence):
    with pytest.raises(LibsvmFormatError) as caught:
        read(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert sentence in str(caught.value)
    assert str(caught.value).startswith(f"Wrong input format at line {line}\n")


def test_nodes_are_read_as_positions():
    with pytest.raises(LibsvmFormatError, match="line 2, column 1: this example has no qid:"):
        read(b"", b"1 qid:1 1:1\n1 1:1\n")
    with pytest.raises(LibsvmFormatError, match="line 3, column 1: qid:1 comes back"):
        read(b"", b"1 qid:1 1:1\n1 qid:2 1:1\n1 qid:1 1:1\n")
