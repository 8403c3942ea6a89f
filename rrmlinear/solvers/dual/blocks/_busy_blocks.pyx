"""Visits of some examples of a block ascent, again and again, and blocks given to them."""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from rrmlinear.core.block_store cimport block_store_pack, block_store_unpack
from rrmlinear.simd.blocks cimport block_change, block_change_t
from rrmlinear.simd.rows cimport row_t, rows_get
from rrmlinear.solvers.dual.blocks._block_descent cimport BlockDescent
from rrmlinear.solvers.dual.blocks._block_state cimport scratch_t

import numpy as np


def repeat(BlockDescent state not None, const int64_t[::1] order not None, Py_ssize_t passes):
    """Visit these examples in this order some times, on one thread; returns Σ of their rises."""
    cdef Py_ssize_t at, _
    cdef double total = 0
    with nogil:
        for _ in range(passes):
            for at in range(order.shape[0]):
                state._visit(order[at], at & 1, 1, 0)
        for at in range(order.shape[0]):
            total += state.rise[order[at]]
    return total


def blocks(BlockDescent state not None, const int64_t[::1] order not None):
    """The blocks of these examples, a row each, with the padding of classes."""
    cdef Py_ssize_t at
    result = np.zeros((order.shape[0], state.k8))
    cdef double[:, ::1] out = result
    with nogil:
        for at in range(order.shape[0]):
            block_store_unpack(&state.duals.store, order[at], state.cost[order[at]], &out[at, 0])
    return result


def put(BlockDescent state not None, const int64_t[::1] order not None,
        const double[:, ::1] given not None):
    """Give these examples these blocks, cut to their domain, where ∇Ω* is linear; returns the rise
    of the dual.
    """
    cdef Py_ssize_t at
    cdef double rise = 0
    with nogil:
        for at in range(order.shape[0]):
            rise += put_one(state, order[at], &given[at, 0])
    return rise


cdef double put_one(BlockDescent state, Py_ssize_t i, const double* block) noexcept nogil:
    cdef scratch_t* mine = state._scratch(0)
    cdef double upper = state.cost[i], rise = state.conjugate[i]
    cdef block_change_t change
    cdef row_t row = rows_get(&state.rows.c, i)
    state._look(&row, i, mine)
    memcpy(mine.new_block, block, state.k8 * sizeof(double))
    state.loss.confine(mine.new_block, upper, state.k8)
    change = block_change(mine.margins, state.loss.cost, mine.block, mine.new_block, state.k8,
                          state.label[i], 0, mine.steps)
    state.conjugate[i] = state.loss.conjugate(mine.new_block, upper, state.k8)
    rise -= state.conjugate[i]
    change.linear += state.curvature[i] / 2 * (change.squared + change.sum * change.sum)
    mine.norm_change += change.linear
    state._update(&row, 0, state.n_threads, mine.steps, &state.V[0, 0, 0])
    if not block_store_pack(&state.duals.store, i, upper, mine.new_block, NULL, state.k8,
                            mine.integers):
        state.out_of_memory = True
    memset(mine.block, 0, state.k8 * sizeof(double))
    return rise - change.linear
