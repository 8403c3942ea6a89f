"""The sequences command, from columns to rows and from predictions to names."""

import pytest

from rrmlinear.cli.attributes import main
from rrmlinear.cli.command import run
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.data.text.libsvm_format import read_sequences

TRAIN = "He PRP B-NP\nreckons VBZ B-VP\n\nthe DT B-NP\ndeficit NN I-NP\nwill MD B-VP\n"
TEST = "He PRP B-NP\nwill MD B-VP\nnow RB B-ADVP\n"


@pytest.fixture
def files(folder):
    (folder / "train.txt").write_text(TRAIN)
    (folder / "test.txt").write_text(TEST)
    main(["-q", "train.txt", "train"])
    return folder


def test_training_and_test_sets(files, capsys):
    train = read_sequences("train")
    assert train.starts.tolist() == [0, 2, 5]
    assert train.labels[train.label].tolist() == [1, 2, 1, 3, 2]
    main(["--dictionary", "train.dictionary", "test.txt", "test"])
    said = capsys.readouterr()
    assert said.out.startswith("1 sequences, 3 positions; ")
    assert "the label B-ADVP is not in the dictionary; no model predicts it" in said.err
    test = read_sequences("test", n_features=train.n_features)
    assert test.labels[test.label].tolist() == [1, 2, 4]


def test_a_template_of_ones_own(files, capsys):
    (files / "template").write_text("columns word pos\nword.lower[0]\n")
    main(["--template", "template", "--least", "1", "train.txt", "own", "own.d"])
    assert capsys.readouterr().out == "2 sequences, 5 positions, 3 labels, 5 attributes\n"
    assert (files / "own").read_text().splitlines()[0] == "1 qid:1 1:1"
    assert "word.lower[0]=he" in (files / "own.d").read_text()


def test_edges_get_a_file_of_their_own(files, capsys):
    (files / "template").write_text("columns word pos\nword[0]\nedge pos[-1]|pos[0]\n")
    main(["--template", "template", "train.txt", "own"])
    assert capsys.readouterr().out == (
        "2 sequences, 5 positions, 3 labels, 5 attributes, 3 of edges\n"
    )
    edges = "1 qid:1\n2 qid:1 1:1\n1 qid:2\n3 qid:2 2:1\n2 qid:2 3:1\n"
    assert (files / "own.edges").read_text() == edges
    main(["--dictionary", "own.dictionary", "test.txt", "new"])
    assert "3 of 5 attributes are not in the dictionary" in capsys.readouterr().out
    assert (files / "new.edges").read_text() == "1 qid:1\n2 qid:1\n4 qid:1\n"
    assert not (files / "train.edges").exists()


def test_columns_without_labels(files):
    (files / "new.txt").write_text("He PRP\n\nwill MD\n")
    main(["-q", "--unlabelled", "--dictionary", "train.dictionary", "new.txt", "new"])
    new = read_sequences("new")
    assert new.starts.tolist() == [0, 1, 2]
    assert new.labels[new.label].tolist() == [1, 1]


def test_predictions_get_names_and_scores(files, capsys):
    (files / "out").write_text("1\n2\n1\n")
    main(["--dictionary", "train.dictionary", "--predicted", "out", "test.txt", "named"])
    assert (files / "named").read_text() == (
        "He PRP B-NP B-NP\nwill MD B-VP B-VP\nnow RB B-ADVP B-NP\n\n"
    )
    assert capsys.readouterr().out == (
        "Accuracy = 66.6667% (2/3)\nChunks: precision = 66.67%, recall = 66.67%, F1 = 66.67% "
        "(3 true, 3 predicted, 2 correct)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("train.txt", "no output_file is given"),
        ("train.txt a b c", "c is one file too many"),
        ("--dictionary train.dictionary test.txt a b", "b is one file too many"),
        ("--dictionary train.dictionary --least 2 test.txt a", "--least has no effect with"),
        ("--predicted out test.txt a", "--predicted needs --dictionary"),
        ("--unlabelled test.txt a", "--unlabelled is for --dictionary"),
        ("--template none train.txt a", "can't open template file none"),
        ("--template tagging train.txt a", "line 1: found 3 columns where 2 are expected"),
        ("none.txt a", "can't open input file none.txt"),
        ("train.txt train.txt", "train.txt is the columns file and cannot be the output too"),
        ("--dictionary train.txt test.txt a", "line 1: it is no dictionary"),
        ("--dictionary train.dictionary --predicted test.txt test.txt a", "no output of predict"),
        ("--dictionary train.dictionary --predicted few test.txt a", "few has 1 labels and"),
        ("--dictionary train.dictionary --predicted high test.txt a", "line 2: 4 is no label"),
    ],
)
def test_what_is_refused(files, arguments, sentence):
    (files / "few").write_text("1\n")
    (files / "high").write_text("1\n4\n1\n")
    with pytest.raises(LeaveError) as caught:
        main(arguments.split())
    assert sentence in str(caught.value)
    assert not (files / "a").exists()


