"""Fetch data sets of the LIBSVM site by name: ``python datasets/download.py NAME [NAME ...]``.

Files stay compressed where the site compresses them: the package reads .bz2 and .xz itself. A file
that is in the folder already, with the right checksum where one is known, is not fetched again.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

BASE_URL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
FOLDER = Path(__file__).resolve().parent / "cache"
SECONDS_WITHOUT_AN_ANSWER = 30


@dataclass(frozen=True)
class SiteSet:
    """One set of the site: its task's folder there, its size, and its file or files."""

    task: str
    examples: str
    features: int
    classes: int | None
    files: tuple[str, ...]

    def paths(self) -> list[str]:
        """The place of its files below the site's data folder."""
        return [f"{self.task}/{name}" for name in self.files]


def _binary(examples: str, features: int, *files: str) -> SiteSet:
    return SiteSet("binary", examples, features, 2, files)


def _multiclass(examples: str, features: int, classes: int, *files: str) -> SiteSet:
    return SiteSet("multiclass", examples, features, classes, files)


def _regression(examples: str, features: int, *files: str) -> SiteSet:
    return SiteSet("regression", examples, features, None, files)


SETS = {
    "a9a": _binary("32561 + 16281", 123, "a9a", "a9a.t"),
    "australian": _binary("690", 14, "australian_scale"),
    "breast-cancer": _binary("683", 10, "breast-cancer_scale"),
    "cod-rna": _binary("59535 + 271617", 8, "cod-rna", "cod-rna.t"),
    "colon-cancer": _binary("62", 2000, "colon-cancer.bz2"),
    "covtype.binary": _binary("581012", 54, "covtype.libsvm.binary.scale.bz2"),
    "epsilon": _binary(
        "400000 + 100000", 2000, "epsilon_normalized.bz2", "epsilon_normalized.t.bz2"
    ),
    "german.numer": _binary("1000", 24, "german.numer_scale"),
    "gisette": _binary("6000 + 1000", 5000, "gisette_scale.bz2", "gisette_scale.t.bz2"),
    "heart": _binary("270", 13, "heart_scale"),
    "ijcnn1": _binary("49990 + 91701", 22, "ijcnn1.bz2", "ijcnn1.t.bz2"),
    "leukemia": _binary("38 + 34", 7129, "leu.bz2", "leu.t.bz2"),
    "mushrooms": _binary("8124", 112, "mushrooms"),
    "news20.binary": _binary("19996", 1355191, "news20.binary.bz2"),
    "phishing": _binary("11055", 68, "phishing"),
    "rcv1.binary": _binary(
        "20242 + 677399", 47236, "rcv1_train.binary.bz2", "rcv1_test.binary.bz2"
    ),
    "real-sim": _binary("72309", 20958, "real-sim.bz2"),
    "splice": _binary("1000 + 2175", 60, "splice", "splice.t"),
    "url": _binary("2396130", 3231961, "url_combined.bz2"),
    "w8a": _binary("49749 + 14951", 300, "w8a", "w8a.t"),
    "aloi": _multiclass("108000", 128, 1000, "aloi.scale.bz2"),
    "connect-4": _multiclass("67557", 126, 3, "connect-4"),
    "covtype": _multiclass("581012", 54, 7, "covtype.scale01.bz2"),
    "dna": _multiclass("2000 + 1186", 180, 3, "dna.scale", "dna.scale.t"),
    "glass": _multiclass("214", 9, 6, "glass.scale"),
    "letter": _multiclass("15000 + 5000", 16, 26, "letter.scale", "letter.scale.t"),
    "mnist": _multiclass("60000 + 10000", 780, 10, "mnist.scale.bz2", "mnist.scale.t.bz2"),
    "news20": _multiclass("15935 + 3993", 62061, 20, "news20.scale.bz2", "news20.t.scale.bz2"),
    "news20.counts": _multiclass("15935 + 3993", 62061, 20, "news20.bz2", "news20.t.bz2"),
    "pendigits": _multiclass("7494 + 3498", 16, 10, "pendigits", "pendigits.t"),
    "protein": _multiclass("17766 + 6621", 357, 3, "protein.bz2", "protein.t.bz2"),
    "rcv1.multiclass": _multiclass(
        "15564 + 518571", 47236, 53, "rcv1_train.multiclass.bz2", "rcv1_test.multiclass.bz2"
    ),
    "satimage": _multiclass("4435 + 2000", 36, 6, "satimage.scale", "satimage.scale.t"),
    "sector": _multiclass(
        "6412 + 3207", 55197, 105, "sector/sector.scale.bz2", "sector/sector.t.scale.bz2"
    ),
    "segment": _multiclass("2310", 19, 7, "segment.scale"),
    "shuttle": _multiclass("43500 + 14500", 9, 7, "shuttle.scale", "shuttle.scale.t"),
    "usps": _multiclass("7291 + 2007", 256, 10, "usps.bz2", "usps.t.bz2"),
    "vehicle": _multiclass("846", 18, 4, "vehicle.scale"),
    "vowel": _multiclass("528 + 462", 10, 11, "vowel.scale", "vowel.scale.t"),
    "abalone": _regression("4177", 8, "abalone_scale"),
    "cadata": _regression("20640", 8, "cadata"),
    "cpusmall": _regression("8192", 12, "cpusmall_scale"),
    "E2006.tfidf": _regression("16087 + 3308", 150360, "E2006.train.bz2", "E2006.test.bz2"),
    "housing": _regression("506", 13, "housing_scale"),
    "YearPredictionMSD": _regression(
        "463715 + 51630", 90, "YearPredictionMSD.bz2", "YearPredictionMSD.t.bz2"
    ),
}

