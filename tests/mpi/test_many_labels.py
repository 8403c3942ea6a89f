"""Many labels over two processes that mpirun starts have the bits of one process."""

import json

import numpy as np
import pytest

from rrmlinear import LabelModel, MultilabelProblem, Parameter, fit_labels, write_container
from rrmlinear.data.text.multilabel.multilabel_text import write_multilabel
from tests.mpi.test_training import MPIRUN, run
from tests.support.label_problems import problem_of

pytestmark = pytest.mark.skipif(MPIRUN is None, reason="there is no mpirun: MPI is not installed")
SCRIPT = """
import json, sys
from mpi4py import MPI
from rrmlinear import MultilabelProblem, Parameter
from rrmlinear.mpi import fit_labels
problem = MultilabelProblem.open("data.rrm").with_bias(1.0)
told = []
try:
    for asked, terms in json.loads(sys.argv[1]):
        seen = []
        model = fit_labels(problem, Parameter(**asked), lambda name, _: seen.append(name), **terms)
        told.append((len(seen), model.result.dual.tolist(), model.weights.data.tolist()))
except ValueError as error:  # mpirun ends all processes with the first that fails
    told = str(error)
told = MPI.COMM_WORLD.gather(told)
if MPI.COMM_WORLD.rank == 0:
    print("RESULT" + json.dumps(told))
"""


@pytest.fixture
def problem(tmp_path):
    found, *_ = problem_of(n=120, k=60)
    write_container(tmp_path / "data.rrm", found)
    return found


def test_processes_have_the_bits_of_one(environment, problem, tmp_path):
    cases = [
        ({"threads": 2}, {"prune": 0.1, "positive_weight": 2.0}),
        ({"loss": "logistic", "regularizer": "elastic-net", "l1": 0.5}, {}),
    ]
    (tmp_path / "script.py").write_text(SCRIPT)
    done = run(tmp_path, environment, "script.py", json.dumps(cases))
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout.partition("RESULT")[2])
    for (asked, terms), own, other in zip(cases, first, second, strict=True):
        model = fit_labels(problem, Parameter(**asked), **terms)
        expected = [model.result.dual.tolist(), model.weights.data.tolist()]
        assert own == [60, *expected]
        assert other == [0, *expected]  # the first process alone is told of labels


def test_problems_that_differ_are_refused_by_all(environment, problem, tmp_path):
    script = SCRIPT.replace(".with_bias(1.0)", ".with_bias(1.0 + MPI.COMM_WORLD.rank)")
    (tmp_path / "script.py").write_text(script)
    done = run(tmp_path, environment, "script.py", json.dumps([({}, {})]))
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.partition("RESULT")[2])
    assert told == [f"processes {i} and {1 - i} have other examples or labels" for i in range(2)]


def test_the_command_trains_over_processes(environment, problem, tmp_path):
    write_multilabel(tmp_path / "data", problem)
    command = "-m", "rrmlinear.train", "--mpi", "-B", "1", "--resume", "--trace", "trace"
    done = run(tmp_path, environment, *command, "data", "model")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("solved, 60 of 60 labels") == 1
    assert len((tmp_path / "trace").read_text().splitlines()) == 60
    assert not (tmp_path / "model.journal").exists()
    plain = MultilabelProblem(problem.rows, problem.labels)  # text has no weights of examples
    expected = fit_labels(plain.with_bias(1.0), Parameter())
    assert (LabelModel.load(tmp_path / "model").weights != expected.weights).nnz == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--time-limit", "1e-9"], "the time limit was reached"),
        (["--append", "none"], "can't open model file none"),
    ],
)
def test_what_ends_the_command_is_said_and_no_process_waits(
    environment, problem, tmp_path, more, said
):
    write_multilabel(tmp_path / "data", problem)
    done = run(tmp_path, environment, "-m", "rrmlinear.train", "--mpi", *more, "data", "model")
    assert said in done.stderr + done.stdout
    assert np.isin("--time-limit", more) == (done.returncode == 0)
