"""The head-to-heads of the report: a command for each, and its CSV as seconds to a level."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from times import Time, read_times

TOOLS = Path(__file__).resolve().parents[2]
SDCA = TOOLS / "papers" / "004_prox_sdca" / "bench_sdca.py"
WESTON_WATKINS = TOOLS / "papers" / "003_weston_watkins" / "bench_ww.py"
ACCURACIES = TOOLS / "papers" / "003_weston_watkins" / "accuracies_ww.py"
TYPES = TOOLS / "bench" / "liblinear_types.py"
ESTIMATORS = TOOLS / "bench" / "estimators.py"
KERNELS = TOOLS / "bench" / "kernel_machines.py"
READER = TOOLS / "bench" / "files" / "reader.py"
FIELDS = TOOLS / "bench" / "structured" / "crf.py"
#: Levels of relative suboptimality: the points of a convergence curve.
LEVELS = "1e-2,1e-3,1e-4,1e-6"
#: The contestants with losses of one score: ours as users get it, and others' methods.
CONTESTANTS = (
    "rrmlinear automatic,LIBLINEAR,scikit-learn lbfgs,scikit-learn newton-cholesky,"
    "scikit-learn saga,scikit-learn Lasso,cyanure auto,snapml,skglm,celer"
)
#: Generated sets with their rows, fewer than the contest's own.
GENERATED = (("text", 20_000), ("dense", 50_000))
LASSO_ROWS = 10_000
BINARY = ("a9a", "ijcnn1", "covtype.libsvm.binary.scale", "svmguide1", "german.numer", "madelon")
#: Sets of 2 000 examples and fewer, where a training takes milliseconds: a topic of their own.
SMALL = ("german.numer", "madelon")
#: The elastic net is timed on these and on generated text.
OF_ELASTIC_NET = ("a9a", "covtype.libsvm.binary.scale")
SEVERAL = (
    "dna.scale",
    "satimage.scale",
    "letter.scale",
    "mnist.scale",
    "sector.scale",
    "pendigits",
)
#: Sets with the paper's own test part, and their names there.
OF_ACCURACIES = {
    "dna.scale": "dna",
    "satimage.scale": "satimage",
    "letter.scale": "letter",
    "sector.scale": "sector",
    "mnist.scale": "mnist",
}
#: LIBLINEAR's types are timed on these.
OF_TYPES = ("a9a", "ijcnn1", "cadata", "news20.unit", "sector.scale", "mnist.scale")
#: On these the types are timed at the default of -e alone, as LIBLINEAR takes minutes to 1e-6.
COARSE = ("news20.unit", "sector.scale", "mnist.scale")
OF_READING = ("mnist.scale", "news20")
OF_ESTIMATORS = ("a9a", "ijcnn1", "news20.unit", "sector.scale", "letter.scale", "satimage.scale")
OF_KERNELS = ("svmguide1", "breast-cancer", "satimage.scale", "pendigits")
#: The commands of --peer may take this many limits of a training.
PATIENCE = 30
#: The least seconds of a solver that a rounded time may be divided by.
LEAST_SECONDS = 1e-4


@dataclass(frozen=True)
class Accuracy:
    """Test accuracy in per cent at C = 2^power, ours and the paper's.

    Training stops at ``gap`` times the first gap; ``reached`` tells whether our run came
    so far in its seconds.
    """

    data: str
    gap: float
    power: int
    ours: float
    printed: float
    reached: bool


@dataclass(frozen=True)
class HeadToHead:
    """A command that writes a CSV, and the reader of that CSV. A topic has several."""

    topic: str
    key: str
    title: str
    command: tuple[str, ...]
    read: Callable[[Path], list[Time] | list[Accuracy]]


def plan(chosen: argparse.Namespace) -> Iterator[HeadToHead]:
    """The head-to-heads, cheap ones first, on the sets present in the folder of data."""
    pythons = [word for path in chosen.peers_python for word in ("--peers-python", path)]
    limits = ["--limit", f"{chosen.limit:g}", "--reference-limit", f"{5 * chosen.limit:g}"]
    limits += ["--runs", str(chosen.runs), "--levels", LEVELS, "--only", CONTESTANTS]
    own = {name: [name, "--rows", str(rows)] for name, rows in GENERATED}
    sets = own | {name: [data] for data, name in _present(chosen.data, BINARY)}
    for name, words in sets.items():
        yield _sdca(name, "l2", [*words, *limits, *pythons])
        if name in ("text", *OF_ELASTIC_NET):
            yield _sdca(name, "elastic-net", [*words, *limits, *pythons])
    yield _sdca("lasso", "l2", ["lasso", "--rows", str(LASSO_ROWS), *limits, *pythons])
    runs = str(chosen.runs)
    peers = [word for text in chosen.peer for word in ("--peer", text)]
    for data, name in _present(chosen.data, SEVERAL):
        words = [data, "--blocks", "knapsack", "--threads", "1", "--accelerate"]
        words += ["--runs", runs, "--limit", f"{PATIENCE * chosen.limit:g}", *peers]
        yield HeadToHead(
            "Weston–Watkins",
            f"ww-{name}",
            f"Weston–Watkins, {name}",
            (sys.executable, str(WESTON_WATKINS), *words),
            read_weston_watkins,
        )
    for _, name in _present(chosen.data, tuple(OF_ACCURACIES)):
        own = OF_ACCURACIES[name]
        yield HeadToHead(
            "Accuracy",
            f"accuracy-{own}",
            f"Accuracy beside the tables of paper 003, {own}",
            (sys.executable, str(ACCURACIES), own, "--limit", f"{chosen.limit:g}"),
            read_accuracies,
        )
    for data, name in _present(chosen.data, OF_TYPES):
        words = (data, "--runs", runs, *(["--coarse"] if name in COARSE else []))
        yield _of_times("LIBLINEAR's types", "types", name, TYPES, *words)
    for _, name in _present(chosen.data, OF_ESTIMATORS):
        words = (f", {name}", "--rounds", runs)
        yield _of_times("Estimators of scikit-learn", "estimators", name, ESTIMATORS, *words)
    for _, name in _present(chosen.data, OF_KERNELS):
        yield _of_times("Kernel machines", "kernels", name, KERNELS, name, "--rounds", runs)
    chunks = [name for _, name in _present(chosen.data, ("conll2000.train.txt",))]
    for name in ("generated", *(["conll2000"] if chunks else [])):
        words = ("--data", name, "--threads", "1")
        yield _of_times("Conditional random fields", "crf", name, FIELDS, *words)
    for data, name in _present(chosen.data, OF_READING):
        command = (sys.executable, str(READER), data, "--cpu", "--repetitions", runs)
        yield HeadToHead("Reading", f"reading-{name}", f"Reading, {name}", command, read_reading)


def _of_times(topic: str, part: str, name: str, script: Path, *words: str) -> HeadToHead:
    """A head-to-head whose script writes `times.write_times`'s CSV."""
    command = (sys.executable, str(script), *words)
    return HeadToHead(topic, f"{part}-{name}", f"{topic}, {name}", command, read_times)


