"""`rrmlinear COMMAND`, and `python -m rrmlinear COMMAND`: all commands by one name."""

import sys

from rrmlinear.cli.command import run
from rrmlinear.cli.overview import COMMANDS


def main() -> int:
    """Run the command that the process's first argument names; its exit code."""
    if sys.argv[1:] and sys.argv[1] in COMMANDS:
        return run(COMMANDS[sys.argv.pop(1)][0])
    return run("overview")


if __name__ == "__main__":
    sys.exit(main())
