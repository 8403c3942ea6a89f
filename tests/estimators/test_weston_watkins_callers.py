"""WestonWatkinsSVC: the ways scikit-learn's callers reach it."""

import subprocess
import sys


def test_a_missing_scikit_learn_says_how_to_get_it():
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import rrmlinear\n"
        "try: rrmlinear.WestonWatkinsSVC\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "need scikit-learn 1.6 or newer: pip install 'rrmlinear[sklearn]'" in run.stdout
