"""`python -m rrmlinear`: the version, and what each command is for."""

import sys

from rrmlinear.cli.command import run

if __name__ == "__main__":
    sys.exit(run("overview"))
