"""The commands that write pages: train --report, info and plot."""

import shutil
import sys

import numpy as np
import pytest

import rrmlinear

pytest.importorskip("plotly", reason="pages need plotly")
pytest.importorskip("jinja2", reason="pages need Jinja2")


def text_of(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def test_a_training_leaves_its_page(train, iris):
    done = train("-s", "30", "-q", "--report", "run.html", iris, "model")
    assert (done.code, done.out) == (0, "")
    text = text_of("run.html")
    assert f"python -m rrmlinear train -s 30 -q --report run.html {iris} model" in text
    assert "the weston-watkins loss" in text


def test_examples_of_one_class_have_a_page(train, folder):
    (folder / "one").write_text("1 1:1\n1 2:1\n")
    done = train("-s", "1", "-q", "--report", "run.html", "one", "model")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "label 1" in text_of("run.html")


def test_warnings_stand_on_the_page(train, iris):
    done = train("-s", "30", "-q", "-t", "1", "--report", "run.html", iris, "model")
    assert "WARNING" in done.err
    assert "the limit on passes was reached" in text_of("run.html").split("<h2>")[0]


def test_searches_and_folds_leave_their_tables(train, iris):
    done = train("-C", "-s", "2", "--report", "c.html", iris)
    best = done.out.splitlines()[-1].split()[3]
    assert f"Values of C tried; the best is {best}" in text_of("c.html")
    assert f"half the squared norm, C = {best}." in text_of("c.html")
    assert f'<td class="good">{best}</td>' in text_of("c.html")
    assert '<div class="picture"' in text_of("c.html").split("<h3>Values of C")[0]
    done = train("-v", "3", "-q", "--report", "v.html", iris)
    score = done.out.split(" = ")[1].strip()
    assert "Examples of 3 folds held out" in text_of("v.html")
    assert f"<td>{score}</td>" in text_of("v.html")


def test_test_data_are_predicted_on_the_page(train, convert, iris, folder):
    problem, beside = rrmlinear.read_libsvm(iris), ("--labels", "y.npy", "x.npy")
    np.save("x.npy", problem.to_scipy().toarray())
    np.save("y.npy", problem.labels)
    shutil.copy(iris, folder / "test")
    assert convert(iris, "test.rrm").code == 0
    for test, *given in (("test", iris), ("test", *beside), ("test.rrm", *beside)):
        page = "--report", "run.html", "--report-test", test
        done = train("-s", "1", "-q", *page, *given, "model")
        assert (done.code, done.out, done.err) == (0, "", "")
        assert "<th>test data</th>" in text_of("run.html")


def test_options_of_a_page_need_the_page(train, iris, folder):
    for more in (["--report-test", iris], ["--report-static"]):
        assert train(*more, iris, "model").err.startswith(
            f"{more[0]} has no effect without --report"
        )
    done = train("-v", "3", "--report", "v.html", "--report-test", iris, iris)
    assert done.err.startswith("--report-test has no effect with -v")
    np.save("test.npy", np.ones((3, 4)))
    done = train("--report", "v.html", "--report-test", "test.npy", "--labels", iris, iris)
    assert done.err.startswith("--labels names a file of the training data")
    done = train("--report", "v.html", "--report-test", "absent", iris)
    assert done.err.startswith("can't open input file absent")


def test_a_report_that_cannot_be_written_ends_before_the_training(train, iris, folder):
    error = train.error("--report", "absent/run.html", iris, "model")
    assert error.startswith("can't write report file absent/run.html\n")
    assert not (folder / "model").exists()
    done = train("--report", "model", iris, "model")
    assert done.err == "ERROR: model is the report file and cannot be the model file too\n"


def test_info_tells_facts_and_commands(call, iris, folder):
    code, out, err = call("information", iris)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["rows", "75"] in lines
    assert ["label", "0", "25"] in lines
    assert any("-s 30" in line for line in out.splitlines())
    assert "(C from" in out
    assert call("information", "-q", "--report", "i.html", iris) == (0, "", "")
    assert "What to try" in text_of("i.html")
    assert f"python -m rrmlinear info -q --report i.html {iris}" in text_of("i.html")


def test_info_tells_what_a_file_of_an_estimator_knows(call, train, iris, folder):
    model = rrmlinear.LinearSVC(C=0.5).fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])
    model.save(folder / "kept")
    told = dict(line.split(None, 1) for line in call("information", "kept")[1].splitlines())
    assert (told["estimator"], told["classes_"]) == ("LinearSVC", "['a', 'b', 'c']")
    assert float(told["objective_"]) == model.objective_
    assert "kept holds an estimator, not data" in train("kept", "model").err
    assert "the load of an estimator reads" in call("prediction", iris, "kept", "out")[2]


def test_info_prints_without_the_packages_for_pages(call, iris, monkeypatch):
    with monkeypatch.context() as without:
        for name in ("plotly", "plotly.graph_objects", "jinja2"):
            without.setitem(sys.modules, name, None)
        printed = call("information", iris)
        assert call("information", "--report", "i.html", iris)[2].startswith("ERROR: pages need")
    assert printed == call("information", iris)
    assert printed[0] == 0


def test_info_refuses_what_it_cannot_read(call, iris, folder):
    assert call("information", "nope")[2].startswith("can't open input file nope\n")
    assert call("information", iris, iris)[2] == "info takes one data_file; see --help\n"
    (folder / "wrong").write_text("1 1:x\n")
    assert call("information", "wrong")[2].startswith("Wrong input format at line 1")
    assert (
        "is the data file and cannot be the report file"
        in call("information", "--report", "wrong", "wrong")[2]
    )


def test_plots_of_traces(call, train, iris, folder):
    for solver in ("1", "30"):
        assert train("-s", solver, "-q", "--trace", f"{solver}.trace", iris, "model").code == 0
    traces = ("1.trace", "30.trace")
    assert call("plotting", *traces) == (0, "2 traces in traces.html\n", "")
    assert "python -m rrmlinear plot 1.trace 30.trace" in text_of("traces.html")
    assert call("plotting", "-q", "-o", "a.svg", "--against", "passes", *traces) == (0, "", "")
    assert "<svg" in text_of("a.svg")


def test_plots_refuse_what_they_cannot_draw(call, train, iris, folder):
    train("-q", "--trace", "a.trace", iris, "model")
    assert call("plotting", "-q")[2] == "no trace_file is given; see --help\n"
    assert "-o takes a name that ends in .png" in call("plotting", "-o", "a.gif", "a.trace")[2]
    assert (
        "--against has no effect on a page" in call("plotting", "--against", "passes", "a.trace")[2]
    )
    assert call("plotting", "-o", "a.png", iris)[2].startswith(f"ERROR: line 1 of {iris} is ")
    assert call("plotting", "nope")[2].startswith("can't open input file nope\n")
    assert not (folder / "a.png").exists()
