"""Whether acceleration pays for a problem, and the pace that it begins with."""

from __future__ import annotations

from collections.abc import Callable

from rrmlinear.solvers.dual.pace import Practice, Proximal, Theory
from rrmlinear.solvers.dual.streamed.row_ascent import RowAscent

# Acceleration pays where R²/(λγ) is larger than this times n.
MIN_CONDITION = 10.0
# κ + modulus as a fraction of the value in the theory. On text a quarter took the fewest passes at
# λ = 1e-6 to 1e-8.
THEORY_FACTOR = 0.25
# Up to this number of examples for each feature are likely to be separable, whatever their labels
# (Cover, Geometrical and statistical properties of systems of linear inequalities, 1965). There the
# plain ascent is observed first. On Gaussian rows it takes 0.2 to 1.2 of the passes at C = 1.
SEPARABLE = 2


def first_pace(
    ascent: RowAscent, modulus: float, observe: bool, passes: int | None, looking_work: float
) -> tuple[Practice | Proximal, bool]:
    """The pace of an ascent, and whether acceleration pays as far as the theory shows.

    ``looking_work`` is that of a look at the outer problem, in visits. With ``observe`` the plain
    ascent runs first in some cases of smooth losses: see `Accelerated`.
    """
    rows, gamma, pays = ascent.rows, ascent.loss.smoothing, True
    plain_first = not gamma > 0
    if gamma > 0:
        pays = _condition(ascent, gamma, modulus) > MIN_CONDITION
        wide = rows.shape[0] < SEPARABLE * rows.width
        plain_first = observe and (wide or not pays)
    if not pays:
        what = "not accelerated at first" if observe else "the plain ascent is used"
        _note_plain(ascent, what, gamma, modulus)
    if plain_first:
        return Proximal(_sizes_of(ascent), modulus * looking_work / ascent.n, passes), True
    kappa = 0.0
    if pays:
        mean = float((ascent.costs * ascent.squares).mean())
        kappa = max(THEORY_FACTOR * mean / gamma - modulus, 0.0)
    return Practice(modulus, kappa, passes), pays


def theory_pace(
    ascent: RowAscent, gamma: float, modulus: float, first_gap: float
) -> Practice | Theory:
    """The pace of the paper for a loss with this smoothing: plain where acceleration does not pay.

    ``first_gap`` is P(w) − D(α) at the start.
    """
    kappa = _largest_curvature(ascent) / gamma - modulus
    if kappa <= (MIN_CONDITION - 1) * modulus:
        _note_plain(ascent, "the plain ascent is used", gamma, modulus)
        return Practice(modulus, 0.0, None)
    return Theory(modulus, kappa, first_gap)


def _largest_curvature(ascent: RowAscent) -> float:
    return float((ascent.costs * ascent.squares).max())


def _condition(ascent: RowAscent, gamma: float, modulus: float) -> float:
    """R²/(λγ) over n."""
    return _largest_curvature(ascent) / (gamma * modulus)


def _note_plain(ascent: RowAscent, what: str, gamma: float, modulus: float) -> None:
    condition, limit = (
        _condition(ascent, gamma, modulus),
        f"acceleration pays from {MIN_CONDITION:g} n",
    )
    ascent.notes.append(f"{what}: R²/(λγ) is {condition:.3g} n, and {limit}")


def _sizes_of(ascent: RowAscent) -> Callable[[], tuple[float, float]]:
    """The ascent's `dual_sizes`, in units of the margin."""
    unit = 0.0

    def sizes() -> tuple[float, float]:
        nonlocal unit
        unit = unit or ascent.margin_unit()  # a pass over the labels, for ascents that are slow
        size, at_bound = ascent.dual_sizes()
        return size / unit, at_bound

    return sizes
