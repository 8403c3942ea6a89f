"""Build the manual, HTML pages that need no network: python tools/build/manual.py [FOLDER]

FOLDER, build/manual where none is given, gets the pages in `html`; `html/index.html` is the first.
The build ends with exit code 1 if Sphinx warns, if a link has no target, or if a page would load
something from the network. `--fast` does not run the examples of the gallery, and leaves the list
of all pages out of each page. It needs the extra `docs`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

TOP = Path(__file__).resolve().parents[2]
MANUAL = TOP / "build" / "manual"
#: Pages besides those in docs/, and folders of which pages show files.
PAGES = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "datasets/README.md",
    "tools/README.md",
)
SHOWN = ("rrmlinear", "tests")
FIRST = "docs/index.html"
REDIRECT = f'<!doctype html><title>rrmlinear</title><meta http-equiv="refresh" content="0;{FIRST}">'
#: Attributes that load what they name; those of an <a> only lead there.
LOADS = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


def build(folder: Path, fast: bool = False) -> None:
    """Write the manual into ``folder``; a CalledProcessError where Sphinx ends with an error."""
    source, html = folder / "source", folder / "html"
    for old in (source, html, folder / "doctrees"):
        shutil.rmtree(old, ignore_errors=True)
    lay_out(source)
    options = ["-D", "plot_gallery=0", "-D", "html_theme=basic"] if fast else []
    command = [
        *(sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"),
        *("-c", str(source / "docs"), "-d", str(folder / "doctrees")),
        *(*options, str(source), str(html)),
    ]
    subprocess.run(command, cwd=TOP, check=True)
    (html / "index.html").write_text(REDIRECT, encoding="utf-8")


def lay_out(source: Path) -> None:
    """The pages where they lie in the repository."""
    source.mkdir(parents=True)
    for name in PAGES:
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(TOP / name, source / name)
    for name in SHOWN:
        (source / name).symlink_to(TOP / name)
    shutil.copytree(TOP / "docs", source / "docs")


class Page(HTMLParser):
    """The names of a page's places, its links, and the files that it loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.places, self.links, self.loaded = {""}, set[str](), set[str]()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.places.add(value or "")
            elif (tag, name) in LOADS:
                self.loaded.add(value or "")
            elif tag == "a" and name in ("href", "xlink:href"):
                self.links.add(value or "")


def faults(html: Path) -> list[str]:
    """A sentence for each link that leads nowhere, and for each thing loaded from the network."""
    pages = {path.resolve(): Page(path) for path in sorted(html.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(html.resolve())
        for link in sorted(page.links | page.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    found.append(f"{name} loads {link} from the network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                found.append(f"{name} links to {link}, which is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].places:
                found.append(f"{name} links to {link}, a place that is not on that page")
    return found


def main() -> int:
    """Build and check; the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=MANUAL)
    parser.add_argument("--fast", action="store_true", help="do not run the examples")
    options = parser.parse_args()
    folder = options.folder.absolute()
    try:
        build(folder, options.fast)
    except subprocess.CalledProcessError as error:
        return error.returncode
    wrong = faults(folder / "html")
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    if not wrong:
        print(f"manual: {folder / 'html' / 'index.html'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
