"""Sets at risk of examples that come late: each is there after its time of entry alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rrmlinear.core.deadline import check_time
from rrmlinear.risks.hessian import CHUNK
from rrmlinear.risks.layouts.orders import LikelihoodHessian, OfOrder, Places, RiskSets, Vector
from rrmlinear.risks.products import RowSums


class LateHessian(LikelihoodHessian):
    """∇²F of `LateSets`: of sets with shares Q and costs c it is diag(Q'c) − Q' diag(c) Q."""

    def __init__(self, at: OfOrder) -> None:
        self.risk, self.over, self.n = at.risk, at.risk.over, at.risk.n
        self.size = max(self.n, *self.risk.shape)
        _, self.sets, self.nodes = self.over.shares(at.scores[: self.n])
        self.bends = self.nodes.T @ (self.sets.T @ self.over.costs)

    def moved(self, moves: Vector) -> Vector:
        own = moves[: self.n]
        means = self.over.costs * (self.sets @ (self.nodes @ own))
        return np.asarray(self.bends * own - self.nodes.T @ (self.sets.T @ means))

    def matrix(self) -> NDArray[np.float64]:
        (d,), n = self.risk.shape, self.n
        centre = self.risk.gradient(self.bends) / (self.risk.cost * self.bends.sum())
        found, means = np.zeros((d, d)), np.zeros((self.nodes.shape[0], d))
        rows, by_row = RowSums(self.risk.rows, np.ones(n), np.arange(n)), self.nodes.T.tocsr()
        for begin in range(0, n, CHUNK):
            check_time()
            end = min(begin + CHUNK, n)
            z = np.empty((end - begin, d))
            rows.copied_less((), (), begin, end, z)
            z -= centre
            found += (z.T * self.bends[begin:end]) @ z
            means += by_row[begin:end].T @ z
        means = self.sets @ means
        return self.risk.cost * (found - (means.T * self.over.costs) @ means)


class LateSets(RiskSets):
    """`RiskSets` of examples that are at risk after their ``entry``, up to their time.

    These sets are not nested. Each is a union of O(log m) nodes of a segment tree over the m times
    of events, and of its own events, of which the k-th of Efron's r ties counts 1 − k/r. Sums only
    add, so that small scores are not lost beside large ones of other sets. O(n log m).
    """

    hessian = LateHessian

    def __init__(self, loss: Any, y: Vector, groups: Any, weights: Vector, entry: Vector) -> None:
        super().__init__(loss, y, groups, weights)
        self.beside, n = (entry,), len(y)
        if wrong := np.flatnonzero(~(entry < self.time)).tolist():
            i, time = wrong[0], self.time[wrong[0]]
            raise ValueError(f"entry[{i}] is {entry[i]:g}; it must be below the time, {time:g}")
        ranks = np.unique(np.append(entry, self.time), return_inverse=True)[1].reshape(2, n)
        ranks = ranks + 2 * n * self.stratum
        self.died, counted = np.flatnonzero(self.event), np.flatnonzero(weights > 0)
        times, self.own = np.unique(ranks[1, self.died], return_inverse=True)
        begin, end = np.searchsorted(times, ranks, side="right")
        end[self.died] -= 1  # at its own time an event is beside the tree
        m, ties = len(times), np.bincount(self.own, minlength=len(times))
        node, member = _intervals(begin[counted], end[counted], m)
        node, member = np.append(node, 2 * m + self.own), np.append(counted[member], self.died)
        names, node = np.unique(node, return_inverse=True)
        self.nodes = Unions(node, member, np.log(weights[member]), (len(names), n))
        rows = ties if loss.efron else np.ones_like(ties)
        time, self.first = np.repeat(np.arange(m), rows), np.cumsum(rows) - rows
        self.size = np.bincount(self.own, weights[self.died], m)
        self.costs = (self.size / rows)[time]
        left = 1 - (np.arange(len(time)) - self.first[time]) / rows[time]
        above = (time + m) >> np.arange(m.bit_length() + 1)[:, np.newaxis]
        above = np.vstack([above, 2 * m + time])
        known = np.isin(above, names)
        row = np.broadcast_to(np.arange(len(time)), above.shape)[known]
        logs = np.vstack([np.zeros(above[1:].shape), np.log(left)])[known]
        column = np.searchsorted(names, above[known])
        self.unions = Unions(row, column, logs, (len(time), len(names)))

    def shares(self, scores: Vector) -> tuple[Vector, Any, Any]:
        """log Σ w e^s of each set, the shares of its nodes, and those of examples in these."""
        sums, of_nodes = self.nodes.joined(scores)
        return *self.unions.joined(sums), of_nodes

    def _sums(self, scores: Vector) -> tuple[float, Vector]:
        sums, sets, nodes = self.shares(scores)
        died = self.event * self.weights
        return float(self.costs @ sums - died @ scores), nodes.T @ (sets.T @ self.costs) - died

    def over_sets(self, ufunc: np.ufunc, none: float, values: Vector) -> Vector:
        return self.unions.ends(ufunc, self.nodes.ends(ufunc, values))[self.first[self.own]]


def _intervals(begin: Places, end: Places, m: int) -> tuple[Places, Places]:
    """(nodes, places of intervals) such that begin … end − 1 is the union of its nodes, where node
    m + t is t of 0 … m − 1, and node k is the union of 2k and 2k + 1.
    """
    none = np.empty(0, dtype=np.int64)
    nodes, places = [none], [none]
    left, right, some = begin + m, end + m, np.arange(len(begin))
    while (some := some[left[some] < right[some]]).size:
        for bound, step in ((left, 0), (right, -1)):
            odd = some[bound[some] % 2 == 1]
            nodes.append(bound[odd] + step)
            places.append(odd)
        left, right = (left + 1) // 2, right // 2
    return np.concatenate(nodes), np.concatenate(places)


class Unions:
    """Rows of members, each with the logarithm of what it counts; none is empty."""

    def __init__(self, row: Places, member: Places, logs: Vector, shape: tuple[int, int]) -> None:
        order = np.argsort(row, kind="stable")
        self.member, self.logs, self.shape = member[order], logs[order], shape
        self.begin = np.searchsorted(row[order], np.arange(shape[0] + 1))

    def ends(self, ufunc: np.ufunc, values: Vector) -> Vector:
        """The function over the values of each row."""
        found: Vector = ufunc.reduceat(values[self.member], self.begin[:-1])
        return found

    def joined(self, values: Vector) -> tuple[Vector, Any]:
        """log Σ e^(value + what it counts) of each row, and a matrix of the shares in this sum."""
        from scipy.sparse import csr_array

        given, lengths = values[self.member] + self.logs, np.diff(self.begin)
        top = np.maximum.reduceat(given, self.begin[:-1])
        parts = np.exp(given - np.repeat(top, lengths))
        sums = np.add.reduceat(parts, self.begin[:-1])
        parts /= np.repeat(sums, lengths)
        return top + np.log(sums), csr_array((parts, self.member, self.begin), shape=self.shape)
