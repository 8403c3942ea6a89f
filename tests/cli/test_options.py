"""LIBLINEAR's spelling, and a sentence for every mistake."""

import pytest

from rrmlinear import __version__
from rrmlinear.catalog.solvers import SOLVERS, find_solver
from rrmlinear.cli.leaving import LeaveError
from rrmlinear.cli.options import parse_training
from rrmlinear.cli.prediction import parse_prediction
from rrmlinear.solvers.loop.result import Stopping


def options(*arguments):
    return parse_training([*arguments, "some/data.txt"])


def refusal(*arguments, parse=parse_training):
    with pytest.raises(LeaveError) as caught:
        parse(list(arguments))
    return caught.value


def test_defaults_of_options_that_are_not_given():
    given = options()
    assert given.chosen.solver.number == 1
    assert options("--loss", "hinge").chosen.solver.number == "auto"
    assert given.chosen.choices.C == 1.0
    assert given.chosen.tolerance == 0.1
    assert options("-s", "30").chosen.stopping == Stopping(gap_tol=1e-3)
    assert options("-s", "30", "-e", "0.0009").chosen.stopping == Stopping(delta=0.0009)
    assert given.chosen.choices.threads == 1
    assert given.bias == -1
    assert (given.folds, given.trace_file, given.quiet) == (None, None, False)
    assert (given.training_file, given.model_file) == ("some/data.txt", "data.txt.model")


@pytest.mark.parametrize("spelling", [str.upper, str.lower])
def test_types_by_name(spelling):
    for row in SOLVERS.values():
        assert find_solver(spelling(row.name)) is row
    for name, number in {"sdca": 32, "MCSVM_WW": 30, "l2r_lr": 0, "AUTO": "auto"}.items():
        assert options("-s", spelling(name)).chosen.solver.number == number


def test_every_option():
    given = options(
        *("-s", "31", "-c", "0.25", "-e", "0.01", "-t", "7", "-B", "1", "-S", "9", "-m", "2", "-q"),
        *("--time-limit", "2.5", "--block", "shark", "--trace", "t.json", "-w1", "2", "-w-1", ".5"),
    )
    parameter = given.chosen.choices
    assert (parameter.solver, parameter.C, parameter.tolerance) == (31, 0.25, 0.01)
    assert (parameter.max_passes, parameter.seed, parameter.threads) == (7, 9, 2)
    assert (parameter.time_limit, parameter.block) == (2.5, "shark")
    assert parameter.class_weights == {1: 2.0, -1: 0.5}
    assert (given.bias, given.quiet, given.trace_file) == (1.0, True, "t.json")
    assert given.reading_threads == 2


def test_losses_and_regularizers():
    parameter = options(
        *("-s", "auto", "--loss", "quantile", "--quantile", "0.9", "--smoothing=0.01"),
        *("--regularizer", "elastic-net", "--l1", "2"),
    ).chosen.choices
    assert (parameter.solver, parameter.loss, parameter.quantile) == ("auto", "quantile", 0.9)
    assert (parameter.smoothing, parameter.regularizer, parameter.l1) == (0.01, "elastic-net", 2)
    parameter = options("-s", "32", "--loss", "epsilon-insensitive", "-p", "0").chosen.choices
    assert (parameter.solver, parameter.epsilon) == (32, 0.0)
    assert options("-s", "32", "--loss", "huber", "--huber", "3").chosen.choices.huber == 3
    parameter = options("-s", "32", "--loss", "generalized-hinge", "--slope", "4").chosen.choices
    assert (parameter.loss, parameter.slope) == ("generalized-hinge", 4.0)
    assert options("-s", "37", "--budget", "20", "-B", "1", "-R").chosen.choices.budget == 20
    assert options("-s", "32").chosen.choices.loss is None
    parameter = options(
        *("-s", "32", "--option", "III", "--sampling", "uniform", "--averaging")
    ).chosen.choices
    assert (parameter.option, parameter.sampling, parameter.averaging) == ("III", "uniform", True)
    assert options("-s", "32").chosen.choices.averaging is None
    assert options().chosen.choices.accelerate is None
    assert options("-s", "30", "--no-accelerate").chosen.choices.accelerate is False
    assert options("-s", "33", "--inner", "theory").chosen.choices.inner == "theory"
    assert options("-s", "33", "--inner", "5").chosen.choices.inner == 5


@pytest.mark.parametrize("spelling", [("-solver", "31"), ("-s", "31"), ("-s1", "31")])
def test_only_the_second_character_tells(spelling):
    assert options(*spelling).chosen.choices.solver == 31


