"""Sphinx's configuration of the manual; `python3 tools/build/bootstrap.py docs` builds it.

`tools/build/manual.py` lays the pages out as they lie in the repository, so that the links of a
page hold there and here.
"""

import re
import sys
from pathlib import Path

import numpydoc.docscrape_sphinx
from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment

import rrmlinear

# An editable package may have two finders that forget each other's build, and would look for
# changed sources at each name that Sphinx asks for.
for twin in [each for each in sys.meta_path if type(each).__name__ == "MesonpyMetaFinder"][1:]:
    sys.meta_path.remove(twin)

# numpydoc would read and compile its template again for each docstring.
TEMPLATES = SandboxedEnvironment(
    loader=FileSystemLoader(Path(numpydoc.docscrape_sphinx.__file__).parent / "templates")
)
numpydoc.docscrape_sphinx.SandboxedEnvironment = lambda loader: TEMPLATES

BAR = re.compile(r"(?<!\\)\|")

project = "rrmlinear"
author = "the authors of rrmlinear"
copyright = author
version = release = rrmlinear.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # MathJax 3 as files beside the pages: they need no network.
    "sphinx-mathjax-offline",
]
root_doc = "docs/index"
include_patterns = [
    "docs/**",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "datasets/README.md",
    "tools/README.md",
]
exclude_patterns = ["docs/_templates", "docs/gallery", "docs/examples/sg_execution_times.rst"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
default_role = "code"

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
mathjax3_config = {"options": {"enableMenu": False}}

templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": ["docs/gallery"],
    "gallery_dirs": ["docs/examples"],
    "filename_pattern": r"/\d\d_",
    "image_scrapers": ("matplotlib",),
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
}

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_title = f"rrmlinear {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False


def skips(app, what, name, member, skip, options):
    """Whether a page of a class leaves this member out: those of scikit-learn have pages there."""
    return skip or not str(getattr(member, "__module__", "")).startswith("rrmlinear.")


def joins(app, what, name, obj, options, lines):
    """Joins the lines of a docstring that end in a backslash: a raw string keeps both.

    Bars of absolute values, |r|, are no substitutions of reStructuredText.
    """
    lines[:] = "\n".join(lines).replace("\\\n", "").split("\n")
    formula = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if formula is not None and line.strip() and indent <= formula:
            formula = None
        if line.strip().startswith(".. math::"):
            formula = indent
        if formula is None and not line.strip().startswith((">>>", "...")):
            texts = line.split("``")
            texts[::2] = [BAR.sub(r"\\|", text) for text in texts[::2]]
            lines[number] = "``".join(texts)


def setup(app):
    """Sphinx's door."""
    app.connect("autodoc-process-docstring", joins, priority=100)
    app.connect("autodoc-skip-member", skips)
