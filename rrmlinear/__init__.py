"""rrmlinear: linear regularized risk minimization, every model with a certificate.

The public names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import os.path
import sys
from importlib import import_module
from importlib.machinery import PathFinder

TYPE_CHECKING = False  # typing's own takes the time of its import
if TYPE_CHECKING:
    from typing import Any

try:
    import rrmlinear._cyutility  # noqa: F401  (every compiled module needs it)
except ModuleNotFoundError as error:
    if error.name != "rrmlinear._cyutility":
        raise
    # Python finds a source folder first where it is started beside one: take the installed copy.
    beside = os.path.dirname(__path__[0])
    others = [place for place in sys.path if os.path.realpath(place) != beside]
    installed = PathFinder.find_spec(__name__, others)
    if installed is None or installed.submodule_search_locations is None:
        raise ImportError(
            f"rrmlinear is not compiled in {__path__[0]}, its source folder, and no other copy is "
            "installed: build it there with `python3 tools/build/bootstrap.py demo` and use "
            ".venv/bin/python, or install it with `pip install .`"
        ) from None
    __path__ = list(installed.submodule_search_locations)

_PUBLIC = {
    "Problem": "rrmlinear.data.problem",
    "read_libsvm": "rrmlinear.data.text.libsvm_format",
    "write_libsvm": "rrmlinear.data.text.libsvm_format",
    "write_container": "rrmlinear.data.container.writing",
    "ContainerError": "rrmlinear.data.container.layout",
    "Parameter": "rrmlinear.catalog.parameter",
    "Model": "rrmlinear.training.model",
    "fit": "rrmlinear.training.fit",
    "LinearClassifier": "rrmlinear.estimators.general",
    "LinearRegressor": "rrmlinear.estimators.general",
    "LinearSVC": "rrmlinear.estimators.svm",
    "LinearSVR": "rrmlinear.estimators.svm",
    "WestonWatkinsSVC": "rrmlinear.estimators.svm",
    "LogisticRegression": "rrmlinear.estimators.logistic",
    "Ridge": "rrmlinear.estimators.ridge",
    "RidgeClassifier": "rrmlinear.estimators.ridge_classifier",
    "Lasso": "rrmlinear.estimators.regressions",
    "ElasticNet": "rrmlinear.estimators.regressions",
    "QuantileRegressor": "rrmlinear.estimators.quantile",
    "PoissonRegressor": "rrmlinear.estimators.counts",
    "GammaRegressor": "rrmlinear.estimators.counts",
    "TweedieRegressor": "rrmlinear.estimators.counts",
    "HuberRegressor": "rrmlinear.estimators.regressions",
    "CoxRegressor": "rrmlinear.estimators.orders.cox",
    "RankingSVM": "rrmlinear.estimators.orders.ranking",
    "OneClassSVM": "rrmlinear.estimators.one_class",
    "LogisticRegressionCV": "rrmlinear.estimators.searches.classifiers",
    "LinearSVCCV": "rrmlinear.estimators.searches.classifiers",
    "LassoCV": "rrmlinear.estimators.searches.regressions",
    "PoissonRegressorCV": "rrmlinear.estimators.searches.counts",
    "GammaRegressorCV": "rrmlinear.estimators.searches.counts",
    "TweedieRegressorCV": "rrmlinear.estimators.searches.counts",
    "ElasticNetCV": "rrmlinear.estimators.searches.regressions",
    "RidgeCV": "rrmlinear.estimators.searches.left_out",
    "RidgeClassifierCV": "rrmlinear.estimators.searches.left_out",
    "MultivariateClassifier": "rrmlinear.estimators.orders.multivariate",
    "KernelClassifier": "rrmlinear.estimators.kernels.machines",
    "KernelRegressor": "rrmlinear.estimators.kernels.machines",
    "ERLPBoostClassifier": "rrmlinear.estimators.boosting.classifier",
    "ChainCRF": "rrmlinear.estimators.structured.chains",
    "ChainSVM": "rrmlinear.estimators.structured.chains",
    "GraphCRF": "rrmlinear.estimators.structured.graphs",
    "GraphSVM": "rrmlinear.estimators.structured.graphs",
    "KernelChainCRF": "rrmlinear.estimators.structured.kernel_chains",
    "read_sequences": "rrmlinear.data.text.libsvm_format",
    "SequenceProblem": "rrmlinear.data.sequences",
    "ChainModel": "rrmlinear.training.chain_model",
    "fit_sequences": "rrmlinear.training.chains",
    "read_graphs": "rrmlinear.data.text.libsvm_format",
    "GraphProblem": "rrmlinear.data.graphs",
    "GraphModel": "rrmlinear.training.graphs",
    "fit_graphs": "rrmlinear.training.graphs",
    "read_multilabel": "rrmlinear.data.text.multilabel.multilabel_text",
    "read_texts": "rrmlinear.data.text.multilabel.labelled_texts",
    "write_multilabel": "rrmlinear.data.text.multilabel.multilabel_text",
    "MatrixCompletion": "rrmlinear.estimators.matrices.completion",
    "MultiTaskElasticNet": "rrmlinear.estimators.matrices.group_regressions",
    "MultiTaskLasso": "rrmlinear.estimators.matrices.group_regressions",
    "MultiTaskElasticNetCV": "rrmlinear.estimators.searches.regressions",
    "MultiTaskLassoCV": "rrmlinear.estimators.searches.regressions",
    "MultiTaskRegressor": "rrmlinear.estimators.matrices.multitask",
    "LabelTreeClassifier": "rrmlinear.estimators.labels.label_tree",
    "MultilabelClassifier": "rrmlinear.estimators.labels.multilabel",
    "MultilabelProblem": "rrmlinear.data.label_sets",
    "LabelModel": "rrmlinear.training.labels.label_model",
    "fit_labels": "rrmlinear.training.labels.fit_labels",
    "LabelTree": "rrmlinear.training.labels.label_tree",
    "fit_label_tree": "rrmlinear.training.labels.fit_tree",
    "path": "rrmlinear.estimators.path",
    "register_skl2onnx": "rrmlinear.exports.skl2onnx_converters",
}
__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version(__name__)
    if name in _PUBLIC:
        with import_module("rrmlinear.core.loading").loading:
            return getattr(import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'rrmlinear' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
