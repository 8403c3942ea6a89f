from libc.stdint cimport int32_t, int64_t, uint64_t


cdef extern from "rows.h" nogil:
    enum:
        ROW_FLOAT32
        ROW_INT64
        ROW_DENSE

    ctypedef struct row_t:
        const void* values
        const void* indices
        Py_ssize_t length
        int kind
        double bias
        Py_ssize_t bias_index

    ctypedef struct rows_t:
        const void* values
        const void* indices
        const void* indptr
        Py_ssize_t n_rows
        Py_ssize_t n_features
        int kind
        int indptr_is_64
        double bias

    row_t rows_get(const rows_t* rows, Py_ssize_t i)
    row_t row_part(row_t row, Py_ssize_t begin, Py_ssize_t end)
    # 1 to write; 0 … 3: the caches to keep the line in, none to all. Both must be literals.
    void prefetch "__builtin_prefetch" (const void* address, int to_write, int locality)
    void rows_prefetch_begin(const rows_t* rows, Py_ssize_t i)
    void rows_prefetch(const rows_t* rows, Py_ssize_t i)
    double row_value(const row_t* row, int kind, Py_ssize_t t)
    Py_ssize_t row_index(const row_t* row, int kind, Py_ssize_t t)

    # packed rows: whole numbers times a unit, a power of ten
    ctypedef struct row_unit_t:
        pass

    row_unit_t packed_unit(int decimals)
    double packed_value(int32_t number, row_unit_t unit)
    void rows_pack(rows_t* rows, int decimals)
