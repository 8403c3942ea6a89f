"""`python -m rrmlinear.plot`, and the script `rrmlinear-plot`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the plot command with the process's arguments; its exit code."""
    return run("plotting")


if __name__ == "__main__":
    sys.exit(main())
