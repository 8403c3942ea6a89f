"""Chunks of labels, counted as conlleval counts them."""

import pytest

from rrmlinear.data.attributes.chunks import ChunkScore, are_chunks, chunk_score, chunks_of


@pytest.mark.parametrize(
    ("labels", "chunks"),
    [
        ("O O", []),
        ("B-NP I-NP O B-VP", [(0, 2, "NP"), (3, 4, "VP")]),
        ("B-NP B-NP I-NP", [(0, 1, "NP"), (1, 3, "NP")]),
        ("I-NP I-NP O I-VP", [(0, 2, "NP"), (3, 4, "VP")]),
        ("B-NP I-VP I-VP", [(0, 1, "NP"), (1, 3, "VP")]),
        ("O I-NP B-NP", [(1, 2, "NP"), (2, 3, "NP")]),
    ],
)
def test_chunks_begin_and_end_where_their_labels_say(labels, chunks):
    assert list(chunks_of(labels.split())) == chunks


def test_scores_count_whole_chunks():
    true = [["B-NP", "I-NP", "O", "B-VP"], ["B-NP"]]
    predicted = [["B-NP", "I-NP", "O", "B-NP"], ["O"]]
    score = chunk_score(true, predicted)
    assert score == ChunkScore(3, 2, 1)
    assert (score.precision, score.recall, score.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert chunk_score([["O"]], [["O"]]).f1 == 0


def test_which_labels_are_chunks():
    assert are_chunks(["O", "B-NP", "I-VP"])
    assert not are_chunks(["O"])
    assert not are_chunks(["NN", "B-NP"])
