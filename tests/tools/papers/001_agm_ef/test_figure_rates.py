"""The rates stay within their bounds and above what no method gets below."""

import pytest


@pytest.fixture
def rates(tool):
    return tool("figure_rates")


@pytest.mark.parametrize("lams", [(0, 0), (0, 1e-2), (1e-2, 0), (1e-2, 1e-2)])
@pytest.mark.parametrize("method", ["AGM-EF-∞", "AGM-EF-1"])
def test_errors_lie_below_the_bound(rates, lams, method):
    case = rates.worst_case(40, *lams)
    errors = case.errors(method, 40, rates.FIXED)
    assert (errors <= case.bound(method, 40)).all()
    assert errors[-1] < errors[0] / 10
    if case.worst and method == "AGM-EF-∞":
        assert (errors >= case.floor(40)).all()


def test_table_findings_and_picture(rates, tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib")
    data = tmp_path / "a9a"
    data.write_text(
        "".join(f"{1 - 2 * (i % 2)} {1 + i % 3}:1 {4 + i % 5}:{i % 4}\n" for i in range(30))
    )
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    picture = tmp_path / "rates.png"
    assert rates.main(["--steps", "12", "--png", str(picture)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("logistic, a9a" in line for line in lines) == 2
    assert sum("holds at every step" in line for line in lines) == 2
    assert picture.read_bytes().startswith(b"\x89PNG")
    data.unlink()
    assert rates.main(["--steps", "4"]) == 0
    assert "left out: a9a is not in" in capsys.readouterr().err
