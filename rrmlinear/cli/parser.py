"""LIBLINEAR's spelling of options, and converters of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import rrmlinear
from rrmlinear.catalog.errors import nearest
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.data.text.whole_file import STDOUT

#: Limit on the threads of a command.
MAX_THREADS = 1024
#: What letters behind a number of bytes stand for.
FACTORS = {"K": 10**3, "M": 10**6, "G": 10**9}


#: The only argument of a command that is to raise its parser.
ASKED = "--parser"


class ParserAskedError(Exception):
    """Not an error: the parser of a command that was asked for it."""

    def __init__(self, parser: Parser):
        self.parser = parser


class Option(NamedTuple):
    """Where the value of an option goes, and what it becomes."""

    dest: str
    convert: Callable[[str], Any] | None
    const: Any = True
    repeats: bool = False


class Parser:
    """LIBLINEAR's spelling of options, which argparse does not have; it takes 8 ms to import.

    Files from number ``outputs`` on are written. ``all_usage`` is the text of --help-all, where
    that of --help has the most used options alone.
    """

    def __init__(
        self,
        usage: Callable[[], str],
        outputs: int | None = None,
        all_usage: Callable[[], str] | None = None,
    ):
        self.usage, self.outputs, self.all_usage = usage, outputs, all_usage or usage
        self.options: dict[str, Option] = {}
        self.defaults: dict[str, Any] = {}
        self.flag("-h", "--help", dest="help")
        self.flag("--help-all", dest="help_all")
        self.flag("--version")
        self.flag("-q", dest="quiet")

    def flag(self, *names: str, dest: str = "", const: Any = None) -> None:
        """An option without value: True where it is given, else False; or ``const``, else None."""
        dest = dest or _name_of(names[0])
        option = Option(dest, None, True if const is None else const)
        self.options |= dict.fromkeys(names, option)
        self.defaults[dest] = False if const is None else None

    def value(
        self,
        name: str,
        dest: str = "",
        type: Callable[[str], Any] = str,
        default: Any = None,
        repeats: bool = False,
    ) -> None:
        """An option with a value; all its values where it ``repeats``."""
        dest = dest or _name_of(name)
        self.options[name] = Option(dest, type, repeats=repeats)
        self.defaults[dest] = [] if repeats else default

    def parse(self, arguments: Sequence[str]) -> tuple[SimpleNamespace, list[str]]:
        """(options, files), or LeaveError for --help, --version, no or wrong arguments."""
        if list(arguments) == [ASKED]:
            raise ParserAskedError(self)
        if not arguments:
            raise LeaveError("no arguments are given", self.usage())
        given, files = self._split(arguments)
        found = dict(self.defaults)
        for option, text in given:
            value = option.const if option.convert is None else option.convert(text)
            found[option.dest] = [*found[option.dest], value] if option.repeats else value
        options = SimpleNamespace(**found)
        if options.help:
            raise LeaveError(output=self.usage(), exit_code=0)
        if options.help_all:
            raise LeaveError(output=self.all_usage(), exit_code=0)
        if options.version:
            raise LeaveError(output=f"rrmlinear {rrmlinear.__version__}", exit_code=0)
        return options, files

    def check_files(self, files: Sequence[str], names: Sequence[str], told: str) -> None:
        """Raise LeaveError unless there is a file for each name; ``told`` says all that belong."""
        if len(files) < len(names):
            raise self.wrong(f"no {names[len(files)]} is given")
        if len(files) > len(names):
            raise self.wrong(f"{files[len(names)]} is one file too many: {told} are named")

    def refuse(self, flags: Mapping[str, Any], told: str) -> None:
        """Raise LeaveError for the first of these flags, by their values, that is given."""
        for flag, value in flags.items():
            if value is not None and value is not False:
                raise self.wrong(f"{flag} {told}")

    def wrong(self, message: str) -> LeaveError:
        """The error for a wrong command."""
        return LeaveError(f"{message}; see --help")

    def _split(self, arguments: Sequence[str]) -> tuple[list[tuple[Option, str]], list[str]]:
        """Options, each with the text of its value, and the arguments after them.

        Options end at the first argument without - (or - alone, or after --). Of those with one -
        only the second character counts, and -wi, whose i is 1 …, has the value i:weight.
        """
        options: list[tuple[Option, str]] = []
        at = 0
        while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
            argument = arguments[at]
            at += 1
            if argument == "--":
                return options, list(arguments[at:])
            if argument.startswith("--"):
                name, equals, value = argument.partition("=")
            else:
                name, equals, value = argument[:2], "", ""
            option = self._option(name, argument)
            if option.convert is None:
                if equals:
                    raise self.wrong(f"{name} takes no value, and {value!r} is given")
                options.append((option, ""))
                continue
            if not equals:
                behind = "" if name == "-w" or name == argument else argument[2:].removeprefix("=")
                if _is_number(behind) and not _is_number("".join(arguments[at : at + 1])):
                    raise self.wrong(f"{argument} needs a space: write {name} {behind}")
                if at == len(arguments):
                    raise self.wrong(f"{argument} needs a value")
                value = arguments[at]
                at += 1
            options.append((option, f"{argument[2:]}:{value}" if name == "-w" else value))
        files = list(arguments[at:])
        if "" in files:
            raise self.wrong("the name of a file is empty")
        for at, file in enumerate(files[1:], 1):
            if file == "-":
                if self.outputs is None or at < self.outputs:
                    raise self.wrong("- is standard input, and only the first file can be it")
                files[at] = STDOUT
            elif file.startswith("-"):
                raise self.wrong(f"{file} stands after a file; options come first")
        return options, files

    def _option(self, name: str, argument: str) -> Option:
        """The option of this name, as it is spelled in an argument."""
        option, long = self.options.get(name), f"-{argument}"
        if long in self.options and option != self.options[long]:
            raise self.wrong(f"unknown option: {argument} (did you mean {long}?)")
        if option is None:
            raise self.wrong(f"unknown option: {name}{self._near(name)}")
        return option

    def _near(self, name: str) -> str:
        """The option that is meant: by what it sets, its beginning or its letters."""
        word = _name_of(name)
        meant = [each for each, option in self.options.items() if option.dest == word]
        meant += [each for each in self.options if each.startswith(name) or each == f"-{word}"]
        return f" (did you mean {meant[0]}?)" if meant else nearest(name, self.options)


def _name_of(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _is_number(text: str) -> bool:
    try:
        real_number(text)
    except ValueError:
        return False
    return True


def whole_number(text: str) -> int:
    """The number that a text is, or a ValueError; Python's 1_000 is none."""
    return int(text.replace("_", "x"))


