from rrmlinear.simd.planes cimport plane_t, stretch_memory_t, stretch_t


cdef extern from "brackets.h" nogil:
    ctypedef struct terms_t:
        double* p
        double* c
        double* lower
        double* upper
        Py_ssize_t n, room
        double e, z

    ctypedef struct bracketed_t:
        stretch_t columns
        double* kinds
        double fixed, rate, bad

    void plane_bracketed(const plane_t* plane, Py_ssize_t begin, double low, double high,
                         stretch_memory_t* memory, bracketed_t* found)
    Py_ssize_t plane_kinks(const plane_t* plane, double low, double high, double* kinks)
