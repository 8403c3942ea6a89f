"""Train once and print seconds, status and trace as JSON.

python tools/bench/train_once.py DATA C BLOCK THREADS DELTA [accelerate]
"""

from __future__ import annotations

import json
import sys
import warnings

import rrmlinear


def main(data: str, cost: str, block: str, threads: str, delta: str, pace: str = "") -> None:
    warnings.simplefilter("ignore")  # an unsolved problem is told by "solved"
    parameter = rrmlinear.Parameter(
        solver=30,
        C=float(cost),
        block=block,
        threads=int(threads),
        tolerance=float(delta),
        accelerate=bool(pace),  # else the descent of the papers, head to head with others'
    )
    result = rrmlinear.fit(rrmlinear.read_libsvm(data), parameter).result
    told = {
        "cpu_seconds": result.cpu_seconds,
        "seconds": result.seconds,
        "solved": result.ended,
        "notes": result.notes,
        "trace": [row.as_dict() for row in result.trace],
    }
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
