"""The usage texts, in LIBLINEAR's layout, made of the catalog's rows."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rrmlinear.catalog.choices import CHOICES
from rrmlinear.catalog.errors import alternatives
from rrmlinear.catalog.losses import NAMED_LOSSES, ORDER_LOSSES
from rrmlinear.catalog.regularizers import REGULARIZERS
from rrmlinear.catalog.solvers import OF_SOME_SOLVERS, SOLVERS, solvers_with
from rrmlinear.cli.flags import FLAGS
from rrmlinear.data.attributes.builtin import BUILTIN

WIDTH = 100
STRICT = "refuse data with a CR inside a line or text that is no index:value (default: a warning)"
HELP = "-h, --help : show this text\n--version : show the version"
COMMON = f"""\
--strict : {STRICT}
-q : quiet mode (no outputs)
{HELP}"""
STANDARD_OUTPUT = "- is standard output, and what is said goes to standard error"
#: What files of train, predict, convert, info and plan may need to be told (docs/files.md).
READING = (
    ("--labels", "where", "column of a table, obs:NAME of cells, or file beside a matrix, .npy or "
     "one on each line, that has the labels: numbers or words"),
    ("--weights", "where", "the same for weights of examples"),
    ("--query-ids", "where", "the same for query ids"),
    ("--categories", "columns", "columns of a table, as a,b, or all for those of words, that "
     "become a column of zeros and ones for each level"),
    ("--names", "file", "names of features, one on each line"),
    ("--transpose", "", "the rows of a matrix are features, its columns examples"),
)  # fmt: skip
#: What train and predict also take.
OFFSETS = (
    ("--offset", "where", "the same for numbers that are added to the scores of a regression; of "
     "text and containers a file, or FILE:COLUMN of a table"),
    ("--exposure", "where", "the same for exposures e, the offsets log e of counts and costs"),
)  # fmt: skip
ENTRY = ("--entry", "where", "the same for times after which examples are at risk, for losses of "
         "times; each is below the example's own")  # fmt: skip
#: Options of the train command that are no choices.
OTHER_OPTIONS = {
    "-B bias": "if bias >= 0, append a column of this value to every example (default -1: none)",
    "-v n": "n-fold cross validation mode, which saves no model",
    "-C": "find C, and p of regressions, by cross validation with -v folds (default 5); the search "
    "begins at -c and -p if given; saves no model; the default of -s is then 2",
    "--liblinear-model": "write a model that LIBLINEAR's predict can read",
    "--strict": STRICT,
    "--cache": "keep a container, training_set_file.cache.rrm, and train from it until the text "
    "changes",
    "--trace file": "write a line of JSON for each pass: seconds, primal, dual, gap and so on",
    "--edges file": "features of edges, which are pairs of neighbours in a sequence: a line for "
    "each line of training_set_file, with the features of this position and the one before it; "
    "predict takes such a file too",
    "--cliques file": "training_set_file holds graphs, and this file holds a clique on each line: "
    "[type] qid:graph node ...; predict takes such a file too",
    "--report file": "write a page, one HTML file: how well the model predicts, problem, data, gap "
    "against seconds, weights",
    "--report-test file": "the page also says how well the model predicts these data",
    "--report-static": "the page has no script, pictures in SVG, and at most some 300 kB",
    "--dask where": "train over the workers of a Dask cluster: the address of its scheduler, such "
    "as tcp://host:8786, or local:n for n processes; every worker opens training_set_file",
    "--dashboard address": "the pages of --dask local:n listen here: 127.0.0.1:8787, or :8787 for "
    "every interface, where anyone who reaches it sees them (default: this machine, a free port)",
    "--mpi": "train over the processes of mpirun, which starts this command in each; each opens "
    "training_set_file",
    "--prune w": "with several labels a line: drop weights below w and fit the bias again",
    "--thresholds how": "with several labels a line: cv, a threshold for each label by F1 over "
    "folds, or cost, a factor of C for its examples",
    "--positive-weight w": "with several labels a line: factor of C for examples that have the "
    "label",
    "--append model": "with several labels a line: take the labels of this model as they are, and "
    "train the others",
    "--resume": "with several labels a line: keep labels that have ended in model_file.journal, "
    "and go on from there if the command was killed",
    "--tree n": "with several labels a line: clusters in a tree of about n children a node, for "
    "tens of thousands of labels (docs/labels.md)",
    **{f"{flag} {value}".strip(): meaning for flag, value, meaning in (*READING, *OFFSETS, ENTRY)},
    "-q": "quiet mode: print nothing but warnings, errors and the result of -v",
}
#: Additions to the meaning of choices, for their flags.
MORE = {
    "groups": "; in a file, one on each line",
    "group_weights": "; in a file, one on each line",
    "penalty_factors": "; in a file, one on each line",
    "unpenalized": ": 3,5-7, or a file with one on each line",
    "quantile": "; several that rise, as 0.1,0.5,0.9, are a model of a column each",
    "threads": "; also of reading, where the default is all processors",
    "free_bias": "; needs a -B above 0, such as -B 1",
    "memory": ". K, M and G stand for powers of 1000: 500M",
}
#: The meanings of flags that turn a switch off.
OFF = {
    "accelerate": "only the paper's plain descent: no acceleration and no Newton's method, even if "
    "it is slow"
}
#: What files of examples are.
FILES = """LIBSVM text (- is standard input), a container, .npy, .npz, .mtx, .h5ad, .h5, .parquet,
.arrow, .feather, .csv or .tsv, as docs/files.md says; a folder, a pattern or a URL of them"""


def _reading(*without: str, more: tuple[tuple[str, str, str], ...] = ()) -> str:
    """The lines of the options of reading."""
    chosen = [row for row in (*READING, *more) if row[0] not in without]
    each = (f"{flag} {value}".strip() + f" : {meaning}" for flag, value, meaning in chosen)
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent=" " * 17) for line in each)


KINDS = {
    "binary": "for two classes, or each class against the rest",
    "multiclass": "for all classes in one problem",
    "measure": "for two classes, the larger label positive: measures of all labels at once",
    "regression": "for regression",
    "chain": "for sequences, of lines with qid:",
}

#: The options of the train command in --help, by the catalog's names or as they stand here.
TRAIN = """\
Usage: train [options] training_set_file [model_file]
options, of those used most:
-s type : 0, 7 logistic regression; 1 (default), 2, 3 support vector machine, each class against the
          rest; 4 Crammer and Singer; 5, 6 the 1-norm; 11, 12, 13 regression; 21 outliers; 30 all
          classes in one problem
