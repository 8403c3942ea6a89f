"""Attributes of tokens against an expansion by hand, dictionaries, and files that are refused."""

import io
import itertools
import random

import pytest

from rrmlinear.data.attributes.columns import read_columns
from rrmlinear.data.attributes.dictionary import Dictionary, DictionaryError, read_dictionary
from rrmlinear.data.attributes.templates import parse_template

TEXT = """\
columns word pos
word[-1..1]
pos[-1..1] by 2
pos[-1..1] by 3
word.prefix2[0]
word.suffix3[-1]
word.shape[0]|pos[1]
word.lower[0]
begin
end
"""


def tokens_of(sentences):
    lines = "\n".join("".join(f"{w} {p} {y}\n" for w, p, y in each) for each in sentences)
    return read_columns(io.BytesIO(lines.encode()), ("word", "pos"))


def by_hand(sentence):
    """The attributes of each position of a sentence."""
    found = []
    for at, (word, pos, _) in enumerate(sentence):
        word_at = {o: sentence[at + o][0] for o in (-1, 0, 1) if 0 <= at + o < len(sentence)}
        pos_at = {o: sentence[at + o][1] for o in (-1, 0, 1) if 0 <= at + o < len(sentence)}
        here = {f"word[{o}]={w}" for o, w in word_at.items()}
        for o in (-1, 0):
            if o in pos_at and o + 1 in pos_at:
                here.add(f"pos[{o}]|pos[{o + 1}]={pos_at[o]}|{pos_at[o + 1]}")
        if len(pos_at) == 3:
            here.add(f"pos[-1]|pos[0]|pos[1]={pos_at[-1]}|{pos}|{pos_at[1]}")
        if len(word) >= 2:
            here.add(f"word.prefix2[0]={word[:2]}")
        if -1 in word_at and len(word_at[-1]) >= 3:
            here.add(f"word.suffix3[-1]={word_at[-1][-3:]}")
        if 1 in pos_at:
            kind = "Aa" if word[:1].isupper() and len(word) > 1 else "A" if word.isupper() else "a"
            here.add(f"word.shape[0]|pos[1]={kind}|{pos_at[1]}")
        here.add(f"word.lower[0]={word.lower()}")
        here |= {"begin"} if at == 0 else set()
        here |= {"end"} if at == len(sentence) - 1 else set()
        found.append(here)
    return found


def sentences(seed, n=40):
    chance = random.Random(seed)
    words = ["a", "I", "to", "The", "house", "houses", "ß", "Éa"]
    return [
        [
            (chance.choice(words), chance.choice("NVD"), chance.choice("xyz"))
            for _ in range(chance.randrange(1, 7))
        ]
        for _ in range(n)
    ]


