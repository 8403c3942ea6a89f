"""The command lines that are compared, by what is compared of them."""

#: Types with labels of classes, with numbers, and without.
CLASSES = ("0", "1", "2", "3", "4", "5", "6", "7")
NUMBERS = ("11", "12", "13")
#: Options that every type of its kind is trained with, by data set.
OF_CLASSES = [
    ("two", ()),
    ("two", ("-c", "0.05")),
    ("two", ("-c", "10", "-B", "1")),
    ("two", ("-B", "0")),
    ("two", ("-w1", "4", "-w-1", "0.5", "-w1", "2")),
    ("two", ("-e", "0.000001")),
    ("three", ()),
    ("three", ("-c", "4", "-B", "2.5", "-w3", "3")),
    ("three", ("-e", "0.000001")),
    ("wide", ("-c", "0.5")),
    ("plus", ("-q",)),
]
OF_NUMBERS = [
    ("real", ()),
    ("real", ("-p", "0.5")),
    ("real", ("-p", "0", "-c", "0.1")),
    ("real", ("-c", "20", "-B", "1")),
    ("real", ("-e", "0.000001", "-p", "0.2")),
    ("two", ("-c", "0.5")),
]
OF_ONE = [
    ("cloud", ()),
    ("cloud", ("-n", "0.1")),
    ("cloud", ("-n", "0.9", "-e", "0.000001")),
    ("cloud", ("-n", "0.35", "-e", "0.000001")),
]
FREE_BIAS = [("-s", number, "-B", "1", "-R") for number in ("0", "2", "5", "6", "11")]

TRAINED = [
    *[(data, ("-s", number, *more)) for number in CLASSES for data, more in OF_CLASSES],
    *[(data, ("-s", number, *more)) for number in NUMBERS for data, more in OF_NUMBERS],
    *[(data, ("-s", "21", *more)) for data, more in OF_ONE],
    *[("real" if "11" in words else "two", words) for words in FREE_BIAS],
    *[("one", ("-s", number, *more)) for number in CLASSES for more in ((), ("-B", "1"))],
    ("two", ()),
    ("three", ("-c", "2")),
]

VALIDATED = [
    *[("two", ("-s", number, "-v", "5")) for number in CLASSES],
    *[("three", ("-s", number, "-v", "4")) for number in ("1", "4", "0")],
    *[("real", ("-s", number, "-v", "3")) for number in NUMBERS],
    ("one", ("-v", "3")),
]

#: Wrong commands, with what LIBLINEAR says at the begin of a line; all end with 1.
REFUSED = [
    ((), ""),
    (("absent",), "can't open input file absent"),
    (("-s", "1", "absent"), "can't open input file absent"),
    (("-x", "two"), "unknown option: -x"),
    (("-y", "1", "two"), "unknown option: -y"),
    (("-c",), ""),
    (("-s", "1"), ""),
    (("-c", "0", "two"), "ERROR: C <= 0"),
    (("-c", "-2", "two"), "ERROR: C <= 0"),
    (("-e", "0", "two"), "ERROR: eps <= 0"),
    (("-e", "-1", "two"), "ERROR: eps <= 0"),
    (("-s", "11", "-p", "-0.1", "real"), "ERROR: p < 0"),
    (("-s", "8", "two"), "ERROR: unknown solver type"),
    (("-s", "20", "two"), "ERROR: unknown solver type"),
    (("-s", "-1", "two"), "ERROR: unknown solver type"),
    (("-v", "1", "two"), "n-fold cross validation: n must >= 2"),
    (("-v", "0", "two"), "n-fold cross validation: n must >= 2"),
    (("two", "no/folder/model"), "can't save model to file no/folder/model"),
]

#: Lines of data that LIBLINEAR refuses, each as the second of three.
BAD_LINES = [
    "",
    "x 1:1",
    "1 0:1",
    "1 -1:1",
    "1 2:1 1:1",
    "1 1:1 1:2",
    "1 1:x",
    "1 1:",
    "1 qid:1 2:1",
    "1 1:1e400",
    "1 1:1.5.2",
    "1 1:2x",
    "1 x:2",
]
#: Lines that it takes.
GOOD_LINES = ["+1 1:1 2:2 ", "1\t1:1\t2:2", "  1 1:1", "1 1:0x10", "1", "1 1: 1", "1 1:1\r"]

#: Where we differ by choice: the arguments, our exit code and sentence, LIBLINEAR's exit code, or
#: None where Debian's program is not as the original.
DIFFERENT = [
    (("-s", "abc", "two"), 1, "ERROR: unknown solver type abc", None),
    (("-c", "abc", "two"), 1, "ERROR: -c takes a finite number, not 'abc'", 1),
    (("-c", "1x", "two"), 1, "ERROR: -c takes a finite number, not '1x'", None),
    (("-s", "4294967297", "two"), 1, "ERROR: unknown solver type 4294967297", 0),
    (("two", "m", "third"), 1, "third is one file too many", 0),
    (("empty", "m"), 1, "ERROR: ", 0),
    (("-p", "0.1", "-s", "1", "two", "m"), 0, "WARNING: -p has no effect with -s 1: ignored", 0),
    (("-w1", "2", "-s", "12", "real", "m"), 0, "WARNING: -wi has no effect with -s 12", 0),
]
