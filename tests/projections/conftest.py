"""A slow reference for every projection on a box cut by a plane."""

import numpy as np
import pytest

LONG = np.longdouble


def by_sorting(m, d, lower, upper, s, z):
    """a by sorted kinks in extended precision: bisection over them, then one straight line."""
    n = np.size(m)
    m, d, lower, upper, s = (
        np.broadcast_to(np.asarray(column, dtype=LONG), n) for column in (m, d, lower, upper, s)
    )
    z = LONG(z)
    rate = s / d**2

    def at(theta):
        return np.clip(m - theta * rate, lower, upper)

    def excess(theta):
        return (s * at(theta)).sum() - z

    moves = rate != 0
    kinks = np.concatenate([(m - b)[moves] / rate[moves] for b in (lower, upper)])
    kinks = np.unique(kinks[np.isfinite(kinks)])
    below, above = -1, len(kinks)
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (middle, above) if excess(kinks[middle]) >= 0 else (below, middle)
    if below >= 0 and above < len(kinks):
        inside, start = (kinks[below] + kinks[above]) / 2, kinks[below]
    elif below >= 0:
        inside, start = kinks[below] + 1 + abs(kinks[below]), kinks[below]
    elif above < len(kinks):
        inside, start = kinks[above] - 1 - abs(kinks[above]), kinks[above]
    else:
        inside = start = LONG(0)
    t = m - inside * rate
    steep = (s * rate)[(t > lower) & (t < upper)].sum()
    return at(start + excess(start) / steep if steep > 0 else start)


@pytest.fixture(scope="session")
def reference():
    """by_sorting."""
    return by_sorting
