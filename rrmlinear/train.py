"""`python -m rrmlinear.train`, and the script `rrmlinear-train`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the train command with the process's arguments; its exit code."""
    return run("training")


if __name__ == "__main__":
    sys.exit(main())