--loss name : loss by its name: hinge, logistic, softmax, squared, absolute, huber, crf, ...
--regularizer name : l2, l1, elastic-net, group-lasso, ...
-c cost : C, the factor of losses (default 1)
-p epsilon : width in which regressions by -s 11 to 13 do not count errors (default 0.1)
-B bias : if bias >= 0, append a column of this value to every example (default -1: none)
-wi weight : factor of C for class i
-e epsilon, --gap-tol : tolerance of LIBLINEAR's rule, or of the gap relative to the objective
-v n : n-fold cross validation mode, which saves no model
-C : find C by cross validation; saves no model
-m threads : threads (default 1); also of reading, where the default is all processors
--report file : write a page: how well the model predicts, the proof, the largest weights
--report-test file : the page also says how well the model predicts these data
-q : quiet mode
-h, --help : show this text; --help-all : show every option; --version : show the version
training_set_file is LIBSVM text, plain, .gz, .bz2, .xz or .zst, or a container (see convert);
- is standard input. model_file is training_set_file.model by default; - is standard output"""

PREDICT = f"""\
Usage: predict [options] test_file model_file output_file
options:
-b probability_estimates : whether to output probability estimates, 0 or 1 (default 0);
                           for loss logistic, softmax or crf only
-m threads : threads of predicting (default 1) and of reading (default all processors)
--edges file : features of edges of sequences, for a model with features of edges
--cliques file : the cliques of graphs, for a model of graphs
--top-k k : with a model of many labels, the k labels with the largest scores, best first
--beam b : with a tree of labels, nodes of each depth that are searched (default 10)
--threshold t : with a model of many labels, those with scores above t (default: above 0, or the
                thresholds of the model)