def real_number(text: str) -> float:
    """As `whole_number`, of numbers with fractions."""
    return float(text.replace("_", "x"))


def whole(name: str, least: int | None = None, most: int | None = None) -> Callable[[str], int]:
    """The converter of whole numbers within bounds; it raises LeaveError for other text."""
    allowed = "" if least is None else f" of at least {least}"
    allowed += "" if most is None else f" and at most {most}"

    def convert(text: str) -> int:
        try:
            value = whole_number(text)
        except ValueError:
            value = None
        if (
            value is None
            or (least is not None and value < least)
            or (most is not None and value > most)
        ):
            raise LeaveError(f"ERROR: {name} takes a whole number{allowed}, not {text!r}")
        return value

    return convert


def number(name: str) -> Callable[[str], float]:
    """The converter of finite numbers; it raises LeaveError for other text."""

    def convert(text: str) -> float:
        try:
            value = real_number(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise LeaveError(f"ERROR: {name} takes a finite number, not {text!r}")
        return value

    return convert


def size(name: str) -> Callable[[str], int]:
    """The converter of numbers of bytes, with K, M or G behind for powers of 1000.

    It raises LeaveError for other text, and for less than a byte.
    """

    def convert(text: str) -> int:
        factor = FACTORS.get(text[-1:].upper(), 1)
        try:
            value = real_number(text if factor == 1 else text[:-1])
        except ValueError:
            value = math.nan
        if not 1 <= factor * value < math.inf:
            raise LeaveError(f"ERROR: {name} takes a number of bytes such as 500M, not {text!r}")
        return int(factor * value)

    return convert


def output(text: str) -> str:
    """The name of a file to write, in which - stands for standard output."""
    return STDOUT if text == "-" else text


def choice(name: str, choices: Sequence[str]) -> Callable[[str], str]:
    """The converter of names out of a list; it raises LeaveError for other text."""

    def convert(text: str) -> str:
        if text not in choices:
            told = f"not {text!r}{nearest(text, choices)}"
            raise LeaveError(f"ERROR: {name} takes one of {', '.join(choices)}, {told}")
        return text

    convert.choices = choices  # type: ignore[attr-defined]
    return convert


def class_weight(text: str) -> tuple[str | int, float]:
    """The label and the factor of -wi factor, which comes as ``i:factor``."""
    label, _, factor = text.partition(":")
    if not label:
        raise LeaveError("ERROR: -w needs a label behind it, as in -w1 2")
    return name_or_whole(label), number(f"-w{label}")(factor)


def name_or_whole(text: str) -> str | int:
    """A whole number, or a name."""
    try:
        return whole_number(text)
    except ValueError:
        return text
