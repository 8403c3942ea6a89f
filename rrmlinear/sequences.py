"""`python -m rrmlinear.sequences`, and the script `rrmlinear-sequences`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the sequences command with the process's arguments; its exit code."""
    return run("attributes")


if __name__ == "__main__":
    sys.exit(main())
