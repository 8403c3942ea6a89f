"""Programs of tools/ refuse bad requests in one sentence."""

from pathlib import Path

import pytest

IRIS = str(Path(__file__).resolve().parents[2] / "datasets" / "iris.libsvm")
#: (program, its words, exit code, what is said).
REQUESTS = [
    ("figure_hadamard", ["--png", "nowhere/out.png"], 1, "its folder does not exist"),
    ("figure_hadamard", ["-d", "48"], 2, "-d is 48; it must be a power of two"),
    ("figures_pragam", ["nowhere.libsvm"], 1, "ERROR: nowhere.libsvm"),
    ("figures_pragam", ["astro-ph", "--methods", "SMO"], 1, "SMO is no method; there are Pragam; "),
    ("figures_pragam", ["x", "--png", "/nowhere/x.png"], 1, "cannot be written"),
    ("bench_pdprox", ["quantile-generated", "--tasks", "none"], 1, "no task of these suites is"),
    ("bench_pdprox", ["svm"], 1, "ERROR: covtype.libsvm.binary.scale is not in "),
    ("bench_pdprox", ["svm", "--levels", "1e-3,1e-2"], 2, "levels"),
    ("bench_ww", ["nowhere.libsvm"], 1, "there is no file nowhere.libsvm"),
    ("bench_ww", [IRIS, "--csv", "no/such/out.csv"], 1, "its folder does not exist"),
    ("bench_ww", [IRIS, "--peer", "x=train {c}"], 1, "has no {data}"),
    ("bench_ww", [IRIS, "--peer", "x=/no/such/train {c} {data}"], 1, "cannot run /no/such/train"),
    ("bench_ww", [IRIS, "--peer", "x=sh -c 'exit 3' {c} {data}"], 1, "exit code 3"),
    ("bench_ww", [IRIS, "--limit", "0"], 2, "--limit is 0, it must be positive"),
    ("figures_ww", ["iris"], 2, "argument SET: iris is not one of "),
    ("bench_sdca", ["nowhere.libsvm"], 1, "ERROR: "),
    ("bench_sdca", ["text", "--csv", "no/such/out.csv"], 1, "its folder does not exist"),
    ("bench_sdca", [IRIS], 1, "has 3 classes; these problems take two"),
    ("figure_sdca", ["nowhere.libsvm"], 1, "ERROR: nowhere.libsvm"),
    ("structured", ["svm"], 1, "ERROR: svm is no task; there are m3n, "),
    ("structured", ["f1"], 1, "ERROR: ijcnn1 is not in "),
    ("movielens", [], "ml-100k.u.data is not in ", ""),
    ("school", [], "school is not in ", ""),
    ("figures", ["--data", "nowhere"], 2, "--data nowhere is no folder"),
    ("figures", ["--list", "--put", "x"], 2, "'x' is not of the form WORD=TEXT"),
]


@pytest.mark.parametrize(("program", "words", "code", "said"), REQUESTS)
def test_one_sentence(tool, tmp_path, monkeypatch, capsys, program, words, code, said):
    monkeypatch.setenv("RRMLINEAR_DATA", str(tmp_path))
    try:
        ended = tool(program).main(words)
    except SystemExit as error:
        ended = error.code
    assert ended == code or str(ended).startswith(str(code))
    assert said in capsys.readouterr().err
