"""The letters of handwritten words, with the word of each in a file of its own, as sequences."""

import io
import lzma

import numpy as np

from rrmlinear import Problem, write_libsvm
from rrmlinear.data.text.libsvm_format import read_sequences


def test_the_words_read_back(data_set, shared_data):
    letters = data_set("ocr-letters")
    with lzma.open(shared_data("ocr-letters.seq")) as file:
        words = np.loadtxt(file, dtype=np.int64)
    text = io.BytesIO()
    write_libsvm(text, Problem(letters.rows, letters.labels, None, words))
    problem = read_sequences(io.BytesIO(text.getvalue()))
    assert (problem.n_sequences, problem.n_positions, problem.n_labels) == (6877, 52152, 26)
    assert (problem.labels[problem.label] == letters.labels).all()
    assert (np.repeat(words[problem.starts[:-1]], np.diff(problem.starts)) == words).all()