@pytest.mark.parametrize("spelling", [("--gap-tol", "1e-3"), ("--gap-tol=1e-3",)])
def test_long_options_take_both_spellings(spelling):
    assert options(*spelling).chosen.choices.gap_tol == 1e-3


@pytest.mark.parametrize("value", ["-1", "-1e-5", "-.5"])
def test_negative_numbers_are_values(value):
    assert options("-B", value).bias == float(value)


def test_last_value_counts_but_weights_multiply():
    given = options("-c", "1", "-c", "2", "-w3", "2", "-w3", "5", "-w+3", "0.5")
    assert given.chosen.choices.C == 2
    assert given.chosen.choices.class_weights == {3: 5.0}


def test_options_end_at_the_first_file():
    assert parse_training(["-q", "-", "m"]).training_file == "-"
    assert parse_training(["--", "-data"]).training_file == "-data"
    assert parse_training(["data", "m"]).model_file == "m"
    assert "-q stands after a file; options come first" in refusal("data", "-q").message
    assert parse_training(["data", "-"]).model_file == "/dev/stdout"
    message = refusal("data", "-", "labels", parse=parse_prediction).message
    assert "- is standard input, and only the first file" in message
    assert "the name of a file is empty" in refusal("data", "").message


def test_one_stopping_rule_at_a_time():
    assert options("-s", "30", "-e", "0.1").chosen.stopping.delta == 0.1
    assert options("-s", "2", "-e", "0.1").chosen.tolerance == 0.1
    assert options("--gap-tol", "1e-5").chosen.stopping == Stopping(gap_tol=1e-5)
    assert options("-s", "32").chosen.stopping == Stopping(gap_tol=1e-3)
    assert (
        "-e has no effect with --gap-tol" in refusal("-e", "0.1", "--gap-tol", "1e-3", "x").message
    )
    message = refusal("-s", "32", "-e", "0.1", "x").message
    assert "-e has no effect with -s 32: it is for -s 0, 1, 2, 3" in message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-q",), "no training_set_file is given"),
        (("-x", "data"), "unknown option: -x"),
        (("--quantile", "0.5,0.1", "data"), "the levels of --quantile must rise"),
        (("--quantile", "0.1,0.5", "-v", "3", "data"), "-v takes one level of --quantile"),
        (("--foo", "data"), "unknown option: --foo"),
        (("--gap", "1", "data"), "unknown option: --gap (did you mean --gap-tol?)"),
        (("--max-passes", "9", "data"), "unknown option: --max-passes (did you mean -t?)"),
        (("--seed", "9", "data"), "unknown option: --seed (did you mean -S?)"),
        (("--losss", "hinge", "data"), "unknown option: --losss (did you mean --loss?)"),
        (("-loss", "hinge", "data"), "unknown option: -loss (did you mean --loss?)"),
        (("-time-limit", "3", "data"), "unknown option: -time-limit (did you mean --time-limit?)"),
        (("-s2", "-c1", "data"), "-s2 needs a space: write -s 2"),
        (("-c0.5", "data"), "-c0.5 needs a space: write -c 0.5"),
        (("-c=0.5", "data"), "-c=0.5 needs a space: write -c 0.5"),
        (("-B1",), "-B1 needs a space: write -B 1"),
        (("-c",), "-c needs a value"),
        (("--trace",), "--trace needs a value"),
        (("--version=1", "data"), "--version takes no value, and '1' is given"),
        (("data", "m", "more"), "more is one file too many"),
        (("-v", "1", "data"), "n-fold cross validation: n must >= 2: -v is 1"),
        (("-",), "training from standard input needs the name of a model_file"),
    ],
)
def test_misuse_points_to_help(arguments, message):
    leave = refusal(*arguments)
    assert leave.message.startswith(message)
    assert leave.message.endswith("; see --help")
    assert (leave.output, leave.exit_code) == ("", 1)


def test_a_name_that_is_nearly_right_is_proposed():
    message = refusal("--loss", "squared_hinge", "data").message
    assert message.endswith(", not 'squared_hinge' (did you mean squared-hinge?)")


