"""The environment in which processes find MPI."""

import os
import re
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """Where MPI has another name, as Debian's MPICH has, what the sentence on it says is done."""
    pytest.importorskip("mpi4py", reason="training over processes of MPI needs mpi4py")
    found = dict(os.environ)
    said = _import_error(found)
    if remedy := re.search(r"ln -s (\S+) FOLDER/(\S+),", said):
        folder = tmp_path_factory.mktemp("mpi")
        (folder / remedy[2]).symlink_to(remedy[1])
        found["LD_LIBRARY_PATH"] = os.pathsep.join(
            [str(folder), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        )
        assert _import_error(found) == ""
    elif said:
        pytest.skip(said)
    return found


def _import_error(environment):
    command = [sys.executable, "-c", "import rrmlinear.mpi"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""
