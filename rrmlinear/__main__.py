"""`python -m rrmlinear`: the version, and the usage of the commands."""

import sys

from rrmlinear.cli.command import run

if __name__ == "__main__":
    sys.exit(run("overview"))
