"""What `python -m rrmlinear` says: the version, and what each command is for."""

from __future__ import annotations

from collections.abc import Sequence

import rrmlinear
from rrmlinear.cli.leaving import LeaveError

COMMANDS = {
    "train": "train a model, and prove how good it is",
    "predict": "labels or numbers of a file by a model",
    "info": "what a data set holds, and which commands suit it",
    "convert": "make a container of a data set: one file that is mapped instead of read",
    "sequences": "make a data set of text in columns: words and their labels",
    "plan": "tell how many workers a training is worth",
    "plot": "draw the traces of several trainings",
}
FIRST = """\
  python -m rrmlinear.info data
  python -m rrmlinear.train --report run.html data model
  python -m rrmlinear.predict test_data model output"""


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
        print("Commands, each with -h for its options:")
        for name, purpose in COMMANDS.items():
            print(f"  python -m rrmlinear.{name:10} {purpose}")
        print(f"A first model of data, LIBSVM text or a container:\n{FIRST}")
        print("rrmlinear-train is a short name of python -m rrmlinear.train, and so on.")
