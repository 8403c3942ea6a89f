"""Numbers beyond double precision on the command line: one sentence, exit code 1, no file."""

import pytest

ROWS = "1 1:1 2:1\n-1 1:2 2:3\n1 2:1\n-1 1:1e3\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("-s newton --loss hinge -c 1e308", "the sum of -c times the weights"),
        ("-s 30 -c 1e308", "the sum of -c times the weights overflows; use smaller"),
        ("-s 37 --lower 1e308", "numbers leave the range of double precision: after 1"),
        ("-s 37 --ratio 1e308", "--ratio is 1e+308, it must lie between 1e-100 and"),
        (
            "-s 32 --loss generalized-hinge --slope 1e308",
            "--slope is 1e+308, it must lie between 1 and 1e+100",
        ),
        ("-s 35 --budget 1e-308", "--budget is 1e-308, it must lie between 1e-100 and"),
        ("-s 32 --smoothing 1e160", "--smoothing is 1e+160, it must be at least 0 and"),
        (
            "-s 32 --loss hinge --option V -B 1 -R",
            "option V needs a smooth loss, and Hinge has a kink",
        ),
    ],
)
def test_one_sentence(train, folder, arguments, sentence):
    (folder / "data").write_text(ROWS)
    error = train.error("-q", *arguments.split(), "data", "model")
    last = error.splitlines()[-1]
    assert last.startswith(f"ERROR: {sentence}")
    assert "Traceback" not in error
    assert not (folder / "model").exists()


@pytest.mark.parametrize("solver", ["newton", "auto"])
def test_values_whose_squares_overflow(train, folder, solver):
    (folder / "data").write_text(ROWS.replace("1e3", "1e200"))
    error = train.error("-q", "-s", solver, "--loss", "hinge", "data", "model")
    assert len(error.splitlines()) == 1
    assert error.startswith("ERROR: ")
    assert not (folder / "model").exists()
