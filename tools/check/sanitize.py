"""Run the reader and kernel tests under the sanitizers: python tools/check/sanitize.py [FOLDER …]

Builds the package with AddressSanitizer and UndefinedBehaviorSanitizer (gcc) in a scratch folder.
The virtual environment there uses the packages of the running Python. Then runs the tests of the
FOLDERs of tests/, by default those that call kernels directly. --boundscheck also lets Cython check
every index of a memory view. Exit code 0: no report, and every test passed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("simd", "core", "projections", "data", "losses", "regularizers", "solvers")
TOOLS = ("meson", "ninja", "cython", "gcc", "g++")
# Run-time dispatch resolves its functions before the sanitizers are ready.
DEFINE = "-DRRM_NO_CLONES"
# A read past the end of heap memory, which the sanitizers must report.
OVERFLOW = "import ctypes; ctypes.string_at(bytes(64), 4096)"


class SanitizeError(Exception):
    """The reason why nothing was built or checked, in one sentence."""


def make_environment(folder: Path) -> tuple[Path, Path]:
    """(python, site-packages) of a new environment that sees the packages of this one.

    Folders named in a .pth file do not have their own .pth files read, so an editable install of
    the package stays out of it.
    """
    venv.create(folder, with_pip=False)
    places = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("platlib", "venv", vars=places))
    borrowed = [p for p in sys.path if Path(p).name in ("site-packages", "dist-packages")]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n")
    return folder / "bin" / "python", site


def build(scratch: Path, site: Path, boundscheck: bool) -> None:
    """Compile with the sanitizers and install into ``site``."""
    (scratch / "python.ini").write_text(f"[binaries]\npython = '{sys.executable}'\n")
    setup = [
        f"--native-file={scratch / 'python.ini'}",
        "-Db_sanitize=address,undefined",
        "-Db_lundef=false",
        "-Dbuildtype=debugoptimized",
        f"-Dc_args={DEFINE}",
        f"-Dcpp_args={DEFINE}",
        f"-Dpython.platlibdir={site}",
        f"-Dpython.purelibdir={site}",
        f"-Dboundscheck={str(boundscheck).lower()}",
    ]
    steps = (
        ["setup", str(scratch / "build"), str(ROOT), *setup],
        ["compile", "-C", str(scratch / "build")],
        ["install", "-C", str(scratch / "build"), "--no-rebuild", "--quiet"],
    )
    # The tools of an environment that is not activated lie beside its Python.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    found = {name: shutil.which(name, path=path) for name in TOOLS}
    for name, place in found.items():
        if place is None:
            raise SanitizeError(f"{name} is not on the path; the build needs it")
    for step in steps:
        done = subprocess.run(
            [str(found["meson"]), *step],
            env={**os.environ, "PATH": path, "CC": "gcc", "CXX": "g++"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise SanitizeError(f"`meson {step[0]}` failed:\n{done.stdout[-4000:]}")
    bare = [m.name for m in site.glob("rrmlinear/**/*.so") if b"__asan_" not in m.read_bytes()]
    if bare:
        raise SanitizeError(f"built without the sanitizers: {', '.join(bare)}")


def sanitized(reports: Path) -> dict[str, str]:
    """The environment variables under which the runtimes see everything, reports into a folder."""
    # libstdc++ too, or an exception thrown by C++ finds no thrower behind the interceptor.
    names = ("libasan.so", "libubsan.so", "libstdc++.so")
    libraries = [
        subprocess.check_output(["gcc", f"-print-file-name={name}"], text=True).strip()
        for name in names
    ]
    missing = [path for path in libraries if not os.path.isabs(path)]
    if missing:
        raise SanitizeError(f"gcc has no {', '.join(missing)}")
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(libraries),
        # CPython does not free all memory. Logs go to files, because pytest captures stderr.
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={reports / 'address'}",
        "UBSAN_OPTIONS": f"halt_on_error=1:print_stacktrace=1:log_path={reports / 'undefined'}",
        # For what the tests build themselves.
        "CFLAGS": f"-fsanitize=address,undefined {DEFINE}",
        # Each small object gets its own memory, so that a read beyond it is reported.
        "PYTHONMALLOC": "malloc",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def check_the_check(python: Path, environment: dict[str, str], reports: Path, site: Path) -> None:
    """SanitizeError unless a deliberate overflow is reported and the new build imported."""
    subprocess.run([python, "-c", OVERFLOW], env=environment, capture_output=True)
    made = list(reports.iterdir())
    if not any("heap-buffer-overflow" in report.read_text() for report in made):
        raise SanitizeError("an overflow made on purpose was not reported")
    for report in made:
        report.unlink()
    command = [str(python), "-c", "import rrmlinear; print(rrmlinear.__file__)"]
    place = subprocess.check_output(command, env=environment, text=True, cwd=site.parent).strip()
    if not Path(place).is_relative_to(site):
        raise SanitizeError(f"the package would be taken from {place}, not from {site}")


def run_tests(folders: list[str], scratch: Path, boundscheck: bool) -> bool:
    """Build, run, print; True where nothing was found."""
    python, site = make_environment(scratch / "environment")
    print(f"building with the sanitizers in {scratch}", flush=True)
    build(scratch, site, boundscheck)
    reports = scratch / "reports"
    reports.mkdir()
    environment = sanitized(reports)
    check_the_check(python, environment, reports, site)
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT)]
    command += ["-m", "not slow"]
    # An exception that a kernel cannot raise is only printed: make that a failure.
    command += ["-W", "error::pytest.PytestUnraisableExceptionWarning"]
    clean = True
    for folder in folders:
        print(f"\ntests/{folder}", flush=True)
        done = subprocess.run(
            [*command, str(ROOT / "tests" / folder)], env=environment, cwd=scratch
        )
        clean = clean and done.returncode == 0
    for report in sorted(reports.iterdir()):
        clean = False
        print(f"\n{report.name}\n{report.read_text()}")
    return clean


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="folders of tests/")
    parser.add_argument("--boundscheck", action="store_true", help="check memory view indices too")
    parser.add_argument("--keep", action="store_true", help="keep the scratch folder")
    chosen = parser.parse_args(arguments)
    tests = ROOT / "tests"
    folders = chosen.folders or [name for name in FOLDERS if (tests / name).is_dir()]
    unknown = [name for name in folders if not (tests / name).exists()]
    if unknown:
        parser.error(f"tests/ has no {', '.join(unknown)}")
    scratch = Path(tempfile.mkdtemp(prefix="rrmlinear-sanitize-"))
    try:
        clean = run_tests(folders, scratch, chosen.boundscheck)
    except SanitizeError as error:
        print(f"ERROR: {error}", file=sys.stderr)
        return 2
    finally:
        if not chosen.keep:
            shutil.rmtree(scratch)
    checks = "address, undefined behaviour" + (", memory view indices" * chosen.boundscheck)
    print(f"\n{'PASS' if clean else 'FAIL'}: {checks}; tests of {', '.join(folders)}")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
