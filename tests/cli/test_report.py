"""What is shown of each pass, on a terminal and elsewhere."""

import io
import warnings

import pytest

from rrmlinear.cli import report
from rrmlinear.solvers.loop.result import TraceRow
from rrmlinear.solvers.loop.stopping import Stopping


class Terminal(io.StringIO):
    def isatty(self):
        return True


def rows():
    for number in range(1, 6):
        gap = 10.0 ** (1 - number)
        yield TraceRow(number, 0.1 * number, 2 + gap, 2.0, gap, estimated=number % 2 == 0)


def test_equal_warnings_are_said_once(capsys):
    with report.warnings_said() as caught:
        for text in ("one", "other", "one"):
            warnings.warn(text, UserWarning, stacklevel=1)
    assert capsys.readouterr().err == "WARNING: one\nWARNING: other\n"
    assert len(caught) == 3


def test_pass_line_marks_estimates():
    measured, estimated, *_ = rows()
    assert report.pass_line(measured) == (
        "pass     1  seconds    0.1000  primal 3  dual 2  relative gap  3.333e-01"
    )
    assert report.pass_line(estimated).endswith("relative gap ~4.762e-02")


@pytest.mark.parametrize("rich", [True, False])
def test_live_line_shows_the_last_pass_and_goes(monkeypatch, rich):
    if not rich:
        monkeypatch.setattr(report, "_rich_progress", lambda stream: None)
    else:
        pytest.importorskip("rich")
    terminal = Terminal()
    monkeypatch.setattr(report.sys, "stdout", terminal)
    monkeypatch.setattr(report, "SECONDS_BETWEEN_SIGHTS", 0.0)
    monkeypatch.setenv("COLUMNS", "80")
    with report.progress(False, Stopping(delta=0.0009)) as show:
        for row in rows():
            show(row)
    text = terminal.getvalue()
    assert "pass 5  0.5 s  relative gap  5.00e-05  primal 2.0001" in text
    assert text.count("\n") <= 1
    if not rich:
        assert "\r 33% pass" in text
        assert text.endswith("\r\x1b[K")


def test_live_line_is_not_drawn_each_pass(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(report.sys, "stdout", terminal)
    with report.progress(False, Stopping()) as show:
        for row in rows():
            show(row)
    assert terminal.getvalue() == ""


def test_lines_elsewhere(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(report.sys, "stdout", stream)
    with report.progress(False, Stopping()) as show:
        for row in rows():
            show(row)
    shown = [line.split()[1] for line in stream.getvalue().splitlines()]
    assert shown == ["1", "2", "4", "5"]
