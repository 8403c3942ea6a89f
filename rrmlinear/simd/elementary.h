/* exp and log without calls or branches, so that compilers vectorize loops over them. Errors are at
 * most 2 units in the last place on the ranges given. */
#ifndef RRM_ELEMENTARY_H
#define RRM_ELEMENTARY_H

#include <stdint.h>
#include <string.h>
#include "rows.h"

#define LOG2_E 1.4426950408889634
#define LN2_HIGH 6.93147180369123816490e-01 /* 32 bits, so that its product with an exponent is exact */
#define LN2_LOW 1.90821492927058770002e-10
#define ROUNDER 0x1.8p52         /* added to a small number, leaves its nearest integer in the low bits */
#define EXPONENT_ONE 0x3ff0000000000000ULL
#define SQRT_HALF 0x3fe6a09e667f3bcdULL

RRM_INLINE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

RRM_INLINE double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* eˣ for −708 ≤ x ≤ 709. */
RRM_INLINE double exp_simd(double x)
{
    double shifted = x * LOG2_E + ROUNDER, n = shifted - ROUNDER;
    double r = (x - n * LN2_HIGH) - n * LN2_LOW, r2 = r * r, r4 = r2 * r2;
    double low = (1 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
    double middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
    double high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
    double tail = 1.0 / 479001600 + r * (1.0 / 6227020800);
    double power = low + r4 * (middle + r4 * (high + r4 * tail));
    return from_bits(bits_of(power) + (bits_of(shifted) << 52));
}

/* x = 2ⁿ (1 + f), √½ ≤ 1 + f < √2, for a normal x > 0. */
RRM_INLINE double split_exponent(double x, double *f)
{
    uint64_t offset = bits_of(x) - SQRT_HALF;
    uint64_t biased = (offset + EXPONENT_ONE) >> 52;
    *f = from_bits(bits_of(x) - (offset & 0xfff0000000000000ULL)) - 1;
    /* an integer below 2⁵² beside the exponent of 2⁵² is that integer plus 2⁵² */
    return from_bits(biased | 0x4330000000000000ULL) - (0x1p52 + 1023);
}

/* log x for a normal x > 0: with s = f/(2 + f), log(1 + f) = 2s + (2/3)s³ + …, by the coefficients of
 * Sun's FDLIBM. */
RRM_INLINE double log_simd(double x)
{
    double f, n = split_exponent(x, &f), s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01
                  + w * 1.531383769920937332e-01));
    double odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
                 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return n * LN2_HIGH - ((half - (s * (half + even + odd) + n * LN2_LOW)) - f);
}

/* The same to three digits, as the start of an iteration. */
RRM_INLINE double exp_roughly(double x)
{
    double shifted = x * LOG2_E + ROUNDER, r = x * LOG2_E - (shifted - ROUNDER);
    double power = 1 + r * (0.6931 + r * (0.2402 + r * 0.0565));
    return from_bits(bits_of(power) + (bits_of(shifted) << 52));
}

RRM_INLINE double log_roughly(double x)
{
    double f, n = split_exponent(x, &f);
    return n * 0.6931471805599453 + f * (1 - f * (0.5 - f * (0.333 - f * 0.22)));
}

/* −Σ d log(p + x d), the derivative of the entropy along a line, and −Σ d² / (p + x d). */
typedef struct {
    double rate, curvature;
} entropy_slope_t;

RRM_CLONES static entropy_slope_t entropy_slope(const double *p, const double *d, double x,
                                                    ptrdiff_t n)
{
    double rate = 0, curvature = 0;
#pragma omp simd reduction(+ : rate, curvature)
    for (ptrdiff_t j = 0; j < n; j++) {
        double q = p[j] + x * d[j];
        q = q > 1e-300 ? q : 1e-300;
        rate -= d[j] * log_simd(q);
        curvature -= d[j] * d[j] / q;
    }
    return (entropy_slope_t){rate, curvature};
}

#endif
