"""Fuzz rrmlinear's model loader: python tools/check/fuzz_model.py --inputs 100000 --seed 1

Every input is a valid model file, damaged in random places. It must load as a model that keeps its
promises and is the same once saved and loaded again, or be refused by ModelFileError.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from rrmlinear.catalog.losses import LOSSES
from rrmlinear.training.model import Model
from rrmlinear.training.model_files.header import ModelFileError
from rrmlinear.training.model_files.writing import save_model

BYTES = b"0123456789+-.eEnaif wxb \t\r\n\v\0\xff[]"
TOKENS = [b"", b"0", b"1", b"-1", b"2", b"3", b"+4", b"1e400", b"1e-400", b"5e-324", b"nan", b"inf"]
TOKENS += [b"-infinity", b"0x1p3", b"1_0", b"1.5", b".5", b"1e5", b"2147483648", b"-2147483647"]
TOKENS += [b"99999999999999999999", b"1000000000000", b"281474976710657", b"w", b"label", b"bias"]
TOKENS += [b"MCSVM_WW", b"MCSVM_WW_Shark", b"MCSVM_CS", b"solver_type", b"nr_class", b"rho", b"\n"]
TOKENS += [b"SDCA", b"L2R_LR", b"L2R_L2LOSS_SVR", b"loss", b"hinge", b"squared", b"weston-watkins"]
TYPES = [("MCSVM_WW", "weston-watkins"), ("MCSVM_WW_Shark", "weston-watkins"), ("SDCA", "hinge")]
TYPES += [("SDCA", "logistic"), ("SDCA", "huber"), ("SDCA", "weston-watkins")]
TYPES += [("L2R_L1LOSS_SVC_DUAL", "hinge"), ("L2R_L2LOSS_SVR", "squared-epsilon-insensitive")]


def valid_file(chance: random.Random) -> bytes:
    """The text of a small model."""
    classes, features = chance.randint(2, 4), chance.randint(1, 4)
    labels = chance.sample([-7, -1, 0, 1, 2, 3, 2**31 - 1], classes)
    bias = chance.choice([-1, -1, 1, 0.1])
    solver, loss = chance.choice(TYPES)
    kind = LOSSES[loss].kind
    if kind == "regression":
        classes = 2
    columns = 1 if kind == "regression" or (kind == "binary" and classes == 2) else classes
    lines = [
        f"solver_type {solver}",
        *([f"loss {loss}"] if solver == "SDCA" else []),
        f"nr_class {classes}",
        *(["label " + " ".join(map(str, labels))] if kind != "regression" else []),
        f"nr_feature {features}",
        f"bias {bias:.17g}",
        "w",
    ]
    for _ in range(features + (bias >= 0)):
        numbers = (chance.gauss(0, 1) * 10.0 ** chance.randint(-20, 20) for _ in range(columns))
        lines.append("".join(f"{number:.17g} " for number in numbers))
    return ("\n".join(lines) + "\n").encode()


def damaged(text: bytes, chance: random.Random) -> bytes:
    """The text with up to four random changes of bytes, tokens or lines."""
    for _ in range(chance.randint(0, 4)):
        kind = chance.randrange(10)
        at = chance.randrange(len(text) + 1)
        if kind == 0:
            text = text[:at] + bytes([chance.choice(BYTES)]) + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + bytes([chance.choice(BYTES)]) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at + chance.randint(1, 3) :]
        elif kind == 3:
            text = text[:at]
        elif kind == 4:
            tokens = text.split(b" ")
            tokens[chance.randrange(len(tokens))] = chance.choice(TOKENS)
            text = b" ".join(tokens)
        elif kind == 8:
            text = text.replace(b"\n", chance.choice([b"\r", b"\r\n", b"\n\r", b"\n\n"]))
        elif kind == 9:
            tokens = text.split(b" ")
            del tokens[chance.randrange(len(tokens))]
            text = b" ".join(tokens)
        else:
            lines = text.split(b"\n")
            one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
            if kind == 5:
                lines[one], lines[other] = lines[other], lines[one]
            elif kind == 6:
                lines.insert(one, lines[other])
            else:
                del lines[one]
            text = b"\n".join(lines)
    return text


def load(path: Path) -> Model | None:
    """The model, its promises checked; None where it is refused."""
    try:
        model = Model.load(path)
    except ModelFileError as error:
        if str(path) not in str(error):
            raise
        return None
    rows = model.n_features + (model.bias >= 0)
    assert model.loss in LOSSES, model
    kind, classes = LOSSES[model.loss].kind, len(model.labels)
    one = kind in ("regression", "measure") or (kind == "binary" and classes == 2)
    columns = 1 if one else classes
    assert model.weights.shape == (rows, columns), model
    assert np.isfinite(model.weights).all(), model
    assert model.is_regression == (kind == "regression"), model
    assert model.is_regression or len(set(model.labels.tolist())) == classes >= 2, model
    return model


def check(text: bytes, path: Path) -> bool:
    """Whether the text is a model; AssertionError where a promise is broken."""
    path.write_bytes(text)
    model = load(path)
    if model is None:
        return False
    save_model(model, path)
    again = load(path)
    assert again is not None
    assert again.weights.tobytes() == model.weights.tobytes()
    assert again.labels.tolist() == model.labels.tolist()
    kept = (model.bias, model.solver_name, model.loss)
    assert (again.bias, again.solver_name, again.loss) == kept
    return True


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    loaded, begin = 0, time.perf_counter()
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # disks would take most of the time
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        path = Path(folder) / "model"
        for number in range(options.inputs):
            text = damaged(valid_file(chance), chance)
            try:
                loaded += check(text, path)
            except Exception:
                print(f"input {number} of seed {options.seed}: {text!r}", file=sys.stderr)
                raise
    seconds = time.perf_counter() - begin
    refused = options.inputs - loaded
    print(f"{options.inputs} files: {loaded} loaded, {refused} refused, {seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
