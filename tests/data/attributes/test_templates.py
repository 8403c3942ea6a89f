"""The language of templates."""

import pytest

from rrmlinear.data.attributes.builtin import BUILTIN
from rrmlinear.data.attributes.templates import TemplateError, parse_template, shape


def names(text):
    return [each.name for each in parse_template(text, "here").attributes]


def test_windows_and_their_runs():
    text = "columns a b\na[-1..1]\na[-1..1] by 2 # pairs\n\nb.suffix3[0]|a[2]\nbegin\na[0]\n"
    assert names(text) == [
        "a[-1]",
        "a[0]",
        "a[1]",
        "a[-1]|a[0]",
        "a[0]|a[1]",
        "b.suffix3[0]|a[2]",
        "begin",
    ]
    assert parse_template(text, "here").columns == ("a", "b")


@pytest.mark.parametrize("name", BUILTIN)
def test_templates_with_a_name(name):
    assert len(names(BUILTIN[name])) > 10


def test_the_shape_of_a_word():
    words = ["USA", "McDonald-2", "1,234.5", ""]
    assert [shape(word) for word in words] == ["A", "AaAa-0", "0,0.0", ""]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "here: the template has no attributes"),
        ("columns a\n", "here: the template has no attributes"),
        ("columns a\nedge a[0]\n", "the template has no attributes of positions"),
        ("columns a\nedge\n", "line 2: '' is no column"),
        ("a[0]\n", "here, line 1: the first line must be columns"),
        ("\ncolumns a a\n", "here, line 2: two columns have one name"),
        ("columns a\nb[0]\n", "line 2: there is no column b, but a"),
        ("columns a\na[0\n", r"line 2: 'a\[0' is no column\[offset\]"),
        ("columns a\na[1..0]\n", r"the offsets 1\.\.0 must rise"),
        ("columns a\na[0..100000]\n", "lie within 1000"),
        ("columns a\na[0..1]|a[2]\n", "a window cannot be joined"),
        ("columns a\na[0..1] by 3\n", "the window has 2 positions, fewer than 3"),
        ("columns a\na[0..1] by 1\n", "by 1; allowed are 2"),
        ("columns a\na.upper[0]\n", "there is no function upper"),
        ("columns a\na.prefix0[0]\n", "there is no function prefix0"),
    ],
)
def test_what_is_refused(text, sentence):
    with pytest.raises(TemplateError, match=sentence):
        parse_template(text, "here")
