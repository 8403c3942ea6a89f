"""Outputs that are no files: standard output, descriptors, pipes. What is said goes elsewhere."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from rrmlinear import Model, read_libsvm

NAMES = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="names of Linux")


def run(command, *words, **keywords):
    keywords = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 60} | keywords
    line = [sys.executable, "-m", f"rrmlinear.{command}", *map(str, words)]
    return subprocess.run(line, **keywords)


@pytest.fixture(scope="module")
def made(iris, tmp_path_factory):
    """A folder with a model and its labels."""
    made = tmp_path_factory.mktemp("made")
    assert run("train", "-q", iris, made / "model").returncode == 0
    assert run("predict", "-q", iris, made / "model", made / "labels").returncode == 0
    return made


@pytest.fixture
def model(made, folder):
    for each in made.iterdir():
        shutil.copy(each, folder)
    return "model"


@pytest.mark.parametrize("name", NAMES[::2])
def test_labels_through_a_pipe(name, iris, model, folder):
    ended = run("predict", iris, model, name)
    assert (ended.returncode, ended.stdout) == (0, (folder / "labels").read_bytes())
    assert ended.stderr.startswith(b"Accuracy = ")
    assert sorted(os.listdir(folder)) == ["labels", "model"]


def test_labels_of_standard_input(iris, model, folder):
    with open(iris, "rb") as file:
        ended = run("predict", "-q", "-", model, "-", stdin=file)
    assert (ended.stdout, ended.stderr) == ((folder / "labels").read_bytes(), b"")


def test_a_pipe_by_its_number(iris, model, folder):
    reading, writing = os.pipe()
    ended = run("predict", iris, model, f"/dev/fd/{writing}", pass_fds=[writing])
    os.close(writing)
    with open(reading, "rb") as file:
        assert file.read() == (folder / "labels").read_bytes()
    assert ended.stdout.startswith(b"Accuracy = ")
    assert ended.stderr == b""


def test_a_link_to_standard_output(iris, model, folder):
    (folder / "link").symlink_to("/dev/stdout")
    assert run("predict", iris, model, "link").stdout == (folder / "labels").read_bytes()
    assert (folder / "link").is_symlink()


def test_a_file_that_standard_output_appends_to(iris, model, folder):
    # a rename, or a new beginning, would lose what stands there and what follows
    log = folder / "log"
    with open(log, "wb") as file:
        for each in (b"first\n", b"next\n"):
            file.write(each)
            file.flush()
            assert run("predict", iris, model, "-", stdout=file).returncode == 0
        file.write(b"last\n")
    labels = (folder / "labels").read_bytes()
    assert log.read_bytes() == b"first\n" + labels + b"next\n" + labels + b"last\n"


@pytest.mark.parametrize(
    ("name", "reason"), [("/dev/fd/77", "Bad file descriptor"), ("/dev/fd/0", "Permission denied")]
)
def test_descriptors_that_take_nothing(name, reason, iris, model, folder):
    with open(iris) as file:
        ended = run("predict", iris, model, name, stdin=file)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.decode() == f"can't open output file {name}\n{reason}\n"


def test_a_reader_that_leaves(iris, model, folder):
    with open(iris, "rb") as file:
        (folder / "many").write_bytes(file.read() * 1000)  # labels for more than a pipe holds
    words = [sys.executable, "-m", "rrmlinear.predict", "many", model, "-"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.parametrize("name", NAMES[1::2])
def test_a_model_through_a_pipe(name, iris, model, folder):
    ended = run("train", iris, name)
    assert (ended.returncode, ended.stdout) == (0, (folder / model).read_bytes())
    assert b"optimization finished" in ended.stderr
    (folder / "again").write_bytes(ended.stdout)
    assert Model.load("again").n_features == 4


def test_a_trace_and_a_page_through_pipes(iris, folder):
    ended = run("train", "--trace", "-", iris, "m")
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert rows[-1]["pass"] == len(rows) > 0
    assert b"optimization finished" in ended.stderr
    (folder / "t").write_bytes(ended.stdout)
    for made in (run("info", "--report", "-", iris), run("plot", "-o", "-", "t")):
        assert made.returncode == 0
        assert made.stdout.startswith(b"<!DOCTYPE html>")
        assert made.stdout.endswith(b"</html>")
        assert made.stderr


def test_a_model_may_come_through_a_pipe(iris, model, folder):
    os.mkfifo("pipe")
    for name, code in ((model, 0), (iris, 1)):
        with subprocess.Popen(["dd", f"if={name}", "of=pipe", "status=none"]):
            ended = run("predict", "-q", iris, "pipe", "-")
        assert ended.returncode == code
        assert ended.stdout == ((folder / "labels").read_bytes() if name == model else b"")
    assert b"can't open model file pipe" in ended.stderr
    assert b"/tmp" not in ended.stderr


def test_text_of_a_container(iris, folder):
    assert run("convert", iris, "iris.rrm").returncode == 0
    ended = run("convert", "iris.rrm", "-")
    assert b" examples, " in ended.stderr
    (folder / "text").write_bytes(ended.stdout)
    assert (read_libsvm("text").rows.values == read_libsvm(iris).rows.values).all()
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        assert run("convert", "-q", "iris.rrm", "pipe").returncode == 0
        assert reader.stdout.read() == ended.stdout


def test_sequences(folder):
    (folder / "columns").write_text("a X B\nb Y I\n\nb Y B\n")
    (folder / "edges").write_text("columns word pos\nword[0]\nedge pos[-1]|pos[0]\n")
    refused = run("sequences", "columns", "-")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr.startswith(b"no dictionary_file is given, ")
    refused = run("sequences", "--template", "edges", "columns", "-", "dictionary")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr.startswith(b"ERROR: the template has attributes of edges")
    assert not (folder / "dictionary").exists()
    ended = run("sequences", "columns", "-", "dictionary")
    assert run("sequences", "-q", "columns", "rows", "dictionary2").returncode == 0
    assert ended.stdout == (folder / "rows").read_bytes()
    assert ended.stderr.startswith(b"2 sequences, 3 positions, ")
    (folder / "numbers").write_text("1\n2\n1\n")
    named = run("sequences", "--dictionary", "dictionary", "--predicted", "numbers", "columns", "-")
    assert named.stdout.splitlines()[0] == b"a X B B"
    assert b"Accuracy = " in named.stderr


def test_one_stream_for_two_outputs(iris, folder):
    ended = run("train", "--trace", "-", iris, "-")
    assert (ended.returncode, ended.stdout) == (1, b"")
    sentence = b"ERROR: /dev/stdout is the model file and cannot be the trace file too\n"
    assert ended.stderr == sentence
    both = run("train", "-q", "--trace", "/dev/null", iris, "/dev/null")
    assert (both.returncode, both.stderr) == (0, b"")
