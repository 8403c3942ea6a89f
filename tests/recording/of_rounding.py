"""Where rounding grows, as changes of the data and of C by one rounding have shown."""

import math
from dataclasses import replace

from case import CASES

GROWS = "a rounding of the data or of C grows to a hundredth of that"
TURNS = "a visit, an inner problem's end or a choice of planes turns on one rounding"
#: How far weights and objectives may be off, and of which cases.
FARTHER = {
    1e-11: (
        "39 epsilon-insensitive elastic-net",
        "39 logistic elastic-net",
        "39 smooth-crammer-singer elastic-net",
        "39 softmax-of-hinge elastic-net",
        "40 logistic elastic-net",
        "weston-watkins: three, accelerate True, gap_tol 1e-07, C 10.0",
        "free intercepts: line and 1, solver 39, loss squared-epsilon-insensitive",
        "cutting planes: two sparse and 1, solver 39, loss logistic, line_search ocas",
        "pegasos: two large, gap_tol 0.05, averaging True, max_passes 200",
        "rows and weights: line scaled and 1, solver 40, loss huber, C 0.01",
        "rows and weights: line scaled and 1, solver 42, loss huber, C 0.01",
    ),
    1e-9: (
        "37 epsilon-insensitive group-lasso",
        "37 epsilon-insensitive sparse-group-lasso",
        "37 huber linf",
        "37 huber group-lasso",
        "37 huber sparse-group-lasso",
        "37 quantile sparse-group-lasso",
        "38 absolute linf",
        "38 epsilon-insensitive l2-norm",
        "38 epsilon-insensitive linf",
        "38 huber linf",
        "38 quantile linf",
        "38 smooth-hinge sparse-group-lasso",
        "39 absolute elastic-net",
        "what auto chooses: line, loss squared, regularizer l1, l1 0.7",
        "what auto chooses: line scaled and 1, loss squared, regularizer l1, gap_tol 1e-06",
        "limits of weights: two and 1, solver 42, unpenalized [0, 3]",
        "limits of weights: two, solver 37, loss hinge, unpenalized [0], gap_tol 1e-05",
        "cutting planes: two scaled, solver 39, C 0.01",
        "rows and weights: line large, solver 39, loss squared, threads 2",
        "rows and weights: two sparse and 1, solver newton, loss logistic",
        "to a tolerance: two long and 1, solver auto, loss logistic, gap_tol 1e-10",
        "to a tolerance: line scaled and 1, solver newton, loss squared, gap_tol 1e-08, C 1.0",
        "path, l1",
        "KernelClassifier: two, kernel rbf, kernel_params {'gamma': 0.1}, C 2.0, tol 1e-05",
        "MultiTaskRegressor: targets, loss absolute, regularizer l1inf, fit_intercept False",
    ),
    1e-5: (
        "what auto chooses: line large, loss squared, regularizer l1, gap_tol 1e-08",
        "rows and weights: line scaled and 1, solver 39, loss huber, C 0.01",
        "rows and weights: two weighted and 1, solver newton, loss logistic, "
        "class_weights {1: 2.0, -1: 0.7}",
        "sizes: line wide, solver auto, loss squared, regularizer l1, l1 0.2",
        "start of 37 free intercept",
        "LinearClassifier: two, regularizer group-lasso, groups [[0, 2], [1, 3, 4], "
        "[5]], max_iter 9, solver pdprox-dual",
        "KernelClassifier: two, solver pdprox-dual, regularizer l2-norm, n_components 30, "
        "max_iter 9",
    ),
}
#: Cases that are other ones after one rounding: they agree by their gaps.
TURNING = (
    "39 quantile l2",
    "39 quantile elastic-net",
    "accelerated ascent: two, inner adaptive",
    "accelerated ascent: two, inner 3",
    "accelerated ascent: two, gap_tol 1e-06, C 20.0",
    "accelerated ascent: two weighted and 1, solver auto, gap_tol 1e-07, C 5.0",
    "accelerated ascent: line and 1, solver auto, gap_tol 1e-07, loss absolute, C 5.0",
    "what auto chooses: line and 1, loss squared, regularizer l1, l1 0.7, free_bias True",
    "start of 32 hinge",
    "start of 33 hinge",
    "start of auto hinge",
    "start of 32 huber",
    "start of 33 huber",
    "start of auto huber",
    "start of 32 one against the rest",
    "start of 32 free intercept",
    "LinearClassifier: two weighted, loss smooth-hinge, class_weight {1: 2.0}, smoothing 0.5, "
    "fit_intercept regularized",
    "KernelClassifier: two, kernel ['rbf', 'linear'], max_iter 9",
)
for within, names in FARTHER.items():
    for name in names:
        CASES[name] = replace(CASES[name], within=within, why=GROWS)
for name in TURNING:
    CASES[name] = replace(CASES[name], within=math.inf, why=TURNS)
