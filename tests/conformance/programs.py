"""LIBLINEAR's own programs, and ours, behind one face: arguments in, exit code and output out.

LIBLINEAR is the program `liblinear-train` (Debian's package liblinear-tools), the program `train`
of a folder that the environment names, and the C library of the package liblinear-official, whose
Python module is called here with the program's arguments.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec

from rrmlinear.cli.command import run


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


class Ours:
    """The commands of this package, in this process."""

    def train(self, *arguments):
        return self._run("training", arguments)

    def predict(self, *arguments):
        return self._run("prediction", arguments)

    def _run(self, command, arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(command, [str(argument) for argument in arguments])
        return Ended(code, out.getvalue(), err.getvalue())


class Program:
    """LIBLINEAR's programs."""

    name = "liblinear-tools"
    #: Types and options that version 2.3 has not.
    lacks = ("21", "-R")

    def __init__(self):
        self.trains, self.predicts = "liblinear-train", "liblinear-predict"

    def is_there(self):
        return bool(shutil.which(self.trains) and shutil.which(self.predicts))

    def train(self, *arguments):
        return self._run(self.trains, arguments)

    def predict(self, *arguments):
        return self._run(self.predicts, arguments)

    def _run(self, program, arguments):
        words = [program, *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        return Ended(done.returncode, done.stdout, done.stderr)


class BuiltProgram(Program):
    """`train` and `predict` of version 2.50, in the folder that LIBLINEAR_PROGRAMS names."""

    name = "a folder LIBLINEAR_PROGRAMS with train and predict of version 2.50"
    lacks = ()

    def __init__(self):
        folder = os.environ.get("LIBLINEAR_PROGRAMS", "")
        self.trains, self.predicts = (os.path.join(folder, name) for name in ("train", "predict"))

    def is_there(self):
        return "LIBLINEAR_PROGRAMS" in os.environ


class Library:
    """LIBLINEAR's C library by its Python module, for commands whose options are well formed."""

    name = "liblinear-official"
    lacks = ()

    def is_there(self):
        return find_spec("liblinear") is not None

    def train(self, *arguments):
        from liblinear import liblinearutil as util

        words = [str(argument) for argument in arguments]
        at = 0
        while at < len(words) and words[at].startswith("-"):
            at += 1 if words[at] in ("-q", "-C", "-R") else 2
        options, files = words[:at], words[at:]
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                y, x = util.svm_read_problem(files[0])
                model = util.train(y, x, [*options, "-q"])
            if not isinstance(model, (float, tuple)):
                path = files[1] if len(files) > 1 else os.path.basename(files[0]) + ".model"
                util.save_model(path, model)
        except OSError:
            return Ended(1, "", f"can't open input file {files[0]}\n")
        except ValueError as error:
            sentence = str(error)
            if sentence.startswith("Error: b'"):
                sentence = f"ERROR: {sentence[9:-1]}"
            return Ended(1, "", sentence + "\n")
        return Ended(0, out.getvalue(), "")

    def predict(self, *arguments):
        from liblinear import liblinearutil as util

        *options, test, path, output = [str(argument) for argument in arguments]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            model = util.load_model(path)
            y, x = util.svm_read_problem(test)
            try:
                labels, _, values = util.predict(y, x, model, " ".join(options))
            except TypeError as error:
                return Ended(1, "", f"{error}\n")
        lines = [f"{label:.17g}" for label in labels]
        if "-b 1" in " ".join(options):
            names = model.get_labels()
            lines = [
                f"{int(label)} " + " ".join(f"{value:g}" for value in row)
                for label, row in zip(labels, values, strict=True)
            ]
            lines = ["labels " + " ".join(map(str, names)), *lines]
        with open(output, "w") as file:
            file.write("".join(f"{line}\n" for line in lines))
        return Ended(0, out.getvalue().replace(" (classification)", ""), "")


def numbers_after(text, name):
    """The number after a name in output, or NaN."""
    for line in text.splitlines():
        if line.startswith(name):
            return float(line[len(name) :].split("%")[0].split("(")[0].strip(" ="))
    return math.nan
