"""The evidence for paper 000: the lower bound of BMRM, and Pragam beside its rivals.

The sets of a figure have a command each, so that they may run side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from evidence import Evidence, present

HERE = Path(__file__).parent
# The methods of the paper's figures.
METHODS = "Pragam; Pragam-b; BMRM; ls-BMRM; Pegasos-1; Pegasos-n; LIBLINEAR -s 3"
# Runs that take one limit each on a set: the methods, and as long again for the reference.
RUNS = 3 * 7
# With less than SHORT seconds a run, sets are cut to FEWER_ROWS rows.
SHORT, FEWER_ROWS = 5.0, 20_000
# Sets of the figures by what the page calls them: a file, or the name of generated text.
FIRST_SETS = {"adult": "a9a", "covertype": "covtype.libsvm.binary.scale", "astro-ph": "astro-ph"}
OTHER_SETS = ("news20", "aut-avn", "real-sim", "reuters-ccat", "web8")
# Tasks of structured.py: the number of solvers, their share of the time, and the title.
STRUCTURED: dict[str, tuple[int, float, str]] = {
    "m3n": (6, 0.4, "max-margin Markov networks on words, C = 0.01"),
    "m3n-large-C": (6, 0.4, "max-margin Markov networks on words, C = 0.1"),
    "m3n-small": (6, 0.1, "max-margin Markov networks on 60 words"),
    "m3n-few": (8, 0.3, "max-margin Markov networks on 5 words, with Pragam"),
    "crf": (6, 0.4, "conditional random fields on words"),
    "f1": (5, 0.3, "F1 on ijcnn1"),
    "f1-small": (5, 0.1, "F1 on 1 000 rows of ijcnn1"),
}
# Seconds that a solver of structured.py may take, for each second of its limit.
STRUCTURED_RUN = 2


def of_hinge(name: str) -> Callable[[float], list[str]]:
    """The words of figures_pragam.py for a set."""

    def words(seconds: float) -> list[str]:
        found = [name] if name in (*OTHER_SETS, "astro-ph") else present(name)
        limit = seconds / RUNS
        rows = ["--rows", str(FEWER_ROWS)] if limit < SHORT else []
        limits = ["--limit", f"{limit:.2g}", "--reference-limit", f"{7 * limit:.2g}"]
        return [*found, "--methods", METHODS, *limits, *rows]

    return words


def of_structure(task: str) -> Callable[[float], list[str]]:
    """The words of structured.py for a task."""
    solvers = STRUCTURED[task][0]
    return lambda seconds: [task, "--limit", f"{seconds / (STRUCTURED_RUN * solvers):.2g}"]


CLAIM = (
    "Pragam needs fewer iterations than ls-BMRM and Pegasos-n. In seconds it is slow to low "
    "accuracies and competitive at high ones. LIBLINEAR is much faster than all others. Its test "
    "accuracy rises late, and in the end all solvers have very similar ones; Pragam-b's is higher "
    "or similar."
)
OFF = (
    "All solvers but LIBLINEAR are this package's; Pegasos too. λ is that of the paper's appendix "
    "D. Test parts are the sets' own, or a tenth of the rows. One thread."
)

STRUCTURED_CLAIM = (
    "BMRM takes 8 G²/(λε) steps to a gap of ε, Pragam and AGM-EF some multiple of 1/√ε, on "
    "structured risks too. Neither paper prints a figure of them; the numbers of steps that their "
    "bounds allow stand over the table."
)

EVIDENCE = [
    Evidence(
        "theorem-6",
        "Theorem 6: the gap of BMRM after t planes is at least 1/(2λt)",
        HERE / "figure_hadamard.py",
        lambda seconds: ["-d", "512"],
        "For every t < d/2 the gap of BMRM on the Hadamard problem is at least 1/(2λt).",
        "The matrix as printed has the negatives of its columns, and with them two planes "
        "suffice (“printed”). The plane 0 in their place carries the proof.",
        share=0.1,
    ),
    *(
        Evidence(
            f"figures-1-to-4-{title}",
            f"Figures 1 to 4, {title}: objective and accuracy against iterations and seconds",
            HERE / "figures_pragam.py",
            of_hinge(name),
            CLAIM,
            f"{OFF} The paper does not name its sets; here they are adult, covertype and astro-ph.",
            "generated text of its size, 62 369 × 99 757, 77 words a row." if title == name else "",
            share=0.4,
        )
        for title, name in FIRST_SETS.items()
    ),
    *(
        Evidence(
            f"figures-6-to-9-{name}",
            f"Figures 6 to 9, {name}: objective and accuracy against iterations and seconds",
            HERE / "figures_pragam.py",
            of_hinge(name),
            CLAIM,
            f"{OFF} reuters-c11 is left out: it has the rows of reuters-ccat.",
            "generated text of the size of the paper's.",
            share=0.3,
        )
        for name in OTHER_SETS
    ),
    *(
        Evidence(
            f"appendix-e-{task}",
            f"Appendix E: {title}",
            HERE.parent / "structured.py",
            of_structure(task),
            STRUCTURED_CLAIM,
            "All solvers are this package's. Test parts are every tenth word, and ijcnn1.t. "
            "One thread.",
            share=share,
        )
        for task, (_, share, title) in STRUCTURED.items()
    ),
]
