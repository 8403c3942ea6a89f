"""`python -m rrmlinear.info`, and the script `rrmlinear-info`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the info command with the process's arguments; its exit code."""
    return run("information")


if __name__ == "__main__":
    sys.exit(main())
