from rrmlinear.simd.rows cimport row_t


cdef extern from "labels/lanes.h" nogil:
    enum:
        LANES

    ctypedef struct lane_costs_t:
        double[16] with_label "with"
        double[16] without

    int vector_width()
    void lane_scores(const row_t* row, const void* W, int is_single, int width, void* z)
    void lane_exact_scores(const row_t* row, const void* W, int is_single, int width, double* z)
    void lane_doubles(const void* source, int is_single, double* to)
    void lane_update(const row_t* row, void* W, int is_single, int width, const void* steps)
    void lane_sides(unsigned bits, double c, double square, const lane_costs_t* costs, double* y,
                    double* cost, double* curvature)
    int lane_above(const double* cost, const double* gap, const double* unit)
    int lane_moves(const double* y, const double* cost, const double* curvature,
                   double smoothing, int has_box, const double* scores, const double* gap,
                   const double* new, const double* unit, int is_single, void* alpha,
                   void* steps, double* rises, double* sum)
    void lane_squares(const void* W, int is_single, const void* Y, int is_single_too, Py_ssize_t n,
                      double* out)
    void lane_anchors(void* W, void* Y, void* last, int is_single, Py_ssize_t n, double kappa,
                      double beta, const double* open)
    void lane_copies(const double* source, void* to, int is_single, Py_ssize_t n,
                     const double* open)
    void lane_scaled(void* numbers, int is_single, double factor)

    ctypedef struct hinge_t:
        double smoothing
        double upper

    int hinge_visit(unsigned bits, double c, double square, const lane_costs_t* costs,
                    const hinge_t* loss, const void* z, const double* unit, int is_single,
                    void* alpha, void* steps, double* rises, double* gaps, double* sum)
    int hinge_measure(unsigned bits, double c, const lane_costs_t* costs, const hinge_t* loss,
                      const void* z, const double* least, int is_single, const void* alpha,
                      double* gaps, double* sums, double* cross)
