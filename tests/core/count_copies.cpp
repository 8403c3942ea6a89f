/* Counts how often select_rank_by_digits takes a number in hand: a sweep takes each four times.
 *
 * count_copies RANK   n, then n numbers on standard input: prints rank's value, count */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

static long copies;

struct counted {
    double value;
    counted() = default;
    counted(const counted &other) : value(other.value) { copies++; }
    counted &operator=(const counted &other) = default;
};
static bool operator<(const counted &a, const counted &b) { return a.value < b.value; }
static bool operator>(const counted &a, const counted &b) { return a.value > b.value; }

#define double counted
#include "digit_selection.h"
#undef double

int main(int argc, char **argv)
{
    long n;
    if (argc != 2 || scanf("%ld", &n) != 1)
        return 2;
    std::vector<counted> numbers(n);
    for (counted &number : numbers)
        if (scanf("%lf", &number.value) != 1)
            return 2;
    copies = 0;
    counted found = select_rank_by_digits(numbers.data(), n, atol(argv[1]));
    printf("%.17g %ld\n", found.value, copies);
    return 0;
}