--scores : with a model of many labels, write label:score
{_reading(more=OFFSETS)}
{COMMON}
test_file: {FILES}; of a model with names, columns are taken by their names
output_file: {STANDARD_OUTPUT}"""

CONVERT = f"""\
Usage: convert [options] input_file output_file
options:
--float32 : store values with 32 bits (default: as in the input; 64 bits for text)
{_reading()}
                 labels may be a .npy or .npz matrix of zeros and ones, rows x labels, too
--save-terms file : write the words of texts that became features, with their inverse frequencies
--terms file : take these words as features, as for test data
-m threads : threads that parse text (default all processors, at most 4)
{COMMON}
input_file: {FILES}
with several labels an example: LIBSVM text of lines 3,17 1:0.5 ..., with a header (examples
features labels) or without, or tab-separated lines [ID] labels text, whose words become tf-idf
values; only .libsvm is written
output_file ends in .rrm, a container, or in .libsvm, .libsvm.gz and so on, LIBSVM text; a pipe
takes text; {STANDARD_OUTPUT}"""

SEQUENCES = f"""\
Usage: sequences [options] columns_file output_file [dictionary_file]
options:
--template name : {", ".join(BUILTIN)}, or a file with a template, also one of
                  CRF++ (default chunking; upos for conllu)
--format name : columns, separated by blanks (default); tabs, columns that may have blanks inside;
                conllu, whose label is UPOS by default; attributes, CRFsuite's text
--least n : leave out attributes that occur fewer than n times (default 1)
--dictionary file : take the numbers of attributes and labels from this file, the dictionary of the
                    training data
--unlabelled : columns_file has no labels; needs --dictionary
--predicted file : this file holds the labels that predict wrote; write columns_file with these
                   labels, and print scores; needs --dictionary
-q : quiet mode (no outputs)
{HELP}
columns_file has a token on each line: its columns, separated by blanks, the label last; a blank
line ends a sequence; plain or .gz, .bz2, .xz or .zst; - is standard input
output_file gets lines label qid:sequence index:1 ..., which train and predict take; if the template
has lines edge ..., output_file.edges gets the lines for --edges
dictionary_file is written too (default output_file.dictionary)
output_file, dictionary_file: {STANDARD_OUTPUT}"""

SCALE = f"""\
Usage: scale [options] data_file [output_file]
options, those of svm-scale:
-l lower : lower limit of features (default -1)
-u upper : upper limit of features (default 1)
-y y_lower y_upper : limits of labels (default: labels stay as they are)
-s file : save the ranges of the features in this file
-r file : take the ranges of this file, as for test data
-m threads : threads of reading (default all processors)
{HELP}
data_file is LIBSVM text, plain or .gz, .bz2, .xz or .zst, or a container (see convert); - is
standard input
output_file is LIBSVM text (default standard output); places that are not stored are 0 and become
values too, so that sparse data of values >= 0 take -l 0"""

PATH = f"""\
Usage: path [options] data_file
options:
--loss name : as in train, a loss that is a sum over examples (default squared-hinge)
--regularizer name : as in train, but for those that need groups or a radius (default l2)
--l1 S : factor of the 1-norm in l1 and elastic-net (default 1)
--Cs values : how many values of C, from 1e-4 to 1e4, or the values: 0.1,1,10 (default 10)
--gap-tol t : tolerance of the gap, relative to the objective (default 1e-4)
--no-intercept : no intercept (default: an exact one, without penalty)
--weights file : write Cs, weights (C x scores x features) and intercepts as .npz
--report file : write a page with the weights along the path
--report-static : the page has no script, pictures in SVG, and at most some 300 kB
{_reading("--weights", "--query-ids")}
-m threads : threads of the solver (default 1) and of reading
-q : quiet mode (no table)
{HELP}
The table has a line for each C: objective, duality gap, passes, features in use, and status.
data_file: {FILES}"""

PLOT = f"""\
Usage: plot [options] trace_file ...
options:
-o file : output, a name that ends in .png, .svg, .pdf or .html, a page with zoom (default
          traces.html)
