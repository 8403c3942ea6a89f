"""The School data of the paper: its error, certified."""

import pytest


@pytest.fixture(scope="module")
def school(tool):
    return tool("school")


@pytest.mark.parametrize("loss", ["absolute", "epsilon-insensitive"])
def test_the_error_is_the_papers_and_the_gap_is_certified(school, shared_data, capsys, loss):
    for name in ("school", "school.task"):
        shared_data(name)
    school.main(["--losses", loss, "--penalties", "1e-2", "--splits", "1"])
    row = capsys.readouterr().out.splitlines()[-1].split("|")
    assert float(row[3].split("±")[0]) == pytest.approx(10.34, abs=0.1)
    assert 0 <= float(row[4]) <= 1e-3
