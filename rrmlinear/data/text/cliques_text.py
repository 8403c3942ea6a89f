"""The cliques of graphs as text: ``[type] qid:graph node node …``, a clique on each line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rrmlinear.data.graphs import GraphProblem
from rrmlinear.data.problem import Problem
from rrmlinear.data.sequences import SequenceProblem, starts_of
from rrmlinear.data.text.byte_streams import all_bytes, name_of
from rrmlinear.data.text.libsvm_errors import LibsvmFormatError

WORD = re.compile(rb"\S+")
WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")
COMMENT = re.compile(rb"(^|(?<=[ \t]))#.*")
EXPECTED = "[type] qid:graph node node ... is expected, nodes numbered from 1"


class Clique(NamedTuple):
    """A clique of a line: its type, the id of its graph, and its nodes from 0."""

    kind: int | None
    graph: int
    nodes: tuple[int, ...]


def with_cliques(nodes: Problem, path_or_file: Any) -> GraphProblem:
    """The graphs whose nodes are examples with query ids, equal ones in a row a graph, and whose
    cliques are the lines of a file.

    A line names a graph by its query id and nodes by their places among its examples, from 1.
    Lines may have a type, a whole number, in front, all or none; they may stand in any order. Text
    is plain or compressed, and ``#`` begins a comment. A graph without lines has nodes alone.

    Raises LibsvmFormatError with line and column for other lines, ids of no graph, nodes that are
    not there or stand in a clique twice, and types in some lines alone; ValueError as
    `SequenceProblem.from_problem` does, and OSError as `open` does.
    """
    sequences = SequenceProblem.from_problem(nodes)
    assert nodes.query_ids is not None
    starts = starts_of(nodes.query_ids)
    ids = nodes.query_ids[starts[:-1]].tolist()
    size = dict(zip(ids, np.diff(starts).tolist(), strict=True))
    cliques: dict[int, list[Clique]] = {graph: [] for graph in ids}
    typed = None
    path = name_of(path_or_file)
    for number, line in enumerate(all_bytes(path_or_file).splitlines(), 1):
        text = COMMENT.sub(b"", line)
        if not text.strip() and text != line:
            continue
        clique = _clique(path, number, text, size)
        if typed not in (None, clique.kind is not None):
            raise LibsvmFormatError.at(
                path,
                number,
                1,
                f"{'no' if typed else 'a'} type stands here; all lines have one or none has",
            )
        typed = clique.kind is not None
        cliques[clique.graph].append(clique)
    return GraphProblem(
        **vars(sequences),
        cliques=[[clique.nodes for clique in cliques[graph]] for graph in ids],
        types=[[clique.kind or 0 for clique in cliques[graph]] for graph in ids] if typed else None,
        names=[f"qid:{graph}" for graph in ids],
    )


def _clique(path: str, number: int, text: bytes, size: Mapping[int, int]) -> Clique:
    """The clique of a line; LibsvmFormatError with the first fault."""
    words = [(found.start() + 1, found[0]) for found in WORD.finditer(text)]

    def fault(at: int, sentence: str) -> LibsvmFormatError:
        column = words[at][0] if at < len(words) else len(text) + 1
        return LibsvmFormatError.at(path, number, column, sentence)

    def expected(at: int) -> LibsvmFormatError:
        shown = repr(words[at][1].decode("utf-8", "replace")[:40]) if at < len(words) else "the end"
        return fault(at, f"found {shown} where {EXPECTED}")

    typed = bool(words) and WHOLE.fullmatch(words[0][1]) is not None
    if len(words) <= typed or not words[typed][1].startswith(b"qid:"):
        raise expected(int(typed))
    graph = words[typed][1][4:]
    if not WHOLE.fullmatch(graph):
        raise expected(int(typed))
    if int(graph) not in size:
        raise fault(typed, f"there is no graph of qid:{int(graph)}")
    nodes: list[int] = []
    for at in range(typed + 1, len(words)):
        word = words[at][1]
        if not WHOLE.fullmatch(word):
            raise expected(at)
        node, last = int(word), size[int(graph)]
        if not 1 <= node <= last:
            raise fault(at, f"qid:{int(graph)} has the nodes 1 ... {last}, and no node {node}")
        if node - 1 in nodes:
            raise fault(at, f"node {node} stands in this clique already")
        nodes.append(node - 1)
    if not nodes:
        raise expected(len(words))
    return Clique(int(words[0][1]) if typed else None, int(graph), tuple(nodes))
