"""What `rrmlinear` says without a command: the version, and what each command is for."""

from __future__ import annotations

from collections.abc import Sequence

import rrmlinear
from rrmlinear.cli.leaving import LeaveError

#: The module of each command, and what it is for.
COMMANDS = {
    "train": ("training", "train a model, and prove how good it is"),
    "predict": ("prediction", "labels or numbers of a file by a model"),
    "info": ("information", "what a data set holds, and which commands suit it"),
    "convert": ("conversion", "make a container of a data set: one file that is mapped, not read"),
    "scale": ("utilities.scaling", "features and labels into given ranges, as svm-scale does"),
    "path": ("utilities.along", "one problem for many values of C"),
    "sequences": ("attributes", "make a data set of text in columns: words and their labels"),
    "plan": ("clusters.planning", "tell how many workers a training is worth"),
    "plot": ("plotting", "draw the traces of several trainings"),
}
FIRST = """\
  rrmlinear info data
  rrmlinear train --report run.html data model
  rrmlinear predict test_data model output"""
COMPLETION = "--print-completion"


def main(arguments: Sequence[str]) -> None:
    """Print all of it; LeaveError for a word that is no command."""
    if arguments and arguments[0] == COMPLETION:
        from rrmlinear.cli.utilities.completion import script

        print(script(arguments[1] if len(arguments) > 1 else "", COMMANDS))
        return
    if arguments and arguments[0] not in ("-h", "--help", "--help-all", "--version"):
        from rrmlinear.catalog.errors import nearest

        near = nearest(arguments[0], COMMANDS)
        raise LeaveError(f"rrmlinear has no command {arguments[0]}{near}; see rrmlinear --help")
    print(f"rrmlinear {rrmlinear.__version__}")
    if "--version" not in arguments:
        print("Commands, each with -h for its options:")
        for name, (_, purpose) in COMMANDS.items():
            print(f"  rrmlinear {name:10} {purpose}")
        print(f"A first model of data, LIBSVM text or a container:\n{FIRST}")
        print(f"rrmlinear {COMPLETION} bash prints a script that completes commands and options;")
        print("zsh and tcsh have one too. python -m rrmlinear is the same as rrmlinear.")
