"""Text of several labels an example on its way to another file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rrmlinear.data.container.pieces import Piece, Sets
from rrmlinear.data.container.sources import TEXT_AT_ONCE, PieceReading, TextExamples
from rrmlinear.data.text._example_arrays import Block
from rrmlinear.data.text._libsvm_parser import PADDING
from rrmlinear.data.text.byte_streams import name_of
from rrmlinear.data.text.libsvm_reading import Fault
from rrmlinear.data.text.multilabel.label_blocks import LabelBlocks
from rrmlinear.data.text.multilabel.label_names import LabelNames
from rrmlinear.data.text.multilabel.multilabel_text import check_count, width_of


class _Reading(PieceReading):
    lines_left: LabelBlocks

    def _place(self, fault: Fault, block: Block) -> tuple[int, int, str]:
        return self.lines_left.place(*super()._place(fault, block))


class LabelledExamples(TextExamples):
    """LIBSVM text of several labels an example, plain or compressed, read as `read_multilabel`
    does; the arguments are those of `TextExamples`.
    """

    def pieces(self) -> Iterator[Piece]:
        name = name_of(self.path)
        with self._stream() as (stream, watched):
            lines = LabelBlocks(name, stream, TEXT_AT_ONCE, PADDING)
            header, zero_based = lines.read_header(), self.zero_based
            if header is not None:
                self.n_features, zero_based = width_of(name, header, self.n_features), True
            lines.names = names = LabelNames(None, None if header is None else header[2])
            reading = _Reading(name, self.dtype, self.n_features, zero_based, self.strict)
            reading.lines_left = lines
            for piece in self._read(reading, lines, watched):
                sets = Sets(*names.taken(len(piece.ends)), names)
                yield replace(piece, labels=None, sets=sets)
            check_count(name, lines)
