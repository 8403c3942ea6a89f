"""Every script of findings/ has its line in the README there, and pins what it installs."""

import re
from pathlib import Path

import pytest

FINDINGS = Path(__file__).resolve().parents[1] / "findings"
SCRIPTS = sorted(path.name for path in FINDINGS.glob("*.sh"))


def test_the_readme_has_a_line_for_every_script():
    told = re.findall(r"^\| `(\S+\.sh)` \| .+ \|$", (FINDINGS / "README.md").read_text(), re.M)
    assert told == SCRIPTS


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_pins_its_packages_and_compares_what_it_sees(script):
    text = (FINDINGS / script).read_text()
    client = r"(?:install --quiet --disable-pip-version-check|npm install --silent|root download) "
    packages = re.search(client + r"(\S.*)", text)[1].split()
    assert all(re.fullmatch(r"[\w.-]+==?[\w.+-]+|[\w@/-]+@[\d.]+", each) for each in packages)
    assert "import rrmlinear" not in text
    assert 'diff "$folder/seen" -' in text
