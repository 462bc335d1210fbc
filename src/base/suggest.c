/* suggest.c - edit distance by dynamic programming, three rows at a time. */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

#define LONGEST 63

static size_t min2(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b (optimal
 * string alignment); words over 63 characters count as far apart. */
static size_t edits(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return SIZE_MAX;
    size_t rows[3][LONGEST + 1]; /* rows i-2, i-1, i of the table, by i mod 3 */
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = min2(now[j], min2(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min2(now[j], before[j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

suggestion suggest_for(const char *word)
{
    return (suggestion){word, NULL, SIZE_MAX};
}

/* An abbreviation of at least two letters counts as one edit: --out means --output. */
void suggest_offer(suggestion *s, const char *candidate)
{
    size_t length = strlen(s->word);
    size_t limit = length < 4 ? 1 : length < 7 ? 2 : 3;
    size_t distance = edits(s->word, candidate);
    if (length >= 2 && strncmp(s->word, candidate, length) == 0)
        distance = 1;
    if (distance > limit || distance >= s->distance)
        return;
    s->best = candidate;
    s->distance = distance;
}
