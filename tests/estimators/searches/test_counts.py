"""Alphas of counts and costs by cross validation: fits of every fold, and exposures in folds."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import PoissonRegressor as Peer
from sklearn.model_selection import GridSearchCV, KFold

from rrmlinear import (
    GammaRegressorCV,
    PoissonRegressor,
    PoissonRegressorCV,
    TweedieRegressor,
    TweedieRegressorCV,
)

N, D = 150, 4
RNG = np.random.default_rng(3)
X, HOURS = RNG.normal(size=(N, D)), RNG.uniform(0.5, 4, N)
MEANS = np.exp(X @ [0.5, -0.3, 0.0, 0.1])
COUNTS, COSTS = RNG.poisson(HOURS * MEANS).astype(float), RNG.gamma(2, MEANS)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_the_best_alpha_is_that_of_a_grid_search(form):
    alphas, folds = [1.0, 0.1, 0.01], KFold(4)
    ours = PoissonRegressorCV(alphas=alphas, cv=folds, tol=1e-9).fit(form(X), COUNTS)
    peer = GridSearchCV(Peer(tol=1e-9, max_iter=1000), {"alpha": alphas}, cv=folds)
    peer.fit(X, COUNTS)
    assert ours.alpha_ == peer.best_params_["alpha"]
    scores = [peer.cv_results_[f"split{k}_test_score"] for k in range(4)]
    np.testing.assert_allclose(ours.scores_path_, np.transpose(scores), atol=1e-6)
    assert ours.best_score_ == pytest.approx(peer.best_score_, abs=1e-6)
    np.testing.assert_allclose(ours.coef_, peer.best_estimator_.coef_, atol=1e-5)


def test_the_path_begins_where_weights_are_small_and_one_is_a_plain_fit():
    search = TweedieRegressorCV(power=1.5, alphas=6, eps=1e-3, cv=3, tol=1e-9).fit(X, COSTS)
    assert search.alphas_[-1] == pytest.approx(1e-3 * search.alphas_[0])
    plain = TweedieRegressor(power=1.5, alpha=search.alpha_, tol=1e-9).fit(X, COSTS)
    np.testing.assert_allclose(search.coef_, plain.coef_, atol=1e-6)
    assert search.scores_path_.shape == (6, 3)
    assert search.best_score_ == pytest.approx(search.scores_path_.mean(axis=1).max())


def test_folds_take_their_exposures():
    alphas, folds = [0.3, 0.03], list(KFold(3).split(X))
    by_exposure = PoissonRegressorCV(alphas=alphas, cv=folds, tol=1e-9)
    by_exposure.fit(X, COUNTS, exposure=HOURS)
    by_offset = PoissonRegressorCV(alphas=alphas, cv=folds, tol=1e-9)
    by_offset.fit(X, COUNTS, offset=np.log(HOURS))
    np.testing.assert_allclose(by_exposure.scores_path_, by_offset.scores_path_)
    expected = [
        [
            PoissonRegressor(alpha=alpha, tol=1e-9)
            .fit(X[train], COUNTS[train], exposure=HOURS[train])
            .score(X[test], COUNTS[test], exposure=HOURS[test])
            for train, test in folds
        ]
        for alpha in alphas
    ]
    np.testing.assert_allclose(by_exposure.scores_path_, expected, atol=1e-6)
    assert by_exposure.score(X, COUNTS, exposure=HOURS) > 0.3


def test_other_scores_and_refusals():
    search = GammaRegressorCV(alphas=3, cv=3, scoring="neg_mean_gamma_deviance").fit(X, COSTS)
    assert (search.scores_path_ < 0).all()
    with pytest.raises(ValueError, match="with loss gamma it must be positive"):
        GammaRegressorCV(cv=3).fit(X, COSTS - COSTS.min())
    with pytest.raises(ValueError, match="alphas is"):
        PoissonRegressorCV(alphas=[0.0, 1.0]).fit(X, COUNTS)
    with pytest.raises(ValueError, match="power is 3"):
        TweedieRegressorCV(power=3).fit(X, COSTS)


def test_a_fold_of_one_label_has_a_score():
    y = np.where(np.arange(N) < N // 3, 2.0, COUNTS)
    search = PoissonRegressorCV(alphas=[0.1], cv=KFold(3)).fit(X, y)
    assert search.scores_path_[0, 0] == 0
    assert np.isfinite(search.scores_path_).all()
