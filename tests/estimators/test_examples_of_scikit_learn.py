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
    "LinearSVC, calibrated": """
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC
X, y = make_classification(n_samples=200, random_state=0)
clf = CalibratedClassifierCV(LinearSVC(), cv=3).fit(X, y)
print(clf.predict_proba(X[:2]).shape, clf.score(X, y) > 0.9)
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