# The site publishes no checksums. Other projects recorded these; those of the first group agree
# with a second copy. Other files are not checked.
CHECKSUMS = {
    "binary/a9a": "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906",
    "binary/a9a.t": "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9",
    "binary/covtype.libsvm.binary.scale.bz2": (
        "68d6c54c1f7f5380b2f9eb652471522fef8a5ac255c4a0e3b2096428241ad799"
    ),
    "binary/ijcnn1.t.bz2": "acd1db430684fdd3f0c768ecc49aa8e749d0004fc117611220c2aa576a7b6a24",
    "multiclass/letter.scale": "ce2c7df15cc5742dc4382d59079181c97c21e0beaa0af53c84cc5745c69f1020",
    "multiclass/letter.scale.t": "07522ccbf54187fae6d560d1712b88c41ea1f7e8d19491c5adcc22ee37a075da",
    "multiclass/news20.bz2": "8c79851f6f5fdc5540a0d04a5ab728353c42d26b84e73f93bda301c06c15ffe9",
    # From one source only.
    "binary/real-sim.bz2": "7cd52374f55ce62e803ef33ca1c44689427c23d481eff64026f8ba9f53b8cc27",
    "binary/rcv1_train.binary.bz2": "md5:1aeda848408e621468c0fe6944d9382f",
    "binary/rcv1_test.binary.bz2": "md5:d6e3ab397758fb5c036d9cced52aedae",
    "multiclass/rcv1_train.multiclass.bz2": (
        "79691e3f974aa6a08d5e3116c61aff822fbdb2725e99ed27fde4351af51076a8"
    ),
    "multiclass/rcv1_test.multiclass.bz2": "md5:68a377cfff6f4a82edac1975b148afd3",
    "multiclass/mnist.scale.bz2": "md5:e8c48fc61df3cf808e7f35204431b376",
    "multiclass/mnist.scale.t.bz2": "md5:56453a3c427a8b32632db2875abc891d",
    "regression/E2006.train.bz2": (
        "944066984ed3b6c9c3b137a4968afead81dc80f6b77f16f1988b0ecb591c4683"
    ),
    "regression/YearPredictionMSD.bz2": (
        "bd820472d9a6d87ae30d6208dcbfd0e80386e96e6e6832f78c498cd78df6da29"
    ),
}


class DownloadError(Exception):
    """The address and the reason why it could not be fetched, in one sentence."""


def fetch(
    path: str, folder: Path = FOLDER, base_url: str = BASE_URL, checksum: str | None = None
) -> Path:
    """Fetch base_url/path into the folder under its own name; returns its path.

    The file appears once it is complete and its checksum (SHA256, or ``md5:…``) is right; without
    a checksum pooch logs the one it computes. Raises DownloadError, and ModuleNotFoundError where
    pooch is not installed.
    """
    import pooch
    import requests

    url = f"{base_url.rstrip('/')}/{path}"
    try:
        fetched = pooch.retrieve(
            url,
            known_hash=checksum,
            fname=PurePosixPath(path).name,
            path=folder,
            downloader=pooch.HTTPDownloader(timeout=SECONDS_WITHOUT_AN_ANSWER),
        )
    except requests.HTTPError as error:
        answer = error.response
        reason = f"the server answered {answer.status_code} {answer.reason}"
    except requests.Timeout:
        reason = f"no answer for {SECONDS_WITHOUT_AN_ANSWER} seconds"
    except requests.exceptions.ChunkedEncodingError:
        reason = "the transfer broke off before the end"
    except requests.ConnectionError:
        reason = "no connection to the server"
    except (ValueError, OSError) as error:
        reason = str(error)
    else:
        return Path(fetched)
    raise DownloadError(f"cannot download {url}: {reason}")


def table() -> str:
    """The sets by name as a Markdown table; examples are training + test."""
    lines = ["| name | examples | features | classes | files |", "| --- | --- | --- | --- | --- |"]
    for name, entry in SETS.items():
        classes = "regression" if entry.classes is None else entry.classes
        files = ", ".join(f"`{path}`" + ("*" * (path in CHECKSUMS)) for path in entry.paths())
        lines.append(f"| {name} | {entry.examples} | {entry.features} | {classes} | {files} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fetch data sets of the LIBSVM site by name.")
    parser.add_argument("names", metavar="NAME", nargs="*", help="names as --list shows them")
    parser.add_argument("--list", action="store_true", help="print the sets known by name")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="default: datasets/cache")
    parser.add_argument("--base-url", default=BASE_URL, help=f"default: {BASE_URL}")
    parser.add_argument(
        "--unverified",
        action="store_true",
        help="take files whatever their checksum, should the site have replaced them",
    )
    options = parser.parse_args(arguments)
    if options.list:
        print(table())
        return 0
    unknown = [name for name in options.names if name not in SETS]
    if unknown:
        parser.error(f"no data set {unknown[0]!r} is known; there are {', '.join(SETS)}")
    if not options.names:
        parser.error("name a data set, or ask for --list")
    checksums = {} if options.unverified else CHECKSUMS
    try:
        for name in options.names:
            for path in SETS[name].paths():
                print(fetch(path, options.folder, options.base_url, checksums.get(path)))
    except ModuleNotFoundError as error:
        if error.name not in ("pooch", "requests"):
            raise
        print("download.py needs pooch: pip install pooch", file=sys.stderr)
        return 1
    except DownloadError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
