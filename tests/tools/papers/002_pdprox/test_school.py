"""The School data of the paper: its error, certified."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def school(tool):
    return tool("school")


def test_three_quarters_of_each_school_are_for_training(school):
    schools = np.repeat([3, 5, 9], [40, 7, 20])
    part = school.training_part(schools, 1)
    assert [int(part[schools == name].sum()) for name in (3, 5, 9)] == [30, 5, 15]
    assert (part == school.training_part(schools, 1)).all()
    assert (part != school.training_part(schools, 2)).any()


@pytest.mark.parametrize("loss", ["absolute", "epsilon-insensitive"])
def test_the_error_is_the_papers_and_the_gap_is_certified(school, shared_data, capsys, loss):
    for name in ("school", "school.task"):
        shared_data(name)
    school.main(["--losses", loss, "--penalties", "1e-2", "--splits", "1"])
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert float(row[3].split("±")[0]) == pytest.approx(10.34, abs=0.1)
    assert 0 <= float(row[4]) <= 1e-3


def test_data_that_are_not_there_are_named(school, tmp_path, monkeypatch):
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match=r"school is not in .*; set RRMLINEAR_DATA"):
        school.main([])
