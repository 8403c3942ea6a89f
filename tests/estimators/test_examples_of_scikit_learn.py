"""Scripts of scikit-learn's documentation run with the import replaced, and end as there."""

import contextlib
import io
import re
import warnings

import pytest

#: Programs of the pages of LinearSVC, LinearSVR, LogisticRegression, Lasso, Ridge, ElasticNet,
#: their user guides and examples, with their own imports. Each prints what the page discusses.
SCRIPTS = {
    "LinearSVC": """
from sklearn.svm import LinearSVC
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.datasets import make_classification
X, y = make_classification(n_features=4, random_state=0)
clf = make_pipeline(StandardScaler(), LinearSVC(random_state=0, tol=1e-5))
clf.fit(X, y)
print(clf.named_steps['linearsvc'].coef_)
print(clf.named_steps['linearsvc'].intercept_)
print(clf.predict([[0, 0, 0, 0]]))
""",
    "LinearSVC, the user guide": """
import numpy as np
from sklearn import svm
from sklearn.svm import LinearSVC
X = [[0], [1], [2], [3]]
Y = [0, 1, 2, 3]
lin_clf = LinearSVC()
lin_clf.fit(X, Y)
dec = lin_clf.decision_function([[1]])
print(dec.shape[1])
""",
    "LinearSVC, features by the 1-norm": """
from sklearn.svm import LinearSVC
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFromModel
X, y = load_iris(return_X_y=True)
lsvc = LinearSVC(C=0.01, penalty="l1", dual=False).fit(X, y)
model = SelectFromModel(lsvc, prefit=True)
X_new = model.transform(X)
print(X_new.shape)
""",
    "LinearSVC, support vectors": """
import numpy as np
from sklearn.datasets import make_blobs
from sklearn.svm import LinearSVC
X, y = make_blobs(n_samples=40, centers=2, random_state=0)
for C in [1, 100]:
    clf = LinearSVC(C=C, loss="hinge", random_state=42, max_iter=10**6).fit(X, y)
    decision_function = clf.decision_function(X)
    support_vector_indices = np.where(np.abs(decision_function) <= 1 + 1e-3)[0]
    print(len(X[support_vector_indices]))
""",
    "LinearSVC, calibrated": """
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC
X, y = make_classification(n_samples=200, random_state=0)
clf = CalibratedClassifierCV(LinearSVC(), cv=3).fit(X, y)
print(clf.predict_proba(X[:2]).shape, clf.score(X, y) > 0.9)
""",
    "LinearSVR": """
from sklearn.svm import LinearSVR
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.datasets import make_regression
X, y = make_regression(n_features=4, random_state=0)
regr = make_pipeline(StandardScaler(), LinearSVR(random_state=0, tol=1e-5, max_iter=10**6))
regr.fit(X, y)
print(regr.named_steps['linearsvr'].coef_)
print(regr.predict([[0, 0, 0, 0]]))
""",
    "LogisticRegression": """
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
X, y = load_iris(return_X_y=True)
clf = LogisticRegression(random_state=0, tol=1e-6, max_iter=1000).fit(X, y)
print(clf.predict(X[:2, :]))
print(clf.predict_proba(X[:2, :]).round(3))
print(round(clf.score(X, y), 2))
""",
    "LogisticRegression, the 1-norm and sparsity": """
import numpy as np
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
X, y = datasets.load_digits(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = (y > 4).astype(int)
for C in (1, 0.1, 0.01):
    clf = LogisticRegression(C=C, l1_ratio=1, tol=1e-4, solver="saga", max_iter=2000)
    clf.fit(X, y)
    coef = clf.coef_.ravel()
    print(round(np.mean(coef == 0) * 10), round(clf.score(X, y), 2))
""",
    "LogisticRegression, decision boundary of three classes": """
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
iris = datasets.load_iris()
X, Y = iris.data[:, :2], iris.target
logreg = LogisticRegression(C=1e5, max_iter=1000)
logreg.fit(X, Y)
print(round(logreg.score(X, Y), 2), logreg.predict([[5.0, 3.5], [6.5, 3.0]]))
""",
    "LogisticRegression, sparsified": """
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
X, y = load_iris(return_X_y=True)
clf = LogisticRegression(C=0.1, l1_ratio=1, solver="saga", max_iter=5000, tol=1e-6).fit(X, y)
first = clf.predict(X[::40])
print(first, clf.sparsify().predict(X[::40]), clf.coef_.nnz, clf.densify().coef_.shape)
""",
    "Lasso": """
from sklearn import linear_model
from sklearn.linear_model import Lasso
clf = Lasso(alpha=0.1, tol=1e-8)
clf.fit([[0,0], [1, 1], [2, 2]], [0, 1, 2])
print(round(clf.coef_.sum(), 3))
print(round(clf.intercept_, 3))
""",
    "Lasso, the user guide": """
from sklearn.linear_model import Lasso
reg = Lasso(alpha=0.1, tol=1e-8)
reg.fit([[0, 0], [1, 1]], [0, 1])
print(reg.predict([[1, 1]]).round(3))
""",
    "Lasso and ElasticNet for sparse signals": """
import numpy as np
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.metrics import r2_score
rng = np.random.RandomState(0)
n_samples, n_features, n_informative = 50, 100, 10
time_step = np.linspace(-2, 2, n_samples)
freqs = 2 * np.pi * np.sort(rng.rand(n_features)) / 0.01
X = np.zeros((n_samples, n_features))
for i in range(n_features):
    X[:, i] = np.sin(freqs[i] * time_step)
idx = np.arange(n_features)
true_coef = (-1) ** idx * np.exp(-idx / 10)
true_coef[n_informative:] = 0
y = np.dot(X, true_coef) + 0.01 * np.random.RandomState(1).randn(n_samples)
X_train, X_test, y_train, y_test = X[:25], X[25:], y[:25], y[25:]
for model in (Lasso(alpha=0.14), ElasticNet(alpha=0.08, l1_ratio=0.5)):
    model.fit(X_train, y_train)
    print(round(r2_score(y_test, model.predict(X_test)), 1))
""",
    "Lasso on dense and sparse data": """
import numpy as np
from scipy import linalg, sparse
from sklearn.datasets import make_regression
from sklearn.linear_model import Lasso
X, y = make_regression(n_samples=200, n_features=500, random_state=0)
X_sp = sparse.coo_matrix(X)
sparse_lasso = Lasso(alpha=1, fit_intercept=False, max_iter=1000)
dense_lasso = Lasso(alpha=1, fit_intercept=False, max_iter=1000)
sparse_lasso.fit(X_sp, y)
dense_lasso.fit(X, y)
print(linalg.norm(sparse_lasso.coef_ - dense_lasso.coef_) < 1e-2, dense_lasso.sparse_coef_.shape)
""",
    "ElasticNet": """
from sklearn.linear_model import ElasticNet
from sklearn.datasets import make_regression
X, y = make_regression(n_features=2, random_state=0)
regr = ElasticNet(random_state=0, tol=1e-8)
regr.fit(X, y)
print(regr.coef_.round(2))
print(round(regr.intercept_, 2))
print(regr.predict([[0, 0]]).round(2))
""",
    "Ridge": """
from sklearn.linear_model import Ridge
import numpy as np
n_samples, n_features = 10, 5
rng = np.random.RandomState(0)
y = rng.randn(n_samples)
X = rng.randn(n_samples, n_features)
clf = Ridge(alpha=1.0)
clf.fit(X, y)
print(clf.coef_.round(3), round(clf.intercept_, 3))
""",
    "QuantileRegressor": """
from sklearn.linear_model import QuantileRegressor
import numpy as np
n_samples, n_features = 10, 2
rng = np.random.RandomState(0)
y = rng.randn(n_samples)
X = rng.randn(n_samples, n_features)
reg = QuantileRegressor(quantile=0.8).fit(X, y)
print(np.mean(y <= reg.predict(X) + 1e-9))
""",
}
NAMES = re.compile(r"^from sklearn\.(?:svm|linear_model) import ", re.MULTILINE)


def run(program):
    """What it prints, numbers and words apart."""
    said = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(said):
        warnings.simplefilter("ignore")
        exec(compile(program, "script", "exec"), {})
    return said.getvalue()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_ends_as_with_scikit_learn(name):
    theirs = SCRIPTS[name]
    ours = NAMES.sub("from rrmlinear import ", theirs)
    assert ours != theirs
    found, expected = run(ours), run(theirs)
    number = r"-?\d+\.?\d*(?:e[-+]\d+)?"
    assert re.sub(number, "#", found).split() == re.sub(number, "#", expected).split()
    near = [float(text) for text in re.findall(number, expected)]
    assert [float(text) for text in re.findall(number, found)] == pytest.approx(near, abs=0.02)
