from rrmlinear.catalog.parameter import Parameter as Parameter
from rrmlinear.data.container.layout import ContainerError as ContainerError
from rrmlinear.data.container.writing import write_container as write_container
from rrmlinear.data.graphs import GraphProblem as GraphProblem
from rrmlinear.data.label_sets import MultilabelProblem as MultilabelProblem
from rrmlinear.data.problem import Problem as Problem
from rrmlinear.data.sequences import SequenceProblem as SequenceProblem
from rrmlinear.data.text.libsvm_format import read_graphs as read_graphs
from rrmlinear.data.text.libsvm_format import read_libsvm as read_libsvm
from rrmlinear.data.text.libsvm_format import read_sequences as read_sequences
from rrmlinear.data.text.libsvm_format import write_libsvm as write_libsvm
from rrmlinear.data.text.multilabel.labelled_texts import read_texts as read_texts
from rrmlinear.data.text.multilabel.multilabel_text import read_multilabel as read_multilabel
from rrmlinear.data.text.multilabel.multilabel_text import write_multilabel as write_multilabel
from rrmlinear.estimators.boosting.classifier import ERLPBoostClassifier as ERLPBoostClassifier
from rrmlinear.estimators.counts import GammaRegressor as GammaRegressor
from rrmlinear.estimators.counts import PoissonRegressor as PoissonRegressor
from rrmlinear.estimators.counts import TweedieRegressor as TweedieRegressor
from rrmlinear.estimators.general import LinearClassifier as LinearClassifier
from rrmlinear.estimators.general import LinearRegressor as LinearRegressor
from rrmlinear.estimators.kernels.machines import KernelClassifier as KernelClassifier
from rrmlinear.estimators.kernels.machines import KernelRegressor as KernelRegressor
from rrmlinear.estimators.labels.label_tree import LabelTreeClassifier as LabelTreeClassifier
from rrmlinear.estimators.labels.multilabel import MultilabelClassifier as MultilabelClassifier
from rrmlinear.estimators.logistic import LogisticRegression as LogisticRegression
from rrmlinear.estimators.matrices.completion import MatrixCompletion as MatrixCompletion
from rrmlinear.estimators.matrices.group_regressions import (
    MultiTaskElasticNet as MultiTaskElasticNet,
)
from rrmlinear.estimators.matrices.group_regressions import MultiTaskLasso as MultiTaskLasso
from rrmlinear.estimators.matrices.multitask import MultiTaskRegressor as MultiTaskRegressor
from rrmlinear.estimators.one_class import OneClassSVM as OneClassSVM
from rrmlinear.estimators.orders.cox import CoxRegressor as CoxRegressor
from rrmlinear.estimators.orders.multivariate import (
    MultivariateClassifier as MultivariateClassifier,
)
from rrmlinear.estimators.orders.ranking import RankingSVM as RankingSVM
from rrmlinear.estimators.path import path as path
from rrmlinear.estimators.quantile import QuantileRegressor as QuantileRegressor
from rrmlinear.estimators.regressions import ElasticNet as ElasticNet
from rrmlinear.estimators.regressions import HuberRegressor as HuberRegressor
from rrmlinear.estimators.regressions import Lasso as Lasso
from rrmlinear.estimators.ridge import Ridge as Ridge
from rrmlinear.estimators.ridge_classifier import RidgeClassifier as RidgeClassifier
from rrmlinear.estimators.searches.classifiers import LinearSVCCV as LinearSVCCV
from rrmlinear.estimators.searches.classifiers import LogisticRegressionCV as LogisticRegressionCV
from rrmlinear.estimators.searches.counts import GammaRegressorCV as GammaRegressorCV
from rrmlinear.estimators.searches.counts import PoissonRegressorCV as PoissonRegressorCV
from rrmlinear.estimators.searches.counts import TweedieRegressorCV as TweedieRegressorCV
from rrmlinear.estimators.searches.left_out import RidgeClassifierCV as RidgeClassifierCV
from rrmlinear.estimators.searches.left_out import RidgeCV as RidgeCV
from rrmlinear.estimators.searches.regressions import ElasticNetCV as ElasticNetCV
from rrmlinear.estimators.searches.regressions import LassoCV as LassoCV
from rrmlinear.estimators.searches.regressions import MultiTaskElasticNetCV as MultiTaskElasticNetCV
from rrmlinear.estimators.searches.regressions import MultiTaskLassoCV as MultiTaskLassoCV
from rrmlinear.estimators.structured.chains import ChainCRF as ChainCRF
from rrmlinear.estimators.structured.chains import ChainSVM as ChainSVM
from rrmlinear.estimators.structured.graphs import GraphCRF as GraphCRF
from rrmlinear.estimators.structured.graphs import GraphSVM as GraphSVM
from rrmlinear.estimators.structured.kernel_chains import KernelChainCRF as KernelChainCRF
from rrmlinear.estimators.svm import LinearSVC as LinearSVC
from rrmlinear.estimators.svm import LinearSVR as LinearSVR
from rrmlinear.estimators.svm import WestonWatkinsSVC as WestonWatkinsSVC
from rrmlinear.exports.skl2onnx_converters import register_skl2onnx as register_skl2onnx
from rrmlinear.training.chain_model import ChainModel as ChainModel
from rrmlinear.training.chains import fit_sequences as fit_sequences
from rrmlinear.training.fit import fit as fit
from rrmlinear.training.graphs import GraphModel as GraphModel
from rrmlinear.training.graphs import fit_graphs as fit_graphs
from rrmlinear.training.labels.fit_labels import fit_labels as fit_labels
from rrmlinear.training.labels.fit_tree import fit_label_tree as fit_label_tree
from rrmlinear.training.labels.label_model import LabelModel as LabelModel
from rrmlinear.training.labels.label_tree import LabelTree as LabelTree
from rrmlinear.training.model import Model as Model

__version__: str
