"""Lines ``[ID<TAB>]labels<TAB>text``, as LibMultiLabel has them, and their words as features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.data.label_sets import LabelSets
from rrmlinear.data.text.byte_streams import all_bytes, name_of, open_to_write
from rrmlinear.data.text.multilabel.label_names import LabelError, LabelNames


def read_texts(path_or_file: Any, names: Any = None) -> tuple[list[str], LabelSets]:
    """The texts of lines ``labels<TAB>text`` or ``ID<TAB>labels<TAB>text``, and their labels.

    Blanks separate the labels of a line, which may have none. Labels are numbers or text as in
    `read_multilabel`, and with ``names`` those. Lines end in LF or CR LF; quotes have no meaning,
    and lines with nothing in them are skipped. The bytes are UTF-8, plain or compressed.

    Raises ValueError, with the line, for another number of columns than the first line has, for
    labels that are not allowed, and for other bytes; OSError as `open` does.
    """
    name = name_of(path_or_file)
    texts, tokens, lengths, numbers = [], [], [], []
    n_columns = 0
    for number, line in enumerate(all_bytes(path_or_file).split(b"\n"), 1):
        columns = line.removesuffix(b"\r").split(b"\t")
        if columns == [b""]:
            continue
        n_columns = n_columns or len(columns)
        if len(columns) != n_columns or len(columns) not in (2, 3):
            other = "" if len(columns) == n_columns else f", and the first line {n_columns}"
            raise ValueError(
                f"{name}, line {number} has {len(columns)} columns{other}; labels and text are "
                "expected, or an ID, labels and text, with tabs between them"
            )
        try:
            texts.append(columns[-1].decode())
        except UnicodeDecodeError as error:
            raise ValueError(f"{name}, line {number}: the text is not UTF-8: {error}") from None
        labels = columns[-2].split()
        tokens += labels
        lengths.append(len(labels))
        numbers.append(number)
    if not texts:
        raise ValueError(f"{name} has no examples; at least one is needed")
    known = LabelNames(names)
    counts = np.array(lengths, dtype=np.int64)
    try:
        known.add(tokens, counts)
    except LabelError as error:
        at = int(np.searchsorted(np.cumsum(counts), error.at, side="right"))
        raise ValueError(f"{name}, line {numbers[at]}: {error}") from None
    return texts, known.sets()


class Terms:
    """The words that are features, in order, and the logarithms of their inverse frequencies."""

    def __init__(self, words: list[str], idf: NDArray[np.float64]):
        self.words, self.idf = words, idf

    @classmethod
    def read(cls, path: Any) -> Terms:
        """From a file that `write` made. Raises ValueError with the line for any other."""
        words, idf = [], []
        text = all_bytes(path).decode("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), 1):
            word, tab, given = line.partition("\t")
            try:
                idf.append(float(given))
            except ValueError:
                tab = ""
            if not tab or not np.isfinite(idf[-1]):
                raise ValueError(
                    f"{name_of(path)}, line {number}: a word, a tab and a number are expected"
                )
            words.append(word)
        if len(set(words)) < len(words) or not words:
            raise ValueError(f"{name_of(path)} must have at least one word, and none of them twice")
        return cls(words, np.array(idf))

    def write(self, path: Any) -> None:
        """A line for each word, whole or not at all."""
        lines = (
            f"{word}\t{idf!r}\n" for word, idf in zip(self.words, self.idf.tolist(), strict=True)
        )
        with open_to_write(path) as stream:
            stream.write("".join(lines).encode())


def tf_idf(
    texts: list[str], dtype: Any = np.float64, terms: Terms | None = None
) -> tuple[Any, Terms]:
    """(n × d csr_array, its terms) by scikit-learn's TfidfVectorizer at its defaults.

    Those are lower case, words of two and more letters or digits, counts times idf =
    1 + log((1 + n) / (1 + number of texts with the word)), and rows of length 1. With
    ``terms``, those of the texts trained on, other words are left out. Raises ValueError where no
    text has a word, and without scikit-learn.
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ModuleNotFoundError:
        raise ValueError(
            "words become features by scikit-learn: pip install scikit-learn"
        ) from None
    if terms is None:
        vectorizer = TfidfVectorizer(dtype=dtype)
        try:
            X = vectorizer.fit_transform(texts)
        except ValueError as error:
            if "empty vocabulary" not in str(error):
                raise
            raise ValueError("no text has a word of two letters or digits") from None
        found = Terms(vectorizer.get_feature_names_out().tolist(), vectorizer.idf_)
        return _sorted(X), found
    vectorizer = TfidfVectorizer(dtype=dtype, vocabulary=terms.words)
    vectorizer.idf_ = terms.idf
    return _sorted(vectorizer.transform(texts)), terms


def _sorted(X: Any) -> Any:
    from scipy.sparse import csr_array

    X = csr_array(X)
    X.sort_indices()
    return X
