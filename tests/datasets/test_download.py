"""The downloader against a server on this machine."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pooch = pytest.importorskip("pooch")

CONTENT = b"+1 1:0.5 2:1\n-1 3:-0.25\n" * 1000


class Site(BaseHTTPRequestHandler):
    """The site in small: splice is whole, splice.t and w8a are missing, a9a breaks off."""

    def do_GET(self):
        if self.path not in ("/data/binary/splice", "/data/binary/a9a", "/data/binary/heart_scale"):
            self.send_error(404)
            return
        self.server.served.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if self.path.endswith("a9a") else CONTENT)

    def log_message(self, *_):
        pass


@pytest.fixture
def site(monkeypatch):
    # A proxy in the environment must not stand between this test and its own server.
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    server.served = []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    server.url = f"http://127.0.0.1:{server.server_port}/data"
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def download(script):
    return script("download")


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_whole_file_arrives_and_is_not_fetched_twice(download, site, tmp_path, capsys):
    arguments = ["heart", "--folder", str(tmp_path), "--base-url", site.url]
    assert download.main(arguments) == 0
    assert (tmp_path / "heart_scale").read_bytes() == CONTENT
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "heart_scale")]
    assert download.main(arguments) == 0
    assert site.served == ["/data/binary/heart_scale"]
    assert names_in(tmp_path) == ["heart_scale"]


def test_a_wrong_checksum_leaves_nothing(download, site, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(download.CHECKSUMS, "binary/heart_scale", "0" * 64)
    arguments = ["heart", "--folder", str(tmp_path), "--base-url", site.url]
    assert download.main(arguments) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith(f"cannot download {site.url}/binary/heart_scale: ")
    assert "0" * 64 in message
    assert names_in(tmp_path) == []
    assert download.main([*arguments, "--unverified"]) == 0
    assert (tmp_path / "heart_scale").read_bytes() == CONTENT


def test_a_transfer_that_breaks_off_leaves_nothing(download, site, tmp_path, capsys):
    arguments = ["a9a", "--folder", str(tmp_path), "--base-url", site.url, "--unverified"]
    assert download.main(arguments) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"cannot download {site.url}/binary/a9a: the transfer broke off before the end"
    )
    assert names_in(tmp_path) == []


def test_without_pooch_the_message_names_it(download, hide_module, capsys):
    hide_module("pooch")
    assert download.main(["heart"]) == 1
    assert capsys.readouterr().err == "download.py needs pooch: pip install pooch\n"


def test_every_checksum_belongs_to_a_file_of_a_set(download):
    paths = {path for entry in download.SETS.values() for path in entry.paths()}
    assert set(download.CHECKSUMS) <= paths
    digits = {checksum.removeprefix("md5:") for checksum in download.CHECKSUMS.values()}
    assert len(digits) == len(download.CHECKSUMS)
    assert all(len(hexadecimal) in (32, 64) for hexadecimal in digits)


def test_the_readme_holds_the_list(download, capsys, datasets_folder):
    assert download.main(["--list"]) == 0
    assert capsys.readouterr().out in (datasets_folder / "README.md").read_text("utf-8")
