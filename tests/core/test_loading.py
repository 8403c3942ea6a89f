"""Imports of a first fit, and children that are forked meanwhile."""

import os
import subprocess
import sys

import pytest

FORK = """
import os, sys, threading, time
import rrmlinear
thread = threading.Thread(target=lambda: rrmlinear.Ridge)
thread.start()
while "rrmlinear.estimators" not in sys.modules:
    time.sleep(0.001)
child = os.fork()
if child == 0:
    os._exit(0 if rrmlinear.Ridge else 1)
thread.join()
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_forked_while_another_thread_imports_ends_its_own_imports(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True) as parent:
        try:
            assert parent.wait(timeout=240) == 0
        finally:
            if parent.poll() is None:
                os.killpg(parent.pid, 9)
