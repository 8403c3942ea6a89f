cdef class Slope:
    cdef double derivative(self, double t) except *


cdef double lowest_of(Slope slope, double part, rose=*) except *
