cdef extern from "chains/labels.h" nogil:
    ctypedef struct chain_change_t:
        double add
        double scale

    double chain_transitions(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* E,
                             double* transposed)
    void chain_padded(const double* T, Py_ssize_t k, Py_ssize_t k8, double scale, double* rows,
                      double* transposed)

    ctypedef struct chain_pairs_t:
        const double* rows
        const double* transposed
        const double* weights
        Py_ssize_t step
        Py_ssize_t weights_step
        double top
        bint logarithms
