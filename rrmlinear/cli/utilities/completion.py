"""The script that completes the commands, their options and files in a shell, made by shtab."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module

from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.parser import ASKED, Option, Parser, ParserAskedError

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
