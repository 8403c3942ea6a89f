/* Counts the comparisons that select_rank makes, on inputs read or made up against it.
 *
 * The header's double becomes a number that counts. `adversary` plays McIlroy's game ("A Killer
 * Adversary for Quicksort", 1999): a value is fixed only when it must be, always as low as can be.
 *
 * count_comparisons numbers RANK   n, then n numbers on standard input: prints rank's value, count
 * count_comparisons adversary N    prints 1 if the answer was right for the values fixed, count */
#include <stddef.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static long comparisons;
static std::vector<double> value; /* by name; gas where not fixed yet */
static double gas;
static int fixed_values, candidate;
static bool playing;

struct counted {
    int name;
};

static bool less(counted a, counted b)
{
    comparisons++;
    if (playing && a.name != b.name && value[a.name] == gas && value[b.name] == gas)
        value[a.name == candidate ? a.name : b.name] = fixed_values++;
    if (playing && value[a.name] == gas)
        candidate = a.name;
    else if (playing && value[b.name] == gas)
        candidate = b.name;
    return value[a.name] < value[b.name];
}
static bool operator<(counted a, counted b) { return less(a, b); }
static bool operator>(counted a, counted b) { return less(b, a); }

#define double counted
#include "selection.h"
#undef double

int main(int argc, char **argv)
{
    playing = argc == 3 && !strcmp(argv[1], "adversary");
    long n = 0, rank;
    if (argc != 3 || (!playing && scanf("%ld", &n) != 1))
        return 2;
    if (playing)
        n = atol(argv[2]);
    rank = playing ? n / 2 : atol(argv[2]);
    gas = n;
    value.assign(n, gas);
    std::vector<counted> names(n);
    for (int i = 0; i < n; i++) {
        names[i].name = i;
        if (!playing && scanf("%lf", &value[i]) != 1)
            return 2;
    }
    counted found = select_rank(names.data(), n, rank);
    if (playing) {
        playing = false;
        std::vector<double> sorted(value);
        std::nth_element(sorted.begin(), sorted.begin() + rank, sorted.end());
        printf("%d %ld\n", value[found.name] == sorted[rank], comparisons);
    } else {
        printf("%.17g %ld\n", value[found.name], comparisons);
    }
    return 0;
}
