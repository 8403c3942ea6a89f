"""`python -m rrmlinear`: a word behind it is answered with the command that was meant."""

import tomllib
from pathlib import Path

import pytest

from rrmlinear.cli import overview
from rrmlinear.cli.leaving import LeaveError


@pytest.mark.parametrize(("word", "command"), [("train", "train"), ("data", "COMMAND")])
def test_a_word_names_the_command(word, command):
    with pytest.raises(LeaveError, match=f"takes no {word}: write python -m rrmlinear.{command}"):
        overview.main([word])


def test_every_installed_command_is_there_with_its_purpose(capsys):
    overview.main([])
    lines = capsys.readouterr().out.splitlines()
    for name, purpose in overview.COMMANDS.items():
        assert f"  python -m rrmlinear.{name:10} {purpose}" in lines
    with (Path(__file__).parents[2] / "pyproject.toml").open("rb") as file:
        scripts = tomllib.load(file)["project"]["scripts"]
    assert {name.removeprefix("rrmlinear-") for name in scripts} == set(overview.COMMANDS)
    assert len(lines) < 20
