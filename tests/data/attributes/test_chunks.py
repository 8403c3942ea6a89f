"""Chunks of labels, counted as conlleval counts them."""

import random

import pytest

from rrmlinear.cli.attributes import scores
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
        ("B-NP I-NP E-NP S-VP O", [(0, 3, "NP"), (3, 4, "VP")]),
        ("B-NP L-NP U-NP U-NP", [(0, 2, "NP"), (2, 3, "NP"), (3, 4, "NP")]),
        ("S-NP I-NP E-NP E-NP", [(0, 1, "NP"), (1, 3, "NP"), (3, 4, "NP")]),
        ("B-NP E-VP O I-NP", [(0, 1, "NP"), (1, 2, "VP"), (3, 4, "NP")]),
    ],
)
def test_chunks_begin_and_end_where_their_labels_say(labels, chunks):
    assert list(chunks_of(labels.split())) == chunks


SCHEMES = {
    "IOBES": ("S", "B", "I", "E"),
    "BILOU": ("U", "B", "I", "L"),
    "IOB": ("B", "B", "I", "I"),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_chunks_are_the_same_in_every_scheme(scheme):
    single, first, inside, last = SCHEMES[scheme]
    chance = random.Random(0)
    labels, chunks = [], []
    for _ in range(300):
        if chance.random() < 0.3:
            labels.append("O")
            continue
        kind, length = chance.choice(["NP", "VP", "A-B"]), chance.randint(1, 4)
        tags = [single] if length == 1 else [first, *[inside] * (length - 2), last]
        chunks.append((len(labels), len(labels) + length, kind))
        labels += [f"{tag}-{kind}" for tag in tags]
    assert list(chunks_of(labels)) == chunks
    assert are_chunks(labels)
    assert "F1 = 100.00%" in scores(labels, labels, [0, len(labels)])


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
    assert not are_chunks(["S", "E-NP"])
    assert are_chunks(["O", "U-NP", "L-VP", "S-NP", "E-NP"])