@pytest.mark.parametrize("parse", [parse_training, parse_prediction])
def test_no_arguments_show_the_usage(parse):
    leave = refusal(parse=parse)
    assert leave.message == "no arguments are given"
    assert leave.output.startswith("Usage: ")
    assert leave.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-c abc", "-c takes a finite number, not 'abc'"),
        ("--loss quantile --quantile 0.1,x", "--quantile takes a finite number, not 'x'"),
        ("--loss quantile --quantile 0.1,2", "--quantile is 2.0, it must lie between 0"),
        ("-c 0", "C <= 0: -c is 0.0, it must be positive and finite"),
        ("-e 0", "eps <= 0: -e is 0.0, it must be positive and finite"),
        ("-B nan", "-B takes a finite number, not 'nan'"),
        ("-t 0", "-t takes a whole number of at least 1, not '0'"),
        ("-m 0", "-m takes a whole number of at least 1 and at most 1024, not '0'"),
        ("-S -1", "-S takes a whole number of at least 0 and at most 18446744073709551615"),
        ("-v x", "-v takes a whole number, not 'x'"),
        ("-w 2", "-w needs a label behind it, as in -w1 2"),
        ("-w1 -2", "the weight of class 1 is -2.0, it must be at least 0 and finite"),
        ("--gap-tol 0", "--gap-tol is 0.0, it must be positive and finite"),
        ("--time-limit 0", "--time-limit is 0.0, it must be positive"),
        ("--block heap", "--block takes one of knapsack, walrus, shark, not 'heap'"),
        ("-s 41 --batch 0", "--batch takes a whole number of at least 1, not '0'"),
        ("-s 39 --line-search wolfe", "--line-search takes one of ocas, none, not 'wolfe'"),
        ("-s 31 --block walrus", "--block is 'walrus'; -s 31 (MCSVM_WW_Shark) has shark"),
        ("-s 9", "unknown solver type 9; there are 0 (L2R_LR), 1 (L2R_L2LOSS_SVC_DUAL), 2"),
        ("-s sdc", "unknown solver type sdc (did you mean SDCA?); there are 0"),
        ("-p 0.1 -s 32", "-p (epsilon) has no effect with loss hinge: it is for loss"),
        (
            "-s 32 --loss epsilon-insensitive -p -1",
            "p < 0: -p (epsilon) is -1.0, it must be at least 0 and finite",
        ),
        ("-s 30 --loss hinge", "--loss has no effect with -s 30: it is for -s 32"),
        ("-s 33 --inner x", "--inner is 'x', it must be adaptive, theory or a number"),
        ("-s 32 --sampling x", "--sampling takes one of permutation, uniform, not 'x'"),
        (
            "-R -B 1",
            "-R option supported only for solver L2R_LR, L2R_L2LOSS_SVC, L1R_L2LOSS_SVC, L1R_LR, "
            "and L2R_L2LOSS_SVR: -s is 1, L2R_L2LOSS_SVC_DUAL",
        ),
        ("-R -s 32", "To not regularize bias, must specify -B 1 along with -R: -B is -1"),
        ("-R -B 1 -s 32 --averaging", "--averaging has no effect with -R and -s 32"),
        ("-C -s 21", "-C has no effect with -s 21, which has no C"),
        ("-C --trace t", "--trace has no effect with -C"),
        ("-v 3 --trace t", "--trace has no effect with -v"),
    ],
)
def test_wrong_values_are_named(arguments, message):
    leave = refusal(*arguments.split(), "data")
    assert leave.message.startswith(f"ERROR: {message}")
    assert leave.exit_code == 1
    assert leave.output == ""


@pytest.mark.parametrize("parse", [parse_training, parse_prediction])
def test_help_and_version(parse):
    for spelling in ("-h", "--help", "-help"):
        leave = refusal(spelling, parse=parse)
        assert (leave.message, leave.exit_code) == ("", 0)
        assert leave.output.startswith("Usage: ")
    assert refusal("--version", parse=parse).output == f"rrmlinear {__version__}"


def test_prediction_options():
    given = parse_prediction(["-b", "1", "-q", "-m", "2", "test", "model", "out"])
    assert (given.probabilities, given.quiet, given.threads) == (True, True, 2)
    assert (given.test_file, given.model_file, given.output_file) == ("test", "model", "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-q",), "no test_file is given"),
        (("test",), "no model_file is given"),
        (("test", "model"), "no output_file is given"),
        (("test", "model", "out", "more"), "more is one file too many"),
        (("-c", "1", "test", "model", "out"), "unknown option: -c"),
    ],
)
def test_prediction_misuse_points_to_help(arguments, message):
    leave = refusal(*arguments, parse=parse_prediction)
    assert leave.message.startswith(message)
    assert leave.message.endswith("; see --help")
    assert leave.output == ""


def test_probabilities_are_0_or_1():
    leave = refusal("-b", "2", "test", "model", "out", parse=parse_prediction)
    assert leave.message == "ERROR: -b takes one of 0, 1, not '2'"
