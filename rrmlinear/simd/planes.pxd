from rrmlinear.simd.newton cimport value_t


cdef extern from "planes.h" nogil:
    enum:
        PLANE_BLOCK
        PLANE_BAD_M
        PLANE_BAD_D
        PLANE_BAD_BOX
        PLANE_BAD_S

    ctypedef struct column_t:
        const double* at
        Py_ssize_t step

    ctypedef struct plane_t:
        column_t m, d, lower, upper, s
        Py_ssize_t n
        double e, z
        bint rates, absolute

    ctypedef struct long_sum_t:
        double value, lost

    ctypedef struct plane_range_t:
        double least, largest, size
        int wrong

    ctypedef struct plane_written_t:
        double miss, size, derivative

    void long_add(long_sum_t* sum, double x)
    double long_total(const long_sum_t* sum)
    double plane_rate(const plane_t* plane, double d, double s)
    plane_range_t plane_range(const plane_t* plane)
    double plane_sum(const plane_t* plane, double theta)
    value_t plane_value(const void* plane, double theta)
    plane_written_t plane_write(const plane_t* plane, double theta, double* out)
