"""Chunks of labelled tokens, and their F1 as the script conlleval of CoNLL 2000 counts it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

#: Tags behind which a chunk may go on, tags that continue one, and all of them.
GO_ON, CONTINUE = frozenset("BI"), frozenset("IEL")
TAGS = GO_ON | CONTINUE | frozenset("SU")


@dataclass(frozen=True)
class ChunkScore:
    """Chunks of the truth, of the prediction, and of both with the same tokens and kind."""

    true: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """Correct chunks among those predicted; 0 where there are none."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Correct chunks among the true ones; 0 where there are none."""
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """2 · precision · recall / (precision + recall), and 0 for 0 / 0."""
        both = self.true + self.predicted
        return 2 * self.correct / both if both else 0.0


def are_chunks(labels: Iterable[str]) -> bool:
    """Whether labels are those of chunks: O, and a tag with a kind behind it, as B-kind.

    The tags are those of IOB, of IOBES and of BILOU: B and I, E or L for the last token of a chunk,
    and S or U for a chunk of one token.
    """
    names = set(labels) - {"O"}
    return bool(names) and all(name[:1] in TAGS and name[1:2] == "-" for name in names)


def chunks_of(labels: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    """(begin, end, kind) of the chunks of one sequence.

    A chunk goes on from a token with the tag B or I to one with I, E or L of the same kind.
    """
    begin, kind = 0, ""
    for at, (before, name) in enumerate(pairwise(["O", *labels, "O"])):
        tag, _, this = name.partition("-")
        if kind and before[:1] in GO_ON and tag in CONTINUE and this == kind:
            continue
        if kind:
            yield begin, at, kind
        begin, kind = at, this


def chunk_score(true: Iterable[Iterable[str]], predicted: Iterable[Iterable[str]]) -> ChunkScore:
    """The chunks of sequences: those of the truth, of the prediction, and of both."""
    counts = [0, 0, 0]
    for of_truth, of_prediction in zip(true, predicted, strict=True):
        a, b = set(chunks_of(of_truth)), set(chunks_of(of_prediction))
        counts = [counts[0] + len(a), counts[1] + len(b), counts[2] + len(a & b)]
    return ChunkScore(*counts)
