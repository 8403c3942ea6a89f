from rrmlinear.projections.plane cimport column_t, plane_t


cdef extern from "plane_project.h" nogil:
    ctypedef struct plane_range_t:
        double least, largest, size
        int wrong

    enum:
        PLANE_BAD_M
        PLANE_BAD_D
        PLANE_BAD_BOX
        PLANE_BAD_S
        PLANE_NO_MEMORY
        PLANE_NOT_FINITE

    ctypedef struct plane_written_t:
        double miss, size, slope

    plane_range_t plane_range(const plane_t* plane)
    double plane_sum(const plane_t* plane, double theta)
    plane_written_t plane_write(const plane_t* plane, double theta, double* out)
    int plane_theta(const plane_t* plane, int deterministic, double low, double high,
                    double* theta)
    int plane_project(const plane_t* plane, int deterministic, double low, double high,
                      double* out, double* theta)
