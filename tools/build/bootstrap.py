"""Build rrmlinear in a virtual environment of its own, then show it at work or test it.

    python3 tools/build/bootstrap.py demo   build, train on half of the digits, predict the other
    python3 tools/build/bootstrap.py test   build, then run the tests (more arguments go to pytest)
    python3 tools/build/bootstrap.py lint   build, then run the linters and the type checker
    python3 tools/build/bootstrap.py docs   build, then write the manual (--fast: examples not run)

Needs Python 3.11 or newer with venv, a C and a C++ compiler, and a package index for pip. Every
command is printed before it runs. A second run finds the environment ready and builds again only
what has changed.

The package is installed in editable form: a changed source is compiled when it is next imported.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import packages

TOP = Path(__file__).resolve().parents[2]
DATA = "datasets/digits.libsvm"
PARALLEL = ("-n", "auto", "--maxprocesses", "8")
# Seconds between signs of life of a build, in a terminal and elsewhere.
LIVE_SECONDS, QUIET_SECONDS = 0.2, 10.0
LINTERS = (
    ("ruff", "check"),
    ("ruff", "format", "--check"),
    ("cython-lint", "rrmlinear"),
    ("codespell",),
    ("mypy",),
)


class SetupError(Exception):
    """A missing part of this machine, and the remedy."""


class Environment:
    """A virtual environment with the package built inside it, in its folder ``build``."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.programs = folder / "bin"
        self.stamp = folder / "rrmlinear-installed"

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of this environment at the top of the repository, saying so first."""
        self._start([str(self.programs / program), *arguments])

    def pip(self, *arguments: str, builds: bool = False) -> None:
        """Install packages; what builds shows how far it is, and its lines only where it fails."""
        command = packages.install_command(str(self.programs / "python"))
        self._start([*command, *arguments], builds, packages.is_compiled())

    def _start(self, command: list[str], builds: bool = False, compiled: bool = False) -> None:
        """Run a command; a compiled one has its bytecode, and need not make it again."""
        words = [word.removeprefix(f"{TOP}{os.sep}") for word in command]
        print("$", shlex.join(words).replace(sys.executable, "python3", 1), flush=True)
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        # Builds find ninja on this path, and cython-lint finds pycodestyle.
        variables["PATH"] = f"{self.programs}{os.pathsep}{variables.get('PATH', os.defpath)}"
        # A build on import prints what it compiles.
        variables["MESONPY_EDITABLE_VERBOSE"] = "1"
        # Hundreds of processes import the same sources, which Python compiles once, and in a folder
        # of its own: PYTHONDONTWRITEBYTECODE keeps the folders of sources clean.
        variables.pop("PYTHONDONTWRITEBYTECODE", None)
        if not compiled:
            variables["PYTHONPYCACHEPREFIX"] = str(self.folder / "bytecode")
        (_build if builds else _run)(command, variables)

    def prepare(self, *extras: str) -> None:
        """Create the environment and install the package, unless that is done."""
        if not self.stamp.exists():
            self._create()
        wanted = self._fingerprint()
        fingerprint, *installed = self.stamp.read_text().split() or [""]
        if fingerprint == wanted and set(extras) <= set(installed):
            return
        if fingerprint == wanted:
            extras = tuple(sorted({*extras, *installed}))
        self._install(extras)
        self.stamp.write_text(" ".join([wanted, *extras]))

    def _create(self) -> None:
        if self.folder.exists() and not (self.folder / "pyvenv.cfg").exists():
            raise SetupError(f"{_shown(self.folder)} is there and is no virtual environment")
        # It takes four seconds to make a pip: one that is there installs another beside the build.
        options = ["--without-pip"] if packages.find_pip() else []
        print("$", shlex.join(["python3", "-m", "venv", *options, _shown(self.folder)]), flush=True)
        command = [sys.executable, "-m", "venv", *options, str(self.folder)]
        if subprocess.run(command, check=False).returncode:
            raise SetupError(
                "Python cannot create virtual environments here; on Debian and Ubuntu install the "
                f"package python3.{sys.version_info.minor}-venv"
            )
        self.stamp.touch()

    def _install(self, extras: tuple[str, ...]) -> None:
        import tomllib

        _find_compilers()
        described = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
        build = f"--config-settings=build-dir={_shown(self.folder / 'build')}"
        options = ("--verbose", "--no-deps", "--no-build-isolation", build, "--editable", ".")
        project, tools = described["project"], described["build-system"]["requires"]
        # Packages are fetched and unpacked beside; those for extras may be tools of the build too.
        with ThreadPoolExecutor(1) as beside:
            needed = [*packages.requirements(project, ()), *packages.PIP]
            fetched = [beside.submit(self.pip, "--quiet", *needed)]
            self.pip("--quiet", *tools, "ninja")
            if extras:
                needed = packages.requirements(project, extras)
                fetched.append(beside.submit(self.pip, "--quiet", *needed))
            self.pip(*options, builds=True)
            for one in fetched:
                one.result()

    def _fingerprint(self) -> str:
        """Changes with the environment's Python, the repository's place and pyproject.toml."""
        python, project = self.folder / "pyvenv.cfg", TOP / "pyproject.toml"
        text = "\n".join([python.read_text(), str(TOP), project.read_text()])
        return hashlib.sha256(text.encode()).hexdigest()


def _run(command: list[str], variables: dict[str, str]) -> None:
    subprocess.run(command, cwd=TOP, env=variables, check=True)


def _build(command: list[str], variables: dict[str, str]) -> None:
    """Run a command that builds: of its lines only ninja's [12/179] are shown, some of them."""
    live = sys.stdout.isatty()
    lines, shown = [], 0.0
    with subprocess.Popen(
        command, cwd=TOP, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            step = re.match(r"\s*\[(\d+)/(\d+)\] (.*)", line)
            if step is None or time.monotonic() < shown + (LIVE_SECONDS if live else QUIET_SECONDS):
                continue
            done = f"[{step[1]}/{step[2]}] {Path(step[3].split()[-1]).name}"
            print(f"\r{done:<70.70}" if live else f"  {done}", end="" if live else "\n", flush=True)
            shown = time.monotonic()
    if live:
        print(f"\r{'':<70}\r", end="")
    if process.returncode:
        print("".join(lines), end="")
        raise subprocess.CalledProcessError(process.returncode, command)


def _find_compilers() -> None:
    for language, variable, names in (
        ("C", "CC", ("cc", "gcc", "clang")),
        ("C++", "CXX", ("c++", "g++", "clang++")),
    ):
        if variable not in os.environ and not any(map(shutil.which, names)):
            raise SetupError(
                f"there is no {language} compiler (looked for {', '.join(names)}): install gcc and "
                f"g++, or name one in the environment variable {variable}"
            )


def _shown(path: Path) -> str:
    """A path as one types it at the top of the repository."""
    return str(path.relative_to(TOP)) if path.is_relative_to(TOP) else str(path)


def demo(environment: Environment) -> None:
    """Train on one half of the digits and predict the other."""
    environment.prepare()
    environment.run("python", "-m", "rrmlinear.train", "-s", "30", "-c", "1", DATA, "digits.model")
    environment.run(
        "python", "-m", "rrmlinear.predict", f"{DATA}.t", "digits.model", "digits.output"
    )


def test(environment: Environment, arguments: list[str]) -> None:
    """Run the tests, a process for each core; ``-n 0`` among the arguments makes it one process."""
    environment.prepare("test", "docs")
    environment.run("python", "-m", "pytest", *PARALLEL, *arguments)


def lint(environment: Environment) -> None:
    """Run the linters and the type checker."""
    environment.prepare("lint")
    for linter in LINTERS:
        environment.run(*linter)


def docs(environment: Environment, arguments: list[str]) -> None:
    """Write the manual into build/manual, or the folder among the arguments."""
    environment.prepare("docs")
    environment.run("python", str(Path(__file__).with_name("manual.py")), *arguments)


def main() -> int:
    """Run the task; the exit code is that of the failed command, 1 for a SetupError."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=["demo", "test", "lint", "docs"])
    parser.add_argument(
        "--environment",
        type=Path,
        default=TOP / ".venv",
        metavar="FOLDER",
        help="the virtual environment, created where it is not there (default: .venv)",
    )
    options, others = parser.parse_known_args()
    if others and options.task not in ("test", "docs"):
        parser.error(f"{options.task} takes no further arguments, got {shlex.join(others)}")
    begin = time.perf_counter()
    try:
        if sys.version_info < (3, 11):  # noqa: UP036  (an older Python gets this sentence)
            raise SetupError(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
        environment = Environment(options.environment.absolute())
        if options.task == "demo":
            demo(environment)
        elif options.task == "test":
            test(environment, others)
        elif options.task == "docs":
            docs(environment, others)
        else:
            lint(environment)
    except SetupError as error:
        print(f"bootstrap: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"bootstrap: that command failed with code {error.returncode}", file=sys.stderr)
        return error.returncode if error.returncode > 0 else 1
    except KeyboardInterrupt:
        return 130
    print(f"bootstrap: {options.task} done in {time.perf_counter() - begin:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
