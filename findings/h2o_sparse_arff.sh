#!/bin/sh
# h2o 3.46.0.12 (it needs Java): rows of a sparse ARFF file come as missing values, silently, and a category
# in quotes is another than the same without. Its documentation names ARFF among the formats that it reads,
# and ARFF has both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check h2o==3.46.0.12 pandas==2.3.3 numpy==2.4.6
cd "$folder"
"$folder/env/bin/python" -W ignore - >"$folder/seen" 2>/dev/null <<'PROGRAM'
import contextlib
import sys
from pathlib import Path

import h2o

Path("sparse.arff").write_text("@relation r\n@attribute x numeric\n@attribute y numeric\n@data\n{0 1, 1 3}\n{1 2}\n")
Path("quotes.arff").write_text("@relation r\n@attribute x numeric\n@attribute c {a,b}\n@data\n1,a\n2,'a'\n3,b\n")
with contextlib.redirect_stdout(sys.stderr):
    h2o.init(nthreads=1, max_mem_size="1g", port=54931, verbose=False)
    h2o.no_progress()
    frames = {name: h2o.import_file(name) for name in ("sparse.arff", "quotes.arff")}
    tables = {name: frame.as_data_frame(use_multi_thread=False) for name, frame in frames.items()}
    h2o.cluster().shutdown()
for name, table in tables.items():
    print(name, table.to_numpy().tolist())
PROGRAM
diff "$folder/seen" - <<'SEEN'
sparse.arff [[nan, nan], [nan, nan]]
quotes.arff [[1, 'a'], [2, "'a'"], [3, 'b']]
SEEN
echo "as described"
