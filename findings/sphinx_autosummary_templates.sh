#!/bin/sh
# Sphinx 9.0.4: with a configuration folder of its own (-c), autosummary seeks the templates of a
# relative templates_path below the folder of the sources, not beside conf.py, and takes its stock
# template without a word. Pages of HTML take theirs from beside conf.py.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check sphinx==9.0.4
mkdir -p "$folder/source" "$folder/conf/_templates/autosummary"
cat >"$folder/conf/conf.py" <<'CONF'
extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary"]
templates_path = ["_templates"]
CONF
printf '{{ objname }}\n====\n\nfrom a template of our own\n' >"$folder/conf/_templates/autosummary/class.rst"
printf '{%% extends "!layout.html" %%}{%% block footer %%}our footer{%% endblock %%}\n' >"$folder/conf/_templates/layout.html"
printf 'Top\n===\n\n.. autosummary::\n   :toctree: made\n\n   queue.Queue\n' >"$folder/source/index.rst"
"$folder/env/bin/python" -W ignore -m sphinx -q -c "$folder/conf" "$folder/source" "$folder/html" >/dev/null 2>&1
"$folder/env/bin/python" - "$folder" >"$folder/seen" <<'PROGRAM'
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
page = (folder / "source/made/queue.Queue.rst").read_text()
print("autosummary: our own template", "from a template of our own" in page)
print("pages: our own template", "our footer" in (folder / "html/index.html").read_text())
PROGRAM
diff "$folder/seen" - <<'SEEN'
autosummary: our own template False
pages: our own template True
SEEN
echo "as described"
