"""Memory that the system and control groups leave."""

from rrmlinear.core import machine as module
from rrmlinear.core.machine import available_memory


def test_the_system_has_some():
    found = available_memory()
    assert found is None or found > 0


def test_the_least_of_all_limits(monkeypatch, tmp_path):
    group = tmp_path / "jobs" / "mine"
    group.mkdir(parents=True)
    (group / "memory.max").write_text("1000\n")
    (group / "memory.current").write_text("700\n")
    (group / "memory.stat").write_text("anon 400\ninactive_file 250\n")
    (group.parent / "memory.max").write_text("max\n")
    lines = module._lines

    def of_files(path):
        if path == "/proc/self/cgroup":
            return ["3:cpu:/", "0::/jobs/mine"]
        return ["MemAvailable: 4 kB"] if path == "/proc/meminfo" else lines(path)

    monkeypatch.setattr(module, "_lines", of_files)
    monkeypatch.setattr(module, "ROOT", str(tmp_path))
    assert available_memory() == 1000 - 700 + 250
    (group / "memory.max").write_text("max\n")
    assert available_memory() == 4096


def test_nothing_is_known_elsewhere(monkeypatch):
    monkeypatch.setattr(module, "_lines", lambda path: [])
    assert available_memory() is None
