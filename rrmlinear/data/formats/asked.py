"""What is asked of a file: where labels and names stand, and which columns are categories."""

from __future__ import annotations

from collections.abc import Sequence

from rrmlinear.core.records import record

#: As categories: every column of words.
ALL = "all"


@record(eq=True)
class Asked:
    """What a reader is told beside the file's name.

    ``labels``, ``weights``, ``query_ids``, ``offset``, ``exposure`` and ``entry`` name a column of
    a table, ``obs:NAME`` of annotated cells, or a file beside a matrix; the last three also one
    beside text or a container. ``categories`` are columns that become columns of zeros and ones,
    ``("all",)`` for those of words. ``names`` is a file with the names of features. With
    ``transpose`` the rows of a matrix are features. A model tells its ``n_features`` and its
    ``features``, by which columns are taken, and the ``words`` that its labels are: numbers as
    labels of a table are words then too. ``unlabelled`` files are read too where that is True, and
    LIBSVM text with a ``qid`` where ``queries`` is.
    """

    labels: str | None = None
    weights: str | None = None
    query_ids: str | None = None
    offset: str | None = None
    exposure: str | None = None
    entry: str | None = None
    categories: tuple[str, ...] = ()
    names: str | None = None
    transpose: bool = False
    features: Sequence[str] | None = None
    n_features: int | None = None
    words: Sequence[str] | None = None
    unlabelled: bool = False
    queries: bool = False

    def given(self, *fields: str) -> str:
        """The flag of the first of these fields that was given, or ""."""
        return next((flag_of(name) for name in fields if getattr(self, name)), "")


#: Fields that have one number an example.
BY_EXAMPLE = ("labels", "weights", "query_ids", "offset", "exposure", "entry")


def flag_of(field: str) -> str:
    """The option of the commands that sets this field."""
    return "--" + field.replace("_", "-")
