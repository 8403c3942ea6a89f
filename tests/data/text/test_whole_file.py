"""Files that are complete or not there at all."""

import os
import signal
import subprocess
import sys

import pytest

from rrmlinear.data.text.whole_file import check_writable, whole_file


def test_name_is_taken_at_the_end(tmp_path):
    path = tmp_path / "f"
    with whole_file(path) as file:
        file.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["f"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_failure_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def fail():
        with whole_file(path) as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["f"]


def test_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "f", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o600)
    link.symlink_to(path)
    with whole_file(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600


def test_devices_are_written_in_place():
    with whole_file(os.devnull) as file:
        file.write(b"gone")
    check_writable(os.devnull)
    assert not os.path.isfile(os.devnull)


def test_check_names_the_path_and_leaves_nothing(tmp_path):
    check_writable(tmp_path / "f")
    assert os.listdir(tmp_path) == []
    with pytest.raises(IsADirectoryError) as caught:
        check_writable(tmp_path)
    assert caught.value.filename == str(tmp_path)
    with pytest.raises(FileNotFoundError) as caught:
        check_writable(tmp_path / "no" / "f")
    assert caught.value.filename == str(tmp_path / "no" / "f")


WRITES = """
import sys, time
from rrmlinear.data.text.whole_file import whole_file
with whole_file(sys.argv[1]) as file:
    print("begun", flush=True)
    sys.stdin.read()
"""


def test_parts_of_killed_processes_go_with_the_next_write(tmp_path):
    path = tmp_path / "f"
    command = [sys.executable, "-c", WRITES, path]
    writers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline() == b"begun\n"
    killed, alive = writers
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    parts = {int(name.split(".")[-3]): name for name in os.listdir(tmp_path)}
    assert sorted(parts) == sorted([killed.pid, alive.pid])
    elsewhere = f"f.another-machine.{killed.pid}.1.part"
    (tmp_path / elsewhere).touch()
    (tmp_path / "f.part").touch()
    with whole_file(path) as file:
        file.write(b"new")
    assert sorted(os.listdir(tmp_path)) == sorted(["f", "f.part", elsewhere, parts[alive.pid]])
    alive.communicate(b"")
    assert alive.returncode == 0
    assert path.read_bytes() == b""
