"""The convert command, and containers in place of text in the others."""

import os
import shutil
import time

import numpy as np
import pytest

from rrmlinear import Problem
from rrmlinear.cli.command import run


@pytest.fixture
def convert(folder, capsys):
    def call(*arguments):
        code = run("conversion", [str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return call


def test_convert_there_and_back(convert, iris, folder):
    assert convert(iris, "iris.rrm") == (0, "75 examples, 4 features, 284 stored values\n", "")
    assert convert("-q", "iris.rrm", "back.libsvm.gz") == (0, "", "")
    assert convert("--float32", "back.libsvm.gz", "small.rrm")[0] == 0
    assert Problem.open("small.rrm").rows.values.dtype == np.float32


def test_errors_end_in_a_sentence(convert, iris, folder):
    assert convert("nope", "a.rrm") == (
        1,
        "",
        "can't open input file nope\nNo such file or directory\n",
    )
    assert convert(iris, "a.txt")[2].startswith("ERROR: a.txt must end in .rrm, a container, or")
    assert convert(iris)[2] == "no output_file is given; see --help\n"
    assert convert(iris, "a.rrm", "b")[2].startswith("b is one file too many")
    assert convert(iris, "absent/a.rrm")[2].startswith("can't open output file absent/a.rrm\n")
    (folder / "wrong").write_text("1 1:1\nfoo\n")
    code, _, said = convert("wrong", "a.rrm")
    assert (code, said.splitlines()[0]) == (1, "Wrong input format at line 2")
    convert(iris, "a.rrm")
    assert "cannot be the output too" in convert("a.rrm", "a.rrm")[2]
    assert convert("--help")[:2][1].startswith("Usage: convert [options] input_file output_file")
    assert sorted(os.listdir(folder)) == ["a.rrm", "wrong"]


def test_arrays_with_labels_beside(convert, train, folder):
    X, y = np.eye(6)[:, :4], np.array([1, 2, 1, 2, 1, 2])
    np.save("X.npy", X)
    np.save("y.npy", y)
    np.save("c.npy", np.ones(6))
    words = ["--labels", "y.npy", "--weights", "c.npy", "X.npy"]
    assert convert(*words, "a.rrm") == (0, "6 examples, 4 features, 4 stored values\n", "")
    assert np.array_equal(Problem.open("a.rrm").weights, np.ones(6))
    assert train("-q", "a.rrm", "m").code == 0
    code, _, said = convert(*words, "a.libsvm")
    assert (code, said) == (
        0,
        "WARNING: LIBSVM text has no weights: those of the examples are left out\n",
    )
    assert convert("X.npy", "b.rrm")[2].startswith("ERROR: X.npy has no labels: name a .npy file")
    assert convert("--labels", "absent.npy", "X.npy", "b.rrm")[0] == 1
    assert not os.path.exists("b.rrm")


@pytest.mark.parametrize("options", [[], ["-s", 30, "-B", 1], ["-s", 0, "-v", 3], ["-C"]])
def test_train_takes_a_container_in_place_of_text(convert, train, iris, folder, options):
    convert(iris, "iris.rrm")
    outs = [
        train("-q", *options, data, *([] if "-v" in options or "-C" in options else [model]))
        for data, model in ((iris, "m1"), ("iris.rrm", "m2"))
    ]
    assert outs[0].code == 0
    assert vars(outs[0]) == vars(outs[1])
    if os.path.exists("m1"):
        with open("m1") as one, open("m2") as other:
            assert one.read() == other.read()


def test_predict_takes_a_container_whatever_its_name(convert, train, predict, iris, folder):
    convert(iris, "iris.rrm")
    os.rename("iris.rrm", "iris.txt")
    train("-q", "iris.txt", "m")
    said = [predict(data, "m", "out").out for data in (iris, "iris.txt")]
    assert said[0] == said[1]
    assert said[0].startswith("Accuracy = 9")


def test_damage_is_named(convert, train, iris, folder):
    convert(iris, "iris.rrm")
    data = bytearray((folder / "iris.rrm").read_bytes())
    data[-1] ^= 1
    (folder / "iris.rrm").write_bytes(data)
    ended = train("iris.rrm", "m")
    assert (ended.code, ended.err) == (
        1,
        "ERROR: iris.rrm is damaged in block 1 of 1, examples 1 to 75: its labels do not have "
        "their checksum\n",
    )
    assert os.listdir(folder) == ["iris.rrm"]


class TestCache:
    @pytest.fixture
    def text(self, iris, folder):
        """A text last changed an hour ago."""
        shutil.copy(iris, "data")
        os.utime("data", (time.time() - 3600,) * 2)
        return folder / "data"

    def made(self):
        status = os.stat("data.cache.rrm")
        return status.st_ino, status.st_mtime_ns

    def test_is_left_once_and_used(self, train, text):
        plain = train("-q", "data", "m1")
        assert vars(train("-q", "--cache", "data", "m2")) == vars(plain)
        made = self.made()
        assert vars(train("-q", "--cache", "data", "m3")) == vars(plain)
        assert self.made() == made
        os.utime("data")  # only the time differs
        train("-q", "--cache", "data", "m3")
        assert self.made() == made
        assert len({(text.parent / name).read_text() for name in ("m1", "m2", "m3")}) == 1

    @pytest.mark.parametrize("same_time", [True, False])
    def test_is_made_again_for_another_text(self, train, text, same_time):
        os.utime("data")  # just now: the time alone does not tell
        train("-q", "--cache", "data", "m")
        before, made = os.stat("data"), self.made()
        old = text.read_bytes()
        text.write_bytes((b"2" if old[:1] != b"2" else b"3") + old[1:])
        if same_time:
            os.utime("data", ns=(before.st_atime_ns, before.st_mtime_ns))
        train("-q", "--cache", "data", "m")
        assert self.made() != made
        assert Problem.open("data.cache.rrm").labels[0] == int(text.read_bytes()[:1])

    def test_is_made_again_where_it_is_damaged(self, train, text):
        train("-q", "--cache", "data", "m")
        data = bytearray((text.parent / "data.cache.rrm").read_bytes())
        data[-1] ^= 1
        (text.parent / "data.cache.rrm").write_bytes(data)
        assert train("-q", "--cache", "data", "m").code == 0
        Problem.open("data.cache.rrm", verify=True)

    def test_is_not_left_of_text_that_is_passed_over(self, train, text):
        text.write_bytes(text.read_bytes() + b"1 1:2 foo\n")
        ended = train.done("-q", "--cache", "data", "m")
        assert "no cache is left: strict reading refuses data" in ended.err
        assert "'foo'" in ended.err
        assert not os.path.exists("data.cache.rrm")

    def test_of_wrong_text_is_the_reader_s_error(self, train, text):
        text.write_bytes(b"1 1:2\n1 1:x\n")
        assert vars(train("--cache", "data", "m")) == vars(train("data", "m"))
        assert not os.path.exists("data.cache.rrm")

    def test_needs_a_text_with_a_name(self, convert, train, iris, folder):
        assert "needs a training_set_file with a name" in train("--cache", "-", "m").err
        convert(iris, "iris.rrm")
        ended = train.done("-q", "--cache", "iris.rrm", "m")
        assert "--cache has no effect: iris.rrm is a container" in ended.err