def attributes_of(problem, dictionary):
    rows = problem.rows
    return [
        {dictionary.attributes[j] for j in rows.indices[b:e].tolist()}
        for b, e in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


def test_attributes_are_those_made_by_hand():
    given = sentences(0)
    dictionary, problem = Dictionary.of(tokens_of(given), parse_template(TEXT, "here"))
    wanted = [here for sentence in given for here in by_hand(sentence)]
    assert attributes_of(problem, dictionary) == wanted
    names = [y for sentence in given for _, _, y in sentence]
    assert [dictionary.labels[j] for j in problem.label.tolist()] == names
    assert (problem.rows.values == 1).all()
    assert problem.rows.find_fault() == (None, True)
    counts = [sum(name in here for here in wanted) for name in dictionary.attributes]
    assert counts == sorted(counts, reverse=True)


def test_attributes_of_edges(tmp_path):
    given = sentences(5)
    tokens = tokens_of(given)
    template = parse_template(TEXT + "edge pos[-1]|pos[0]\nedge word[0]\nedge end\n", "here")
    dictionary, problem = Dictionary.of(tokens, template)
    wanted = [
        {f"pos[-1]|pos[0]={before[1]}|{here[1]}", f"word[0]={here[0]}"}
        | ({"end"} if at == len(sentence) - 1 else set())
        for sentence in given
        for at, (before, here) in enumerate(itertools.pairwise(sentence), 1)
    ]
    rows = problem.edges
    assert rows.shape == (len(wanted), len(dictionary.edges))
    ends = itertools.pairwise(rows.indptr.tolist())
    assert [{dictionary.edges[j] for j in rows.indices[b:e].tolist()} for b, e in ends] == wanted
    plain, _ = Dictionary.of(tokens, parse_template(TEXT, "here"))
    assert dictionary.attributes == plain.attributes

    path = tmp_path / "dictionary"
    path.write_bytes(dictionary.text().encode())
    again, unknown = read_dictionary(path).problem(tokens)
    assert unknown == 0
    assert (again.edges.indices == rows.indices).all()
    other = [("a", "N", "x"), ("new", "N", "x")]
    few, unknown = read_dictionary(path).problem(tokens_of([other]))
    assert unknown == sum(len(here - set(dictionary.attributes)) for here in by_hand(other)) + 1
    assert {dictionary.edges[j] for j in few.edges.indices} == {"pos[-1]|pos[0]=N|N", "end"}
    with pytest.raises(ValueError, match="no attribute of edges occurs 40 times"):
        Dictionary.of(tokens, parse_template("columns word pos\nend\nedge word[0]\n", "here"), 40)


def test_rare_attributes_are_left_out():
    tokens = tokens_of(sentences(1))
    full, problem = Dictionary.of(tokens, parse_template(TEXT, "here"))
    few, part = Dictionary.of(tokens, parse_template(TEXT, "here"), least=5)
    assert few.attributes == full.attributes[: len(few.attributes)]
    kept = [here & set(few.attributes) for here in attributes_of(problem, full)]
    assert attributes_of(part, few) == kept
    with pytest.raises(ValueError, match="no attribute occurs 1000 times"):
        Dictionary.of(tokens, parse_template(TEXT, "here"), least=1000)


def test_a_dictionary_read_back_gives_the_same_rows(tmp_path):
    given = sentences(2)
    tokens = tokens_of(given)
    dictionary, problem = Dictionary.of(tokens, parse_template(TEXT, "here"))
    path = tmp_path / "dictionary"
    path.write_bytes(dictionary.text().encode())
    again = read_dictionary(path)
    same, unknown = again.problem(tokens)
    assert unknown == 0
    assert (same.rows.indices == problem.rows.indices).all()
    assert (same.label == problem.label).all()
    assert same.rows.shape == problem.rows.shape

    other = sentences(3, n=300) + [[("new", "Q", "w")]]
    rows, unknown = again.problem(tokens_of(other))
    wanted = [here for sentence in other for here in by_hand(sentence)]
    known = set(again.attributes)
    assert attributes_of(rows, again) == [here & known for here in wanted]
    assert unknown == sum(len(here - known) for here in wanted)
    assert again.unknown_labels(tokens_of(other)) == ["w"]
    assert rows.label[-1] == len(again.labels)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda lines: ["x", *lines[1:]], "line 1: it is no dictionary"),
        (lambda lines: [lines[0], "labels 3", *lines[2:]], "line 2: template and their number"),
        (lambda lines: lines[:-20], "the file ends within the attributes; it was cut off"),
        (lambda lines: [*lines, "more", ""], "the dictionary ends before"),
        (lambda lines: [*lines[:2], "columns", *lines[3:]], "line 1: the first line must be"),
    ],
)
def test_files_that_are_no_dictionary(change, sentence, tmp_path):
    dictionary, _ = Dictionary.of(tokens_of(sentences(4)), parse_template(TEXT, "here"))
    path = tmp_path / "dictionary"
    path.write_text("\n".join(change(dictionary.text().split("\n"))), encoding="utf-8")
    with pytest.raises(ValueError, match=sentence) as caught:
        read_dictionary(path)
    assert isinstance(caught.value, DictionaryError) or "template" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"a N x\na N\n", "line 2: found 2 columns where 3 are expected: word, pos, the label"),
        (b"a N x\n\n\na N x y\n", "line 4: found 4 columns"),
        (b"# id = 1\n1\ta" + 8 * b"\t_", "word, pos, the label; --format conllu reads CoNLL-U"),
        (b"\n \n", "has no tokens"),
        (b"a N x\n\xff N x\n", "line 2: byte 255 is not UTF-8"),
    ],
)
def test_files_that_are_no_columns(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_columns(io.BytesIO(text), ("word", "pos"))


def test_blank_lines_between_sequences():
    tokens = read_columns(io.BytesIO(b"\n\na\nb\r\n \n\nc\n"), ("word",), labelled=False)
    assert (tokens.columns, tokens.labels) == ([("a", "b", "c")], None)
    assert tokens.starts.tolist() == [0, 2, 3]


def test_blanks_of_unicode_are_parts_of_words(tmp_path):
    text = "\ufeff1\u00a0000\tNUM B\r\n\u3000 x\u2028y O\n"
    tokens = read_columns(io.BytesIO(text.encode()), ("word", "pos"))
    assert tokens.columns == [("1\u00a0000", "\u3000"), ("NUM", "x\u2028y")]
    assert tokens.labels == ("B", "O")
    dictionary, problem = Dictionary.of(tokens, parse_template("columns word pos\nword[0]", "here"))
    path = tmp_path / "dictionary"
    path.write_bytes(dictionary.text().encode())
    again = read_dictionary(path)
    assert again.problem(tokens)[1] == 0
    assert again.attributes == dictionary.attributes
    assert problem.n_positions == 2
