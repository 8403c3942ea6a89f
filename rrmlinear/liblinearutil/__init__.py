"""LIBLINEAR's Python module, by this package's solvers: the same names, arguments and results.

``from rrmlinear.liblinearutil import *`` takes the place of
``from liblinear.liblinearutil import *``.
"""

from rrmlinear.liblinearutil.commands import evaluations, load_model, predict, save_model, train
from rrmlinear.liblinearutil.data import csr_find_scale_param, csr_scale, problem, svm_read_problem
from rrmlinear.liblinearutil.models import model
from rrmlinear.liblinearutil.options import parameter, print_null, solver_names

__all__ = [
    "csr_find_scale_param",
    "csr_scale",
    "evaluations",
    "load_model",
    "model",
    "parameter",
    "predict",
    "print_null",
    "problem",
    "save_model",
    "solver_names",
    "svm_read_problem",
    "train",
]
