"""Files of tokens in other formats: CRFsuite's attributes, CoNLL-U, tabs, and CRF++'s templates."""

import numpy as np
import pytest

from rrmlinear.data.attributes.builtin import BUILTIN
from rrmlinear.data.attributes.columns import read_tokens
from rrmlinear.data.attributes.dictionary import Dictionary, read_dictionary
from rrmlinear.data.attributes.templates import (
    TemplateError,
    is_of_crfpp,
    parse_template,
    translated,
)

ATTRIBUTES = parse_template("format attributes\n", "t")


def named(dictionary, problem):
    """The attributes of each position by name, with their values."""
    rows = problem.to_problem().to_scipy()
    return [
        {
            dictionary.attributes[j]: v
            for j, v in zip(rows.indices[a:b], rows.data[a:b], strict=True)
        }
        for a, b in zip(rows.indptr, rows.indptr[1:], strict=False)
    ]


class TestAttributes:
    @pytest.fixture
    def made(self, tmp_path):
        def call(text, template=ATTRIBUTES, labelled=True):
            (tmp_path / "t").write_bytes(text.encode())
            tokens = read_tokens(tmp_path / "t", template, labelled)
            return tokens, *Dictionary.of(tokens, template)

        return call

    def test_weights_escapes_and_empty_items(self, made):
        text = "B\tw=a:2.5\tt=\\:\t\tu\\\\v:1e-1\nO\r\n\n\nB\tw=a\tw=a\tx=1\\:2:3\t\n"
        tokens, dictionary, problem = made(text)
        assert list(tokens.labels) == ["B", "O", "B"]
        assert tokens.starts.tolist() == [0, 2, 3]
        assert named(dictionary, problem) == [
            {"w=a": 2.5, "t=:": 1.0, "u\\v": 0.1}, {}, {"w=a": 2.0, "x=1:2": 3.0}
        ]  # fmt: skip

    def test_a_dictionary_reads_other_files_as_it_was_made(self, made, tmp_path):
        _, dictionary, _ = made("B\ta\tb\nO\tb\n")
        (tmp_path / "d").write_text(dictionary.text())
        back = read_dictionary(tmp_path / "d")
        (tmp_path / "u").write_text("O\tb:3\tc\nX\ta\n")
        tokens = read_tokens(tmp_path / "u", back.template)
        problem, unknown = back.problem(tokens)
        assert unknown == 1
        assert named(back, problem) == [{"b": 3.0}, {"a": 1.0}]
        assert back.unknown_labels(tokens) == ["X"]

    def test_files_without_labels_have_attributes_alone(self, made):
        _, dictionary, problem = made("a\tb\nb\n", labelled=False)
        assert named(dictionary, problem) == [{"a": 1.0, "b": 1.0}, {"b": 1.0}]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("B\ta:b:2\n", r"line 1: the weight of 'a' is 'b:2'; .*written \\:"),
            ("B\ta\nB\tb:inf\n", "line 2: the weight of 'b' is 'inf'"),
            ("B\ta:\n", "line 1: the weight of 'a' is ''"),
            ("\ta\n", "line 1: the label before the first tab is empty"),
            ("\n\n", "has no tokens"),
        ],
    )
    def test_wrong_text_is_told(self, made, text, said):
        with pytest.raises(ValueError, match=said):
            made(text)

    @pytest.mark.parametrize("fields", [2, 5])
    def test_columns_are_not_taken_for_them(self, made, fields):
        line = "B-NP\t" + "\t".join(f"w[{k}]=x" for k in range(fields))
        template = parse_template(BUILTIN["chunking"], "chunking")
        with pytest.raises(ValueError, match="--format attributes reads it"):
            made(f"{line}\n{line}\n\n{line}\n", template)


UNIVERSAL = """\
# sent_id = 1
1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tsees'em\t_\t_\t_\t_\t_\t_\t_\t_
2\tsees\tsee\tVERB\tVBZ\t_\t0\troot\t_\t_
2.1\tnone\t_\t_\t_\t_\t_\t_\t_\t_
3\tthe cat\tcat\tNOUN\tNN\t_\t2\tobj\t_\t_

# text = Go
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

"""


