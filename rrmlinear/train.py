"""`python -m rrmlinear.train`."""

import sys

from rrmlinear.cli import run

if __name__ == "__main__":
    sys.exit(run("training"))
