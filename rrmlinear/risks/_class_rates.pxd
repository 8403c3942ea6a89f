from rrmlinear.losses.block_base cimport BlockLoss


cdef struct room_t:            # scratch memory of one example: lines of k8 numbers
    double* line
    double* margin
    double* block
    double* new_block
    double* e
    double* work


cdef object room_for(BlockLoss loss, Py_ssize_t k8, room_t* room)