def test_universal_dependencies(tmp_path):
    (tmp_path / "t").write_text(UNIVERSAL)
    template = parse_template("format conllu\nlabel upos\ncolumns form xpos\nform[0]\n", "t")
    tokens = read_tokens(tmp_path / "t", template)
    assert [list(each) for each in tokens.columns] == [
        ["He", "sees", "the cat", "Go"], ["PRP", "VBZ", "NN", "VB"]
    ]  # fmt: skip
    assert list(tokens.labels) == ["PRON", "VERB", "NOUN", "VERB"]
    assert tokens.starts.tolist() == [0, 3, 4]
    assert read_tokens(tmp_path / "t", template, labelled=False).labels is None
    for text, said in (
        (UNIVERSAL.replace("1\tGo\tgo", "1\tGo"), "line 9: found 9 columns where CoNLL-U has 10"),
        (UNIVERSAL.replace("1\tGo", "one\tGo"), "line 9: the number of the token is 'one'"),
        ("# nothing\n\n", "has no tokens"),
    ):
        (tmp_path / "t").write_text(text)
        with pytest.raises(ValueError, match=said):
            read_tokens(tmp_path / "t", template)


def test_tabs_with_blanks_inside(tmp_path):
    (tmp_path / "t").write_text("the cat\tB NP\r\nruns\tO\n \nx\tO\n")
    tokens = read_tokens(tmp_path / "t", parse_template("format tabs\ncolumns w\nw[0]\n", "t"))
    assert list(tokens.columns[0]) == ["the cat", "runs", "x"]
    assert list(tokens.labels) == ["B NP", "O", "O"]
    assert tokens.starts.tolist() == [0, 2, 3]


CRFPP = """\
# Unigram
U00:%x[-2,0]
U01:%x[0,0]/%x[1,0]
U02:%x[0,1]
U03

B
B01:%x[-1,0]
"""


def test_templates_of_crfpp(tmp_path):
    assert is_of_crfpp(CRFPP)
    assert not any(map(is_of_crfpp, BUILTIN.values()))
    template = parse_template(translated(CRFPP, "t", 2), "t")
    (tmp_path / "t").write_text("a P X\nb Q Y\nc P X\n\nd Q Y\n")
    tokens = read_tokens(tmp_path / "t", template)
    dictionary, problem = Dictionary.of(tokens, template)
    words = [["a", "b", "c"], ["d"]]
    tags = [["P", "Q", "P"], ["Q"]]
    expected = []
    for sentence, of_tags in zip(words, tags, strict=True):
        n = len(sentence)

        def word(at, sentence=sentence, n=n):
            return sentence[at] if 0 <= at < n else f"_B{at}" if at < 0 else f"_B+{at - n + 1}"

        for t in range(n):
            expected.append(
                {
                    f"c0[-2]={word(t - 2)}",
                    f"c0[0]|c0[1]={word(t)}|{word(t + 1)}",
                    f"c1[0]={of_tags[t]}",
                    "bias",
                }
            )
    assert [set(each) for each in named(dictionary, problem)] == expected
    edges = problem.edges_to_problem().to_scipy()
    at = [dictionary.edges[j] for j in edges.indices]
    assert at == ["c0[-1]=a", "c0[-1]=b"]
    (tmp_path / "d").write_text(dictionary.text())
    assert read_dictionary(tmp_path / "d").template.padded


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("U0:%x[0,2]\n", r"line 1: column 2 is asked for; there are 0 … 1 before the label"),
        ("U0:%x[0,0]\nU1:%m[0,0]\n", "line 2: .* has a macro that is none of"),
        ("U0:%x[0,0]\nX1:%x[0,0]\n", "line 2: found 'X1.*begin with U or B"),
    ],
)
def test_wrong_templates_of_crfpp(text, said):
    with pytest.raises(TemplateError, match=said):
        translated(text, "t", 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("format xml\ncolumns w\nw[0]\n", "line 1: found 'format xml' where format and one of"),
        ("format conllu\nlabel upos\ncolumns upos\nupos[0]\n", "the column upos is the label"),
        ("format conllu\ncolumns word\nword[0]\n", "the column word is none of id, form"),
        ("padded yes\ncolumns w\nw[0]\n", "where padded, alone is expected"),
    ],
)
def test_wrong_headers_of_templates(text, said):
    with pytest.raises(TemplateError, match=said):
        parse_template(text, "t")


def test_positions_of_padding_at_both_ends(tmp_path):
    template = parse_template("padded\ncolumns w\nw[-3..3]\n", "t")
    (tmp_path / "t").write_text("a X\nb X\n")
    dictionary, problem = Dictionary.of(read_tokens(tmp_path / "t", template), template)
    first, last = named(dictionary, problem)
    assert {"w[-3]=_B-3", "w[-1]=_B-1", "w[1]=b", "w[2]=_B+1", "w[3]=_B+2"} <= set(first)
    assert {"w[-3]=_B-2", "w[-1]=a", "w[1]=_B+1", "w[3]=_B+3"} <= set(last)
    assert np.array_equal(problem.starts, [0, 2])
