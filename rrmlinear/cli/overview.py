"""What `python -m rrmlinear` says: the version, the commands, and the solver types."""

from __future__ import annotations

from collections.abc import Sequence

import rrmlinear
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.usage import CONVERT, INFO, PLAN, PLOT, PREDICT, SEQUENCES, training_usage

COMMANDS = ("train", "predict", "convert", "sequences", "info", "plan", "plot")


def main(arguments: Sequence[str]) -> None:
    """Print all of it; LeaveError for arguments, which belong to the commands."""
    if arguments and arguments[0] not in ("-h", "--help", "--version"):
        name = arguments[0] if arguments[0] in COMMANDS else "COMMAND"
        raise LeaveError(
            f"python -m rrmlinear takes no {arguments[0]}: write python -m rrmlinear.{name}"
            + ("" if name in COMMANDS else f", COMMAND one of {', '.join(COMMANDS)}")
        )
    print(f"rrmlinear {rrmlinear.__version__}")
    if "--version" not in arguments:
        lines = [f"  python -m rrmlinear.{name} (rrmlinear-{name})" for name in COMMANDS]
        texts = [training_usage(), PREDICT, CONVERT, SEQUENCES, INFO, PLAN, PLOT]
        print("\n\n".join(["\n".join(["Commands:", *lines]), *texts]))
