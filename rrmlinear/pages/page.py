"""A page: sections in one HTML file that needs no network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from os import PathLike
from typing import Any

from rrmlinear.data.text.whole_file import whole_file
from rrmlinear.pages.run import Table

NEEDED = "pages need plotly, Jinja2, matplotlib and scikit-learn: pip install 'rrmlinear[report]'"


@dataclass(frozen=True)
class Image:
    """A picture file that stands in the page, on white; ``title`` is read where it is not seen."""

    title: str
    png: bytes

    @property
    def text(self) -> str:
        """The file in base 64."""
        return b64encode(self.png).decode()


@dataclass(frozen=True)
class Section:
    """A part of a page: lines of (name, value), pictures in one or two columns, tables."""

    title: str
    lines: Sequence[tuple[str, str]] = ()
    formulas: Sequence[str] = ()
    pictures: Sequence[Any] = ()
    images: Sequence[Image] = ()
    tables: Sequence[Table] = ()
    warnings: Sequence[str] = ()
    columns: int = 1


def check_available() -> None:
    """Raise ImportError with a sentence where a package for pages is missing."""
    try:
        import jinja2  # noqa: F401
        import matplotlib  # noqa: F401
        import plotly  # noqa: F401
        import sklearn  # noqa: F401
    except ImportError as error:
        raise ImportError(NEEDED) from error


def write_page(
    path: str | PathLike[str],
    title: str,
    sections: Sequence[Section],
    verdict: str = "",
    solved: bool = True,
    warnings: Sequence[str] = (),
    static: bool = False,
) -> None:
    """Write a page of sections; ``verdict`` and ``warnings`` stand below the title.

    A ``static`` page has no script: its pictures are SVG.
    """
    check_available()
    from jinja2 import Environment
    from plotly.offline import get_plotlyjs

    from rrmlinear.pages.drawing import svg_of

    pictures = [picture for each in sections for picture in each.pictures]
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    source = files("rrmlinear.pages").joinpath("page.html").read_text(encoding="utf-8")
    text = environment.from_string(source).render(
        title=title,
        verdict=verdict,
        solved=solved,
        warnings=list(dict.fromkeys(warnings)),
        sections=sections,
        figures=[] if static else [picture.to_json() for picture in pictures],
        drawn=[
            svg_of(picture, each.columns)
            for each in sections
            for picture in each.pictures
            if static
        ],
        library=get_plotlyjs() if pictures and not static else "",
    )
    with whole_file(path) as file:
        file.write(text.encode())
