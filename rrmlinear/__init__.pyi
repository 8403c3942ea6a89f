from rrmlinear.catalog.parameter import Parameter as Parameter
from rrmlinear.data.container.layout import ContainerError as ContainerError
from rrmlinear.data.container.writing import write_container as write_container
from rrmlinear.data.graphs import GraphProblem as GraphProblem
from rrmlinear.data.problem import Problem as Problem
from rrmlinear.data.sequences import SequenceProblem as SequenceProblem
from rrmlinear.data.text.libsvm_format import read_graphs as read_graphs
from rrmlinear.data.text.libsvm_format import read_libsvm as read_libsvm
from rrmlinear.data.text.libsvm_format import read_sequences as read_sequences
from rrmlinear.data.text.libsvm_format import write_libsvm as write_libsvm
from rrmlinear.estimators.boosting.classifier import ERLPBoostClassifier as ERLPBoostClassifier
from rrmlinear.estimators.general import LinearClassifier as LinearClassifier
from rrmlinear.estimators.general import LinearRegressor as LinearRegressor
from rrmlinear.estimators.kernels.machines import KernelClassifier as KernelClassifier
from rrmlinear.estimators.kernels.machines import KernelRegressor as KernelRegressor
from rrmlinear.estimators.logistic import LogisticRegression as LogisticRegression
from rrmlinear.estimators.matrices.completion import MatrixCompletion as MatrixCompletion
from rrmlinear.estimators.matrices.multitask import MultiTaskRegressor as MultiTaskRegressor
from rrmlinear.estimators.multivariate import MultivariateClassifier as MultivariateClassifier
from rrmlinear.estimators.one_class import OneClassSVM as OneClassSVM
from rrmlinear.estimators.path import path as path
from rrmlinear.estimators.regressions import ElasticNet as ElasticNet
from rrmlinear.estimators.regressions import HuberRegressor as HuberRegressor
from rrmlinear.estimators.regressions import Lasso as Lasso
from rrmlinear.estimators.regressions import QuantileRegressor as QuantileRegressor
from rrmlinear.estimators.ridge import Ridge as Ridge
from rrmlinear.estimators.searches.cross_validated import ElasticNetCV as ElasticNetCV
from rrmlinear.estimators.searches.cross_validated import LassoCV as LassoCV
from rrmlinear.estimators.searches.cross_validated import LinearSVCCV as LinearSVCCV
from rrmlinear.estimators.searches.cross_validated import (
    LogisticRegressionCV as LogisticRegressionCV,
)
from rrmlinear.estimators.searches.left_out import RidgeCV as RidgeCV
from rrmlinear.estimators.structured.chains import ChainCRF as ChainCRF
from rrmlinear.estimators.structured.chains import ChainSVM as ChainSVM
from rrmlinear.estimators.structured.graphs import GraphCRF as GraphCRF
from rrmlinear.estimators.structured.graphs import GraphSVM as GraphSVM
from rrmlinear.estimators.structured.kernel_chains import KernelChainCRF as KernelChainCRF
from rrmlinear.estimators.svm import LinearSVC as LinearSVC
from rrmlinear.estimators.svm import LinearSVR as LinearSVR
from rrmlinear.estimators.svm import WestonWatkinsSVC as WestonWatkinsSVC
from rrmlinear.training.chain_model import ChainModel as ChainModel
from rrmlinear.training.chains import fit_sequences as fit_sequences
from rrmlinear.training.fit import fit as fit
from rrmlinear.training.graphs import GraphModel as GraphModel
from rrmlinear.training.graphs import fit_graphs as fit_graphs
from rrmlinear.training.model import Model as Model

__version__: str
