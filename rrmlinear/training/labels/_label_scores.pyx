"""Scores of many labels from sparse weights, sixteen labels at a time, and the largest of a row."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.labels.lanes cimport LANES, lane_doubles, lane_scores, vector_width
from rrmlinear.simd.rows cimport row_t, rows_get, rows_prefetch

import numpy as np

from rrmlinear.core.deadline import check_time
from rrmlinear.data.rows import aligned_zeros

cdef enum:
    ROW_LOOKAHEAD = 4
    CHECKED_ROWS = 4096     # rows between two looks at the clock

ctypedef fused real:
    float
    double


cdef class Lanes:
    """The weights of sixteen labels side by side, one set after another in the same memory.

    Rows may have more features than there are weights: the memory has zeros for these.
    """

    cdef const int64_t[::1] begins
    cdef const int32_t[::1] places
    cdef object values
    cdef const double[::1] intercepts
    cdef readonly bint single
    cdef unsigned char[:, ::1] W
    cdef object weights
    cdef Rows rows
    cdef int width

    def __cinit__(self, Rows rows not None, const int64_t[::1] begins not None,
                  const int32_t[::1] places not None, values not None,
                  const double[::1] intercepts not None):
        self.begins, self.places, self.values, self.intercepts = begins, places, values, intercepts
        self.rows, self.single, self.width = rows, values.dtype == np.float32, vector_width()
        if len(begins) != len(intercepts) + 1:
            raise ValueError(f"there must be {len(begins) - 1} intercepts")
        most = max(rows.width, 1)
        if len(places):
            most = max(most, int(np.asarray(places).max()) + 1)
        memory = aligned_zeros(most, LANES // 2 if self.single else LANES)
        self.W, self.weights = memory.view(np.uint8), memory.view(values.dtype)

    cdef int take(self, Py_ssize_t first) except -1:
        """The labels from ``first`` on; how many there are."""
        count = min(self.intercepts.shape[0] - first, LANES)
        memset(&self.W[0, 0], 0, self.W.shape[0] * self.W.shape[1])
        _spread(self.begins, self.places, self.values, first, count, self.weights)
        return count

    cdef void of_row(self, Py_ssize_t i, double* out) noexcept nogil:
        cdef double[16] held    # or sixteen floats
        cdef row_t row
        if i + ROW_LOOKAHEAD < self.rows.c.n_rows:
            rows_prefetch(&self.rows.c, i + ROW_LOOKAHEAD)
        row = rows_get(&self.rows.c, i)
        lane_scores(&row, &self.W[0, 0], self.single, self.width, &held[0])
        lane_doubles(&held[0], self.single, out)


def _spread(const int64_t[::1] begins not None, const int32_t[::1] places not None,
            const real[::1] values not None, Py_ssize_t first, Py_ssize_t count,
            real[:, ::1] out not None):
    cdef Py_ssize_t l, at
    with nogil:
        for l in range(count):
            for at in range(begins[first + l], begins[first + l + 1]):
                out[places[at], l] = values[at]


def scores_of(Rows rows not None, begins, places, values, intercepts, Py_ssize_t begin,
              Py_ssize_t end):
    """Scores of the rows ``begin`` … ``end`` − 1, a column for each label."""
    cdef Lanes lanes = Lanes(rows, begins, places, values, intercepts)
    cdef Py_ssize_t k = len(intercepts), first = 0, i, l, count
    result = np.empty((end - begin, k))
    cdef double[:, ::1] out = result
    cdef double[16] scores
    while first < k:
        check_time()
        count = lanes.take(first)
        with nogil:
            for i in range(begin, end):
                lanes.of_row(i, &scores[0])
                for l in range(count):
                    out[i - begin, first + l] = scores[l] + lanes.intercepts[first + l]
        first += count
    return result


def largest_scores(Rows rows not None, begins, places, values, intercepts, Py_ssize_t k):
    """The places of the k labels with the largest scores of each row, and these scores, both n × k
    in falling order; of equal scores the label that comes first.
    """
    cdef Lanes lanes = Lanes(rows, begins, places, values, intercepts)
    cdef Py_ssize_t n = rows.c.n_rows, first = 0, count, i, l, at, all_labels = len(intercepts)
    best_places, best_scores = np.zeros((n, k), np.int64), np.full((n, k), -np.inf)
    cdef int64_t[:, ::1] place = best_places
    cdef double[:, ::1] best = best_scores
    cdef double[16] scores
    cdef double score
    while first < all_labels:
        count = lanes.take(first)
        for at in range(0, n, CHECKED_ROWS):
            check_time()
            with nogil:
                for i in range(at, min(at + <Py_ssize_t> CHECKED_ROWS, n)):
                    lanes.of_row(i, &scores[0])
                    for l in range(count):
                        score = scores[l] + lanes.intercepts[first + l]
                        _put(&place[i, 0], &best[i, 0], k, min(first + l, k), first + l, score)
        first += count
    return best_places, best_scores


cdef inline void _put(int64_t* place, double* best, Py_ssize_t k, Py_ssize_t known,
                      Py_ssize_t label, double score) noexcept nogil:
    # into the sorted list of the `known` best ones
    cdef Py_ssize_t at = known
    if known == k:
        if not score > best[k - 1]:
            return
        at = k - 1
    while at > 0 and score > best[at - 1]:
        best[at], place[at] = best[at - 1], place[at - 1]
        at -= 1
    best[at], place[at] = score, label
