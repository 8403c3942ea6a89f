"""The process of one solver on one problem, and the files it reads the data from."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from problem_sets import Task

WORKER = Path(__file__).with_name("worker.py")
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMBA", "BLIS", "VECLIB_MAXIMUM")
START_LIMIT = 300.0  # seconds to load, convert and compile


class UnfitError(Exception):
    """Why a solver is not among the contestants."""


class TooSlowError(Exception):
    """A training took longer than the limit."""


@dataclass(frozen=True)
class Files:
    """Where the workers find the data."""

    data: Path
    labels: Path

    @classmethod
    def write(cls, folder: Path, X: Any, y: Any) -> Files:
        from scipy.sparse import csr_matrix, issparse, save_npz

        data = folder / ("X.npz" if issparse(X) else "X.npy")
        if issparse(X):
            save_npz(data, csr_matrix(X), compressed=False)
        else:
            np.save(data, X)
        np.save(folder / "y.npy", y)
        return cls(data, folder / "y.npy")


class Worker:
    """One process with one solver on one problem."""

    def __init__(self, python: str, solver: str, files: Files, task: Task) -> None:
        environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in THREADS}}
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the process
        self.process = subprocess.Popen(
            [python, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env=environment,
        )
        self.weights = files.data.with_name(f"w{self.process.pid}.npy")
        request = {"solver": solver, "data": str(files.data), "labels": str(files.labels)}
        try:
            answer = self._ask({**request, "task": asdict(task)}, START_LIMIT)
        except TooSlowError:
            raise UnfitError(f"took over {START_LIMIT:g} s to load") from None
        if answer["unfit"]:
            self.close()
            raise UnfitError(answer["unfit"])

    def train(self, effort: int, limit: float) -> tuple[float, Any]:
        """(CPU seconds, weights)."""
        answer = self._ask({"effort": effort, "weights": str(self.weights)}, limit)
        if "failed" in answer:
            raise UnfitError(answer["failed"])
        return answer["cpu"], np.load(self.weights)

    def _ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            ready, _, _ = select.select([self.process.stdout], [], [], limit)
            if not ready:
                self.close()
                raise TooSlowError
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            self.errors.seek(0)
            said = self.errors.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise UnfitError(f"its process ended: {said[-1] if said else 'without a word'}")
        return json.loads(line)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.errors):
            if stream is not None:
                with suppress(BrokenPipeError):  # what was not sent yet
                    stream.close()
