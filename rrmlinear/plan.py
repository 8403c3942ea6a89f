"""`python -m rrmlinear.plan`: what training over workers would take."""

import sys

from rrmlinear.cli.command import run


def main() -> int:
    """Run the plan command with the process's arguments; its exit code."""
    return run("clusters.planning")


if __name__ == "__main__":
    sys.exit(main())
