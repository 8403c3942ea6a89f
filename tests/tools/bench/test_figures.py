"""The figures of the pages: their commands, their tables, and how a run goes on."""

import re
import shutil
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[3]
PAGE = """\
Before

<!-- figure: counts, 9 minutes -->
```sh
python {script} one \\
    two
python {script} three
```

<!-- made: counts -->
old
<!-- end -->

It is drawn by <!-- figure: drawn, 3 minutes -->`python {script} {last}`.
"""
SCRIPT = """\
import os, sys
open("calls", "a").write("x")
if "broken" in sys.argv: sys.exit("it broke")
heads = ["word", "more"] if "one" in sys.argv else ["word", os.environ["RRMLINEAR_DATA"][-4:]]
print("said")
for row in (heads, ["---"] * 2, (sys.argv[1:] + ["3"])[:2]): print("|", " | ".join(row), "|")
"""


@pytest.fixture
def tools(tool):
    return tool("figures")


@pytest.fixture
def top(tools, tmp_path, monkeypatch):
    """A repository with one page."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "script.py").write_text(SCRIPT)
    monkeypatch.setattr(tools, "TOP", tmp_path)

    def put(last):
        (tmp_path / "README.md").write_text(PAGE.format(script="script.py", last=last))
        return tmp_path

    return put


def test_a_run_writes_the_page_and_goes_on(tools, top, capsys):
    folder = top("broken")
    words = ["--data", str(folder / "data"), "--out", str(folder / "out")]
    assert tools.main(words) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "1 of 2 figures made",
        "left: README.md: drawn: it broke",
    ]
    page = (folder / "README.md").read_text()
    table = re.search(
        "<!-- made: counts -->\n(.*)\n\nMade with rrmlinear .*\n\n<!-- end -->", page, re.S
    )
    assert table[1].splitlines() == [
        "| word | more | data |",
        "| --- | --- | --- |",
        "| one | two |  |",
        "| three |  | 3 |",
    ]
    assert float(re.search("figure: counts, (.+) minutes", page)[1]) < 9
    assert "figure: drawn, 3 minutes" in page
    assert (folder / "calls").read_text() == "xxx"
    assert tools.main(words) == 1  # what is made is not made again
    assert (folder / "calls").read_text() == "xxxx"
    folder = top("FOLDER/WORD")
    assert tools.main([*words, "--put", "WORD=four"]) == 0
    assert (folder / "calls").read_text() == "xxxxx"
    assert str(folder / "data" / "four") in (folder / "out" / "drawn-1.json").read_text()
    assert tools.main([*words, "--again", "--only", "counts"]) == 0
    assert (folder / "calls").read_text() == "xxxxxxx"
    assert tools.main([*words, "--only", "nothing"]) == 1
    assert "no figure has nothing in its title" in capsys.readouterr().err
    assert tools.main(["--list", "--only", "drawn"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  python script.py FOLDER/WORD"


def test_the_front_page_takes_its_ratios_from_the_tables(tool, tmp_path):
    tool("report")
    ratios = sys.modules["ratios"]
    page, front, first = (tmp_path / name for name in ("speed.md", "README.md", "index.md"))
    front.write_text("<!-- ratios -->\nold\n<!-- end -->\n")
    first.write_text("<!-- medians -->\nold\n<!-- end -->\n")
    page.write_text(
        "<!-- report -->\n### Losses of one score\n\n"
        "| against | problems | to 0.001 | to 1e-06 |\n| --- | --- | --- | --- |\n"
        "| LIBLINEAR dual (-s 3, 1, 7) | 9 | 2 | 0.98 / 3 / over 1000, never: 5 |\n"
        "| celer | 3 | 2 | 1.5 / 2 |\n| scikit-learn Lasso | 3 | 2 | 4.5 |\n"
        "* LIBLINEAR dual (-s 3, 1, 7): a, hinge: 0.98 of 2 ms; b, hinge: 0.5 to 0.7 of 1 ms\n"
        "<!-- end -->\n"
    )
    ratios.put_ratios([front, first], page)
    hinge, lasso = front.read_text().splitlines()[3:5]
    named = "| hinge, squared hinge and logistic loss, to 1e-6 | LIBLINEAR `-s 3`, `1`, `7` "
    assert hinge == named + "| 3 | 0.98 to over 1000 |"
    assert lasso.endswith("scikit-learn, celer | 1.5 to 4.5 | 1.5 to 4.5 |")
    assert "LIBLINEAR dual (-s 3, 1, 7): 0.5 to 0.98 (a, b)." in front.read_text()
    assert first.read_text().splitlines()[3:-2] == [hinge]


def test_the_pages_have_the_ratios_of_the_tables(tool, tmp_path):
    tool("report")
    ratios = sys.modules["ratios"]
    speed = TOP / "docs" / "speed.md"
    pages = [TOP / "README.md", TOP / "docs" / "index.md", speed]
    copies = [shutil.copy(page, tmp_path / f"{number}.md") for number, page in enumerate(pages)]
    ratios.put_ratios(list(map(Path, copies)), speed)
    assert [Path(each).read_text() for each in copies] == [page.read_text() for page in pages]
    assert all(f"| {row.problem} |" in speed.read_text() for row in ratios.ROWS)
    pytest.importorskip("matplotlib", reason="the picture is drawn by matplotlib")
    ratios.draw(speed, tmp_path / "ratios.svg")
    drawn, kept = (
        re.findall("<text[^>]*>([^<]+)", path.read_text())
        for path in (tmp_path / "ratios.svg", TOP / "docs" / ratios.PICTURE)
    )
    assert drawn == kept != []
