"""The package's sources in the repository, by folder and suffix."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "rrmlinear"


def folder_of(path):
    inside = path.relative_to(PACKAGE).parts
    return inside[0] if len(inside) > 1 else "top"


def sources(*suffixes, but=(), only=None):
    """Files by their suffix, those in some folders left out, or those of one folder."""
    found = (path for path in PACKAGE.rglob("*") if path.suffix in suffixes)
    if only is not None:
        return sorted(path for path in found if folder_of(path) == only)
    return sorted(path for path in found if folder_of(path) not in but)


def name_of(path):
    return str(path.relative_to(PACKAGE))


SOURCES = (".py", ".pyx", ".pxd", ".pyi", ".h")
FOLDERS = sorted({path.parent for path in sources(*SOURCES)})