def test_conll_2000_has_the_attributes_of_crfsuites_tutorial(shared_data, tmp_path, capsys):
    out = str(tmp_path / "train")
    main([str(shared_data("conll2000.train.txt")), out])
    said = capsys.readouterr().out
    assert said == "8936 sequences, 211727 positions, 22 labels, 335674 attributes\n"
    main(["--dictionary", f"{out}.dictionary", str(shared_data("conll2000.test.txt")), out])
    said = capsys.readouterr()
    assert said.out.startswith("2012 sequences, 47377 positions; ")
    assert "the label I-LST is not in the dictionary" in said.err


WORDS = {"the": ("B-NP", "DET"), "cat": ("I-NP", "NOUN"), "sees": ("B-VP", "VERB")}
SENTENCE = ["the", "cat", "sees", "the", "cat"]


def attributes_of(sentence):
    lines = (f"{WORDS[word][0]}\tw={word}:2\tb={before}" for before, word in zip(
        ["", *sentence], sentence, strict=False))  # fmt: skip
    return "\n".join(lines) + "\n\n"


def universal(sentence):
    lines = (f"{k}\t{word}\t_\t{WORDS[word][1]}" + 6 * "\t_" for k, word in enumerate(sentence, 1))
    return "# text\n" + "\n".join(lines) + "\n\n"


def tabs_of(sentence):
    return "".join(f"{word} x\t{WORDS[word][1]} y\n" for word in sentence) + "\n"


@pytest.mark.parametrize(
    ("form", "write", "column", "score"),
    [
        ("attributes", attributes_of, 0, "F1 = 100.00%"),
        ("conllu", universal, 1, "Accuracy = 100%"),
        ("tabs", tabs_of, 1, "Accuracy = 100%"),
    ],
)
def test_other_formats_to_a_score(form, write, column, score, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(write(SENTENCE) * 5 + write(SENTENCE[:3]) * 5)
    (tmp_path / "test.txt").write_text(write(SENTENCE[:2]) + write(SENTENCE))
    template = ("--template", "own") if form == "tabs" else ()
    (tmp_path / "own").write_text("columns w\nw[-1..1]\n")
    for command, words in (
        ("attributes", ("--format", form, *template, "train.txt", "train")),
        ("training", ("-q", "--loss", "crf", "-c", "10", "train", "model")),
        ("attributes", ("--dictionary", "train.dictionary", "test.txt", "test")),
        ("prediction", ("test", "model", "predicted")),
        ("attributes", ("--dictionary", "train.dictionary", "--predicted", "predicted",
                        "test.txt", "named")),
    ):  # fmt: skip
        assert run(command, list(words)) == 0, capsys.readouterr().err
    assert score in capsys.readouterr().out
    lines = [line.split("\t") for line in (tmp_path / "named").read_text().splitlines() if line]
    assert len(lines) == 7
    assert all(line[column] == line[column + 1] for line in lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "attributes", "--template", "names"), "--template has no effect: --format"),
        (("--format", "conllu", "--template", "chunking"), "does not fit the template chunking"),
        (("--format", "tabs", "--dictionary", "d"), "--format has no effect with --dictionary"),
    ],
)
def test_formats_that_do_not_fit_are_refused(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").write_text("a\tb\n")
    assert run("attributes", [*arguments, "t", "out"]) == 1
    assert said in capsys.readouterr().err
