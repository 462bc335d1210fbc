/* kernels_product.c - the data pass: C = A B with B narrow, alone or on top of what C holds.
 *
 * A is read once, straight from where it lies, one scalar at a time, and meets a row of B that
 * stays in the nearest cache; a tile of C lives in registers. While a row tile is computed, the
 * same rows of the next matrix are fetched. */
#include "linalg/kernels_vec.h"

/* Vectors per 8 columns; rows of a tile so that rows x vectors fill the registers. */
#define PER8 (PASS_PAD / VW)
#if VW == 8
#define MAX_BLOCKS 4 /* column blocks of 8 in a tile */
#define ROWS1      12
#define ROWS2      12
#define ROWS3      8
#define ROWS4      6
#else
#define ROWS_PAIR  (12 / PER8) /* a strip of 8 columns */
#define ROWS_THREE 4           /* of three vectors, and of one */
#define ROWS_ONE   12
#endif

/* Where the last four of the padded columns hold nothing, the last vector of a row is half as wide:
 * some processors spend half the time on it. */
#if VW == 8
typedef double vh __attribute__((vector_size(32), may_alias));
INLINE vh v_low(vd x)
{
    return (vh)_mm512_castpd512_pd256((__m512d)x);
}

/* x and zeros. */
INLINE vd v_wide(vh x)
{
    return (vd)_mm512_zextpd256_pd512((__m256d)x);
}
#else
typedef vd vh;
INLINE vh v_low(vd x)
{
    return x;
}

INLINE vd v_wide(vh x)
{
    return x;
}
#endif

typedef struct operand {
    size_t depth, row_stride, col_stride, ld; /* ld: columns of B and C, multiple of 8 */
    const double *A, *B, *next;
    const double *scale; /* ld, or NULL: A B alone */
    double *C;
    int lower; /* rows above the first column of a strip are not wanted */
} operand;

/* Sums of a tile: `nv` vectors per row, and a half where there is one. */
typedef struct tile {
    vd full[12][4 * PER8];
    vh half[12];
} tile;

/* Where the sums of a tile begin: zero, or C diag(scale). */
INLINE void tile_begin(int rows, int nv, int half, size_t r, size_t column, const operand *o,
                       tile *sum)
{
    const double *scale = o->scale ? o->scale + column : NULL;
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
    {
        const double *c = o->C + (r + (size_t)i) * o->ld + column;
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++)
        {
            size_t e = (size_t)v * VW;
            sum->full[i][v] = v_set(0.0);
            if (scale)
                sum->full[i][v] = *(const vd *)(c + e) * *(const vd *)(scale + e);
        }
        if (half) {
            size_t e = (size_t)nv * VW;
            sum->half[i] = v_low(v_set(0.0));
            if (scale)
                sum->half[i] = *(const vh *)(c + e) * *(const vh *)(scale + e);
        }
    }
}

INLINE void tile_end(int rows, int nv, int half, size_t r, size_t column, const operand *o,
                     const tile *sum)
{
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
    {
        double *c = o->C + (r + (size_t)i) * o->ld + column;
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) * (vd *)(c + (size_t)v * VW) =
            sum->full[i][v];
        if (half)
            *(vd *)(c + (size_t)nv * VW) = v_wide(sum->half[i]);
    }
}

/* `rows` rows from row r on, nv vectors of columns and, where `half` says so, half a vector. */
INLINE void product_tile(int rows, int nv, int half, size_t r, size_t column, const operand *o)
{
    tile sum;
    const double *a = o->A + r * o->row_stride;
    const double *b = o->B + column;
    const char *soon = (const char *)(o->next + r * o->row_stride);
    tile_begin(rows, nv, half, r, column, o, &sum);
    for (size_t k = 0; k < o->depth; k++) {
        vd bk[4 * PER8];
        vh last = v_low(v_set(0.0));
        __builtin_prefetch(soon + k * (size_t)rows * 8, 0, 2);
        if (rows > 8)
            __builtin_prefetch(soon + k * (size_t)rows * 8 + 64, 0, 2);
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) bk[v] =
            *(const vd *)(b + (size_t)v * VW);
        if (half)
            last = *(const vh *)(b + (size_t)nv * VW);
        _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
        {
            vd x = v_set(a[(size_t)i * o->row_stride]);
            _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) sum.full[i][v] += x * bk[v];
            if (half)
                sum.half[i] += v_low(x) * last;
        }
        a += o->col_stride;
        b += o->ld;
    }
    tile_end(rows, nv, half, r, column, o, &sum);
}