--against name : horizontal axis of a picture: seconds (default) or passes
-q : quiet mode (no outputs)
{HELP}
trace_file is written by train --trace"""

INFO = f"""\
Usage: info [options] data_file
options:
--report file : write a page, one HTML file, with the same facts and a picture
--sequences : data_file holds sequences, of lines with qid:
{_reading()}
-m threads : threads of reading (default all processors)
{COMMON}
data_file: {FILES}"""

PLAN = f"""\
Usage: plan [options] data_file
options:
--workers n : the largest number of workers (default 16); smaller numbers 1, 4, 16 and so on are
              shown too
--loss name : as in train, a loss that is a sum over examples (default hinge)
-c cost : C (default 1)
-B bias : as in train
--sample n : examples of the simulation (default 20000, or as many as have 20 million stored values)
--network rate : Gbit/s between workers (default 10)
{_reading()}
{HELP}
data_file: {FILES}"""


def option_rows() -> Iterator[tuple[str, str, str]]:
    """(flag and value, meaning, default) of every option of the train command but help."""
    for name, flag in FLAGS.items():
        row = CHOICES[name]
        meaning = OFF.get(name, row.meaning) + MORE.get(name, "")
        if name in OF_SOME_SOLVERS:
            meaning += f" (-s {type_names(solvers_with(name))})"
        yield f"{flag.flag} {flag.value}".strip(), meaning, row.default_text
    for option, meaning in OTHER_OPTIONS.items():
        yield option, meaning, ""


def type_names(numbers: Sequence[int | str]) -> str:
    """Solver types as words, three and more numbers in a row as a range: "34 to 36 or batch"."""
    words: list[str] = []
    rest = list(numbers)
    while rest:
        run = 1
        while run < len(rest) and isinstance(rest[0], int) and rest[run] == rest[0] + run:
            run += 1
        words += [f"{rest[0]} to {rest[run - 1]}"] if run > 2 else map(str, rest[:run])
        del rest[:run]
    return alternatives(words)


def training_usage() -> str:
    """The text of the train command."""
    lines = ["Usage: train [options] training_set_file [model_file]", "options:"]
    for option, meaning, default in option_rows():
        told = f" (default {default})" if default else ""
        lines.append(textwrap.fill(f"{option} : {meaning}{told}", WIDTH, subsequent_indent=" " * 8))
        if option.startswith("-s "):
            lines += [f"       {row.number:>6} -- {row.summary}" for row in SOLVERS.values()]
        elif option.startswith("--loss "):
            lines += list(_losses())
        elif option.startswith("--regularizer "):
            lines += [f"       {row.name} -- {row.meaning}" for row in REGULARIZERS.values()]
    return "\n".join(
        [
            *lines,
            "-h, --help : show the options used most",
            "--help-all : show this text",
            "--version : show the version",
            f"training_set_file: {FILES}",
            "model_file : by default the name of training_set_file + .model, in the current folder",
            f"model_file: {STANDARD_OUTPUT}",
        ]
    )


def _losses() -> Iterator[str]:
    for kind, title in KINDS.items():
        rows = [row for row in NAMED_LOSSES.values() if row.kind == kind]
        names = ", ".join(row.name for row in rows if "order" not in row.features)
        yield f"  {title}"
        yield textwrap.fill(names, WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 7)
    yield "  for ranks within queries, of lines with qid:, and for times, -t where censored"
    yield textwrap.fill(", ".join(ORDER_LOSSES), WIDTH, initial_indent=" " * 7)
