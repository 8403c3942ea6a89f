"""What `python -m rrmlinear` says: the version, the commands, and the solver types."""

from __future__ import annotations

from collections.abc import Sequence

import rrmlinear
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.usage import CONVERT, INFO, PLAN, PLOT, PREDICT, SEQUENCES, training_usage


def main(arguments: Sequence[str]) -> None:
    """Print all of it; LeaveError for arguments, which belong to the commands."""
    commands = (
        "python -m rrmlinear.train (rrmlinear-train), "
        "python -m rrmlinear.predict (rrmlinear-predict), "
        "python -m rrmlinear.convert (rrmlinear-convert), "
        "python -m rrmlinear.sequences (rrmlinear-sequences), "
        "python -m rrmlinear.info (rrmlinear-info), "
        "python -m rrmlinear.plan (rrmlinear-plan) and "
        "python -m rrmlinear.plot (rrmlinear-plot)"
    )
    if arguments and arguments[0] not in ("-h", "--help", "--version"):
        raise LeaveError(f"{arguments[0]} is an argument of {commands}")
    print(f"rrmlinear {rrmlinear.__version__}")
    if "--version" not in arguments:
        texts = "\n\n".join([training_usage(), PREDICT, CONVERT, SEQUENCES, INFO, PLAN, PLOT])
        print(f"Commands: {commands}\n\n{texts}")
