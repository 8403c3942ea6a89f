"""Sphinx's configuration of the manual; `python3 tools/build/bootstrap.py docs` builds it.

`tools/build/manual.py` lays the pages out as they lie in the repository, so that the links of a
page hold there and here.
"""

import inspect
import re
import sys
from functools import cached_property
from pathlib import Path

import numpydoc.docscrape_sphinx
from docutils import nodes
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

#: Methods that other modules of the package call, and nobody else.
INNER = {
    *("check_choices", "check_like", "check_marginals", "duals_of", "fit_from", "fit_targets"),
    *("fits", "in_batches", "in_blocks", "is_regression", "joined", "lines_behind", "link"),
    *("over", "pairs", "predict_numbers", "probabilities_of", "ratio", "read_by", "refit"),
    *("regularizer_name", "relabelled", "rows_behind", "structure", "with_empty"),
    "with_intercepts",
}
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

# autosummary seeks them from the folder of the sources, not from that of this file.
templates_path = [str(Path(__file__).parent / "_templates")]
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
    """True for members that a page leaves out: private ones, scikit-learn's, and the house's own.

    None leaves the choice to Sphinx; False would show what Sphinx hides.
    """
    ours = str(getattr(member, "__module__", "rrmlinear")).startswith("rrmlinear")
    does = inspect.isroutine(member) or isinstance(member, property | cached_property)
    return None if ours and does and not name.startswith("_") and name not in INNER else True


def inlines(app, doctree, docname):
    """Puts pictures with links into their pages as they are: an image's links lead nowhere."""
    for image in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, image["uri"])
        if path.match("chart*.svg"):
            svg = path.read_text(encoding="utf-8").partition("<svg")
            label = f'<svg role="img" aria-label="{image["alt"]}"'
            drawn = svg[2].replace(' target="_blank"', "")
            image.replace_self(nodes.raw("", label + drawn, format="html"))


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
    app.connect("doctree-resolved", inlines)
