"""The exception that ends a command early."""

from __future__ import annotations

INTERRUPTED = 130


class LeaveError(Exception):
    """The command ends here: ``message`` for standard error, ``output`` for standard output."""

    def __init__(self, message: str = "", output: str = "", exit_code: int = 1):
        super().__init__(message)
        self.message, self.output, self.exit_code = message, output, exit_code
