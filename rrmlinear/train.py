"""`python -m rrmlinear.train`."""

import sys

from rrmlinear.cli.command import run

if __name__ == "__main__":
    sys.exit(run("training"))
