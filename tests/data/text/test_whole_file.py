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


def writer_of(path):
    """A process that has begun to write this file."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITES, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert writer.stdout.readline() == b"begun\n"
    return writer


@pytest.mark.skipif(os.name != "posix", reason="files are locked by fcntl")
def test_parts_of_killed_processes_go_with_the_next_write(tmp_path):
    path = tmp_path / "f"
    killed, alive, other = (writer_of(tmp_path / name) for name in ("f", "f", "another"))
    # nobody asks how they ended: the system keeps their numbers
    killed.send_signal(signal.SIGKILL)
    other.send_signal(signal.SIGKILL)
    killed.stdout.read()
    other.stdout.read()
    parts = {int(name.split(".")[-3]): name for name in os.listdir(tmp_path)}
    assert sorted(parts) == sorted([killed.pid, alive.pid, other.pid])
    # a process of the number that a killed one had lives
    again = parts[killed.pid].replace(f".{killed.pid}.", f".{os.getpid()}.")
    (tmp_path / parts[killed.pid]).rename(tmp_path / again)
    kept = [f"f.another-machine.{killed.pid}.1.part", "f.part", "mine.1.2.part"]
    for name in kept:
        (tmp_path / name).touch()
    with whole_file(path) as file:
        file.write(b"new")
    assert sorted(os.listdir(tmp_path)) == sorted(["f", *kept, parts[alive.pid]])
    alive.communicate(b"")
    assert alive.returncode == 0
    assert path.read_bytes() == b""
    for writer in (killed, other):
        writer.communicate()


def test_a_part_taken_for_abandoned_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl", reason="files are locked by fcntl")
    lock, parts = fcntl.flock, []

    def late(file, how):
        if not parts:
            parts.append(file.name)
            os.remove(file.name)
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with whole_file(tmp_path / "f") as file:
        file.write(b"new")
    assert parts
    assert (tmp_path / "f").read_bytes() == b"new"
