"""`python -m rrmlinear.convert`, and the script `rrmlinear-convert`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the convert command with the process's arguments; its exit code."""
    return run("conversion")


if __name__ == "__main__":
    sys.exit(main())
