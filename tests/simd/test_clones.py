"""Loops for several vector levels are compiled where compiler and loader can, and nowhere else."""

import shutil
import subprocess
from pathlib import Path

import pytest

import rrmlinear

SIMD = Path(rrmlinear.__file__).parent / "simd"
LOOP = """#include "rows.h"
RRM_CLONES double total(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
"""


# gcc takes no `arch=x86-64-v3` before 12, and the loader of musl does not choose.
@pytest.mark.parametrize("compiler", ["gcc-11", "clang", "musl-gcc"])
def test_every_compiler_takes_the_loops(compiler, tmp_path):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    loop = tmp_path / "loop.c"
    loop.write_text(LOOP)
    for source in (loop, SIMD / "blocks.c"):
        target = tmp_path / "loop.o"
        # -O0 keeps a copy of every inline function, which takes five times as long
        command = [compiler, "-O1", "-w", f"-I{SIMD}", "-c", str(source), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        if compiler == "musl-gcc":
            assert b"x86_64_v3" not in target.read_bytes()
            assert b"scores_by_4" not in target.read_bytes()
