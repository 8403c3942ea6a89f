"""The rooms of tools/: few scripts in each, and a line of its README for every one."""

import re
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
SCRIPTS = sorted(str(path.relative_to(TOOLS)) for path in TOOLS.rglob("*.py"))
MOST_SCRIPTS = 20


def test_the_readme_has_a_line_for_every_script():
    told = re.findall(r"^\| `(\S+\.py)` \| .+ \|$", (TOOLS / "README.md").read_text(), re.M)
    assert sorted(told) == SCRIPTS


def test_a_room_holds_few_scripts_and_names_are_unique():
    rooms = [Path(script).parent for script in SCRIPTS]
    assert max(map(rooms.count, rooms)) <= MOST_SCRIPTS
    assert len({Path(script).stem for script in SCRIPTS}) == len(SCRIPTS)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_tells_its_own_place(script):
    named = re.findall(r"tools/([\w/]+\.py)", (TOOLS / script).read_text())
    assert set(named) <= {script}
