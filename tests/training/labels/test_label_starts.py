"""Fits of many labels go on: from duals, from a model of other labels, and from a journal."""

import numpy as np
import pytest

from rrmlinear import LabelModel, MultilabelProblem, Parameter, fit_labels
from tests.support.label_problems import problem_of


def test_a_start_from_duals_takes_fewer_passes():
    problem, X, _, costs = problem_of(k=40)
    first = fit_labels(problem, Parameter(gap_tol=1e-3), keeps_duals=True)
    again = fit_labels(problem, Parameter(gap_tol=1e-3), start=first)
    assert again.result.solved
    assert again.result.passes.sum() < first.result.passes.sum()
    # with v = Σ c α x the gap is a sum of gaps of rows and ½‖w − v‖²
    sums = first.result.duals.multiply(costs[:, None]).T @ X.toarray()
    apart = ((sums.T - first.weights.toarray()) ** 2).sum(axis=0) / 2
    assert (apart <= first.result.gap).all()


def test_a_start_must_have_duals_of_these_rows():
    problem, *_ = problem_of(k=3)
    without = fit_labels(problem, Parameter())
    with pytest.raises(ValueError, match="has no duals: train it with keeps_duals=True"):
        fit_labels(problem, Parameter(), start=without)
    other = fit_labels(problem.take(np.arange(50)), Parameter(), keeps_duals=True)
    with pytest.raises(ValueError, match="duals of 50 examples, and there are 120"):
        fit_labels(problem, Parameter(), start=other)


def test_labels_are_added_to_a_model(tmp_path):
    problem, X, Y, weights = problem_of(k=20)
    few = MultilabelProblem.from_arrays(X, Y[:, :8], weights, bias=1.0)
    first, whole = fit_labels(few, Parameter()), fit_labels(problem, Parameter())
    first.save(tmp_path / "m")
    for known in (first, LabelModel.load(tmp_path / "m")):
        more = fit_labels(problem, Parameter(), known=known)
        assert more.names.tolist() == list(range(20))
        assert (more.weights[:, :8] != first.weights).nnz == 0
        assert more.result.solved
        np.testing.assert_allclose(more.result.primal, whole.result.primal, rtol=2e-3)
    with pytest.raises(ValueError, match=r"the model known has a bias 1\.0, and the problem -1\.0"):
        fit_labels(problem.with_bias(-1.0), Parameter(), known=first)
    with pytest.raises(ValueError, match="the loss squared-hinge, and the problem hinge"):
        fit_labels(problem, Parameter(loss="hinge"), known=first)


@pytest.mark.parametrize("asked", [{}, {"loss": "logistic", "free_bias": True}])
@pytest.mark.parametrize("keeps_duals", [False, True])
def test_a_killed_run_goes_on_from_its_journal(asked, keeps_duals, tmp_path):
    problem, *_ = problem_of(k=70)
    whole = fit_labels(problem, Parameter(**asked), keeps_duals=keeps_duals)

    class Killed(BaseException):
        pass

    seen = []

    def see(name, end):
        seen.append(name)
        if len(seen) == 20:
            raise Killed

    given = {"keeps_duals": keeps_duals, "journal": tmp_path / "j"}
    with pytest.raises(Killed):
        fit_labels(problem, Parameter(**asked), see, **given)
    with open(tmp_path / "j", "ab") as file:
        file.write(b"a record that is cut off")
    begun, seen[:] = set(seen), []
    later = []
    model = fit_labels(problem, Parameter(**asked), lambda name, end: later.append(name), **given)
    assert not begun & set(later)
    assert begun | set(later) == set(range(70))
    for name in ("primal", "dual", "proven", "passes"):
        kept = sorted(begun)
        assert (getattr(model.result, name)[kept] == getattr(whole.result, name)[kept]).all()
    assert (model.weights[:, sorted(begun)] != whole.weights[:, sorted(begun)]).nnz == 0
    assert model.result.solved
    if keeps_duals:
        assert (
            model.result.duals[:, sorted(begun)] != whole.result.duals[:, sorted(begun)]
        ).nnz == 0
    again = fit_labels(problem, Parameter(**asked), lambda *_: pytest.fail("solved twice"), **given)
    assert (again.weights != model.weights).nnz == 0


@pytest.mark.parametrize("changed", ["C", "X", "prune", "Y"])
def test_a_journal_of_another_run_is_refused(changed, tmp_path):
    problem, X, Y, weights = problem_of(k=5)
    fit_labels(problem, Parameter(), journal=tmp_path / "j")
    if changed == "X":
        problem = MultilabelProblem.from_arrays(2 * X, Y, weights, bias=1.0)
    if changed == "Y":
        problem = MultilabelProblem.from_arrays(X, ~Y, weights, bias=1.0)
    C, prune = (2.0 if changed == "C" else 1.0), (0.1 if changed == "prune" else 0.0)
    what = {"C": "choices", "X": "data", "Y": "data", "prune": "prune"}[changed]
    with pytest.raises(ValueError, match=f"the journal of another run, of other {what}; remove it"):
        fit_labels(problem, Parameter(C=C), prune=prune, journal=tmp_path / "j")


@pytest.mark.parametrize(
    ("asked", "keeps_duals"),
    [
        ({"solver": "fista", "regularizer": "l1", "loss": "logistic"}, False),
        ({"solver": 32, "loss": "hinge"}, True),
        ({"solver": "newton", "loss": "logistic"}, True),
    ],
)
def test_a_start_serves_labels_that_are_solved_one_after_another(asked, keeps_duals):
    problem, *_ = problem_of(k=12)
    first = fit_labels(problem, Parameter(gap_tol=1e-6, **asked), keeps_duals=keeps_duals)
    few = MultilabelProblem(problem.rows, problem.labels.some(np.arange(3, 9)), problem.weights)
    alone, again = (
        fit_labels(few, Parameter(gap_tol=1e-6, **asked), start=start) for start in (None, first)
    )
    assert again.result.solved
    assert again.result.passes.sum() < alone.result.passes.sum()
    np.testing.assert_allclose(again.result.primal, alone.result.primal, rtol=2e-6)
    other, *_ = problem_of(d=30)
    with pytest.raises(ValueError, match="to start from has 40 features, and the problem 30"):
        fit_labels(other, Parameter(**asked), start=first)


def test_a_solver_that_takes_no_start_says_so():
    problem, *_ = problem_of(k=3)
    asked = Parameter(solver="pegasos", loss="hinge")
    first = fit_labels(problem, Parameter())
    with pytest.raises(ValueError, match="begins at weights of zero and takes no start"):
        fit_labels(problem, asked, start=first)
