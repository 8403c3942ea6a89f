"""`python -m rrmlinear`: a word behind it is answered with the command that was meant."""

import pytest

from rrmlinear.cli import overview
from rrmlinear.cli.leaving import LeaveError


@pytest.mark.parametrize(("word", "command"), [("train", "train"), ("data", "COMMAND")])
def test_a_word_names_the_command(word, command):
    with pytest.raises(LeaveError, match=f"takes no {word}: write python -m rrmlinear.{command}"):
        overview.main([word])


def test_every_command_has_its_usage(capsys):
    overview.main([])
    printed = capsys.readouterr().out
    for name in overview.COMMANDS:
        assert f"python -m rrmlinear.{name} (rrmlinear-{name})" in printed
        assert f"Usage: {name} [options]" in printed
