"""Translate all Cython modules, in a process for each of a few cores.

    python tools/build/translate.py list               print modules, declarations and caches
    python tools/build/translate.py FOLDER OPTION...   write the C files that are out of date

Cython takes half a second to start and a fifth of one for a module, so meson.build runs this once.
A C file is out of date where it is older than a file that it was made from (Cython names these in a
``.dep`` file beside it), or where Cython or an option has changed. Modules whose first line is
``# distutils: language = c++`` become C++.
"""

from __future__ import annotations

import gc
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "rrmlinear"
CPLUSPLUS = "# distutils: language = c++"
#: How far gcc optimizes sections of a C file. Types and conversions have no loops: -O1 compiles
#: them in half the time of -O2, into less code. What starts the module runs once: -O0 will do.
SECTIONS = {"module_exttypes": "O1", "init_module": "O0", "utility_code_pragmas": "O1"}
HEADING = "/* #### Code section: {} ### */"
LEVEL = """#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("{}")
#endif
"""
#: More would wait for the compiler, which has the other cores.
MOST_PROCESSES = 4


def find_modules() -> dict[Path, str]:
    """The names of the C files by the modules they are made from."""
    names = {}
    for source in sorted(PACKAGE.rglob("*.pyx")):
        with source.open(encoding="utf-8") as file:
            suffix = ".cpp" if file.readline().strip() == CPLUSPLUS else ".c"
        names[source] = ".".join(source.relative_to(TOP).with_suffix("").parts) + suffix
    return names


def list_files() -> None:
    """Print modules with their C files, declarations, and folders of bytecode, for meson.build."""
    for source, name in find_modules().items():
        print(source.relative_to(PACKAGE).as_posix(), name)
    for declaration in sorted(PACKAGE.rglob("*.pxd")):
        print(declaration.relative_to(PACKAGE).as_posix())
    for folder in sorted({source.parent for source in PACKAGE.rglob("*.py")}):
        print((folder.relative_to(PACKAGE) / "__pycache__").as_posix())


def is_current(target: Path) -> bool:
    """Whether a C file is there and no older than all it was made from."""
    dependencies = target.with_name(target.name + ".dep")
    if not target.exists() or not dependencies.exists():
        return False
    written = target.stat().st_mtime_ns
    names = dependencies.read_text(encoding="utf-8").split(":", 1)[1].replace("\\\n", " ").split()
    return all(Path(name).exists() and Path(name).stat().st_mtime_ns <= written for name in names)


def translate(folder: Path, options: list[str]) -> bool:
    """Write the C files that are out of date; False where one has an error, which is printed."""
    import Cython

    settings = folder / "translate.options"
    described = "\n".join([Cython.__version__, repr(SECTIONS), *options])
    if not settings.exists() or settings.read_text(encoding="utf-8") != described:
        for dependencies in folder.glob("*.dep"):
            dependencies.unlink()
        settings.write_text(described, encoding="utf-8")
    tasks = [
        (source, folder / name, options)
        for source, name in find_modules().items()
        if not is_current(folder / name)
    ]
    if len(tasks) <= 1:
        return all(map(translate_one, tasks))
    # Processes forked after the first module have Cython loaded, which takes a second. Garbage is
    # not looked for: Cython's trees live long, and all modules leave 0.7 GB to all processes.
    first, *others = tasks
    fine = translate_one(first)
    processes = min(len(others), os.cpu_count() or 1, MOST_PROCESSES)
    with ProcessPoolExecutor(processes, initializer=gc.disable) as pool:
        return all(pool.map(translate_one, others)) and fine


def translate_one(task: tuple[Path, Path, list[str]]) -> bool:
    """Write one C file; False where the module has an error, which is printed."""
    from Cython.Compiler.CmdLine import parse_command_line
    from Cython.Compiler.Main import compile_single

    source, target, options = task
    parsed, _ = parse_command_line(["-M", *options, "-o", str(target), str(source)])
    parsed.cplus = target.suffix == ".cpp"
    if compile_single(str(source), parsed, None).num_errors:
        return False
    text = target.read_text(encoding="utf-8")
    for section, level in SECTIONS.items():
        heading = HEADING.format(section)
        text = text.replace(heading, LEVEL.format(level) + heading)
    target.write_text(text, encoding="utf-8")
    return True


if __name__ == "__main__":
    gc.disable()
    if sys.argv[1:] == ["list"]:
        list_files()
    else:
        sys.exit(not translate(Path(sys.argv[1]), sys.argv[2:]))
