"""What solvers know of a point saves rules their products, and is that of its weights."""

import subprocess
import sys


def test_reading_the_options_loads_no_solver():
    code = (
        "import sys, rrmlinear.cli.options\n"
        "print([name for name in sys.modules if name.startswith('rrmlinear.solvers.')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    for name in (
        "newton",
        "prox_sdca",
        "pdprox",
        "bmrm",
        "agm",
        "feature_newton",
        "pegasos",
        "lbfgs",
    ):
        assert f".{name}'" not in loaded.stdout
