"""What is shown of each pass, on a terminal and elsewhere."""

import io
import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from rrmlinear import Parameter, Problem, fit
from rrmlinear.cli import report
from rrmlinear.pages import passes
from rrmlinear.solvers.loop.result import TraceRow, part_done


class Terminal(io.StringIO):
    def isatty(self):
        return True


def rows(**more):
    for number in range(1, 6):
        gap = 10.0 ** (1 - number)
        part = part_done(1.0, gap, 1e-6)
        yield TraceRow(number, 0.1 * number, 2 + gap, 2.0, gap, number % 2 == 0, part, **more)


def test_equal_warnings_are_said_once(capsys):
    with report.warnings_said() as caught:
        for text in ("one", "other", "one"):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "WARNING: one\nWARNING: other\n"
    assert len(caught) == 3


def test_pass_line_marks_estimates():
    measured, estimated, *_ = rows()
    assert passes.pass_line(measured) == (
        "pass     1  seconds    0.1000  primal 3  dual 2  relative gap  3.333e-01"
    )
    assert passes.pass_line(estimated).endswith("relative gap ~4.762e-02")


@pytest.mark.parametrize("rich", [True, False])
def test_live_line_shows_pass_gap_rate_and_what_is_left(monkeypatch, rich):
    if not rich:
        monkeypatch.setattr(passes, "bar", passes.Bar)
    else:
        pytest.importorskip("rich")
    terminal, clock = Terminal(), iter(range(100))
    monkeypatch.setattr(report.sys, "stdout", terminal)
    monkeypatch.setattr(passes, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setenv("COLUMNS", "80")
    with report.progress(False) as show:
        for row in rows():
            show(row)
    text = terminal.getvalue()
    assert "pass 1, 0.1 s, relative gap 3.33e-01" in text
    assert "pass 4, 0.4 s, relative gap ~5.00e-04, 1 passes/s, 3.0 s left" in text
    assert text.count("\n") <= 1
    if not rich:
        assert "\r\x1b[K 50% pass 4" in text
        assert text.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("stream", "passes"), [(Terminal(), []), (io.StringIO(), ["1", "2", "4", "5"])]
)
def test_a_live_line_is_not_drawn_each_pass_and_lines_elsewhere_are_some(
    monkeypatch, stream, passes
):
    monkeypatch.setattr(report.sys, "stdout", stream)
    with report.progress(False) as show:
        for row in rows():
            show(row)
    shown = [line.split()[1] for line in stream.getvalue().splitlines()]
    assert shown == passes


@pytest.mark.parametrize("terminal", [Terminal(), io.StringIO()])
def test_a_note_is_told_once_and_at_once(monkeypatch, terminal):
    monkeypatch.setattr(passes, "bar", passes.Bar)
    monkeypatch.setattr(report.sys, "stdout", terminal)
    with report.progress(False) as show:
        for row in rows(note="the ascent was slow: Newton's method goes on"):
            show(row)
            assert terminal.getvalue().count("note: the ascent was slow: Newton's method") == 1


@pytest.mark.parametrize("solver", [1, 2, 3, 5, 7, 12, 30])
def test_no_run_is_told_to_be_done_before_its_end(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    y = np.sign(X @ rng.normal(size=40) + rng.normal(size=300)).astype(int)
    seen = []
    more = {"accelerate": False, "gap_tol": 1e-6} if solver == 30 else {"tolerance": 1e-6}
    with warnings.catch_warnings(action="ignore"):  # a limit of passes
        problem = Problem.from_arrays(X, y)
        result = fit(problem, Parameter(solver, C=10.0, **more), on_pass=seen.append).result
    told = [row.part for row in seen if not math.isnan(row.part)]
    assert all(part < 1 for part in told[:-1])
    assert [(row.number, row.gap) for row in seen] == [(r.number, r.gap) for r in result.trace]


def test_a_change_of_method_is_seen_in_its_pass():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 120))
    y = X @ rng.normal(size=120) + rng.normal(size=400)
    seen = []
    chosen = Parameter("auto", loss="epsilon-insensitive", C=1000.0, gap_tol=1e-9)
    result = fit(Problem.from_arrays(X, y), chosen, on_pass=seen.append).result
    notes = [row.note for row in seen if row.note]
    assert notes
    assert all(note in "; ".join(result.notes) for note in notes)
    assert seen[-1].note != notes[0]  # while the run goes on