/* All rows of one column strip: full tiles, then 4, 2 and 1 rows. */
INLINE void product_strip(int tile_rows, int nv, int half, size_t rows, size_t column,
                          const operand *o)
{
    size_t r = o->lower ? column : 0;
    for (; r + (size_t)tile_rows <= rows; r += (size_t)tile_rows)
        product_tile(tile_rows, nv, half, r, column, o);
    for (; tile_rows > 4 && r + 4 <= rows; r += 4)
        product_tile(4, nv, half, r, column, o);
    for (; r + 2 <= rows; r += 2)
        product_tile(2, nv, half, r, column, o);
    for (; r < rows; r++)
        product_tile(1, nv, half, r, column, o);
}

#if VW == 8
#define STRIP(number, rows_of)                                                                     \
    case 2 * (number):                                                                             \
        product_strip(rows_of, number, 0, rows, column, o);                                        \
        break;                                                                                     \
    case 2 * (number)-1:                                                                           \
        product_strip(rows_of, (number)-1, 1, rows, column, o);                                    \
        break;

/* fours: columns in fours. */
static void strip(size_t fours, size_t rows, size_t column, const operand *o)
{
    switch (fours) {
        STRIP(1, ROWS1)
        STRIP(2, ROWS2)
        STRIP(3, ROWS3)
        STRIP(4, ROWS4)
    }
}

/* How many blocks of 8 columns the next strip takes when `left` are left: never one alone after
 * a full strip. */
static size_t strip_blocks(size_t left)
{
    if (left <= MAX_BLOCKS)
        return left;
    return left == MAX_BLOCKS + 1 && MAX_BLOCKS > 1 ? MAX_BLOCKS - 1 : MAX_BLOCKS;
}

static void all_strips(size_t rows, size_t m, const operand *o)
{
    size_t column = 0;
    while (column < m) {
        size_t blocks = strip_blocks((o->ld - column) / PASS_PAD), end = column + blocks * PASS_PAD;
        strip(((end < m ? end : m) - column + 3) / 4, rows, column, o);
        column = end;
    }
}
#else
static void two(size_t rows, size_t column, const operand *o)
{
    product_strip(ROWS_PAIR, PER8, 0, rows, column, o);
}

#if VW == 4
/* The last vector of a row. */
static void clear_last(size_t rows, const operand *o)
{
    for (size_t r = 0; r < rows; r++)
        *(vd *)(o->C + r * o->ld + o->ld - VW) = v_set(0.0);
}

/* Two vectors at a time; of an odd number three first, and the padding is a vector of its own. */
static void all_strips(size_t rows, size_t m, const operand *o)
{
    size_t column = 0, odd = (m + VW - 1) / VW % 2;
    if (odd && m <= VW) {
        product_strip(ROWS_ONE, 1, 0, rows, 0, o);
        column = VW;
    } else if (odd) {
        product_strip(ROWS_THREE, 3, 0, rows, 0, o);
        column = 3 * VW;
    }
    for (; column < m; column += 2 * VW)
        two(rows, column, o);
    if (odd)
        clear_last(rows, o);
}
#else
static void all_strips(size_t rows, size_t m, const operand *o)
{
    for (size_t column = 0; column < m; column += PASS_PAD)
        two(rows, column, o);
}
#endif
#endif

void KERNEL(product)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                     size_t col_stride, const double *B, double *C, const double *next)
{
    operand o = {depth, row_stride, col_stride, PASS_LD(m), A, B, next, NULL, C, 0};
    all_strips(rows, m, &o);
}

void KERNEL(product_onto)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                          size_t col_stride, const double *B, const double *s, double *C)
{
    operand o = {depth, row_stride, col_stride, PASS_LD(m), A, B, A, s, C, 0};
    all_strips(rows, m, &o);
}

void KERNEL(product_lower)(size_t depth, size_t m, const double *A, size_t row_stride,
                           size_t col_stride, const double *B, double *C)
{
    operand o = {depth, row_stride, col_stride, PASS_LD(m), A, B, A, NULL, C, 1};
    all_strips(m, m, &o);
}
