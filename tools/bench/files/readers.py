"""Seconds of reading .h5ad, .mtx, .csv and .parquet into a Problem, beside the packages of the
formats: anndata, fast_matrix_market, pyarrow.

python tools/bench/files/readers.py [--rounds 5]

Both sides end with a matrix of rows in memory: anndata's X in CSR, fast_matrix_market's triplets as
CSR, pyarrow's table, and its columns as one array of NumPy. CPU seconds, interleaved, medians.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from rrmlinear import Problem


def written(folder):
    """Files of each format in a folder, and the calls that read them: (ours, theirs)."""
    import anndata
    import fast_matrix_market
    import pandas
    import pyarrow
    from pyarrow import csv, parquet

    rng = np.random.default_rng(0)
    X = sparse.random_array((20_000, 5_000), density=0.05, rng=rng, format="csr", dtype=np.float32)
    kinds = rng.choice(["B", "T", "NK"], 20_000)
    cells = anndata.AnnData(sparse.csr_matrix(X), pandas.DataFrame({"kind": kinds}))
    cells.write_h5ad(folder / "c.h5ad")
    fast_matrix_market.mmwrite(folder / "c.mtx", X)
    np.save(folder / "y.npy", rng.integers(0, 3, 20_000))
    columns = {f"x{k}": rng.normal(size=200_000) for k in range(30)}
    table = pyarrow.table(columns | {"y": rng.integers(0, 2, 200_000)})
    csv.write_csv(table, folder / "t.csv")
    parquet.write_table(table, folder / "t.parquet")

    def array_of(read):
        found = read()
        return np.column_stack([column.to_numpy() for column in found.columns])

    y = str(folder / "y.npy")
    return {
        ".h5ad, anndata": (
            lambda: Problem.open(folder / "c.h5ad", labels="obs:kind"),
            lambda: anndata.read_h5ad(folder / "c.h5ad"),
        ),
        ".mtx, fast_matrix_market": (
            lambda: Problem.open(folder / "c.mtx", labels=y),
            lambda: fast_matrix_market.mmread(folder / "c.mtx").tocsr(),
        ),
        ".csv, pyarrow": (
            lambda: Problem.open(folder / "t.csv"),
            lambda: csv.read_csv(folder / "t.csv"),
        ),
        ".csv, pyarrow to NumPy": (
            lambda: Problem.open(folder / "t.csv"),
            lambda: array_of(lambda: csv.read_csv(folder / "t.csv")),
        ),
        ".parquet, pyarrow to NumPy": (
            lambda: Problem.open(folder / "t.parquet"),
            lambda: array_of(lambda: parquet.read_table(folder / "t.parquet")),
        ),
    }


def seconds(call):
    """CPU seconds of a call, of all threads."""
    begun = time.process_time()
    call()
    return time.process_time() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        print("| file, beside | theirs, s | ours, s | speed |\n| --- | --- | --- | --- |")
        for name, pair in written(Path(folder)).items():
            for call in pair:
                call()  # imports
            times = [[seconds(call) for call in pair] for _ in range(rounds)]
            ours, theirs = (statistics.median(each) for each in zip(*times, strict=True))
            print(f"| {name} | {theirs:.2f} | {ours:.2f} | {theirs / ours:.2f} |", flush=True)


if __name__ == "__main__":
    main()
