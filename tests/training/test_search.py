"""The search for C: LIBLINEAR's grid and rules."""

import numpy as np
import pytest

from rrmlinear import Parameter, Problem
from rrmlinear.catalog.selection import select
from rrmlinear.cli.summary import trial_line
from rrmlinear.training.search import EPSILONS, MAX_COST, search


def trials_of(problem, first_cost=None, first_epsilon=None, **choices):
    seen = []
    best = search(problem, select(Parameter(**choices)), 5, first_cost, first_epsilon, seen.append)
    return seen, best


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 6, 7, 30])
def test_costs_double_up_to_the_last(signs, number):
    seen, best = trials_of(signs, solver=number)
    costs = [trial.cost for trial in seen]
    assert costs == [costs[0] * 2**i for i in range(len(costs))]
    assert np.log2(costs[0]) == round(np.log2(costs[0]))
    assert costs[-1] <= MAX_COST
    assert best.score == max(trial.score for trial in seen)
    assert best.cost == min(trial.cost for trial in seen if trial.score == best.score)


@pytest.mark.parametrize(("number", "times"), [(0, 1), (2, 2)])
def test_the_first_cost_is_that_of_liblinear(signs, number, times):
    seen, _ = trials_of(signs, solver=number)
    norm = (signs.rows.values**2).sum(axis=1).max()
    assert seen[0].cost == 2.0 ** np.floor(np.log2(1 / (times * signs.n_examples * norm)))
    assert trials_of(signs, first_cost=0.5, solver=number)[0][0].cost == 0.5


def test_regressions_have_a_grid_of_epsilon(signs):
    reals = Problem.from_arrays(signs.rows.values, signs.rows.values @ [1, 2, 0, -1, 0])
    seen, best = trials_of(reals, first_cost=2.0**15, solver=11)
    largest = np.abs(reals.labels).max()
    grid = list(dict.fromkeys(trial.epsilon for trial in seen))
    assert grid == pytest.approx([i * largest / EPSILONS for i in range(EPSILONS - 1, -1, -1)])
    assert best.score == min(trial.score for trial in seen)
    seen, _ = trials_of(
        reals, first_cost=2.0**19, first_epsilon=2.5 * largest / EPSILONS, solver=12
    )
    assert seen[0].epsilon == pytest.approx(2 * largest / EPSILONS)


def test_the_largest_cost_is_told_where_weights_still_change(signs):
    seen, _ = trials_of(signs, first_cost=MAX_COST / 4, solver=2)
    assert [trial.at_limit for trial in seen] == [False, False, True]
    assert trial_line(seen[-1], False).split("\n")[1:] == ["WARNING: maximum C reached."]
    assert "\n" not in trial_line(seen[0], False)


def test_a_search_that_ends_by_its_weights_tells_of_no_limit(signs):
    seen, _ = trials_of(signs, first_cost=2.0**-40, solver=3)
    assert seen[-1].cost <= MAX_COST
    apart = Problem.from_arrays(np.array([[1.0], [-1.0]] * 20), np.array([1.0, -1.0] * 20))
    seen, _ = trials_of(apart, first_cost=0.5, solver=3)
    assert seen[-1].cost < MAX_COST
    assert not any(trial.at_limit for trial in seen)
