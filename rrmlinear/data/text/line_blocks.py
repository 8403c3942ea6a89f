"""A stream cut into blocks of whole lines."""

from __future__ import annotations

from typing import Any


class LineBlocks:
    """A stream cut into blocks of about ``block_size`` bytes that end at the end of a line.

    Plain files are read, not mapped. The copy costs 3 % of the parser's time; then the parser may
    load a word beyond the text, and a file truncated meanwhile is an error, not a signal.
    """

    def __init__(self, stream: Any, block_size: int, padding: int):
        self.stream, self.block_size, self.padding = stream, block_size, padding
        self.carried = b""
        self.consumed = 0
        self.ended = False

    def fill(self, buffer: bytearray) -> int:
        """Put the next whole lines into the buffer; returns their bytes, 0 at the stream's end.

        The last line gets a newline if it has none. The buffer grows to hold the longest line
        and ``padding`` bytes.
        """
        filled = scanned = len(self.carried)
        target = filled + self.block_size
        self._grow(buffer, target)
        buffer[:filled] = self.carried
        while not self.ended:
            filled = self._read_to(buffer, filled, target)
            if not self.ended:
                end = buffer.rfind(b"\n", scanned, filled) + 1
                if end:
                    self.carried = bytes(memoryview(buffer)[end:filled])
                    self.consumed += end
                    return end
                scanned, target = filled, 2 * filled
                self._grow(buffer, target)
        self.carried = b""
        if filled and buffer[filled - 1] != ord("\n"):
            buffer[filled] = ord("\n")
            filled += 1
        self.consumed += filled
        return filled

    def _grow(self, buffer: bytearray, size: int) -> None:
        missing = size + self.padding + 1 - len(buffer)
        if missing > 0:
            buffer.extend(bytes(missing))

    def _read_to(self, buffer: bytearray, filled: int, target: int) -> int:
        with memoryview(buffer) as view:
            while filled < target:
                count = self.stream.readinto(view[filled:target])
                if not count:
                    self.ended = True
                    break
                filled += count
        return filled