def _sdca(name: str, suite: str, words: list[str]) -> HeadToHead:
    more = ", elastic net" if suite == "elastic-net" else ", small sets" if name in SMALL else ""
    topic = "Losses of one score" + more
    command = (sys.executable, str(SDCA), *words, "--suites", suite)
    return HeadToHead(topic, f"{suite}-{name}", f"{topic}, {name}", command, read_sdca)


def _present(folder: Path | None, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name in names if folder is not None else ():
        found = [path for path in (folder / name, folder / f"{name}.xz") if path.is_file()]
        if found:
            yield str(found[0]), name


def read_sdca(path: Path) -> list[Time]:
    """Times of bench_sdca.py: a row for each solver and level."""
    return [
        Time(
            Path(row["data"]).name.removesuffix(".xz"),
            row["problem"],
            row["solver"],
            float(row["level"]) if row["level"] else None,
            float(row["cpu"]) if row["cpu"] else None,
            row["why not"],
        )
        for row in _rows(path)
        if "does not solve this problem" not in row["why not"]
    ]


def read_weston_watkins(path: Path) -> list[Time]:
    """Times of bench_ww.py: the solver's seconds, or the whole process's of other commands."""
    times = []
    for row in _rows(path):
        solver_seconds = row["solver_cpu_median"]
        seconds = float(solver_seconds or row["process_cpu_median"])
        told = row["solver"] if solver_seconds else f"{row['solver']} (whole process)"
        data = Path(row["data"]).name.removesuffix(".xz")
        known = seconds if row["reached"] == "True" else None
        times.append(Time(data, f"C = {float(row['C']):g}", told, None, known))
    return times


def read_accuracies(path: Path) -> list[Accuracy]:
    """Accuracies of accuracies_ww.py."""
    return [
        Accuracy(
            row["data"],
            float(row["gap"]),
            int(row["log2 C"]),
            float(row["ours"]),
            float(row["printed"]),
            row["reached"] == "1",
        )
        for row in _rows(path)
    ]


def read_reading(path: Path) -> list[Time]:
    """Times of reader.py."""
    return [
        Time(row["file"], "LIBSVM text to arrays", row["reader"], None, float(row["seconds"]))
        for row in _rows(path)
    ]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
