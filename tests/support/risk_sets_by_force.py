"""Minus the log partial likelihood of Cox, term by term."""

import numpy as np


def of_risk_sets(s, y, groups, weights, efron, entry=-np.inf):
    """At scores s, of times y with the sign − where they are censored."""
    total, time, event = 0.0, np.abs(y), ~np.signbit(y) & (weights > 0)
    for group in np.unique(groups):
        for t in np.unique(time[event & (groups == group)]):
            own = event & (groups == group) & (time == t)
            total -= weights[own] @ s[own]
            at_risk = weights * np.exp(s) * ((groups == group) & (time >= t) & (entry < t))
            m = int(own.sum())
            for k in range(m):
                less = k / m * at_risk[own].sum() if efron else 0.0
                total += weights[own].sum() / m * np.log(at_risk.sum() - less)
    return total
