cdef extern from "barrier.h" nogil:
    ctypedef struct flag_t:
        pass

    void flags_meet(flag_t* flags, int n_threads, int me)
    int current_processor()
