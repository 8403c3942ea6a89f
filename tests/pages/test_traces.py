"""Traces: from results and from files, thinned, and drawn."""

import numpy as np
import pytest

from rrmlinear.pages.drawing import FORMATS, draw_traces
from rrmlinear.pages.traces import MOST_PASSES, TraceError, read_trace, trace_of
from rrmlinear.solvers.loop.result import TraceRow


def rows(n):
    return [TraceRow(i, i / 10, 10 + 1 / i, 10 - 1 / i, 2 / i) for i in range(1, n + 1)]


def test_objectives_are_scaled():
    trace = trace_of(rows(3), scale=2.0)
    assert trace.primal.tolist() == [22.0, 21.0, 2 * (10 + 1 / 3)]
    assert trace.gap.tolist() == [4.0, 2.0, 4 / 3]
    assert trace.relative_gap == pytest.approx([2 / 11, 1 / 10.5, (2 / 3) / (10 + 1 / 3)])


def test_what_is_not_known_is_no_number():
    trace = trace_of([TraceRow(1, 0.1, 5.0, -np.inf, np.inf)])
    assert np.isnan([trace.dual[0], trace.gap[0], trace.relative_gap[0]]).all()


def test_long_traces_keep_their_ends():
    trace = trace_of(rows(50_000))
    thin = trace.thinned()
    assert len(thin.passes) <= MOST_PASSES
    assert (thin.passes[0], thin.passes[-1]) == (1, 50_000)
    assert (np.diff(thin.passes) > 0).all()
    short = trace_of(rows(10))
    assert short.thinned() is short


def test_files_are_read_and_refused(tmp_path):
    path = tmp_path / "t.jsonl"
    good = '{"pass": 1, "seconds": 0.5, "primal": 2, "dual": null, "gap": null}\n'
    path.write_text(good + "\n")
    trace = read_trace(str(path))
    assert (trace.passes[0], trace.primal[0]) == (1, 2)
    assert np.isnan(trace.gap[0])
    for text, told in (
        ("", "holds no pass"),
        (good + "{}", "line 2 of"),
        (good + "nonsense", "'nonsense'"),
        (good + "[1]", "a pass is a JSON object"),
        ("x" * 200, "…"),
    ):
        path.write_text(text)
        with pytest.raises(TraceError, match=told):
            read_trace(str(path))


@pytest.mark.parametrize("kind", FORMATS)
def test_pictures_are_of_their_kind(kind, tmp_path):
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    path = tmp_path / f"p.{kind}"
    draw_traces([trace_of(rows(5), name="a"), trace_of(rows(9), name="b")], str(path), "passes")
    begin = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert path.read_bytes().startswith(begin)
