"""Rows in fewer bytes: values as whole numbers of 32 or 16 bits or float32, and short indices."""

from libc.math cimport INFINITY, fabs, isfinite, rint, sqrt
from libc.stdint cimport int32_t, uint16_t

from rrmlinear.data.rows cimport Rows
from rrmlinear.simd.rows cimport (
    ROW_INT64, packed_unit, packed_value, row_index, row_t, row_unit_t, row_value, rows_get,
)

from rrmlinear.data.memory import bytes_of

cdef double LARGEST = 2147483647.0, MOST = 65535.0
# Units and values of short rows that float32 has to all of its digits.
cdef double LEAST_UNIT = 2.0 ** -126, LARGEST_UNIT = 2.0 ** 126
cdef double ABOVE = 1 + 2.0 ** -20    # what float32 and sums round off


def narrow(Rows rows not None, Py_ssize_t begin, Py_ssize_t end, int decimals, double room,
           values, indices, double[::1] norms not None):
    """Write what rows begin … end − 1 store: with ``decimals`` ≥ 0 as `PackedRows` have it, to
    int32 and uint16, else to float32 and int32. Write ‖x_i‖², with the appended column, to
    ``norms``.

    Returns the largest ‖x_i − x̃_i‖ / ‖x_i‖ of the rows x̃_i that were written, without that
    column; infinity where a value times ``room`` has no such form.
    """
    cdef unsigned char[::1] value_bytes = bytes_of(values), index_bytes = bytes_of(indices)
    cdef Py_ssize_t i, t, at = 0
    cdef int32_t* numbers = NULL
    cdef uint16_t* places = NULL
    cdef row_t row
    cdef row_unit_t unit = packed_unit(max(decimals, 0))
    cdef double x, number, kept, total, error, worst = 0, scale = 10.0 ** max(decimals, 0)
    cdef bint fits = True
    if value_bytes.shape[0]:
        numbers, places = <int32_t*> &value_bytes[0], <uint16_t*> &index_bytes[0]
    with nogil:
        for i in range(begin, end):
            row = rows_get(&rows.c, i)
            total = error = 0
            for t in range(row.length):
                x = row_value(&row, row.kind, t)
                total += x * x
                if decimals >= 0:
                    number = rint(x * scale)
                    fits = fits and fabs(number) * room <= LARGEST
                    if not fits:
                        break
                    numbers[at] = <int32_t> number
                    places[at] = <uint16_t> row_index(&row, row.kind, t)
                    kept = packed_value(numbers[at], unit)
                else:
                    (<float*> numbers)[at] = <float> x
                    (<int32_t*> places)[at] = <int32_t> row_index(&row, row.kind, t)
                    kept = (<float*> numbers)[at]
                error += (x - kept) * (x - kept)
                at += 1
            fits = fits and isfinite(error)
            if not fits:
                break
            norms[i] = total + row.bias * row.bias
            if total > 0:
                worst = max(worst, error / total)
    return sqrt(worst) if fits else INFINITY


def shorten(Rows rows not None, Py_ssize_t begin, Py_ssize_t end, uint16_t[::1] values not None,
            uint16_t[::1] indices not None, float[:, ::1] units not None,
            float[::1] errors not None, double[::1] norms not None):
    """Write what rows begin … end − 1 store as `ShortRows` have it. Their units, ‖x_i − x̃_i‖ of
    the rows x̃_i that were written and, with the appended column, ‖x_i‖² go to places ``begin`` …
    end − 1 of the last arrays. Stored values are float64.

    Returns whether float32 has a unit for each row.
    """
    cdef Py_ssize_t i, at = 0
    cdef row_t row
    cdef double unit
    cdef bint fits = True
    with nogil:
        for i in range(begin, end):
            row = rows_get(&rows.c, i)
            norms[i] = row.bias * row.bias + find_unit(&row, &units[i, 0])
            # float32 has rounded both
            unit = units[i, 0]
            fits = (unit == 0 or unit >= LEAST_UNIT) and unit + fabs(units[i, 1]) <= LARGEST_UNIT
            if not fits:
                break
            if row.length:
                errors[i] = <float> (ABOVE * sqrt(shorten_row(&row, unit, units[i, 1], &values[at],
                                                              &indices[at])))
            at += row.length
    return fits


cdef double find_unit(const row_t* row, float* unit) noexcept nogil:
    # Unit and least value of a row of float64 values; returns their Σ x². Two sums, as each
    # addition waits for the one before it.
    cdef const double* x = <const double*> row.values
    cdef Py_ssize_t t, half = row.length // 2
    cdef double least = INFINITY, largest = -INFINITY, one = 0, other = 0
    for t in range(half):
        one += x[2 * t] * x[2 * t]
        other += x[2 * t + 1] * x[2 * t + 1]
        least = min(least, min(x[2 * t], x[2 * t + 1]))
        largest = max(largest, max(x[2 * t], x[2 * t + 1]))
    if row.length > 2 * half:
        t = row.length - 1
        one += x[t] * x[t]
        least, largest = min(least, x[t]), max(largest, x[t])
    if row.length == 0:
        least = largest = 0
    unit[0], unit[1] = <float> ((largest - least) / MOST), <float> least
    return one + other


cdef double shorten_row(const row_t* row, double unit, double least, uint16_t* numbers,
                        uint16_t* places) noexcept nogil:
    # Write the numbers and the indices of a row of float64 values; returns Σ (x − x̃)². A number
    # is rounded by the cast, as `rint` is a call where processors of any age must do.
    cdef const double* x = <const double*> row.values
    cdef const int32_t* short_index = <const int32_t*> row.indices
    cdef Py_ssize_t t
    cdef int32_t whole
    cdef double off, error = 0, per_unit = 1 / unit if unit else 0
    for t in range(row.length):
        whole = <int32_t> (min(max((x[t] - least) * per_unit, 0), MOST) + 0.5)
        numbers[t] = <uint16_t> whole
        off = x[t] - (whole * unit + least)
        error += off * off
    if row.kind & ROW_INT64:
        for t in range(row.length):
            places[t] = <uint16_t> row_index(row, ROW_INT64, t)
    else:
        for t in range(row.length):
            places[t] = <uint16_t> short_index[t]
    return error
