"""Pegasos and FISTA by their numbers, with their choices."""

import numpy as np
import pytest

import rrmlinear
from rrmlinear import Model, Parameter


@pytest.mark.parametrize("batch", [None, 8, 80])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_pegasos_comes_near_the_optimum(signs, fit, loss, batch):
    exact = fit(signs, solver=32, loss=loss, gap_tol=1e-9, C=0.1).result
    for averaging in (None, True):
        found = fit(
            signs,
            solver=41,
            loss=loss,
            gap_tol=1e-2,
            C=0.1,
            batch=batch,
            averaging=averaging,
            max_passes=2000,
        ).result
        assert found.gap <= 1e-2 * max(1, found.primal)
        assert -1e-8 <= found.primal - exact.primal <= found.gap


@pytest.mark.parametrize(
    ("number", "name"), [(39, "BMRM"), (40, "LS_BMRM"), (41, "PEGASOS"), (42, "FISTA")]
)
def test_their_models_are_written_and_read(small_problem, fit, tmp_path, number, name):
    problem = small_problem().problem()
    model = fit(problem, solver=number, loss="squared-hinge", max_passes=20)
    assert model.weights.shape == (6, 4)  # one class against the rest
    model.save(tmp_path / "model")
    again = Model.load(tmp_path / "model")
    assert again.solver_name == name
    assert (again.predict(problem) == model.predict(problem)).all()


def test_a_start_that_would_have_no_effect_is_refused(signs):
    with pytest.raises(ValueError, match="solver 41 begins at weights of zero"):
        rrmlinear.fit(signs, Parameter(solver=41), start=np.zeros(80))
