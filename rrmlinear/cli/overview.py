"""`rrmlinear` without a command: the version and what each command is for; completion in shells."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from importlib import import_module

import rrmlinear
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import ASKED, Option, Parser, ParserAskedError

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


SHELLS = ("bash", "zsh", "tcsh")
#: Whole words of options that take values from a list; help and version are added for all.
COMMON = ("-h", "--help")


def script(shell: str, known: Mapping[str, tuple[str, str]]) -> str:
    """The script of a shell for commands, each with its module and purpose.

    Raises LeaveError for other shells, and where shtab is missing.
    """
    if shell not in SHELLS:
        raise LeaveError(f"--print-completion takes one of {', '.join(SHELLS)}, not {shell!r}")
    try:
        import shtab
    except ImportError:
        raise LeaveError("completion needs shtab: pip install 'rrmlinear[completion]'") from None
    made = argparse.ArgumentParser("rrmlinear")
    commands = made.add_subparsers()
    for name, (module, purpose) in known.items():
        command = commands.add_parser(name, help=purpose)
        for flag, option in _parser_of(module).options.items():
            if flag not in COMMON:
                _add(command, flag, option)
        command.add_argument("file", nargs="*").complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(made, shell=shell))


def _parser_of(module: str) -> Parser:
    """The parser of a command, which it makes before it does anything else."""
    try:
        import_module(f"rrmlinear.cli.{module}").main([ASKED])
    except ParserAskedError as asked:
        return asked.parser
    raise AssertionError(f"{module} has no parser")


def _add(command: argparse.ArgumentParser, flag: str, option: Option) -> None:
    if option.convert is None:
        command.add_argument(flag, dest=flag, action="store_true")
        return
    known = getattr(option.convert, "choices", None)
    made = command.add_argument(flag, dest=flag, choices=known)
    if known is None and option.convert is str:
        import shtab

        made.complete = shtab.FILE  # type: ignore[attr-defined]
