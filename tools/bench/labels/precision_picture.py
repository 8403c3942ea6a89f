"""Draw docs/pictures/labels.svg, P@5 against CPU seconds of training beside LibMultiLabel:

    python tools/bench/labels/precision_picture.py docs/pictures/labels.svg --peer-python PYTHON

The set is eurlex-like, all of its labels, C = 1. LibMultiLabel trains each label (`-s 1 -B 1`, half
an hour at most) and its tree; ours train each label and a tree, to gaps of 0.1, 0.01 and 0.001,
weights below 0.01 left out. One training each, of one thread, in a process of its own. Needs
matplotlib; PYTHON is one that has LibMultiLabel.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from scipy.sparse import save_npz

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from beside_libmultilabel import choose, load, train

from rrmlinear.metrics import precision_at_k

GAPS = (1e-1, 1e-2, 1e-3)
PRUNE = 0.01
K = 5
#: What trains, its name in the picture, its colour, and the gaps that it trains to.
CURVES = {
    "rrmlinear": ("rrmlinear, each label", "#1f5fbf", GAPS),
    "rrmlinear-tree": ("rrmlinear, tree", "#6fa8dc", GAPS),
    "libmultilabel": ("LibMultiLabel, each label", "#c4561a", (0.0,)),
    "libmultilabel-tree": ("LibMultiLabel, tree", "#e8a87c", (0.0,)),
}


def points(name: str, peer: str) -> dict[str, list[tuple[float, float]]]:
    """(CPU seconds, P@5) of each program's trainings on a set."""
    arrays = load(name)
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        for which, matrix in arrays.items():
            save_npz(folder / f"{which}.npz", matrix, compressed=False)
        chosen = choose(arrays["Y"], arrays["Y"].shape[1])
        np.save(folder / "chosen.npy", chosen)
        for program, (_, _, gaps) in CURVES.items():
            for gap in gaps:
                facts = train(program, folder, peer, gap, PRUNE)
                is_whole = facts["labels"] == arrays["Y"].shape[1]
                best = facts["best"] if is_whole else chosen[facts["best"]]
                precision = precision_at_k(arrays["test_Y"], best, K)
                print(f"{program} {gap:g}: {facts['seconds']:.1f} s, P@{K} {precision:.4f}")
                found.setdefault(program, []).append((facts["seconds"], precision))
    return found


def draw(path: Path, found: dict[str, list[tuple[float, float]]]) -> None:
    """Write the picture."""
    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "rrmlinear"
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    figure, axis = plt.subplots(figsize=(7, 3.4), layout="constrained")
    for program, each in found.items():
        name, colour, gaps = CURVES[program]
        seconds, precisions = zip(*each, strict=True)
        axis.semilogx(seconds, precisions, "o-", color=colour, label=name)
        for gap, second, precision in zip(gaps, seconds, precisions, strict=True):
            if gap and program == "rrmlinear":
                axis.annotate(f"gap {gap:g}", (second, precision - 0.004), fontsize=7, va="top")
    axis.set(xlabel="CPU seconds of training, one thread", ylabel=f"P@{K} on test rows")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(FormatStrFormatter("%g"))
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.grid(alpha=0.3)
    axis.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path, help="the file to write, .svg or .png")
    parser.add_argument("--set", default="eurlex-like", help="one of beside_libmultilabel.py")
    parser.add_argument("--peer-python", default=sys.executable, metavar="FILE")
    asked = parser.parse_args()
    draw(asked.picture, points(asked.set, asked.peer_python))


if __name__ == "__main__":
    main()
