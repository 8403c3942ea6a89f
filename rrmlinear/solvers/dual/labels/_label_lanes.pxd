from libc.stdint cimport uint16_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.losses.base cimport ScalarLoss
from rrmlinear.simd.labels.lanes cimport lane_costs_t

# The values of a label. Between measurements `dual` is a lower bound.
cdef struct lane_t:
    double primal
    double dual
    double gap              # over the rows of the last pass
    int passes              # after which it was measured
    bint open               # whether its duals move


cdef class LabelLanes:
    cdef Rows rows
    cdef ScalarLoss loss
    cdef const double[::1] cost, square
    cdef readonly bint single, free
    cdef readonly object lanes       # sixteen times a lane_t
    cdef lane_t[::1] each
    cdef int count                   # labels
    cdef readonly object weights     # features × 16
    cdef readonly object duals       # rows × 16, for each unit of cost
    cdef unsigned char[:, ::1] W
    cdef unsigned char[:, ::1] alpha
    cdef uint16_t[::1] bits          # a row's labels
    cdef lane_costs_t factors        # of costs
    cdef lane_costs_t sides          # the same, 0 where a label has ended
    cdef double[:, ::1] held         # of a visit
    cdef int width
    cdef readonly double kappa       # of the terms ½κ‖w − y‖²; 0: there are none
    cdef double shrink               # 1 / (1 + κ)
    cdef double momentum             # of the next y
    cdef readonly object anchors     # y, features × 16, and the w that the last y came from
    cdef unsigned char[:, :, ::1] Y
    cdef Py_ssize_t _regularized(self) noexcept nogil
    cdef double _bias(self, Py_ssize_t l) noexcept nogil
    cdef void _add_to_bias(self, Py_ssize_t l, double change) noexcept nogil
    cdef void _move_centres(self, double* centre) noexcept nogil
    cdef int _accelerate(self) except -1
    cdef double _condition(self) noexcept nogil
    cdef void _to_sums(self) noexcept nogil
    cdef void _distances(self, bint are_single, double* out) noexcept nogil
    cdef void _move_anchors(self, double* distances) noexcept nogil
    cdef void _set_sides(self, Py_ssize_t i) noexcept nogil
    cdef int _measure_pruned(self) except -1
    cdef void _fit_bias(self, double[:, ::1] line, double bias, Py_ssize_t l,
                        Py_ssize_t d) noexcept nogil
    cdef double _slope(self, double[:, ::1] line, double bias, double b) noexcept nogil
    cdef void _balance(self, double* with_label, double* without) noexcept nogil
    cdef int _sum(self, const double* centre, double* dual, bint single, void* into) except -1
    cdef void _add_row(self, Py_ssize_t i, double* dual, bint single,
                       void* into) noexcept nogil
