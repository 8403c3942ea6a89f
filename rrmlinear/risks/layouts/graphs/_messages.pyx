"""Messages between the cliques of forests: the best labelling, or sums over all of them."""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t

import numpy as np


cdef class Messages:
    """Inference in the forests of `Cliques`, graph by graph, exact.

    A labelling y of a graph scores Σ_t nodes[t, y_t] + Σ_c tables[c's table][y_c]. Every sum of
    exponentials is scaled by its largest term, for each entry of a message by itself, so that
    scores of any size neither overflow nor vanish. Source: Koller and Friedman, Probabilistic
    graphical models, 2009, algorithms 10.2 and 13.1.
    """

    cdef const int64_t[::1] starts, clique_starts, size, table, parent, message, to_own, to_parent
    cdef const int64_t[::1] home, stride, members, member_starts
    cdef const int32_t[::1] maps
    cdef Py_ssize_t k
    cdef Py_ssize_t entries, sent     # of the tables, and of the messages, of the largest graph
    cdef Py_ssize_t most_cliques

    def __init__(self, cliques):
        self.starts, self.clique_starts, self.k = cliques.starts, cliques.clique_starts, cliques.k
        self.size, self.table, self.parent = cliques.size, cliques.table, cliques.parent
        self.message, self.to_own = cliques.message, cliques.to_own
        self.to_parent, self.maps = cliques.to_parent, cliques.maps
        self.home, self.stride = cliques.home, cliques.stride
        self.members, self.member_starts = cliques.members, cliques.member_starts
        at = cliques.clique_starts
        self.entries = most_between(cliques.size, at)
        self.sent = most_between(cliques.message, at)
        self.most_cliques = int(np.diff(at).max(initial=1))

    def best(self, const double[:, ::1] nodes not None, const double[::1] tables not None,
             int32_t[::1] labels not None, double[::1] values not None, Py_ssize_t begin,
             Py_ssize_t end):
        """The largest score of each of graphs begin … end − 1, and the first labelling with it."""
        cdef Py_ssize_t g
        cdef double[::1] work = np.empty(self.entries), sent = np.empty(self.sent)
        cdef double[::1] sums = np.empty(2 * self.sent)
        cdef int64_t[::1] place = np.empty(self.most_cliques, dtype=np.int64)
        with nogil:
            for g in range(begin, end):
                self._fill(g, nodes, tables, &work[0], &place[0])
                values[g] = self._collect(g, 0, &work[0], &place[0], &sent[0], &sums[0])
                self._decode(g, &work[0], &place[0], labels)

    def sums(self, const double[:, ::1] nodes not None, const double[::1] tables not None,
             double mu, const double[::1] costs not None, double[:, ::1] of_nodes not None,
             double[::1] of_tables not None, double[::1] values not None, Py_ssize_t begin,
             Py_ssize_t end):
        """μ log Σ_y exp(score(y) / μ) of each of graphs begin … end − 1, and its derivatives.

        These are the probabilities of labels and of the entries of tables. Times the graph's cost
        they are added to ``of_nodes`` and ``of_tables``.
        """
        cdef Py_ssize_t g
        cdef double[::1] work = np.empty(self.entries), sent = np.empty(self.sent)
        cdef double[::1] sums = np.empty(2 * self.sent)
        cdef int64_t[::1] place = np.empty(self.most_cliques, dtype=np.int64)
        with nogil:
            for g in range(begin, end):
                self._fill(g, nodes, tables, &work[0], &place[0])
                values[g] = self._collect(g, mu, &work[0], &place[0], &sent[0], &sums[0])
                self._distribute(g, mu, &work[0], &place[0], &sent[0], &sums[0])
                self._add_probabilities(g, mu, costs[g], &work[0], &place[0], of_nodes, of_tables)

    def add(self, const int32_t[::1] labels not None, const double[::1] costs not None,
            double[:, ::1] of_nodes not None, double[::1] of_tables not None, Py_ssize_t begin,
            Py_ssize_t end):
        """Add each graph's cost at the entries of its labelling."""
        cdef Py_ssize_t g, c, t, entry
        with nogil:
            for g in range(begin, end):
                for t in range(self.starts[g], self.starts[g + 1]):
                    of_nodes[t, labels[t]] += costs[g]
                for c in range(self.clique_starts[g], self.clique_starts[g + 1]):
                    if self.table[c] >= 0:
                        entry = 0
                        for t in range(self.member_starts[c], self.member_starts[c + 1]):
                            entry = entry * self.k + labels[self.members[t]]
                        of_tables[self.table[c] + entry] += costs[g]

    cdef void _fill(self, Py_ssize_t g, const double[:, ::1] nodes, const double[::1] tables,
                    double* work, int64_t* place) noexcept nogil:
        # the table of every clique with the scores of the nodes at home there
        cdef Py_ssize_t first = self.clique_starts[g], c, e, t, at = 0
        cdef double* table
        for c in range(first, self.clique_starts[g + 1]):
            place[c - first] = at
            table = work + at
            for e in range(self.size[c]):
                table[e] = tables[self.table[c] + e] if self.table[c] >= 0 else 0
            at += self.size[c]
        for t in range(self.starts[g], self.starts[g + 1]):
            c = self.home[t]
            table = work + place[c - first]
            for e in range(self.size[c]):
                table[e] += nodes[t, e // self.stride[t] % self.k]

    cdef void _sum(self, const double* table, const int32_t* map, Py_ssize_t size,
                   Py_ssize_t length, double mu, double* out, double* sums) noexcept nogil:
        # out[s] = μ log Σ exp(table[e] / μ) over the e that map to s; for μ = 0 the largest
        cdef Py_ssize_t e, s
        for s in range(length):
            out[s], sums[s] = -INFINITY, 0
        for e in range(size):
            out[map[e]] = max(out[map[e]], table[e])
        if mu > 0:
            for e in range(size):
                sums[map[e]] += exp((table[e] - out[map[e]]) / mu)
            for s in range(length):
                out[s] += mu * log(sums[s])

    cdef double _collect(self, Py_ssize_t g, double mu, double* work, const int64_t* place,
                         double* sent, double* sums) noexcept nogil:
        # messages to the roots; returns the sum of what these find
        cdef Py_ssize_t first = self.clique_starts[g], c, e, parent
        cdef double value = 0
        cdef const int32_t* map
        cdef double* above
        for c in range(first, self.clique_starts[g + 1]):
            self._sum(work + place[c - first], &self.maps[self.to_own[c]], self.size[c],
                      self.message[c], mu, sent, sums)
            parent = self.parent[c]
            if parent < 0:
                value += sent[0]
            else:
                map, above = &self.maps[self.to_parent[c]], work + place[parent - first]
                for e in range(self.size[parent]):
                    above[e] += sent[map[e]]
            sent += self.message[c]
        return value

    cdef void _decode(self, Py_ssize_t g, const double* work, const int64_t* place,
                      int32_t[::1] labels) noexcept nogil:
        # from the roots down: the best entry that agrees with the parent's
        cdef Py_ssize_t first = self.clique_starts[g], c, e, t, best, agreed
        cdef const int32_t* map
        cdef const double* table
        for t in range(self.starts[g], self.starts[g + 1]):
            labels[t] = -1
        for c in range(self.clique_starts[g + 1] - 1, first - 1, -1):
            table, map, best = work + place[c - first], &self.maps[self.to_own[c]], -1
            agreed = 0
            for t in range(self.member_starts[c], self.member_starts[c + 1]):
                if labels[self.members[t]] >= 0:
                    agreed = agreed * self.k + labels[self.members[t]]
            for e in range(self.size[c]):
                if map[e] == agreed and (best < 0 or table[e] > table[best]):
                    best = e
            for t in range(self.member_starts[c + 1] - 1, self.member_starts[c] - 1, -1):
                labels[self.members[t]] = <int32_t> (best % self.k)
                best //= self.k

    cdef void _distribute(self, Py_ssize_t g, double mu, double* work, const int64_t* place,
                          const double* sent, double* sums) noexcept nogil:
        # messages from the roots: then every table holds log-sums over all other nodes
        cdef Py_ssize_t first = self.clique_starts[g], c, e, parent, at = 0
        cdef double* room
        cdef const int32_t* map
        for c in range(first, self.clique_starts[g + 1]):
            at += self.message[c]
        for c in range(self.clique_starts[g + 1] - 1, first - 1, -1):
            at -= self.message[c]
            parent = self.parent[c]
            if parent < 0:
                continue
            map, room = &self.maps[self.to_own[c]], sums + self.sent
            self._sum(work + place[parent - first], &self.maps[self.to_parent[c]],
                      self.size[parent], self.message[c], mu, room, sums)
            for e in range(self.size[c]):
                work[place[c - first] + e] += room[map[e]] - sent[at + map[e]]

    cdef void _add_probabilities(self, Py_ssize_t g, double mu, double cost, double* work,
                                 const int64_t* place, double[:, ::1] of_nodes,
                                 double[::1] of_tables) noexcept nogil:
        cdef Py_ssize_t first = self.clique_starts[g], c, e, t
        cdef double* table
        cdef double largest, total
        for c in range(first, self.clique_starts[g + 1]):
            table, largest, total = work + place[c - first], -INFINITY, 0
            for e in range(self.size[c]):
                largest = max(largest, table[e])
            for e in range(self.size[c]):
                table[e] = exp((table[e] - largest) / mu)
                total += table[e]
            for e in range(self.size[c]):
                table[e] *= cost / total
            if self.table[c] >= 0:
                for e in range(self.size[c]):
                    of_tables[self.table[c] + e] += table[e]
        for t in range(self.starts[g], self.starts[g + 1]):
            c = self.home[t]
            table = work + place[c - first]
            for e in range(self.size[c]):
                of_nodes[t, e // self.stride[t] % self.k] += table[e]


cdef Py_ssize_t most_between(numbers, starts) except -1:
    # the largest sum from one start to the next
    ends = np.concatenate(([0], np.cumsum(numbers)))[starts]
    return int(np.diff(ends).max(initial=1))
