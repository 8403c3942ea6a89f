"""`python -m rrmlinear.predict`, and the script `rrmlinear-predict`."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the predict command with the process's arguments; its exit code."""
    return run("prediction")


if __name__ == "__main__":
    sys.exit(main())
