cdef extern from "steps.h" nogil:
    ctypedef struct steps_t:
        const double* target
        const double* lower
        const double* upper
        const double* margin
        const double* cost
        Py_ssize_t n, parts
        double z

    ctypedef struct steps_at_t:
        double before, after, size, previous, next

    steps_at_t steps_at(const steps_t* steps, double b)
    void steps_write(const steps_t* steps, double b, double* out)
