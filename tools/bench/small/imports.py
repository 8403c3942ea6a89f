"""Seconds of importing a class, and bytes of ONNX files:

python tools/bench/small/imports.py [--rounds 9]

Each import is a fresh process whose modules are compiled already: CPU seconds, taken in turns,
medians. Our classes are scikit-learn's estimators, so that they import `sklearn.base`; the function
`rrmlinear.fit` and the commands do not. The files have float32, beside the weights alone.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PEER = "from sklearn.svm import LinearSVC"
IMPORTS = (
    "import rrmlinear; rrmlinear.LinearSVC",
    "import rrmlinear; rrmlinear.fit",
    "import sklearn.base",
    "import numpy",
    PEER,
)
#: With it Python would compile all modules anew.
NO_FILES = "PYTHONDONTWRITEBYTECODE"
#: Classes and features.
SHAPES = ((2, 1_000), (10, 10_000), (20, 60_000))


def seconds(code):
    """CPU seconds of a process that runs the code, its start among them."""
    environment = {name: text for name, text in os.environ.items() if name != NO_FILES}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_imports(rounds):
    """Medians, and each as a part of scikit-learn's."""
    found = {code: [] for code in IMPORTS}
    for _ in range(rounds + 1):
        for code, times in found.items():
            times.append(seconds(code))
    medians = {code: statistics.median(times[1:]) for code, times in found.items()}
    print("| import | CPU seconds | part of scikit-learn's |\n| --- | --- | --- |")
    for code, median in medians.items():
        print(f"| `{code}` | {median:.2f} | {median / medians[PEER]:.2f} |")


def print_files():
    """Bytes of the ONNX files of classifiers, and of their weights."""
    from sklearn.datasets import make_classification

    from rrmlinear import LinearSVC

    print(
        "\n| classes × features | weights, bytes | ONNX, bytes | times |\n| --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory() as folder:
        for k, d in SHAPES:
            X, y = make_classification(100, d, n_informative=9, n_classes=k, random_state=0)
            model = LinearSVC(max_iter=1).fit(X, y)
            path = Path(folder, "model.onnx")
            model.to_onnx(path)
            weights = np.size(model.coef_) * 4
            size = path.stat().st_size
            shape = f"{len(np.atleast_2d(model.coef_))} × {d}"
            print(f"| {shape} | {weights} | {size} | {size / weights:.3f} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    print_imports(parser.parse_args().rounds)
    print_files()
