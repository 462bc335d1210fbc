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
#define MAX_BLOCKS 1
#define ROWS1      (12 / PER8)
#endif

typedef struct operand {
    size_t depth, row_stride, col_stride, ld; /* ld: columns of B and C, multiple of 8 */
    const double *A, *B, *next;
    const double *scale; /* ld, or NULL: A B alone */
    double *C;
} operand;

/* Where the sums of a tile begin: zero, or C diag(scale). */
INLINE void product_begin(int rows, int nv, size_t r, size_t column, const operand *o,
                          vd sum[12][4 * PER8])
{
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
    {
        const double *c = o->C + (r + (size_t)i) * o->ld + column;
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++)
        {
            size_t e = (size_t)v * VW;
            sum[i][v] = v_set(0.0);
            if (o->scale)
                sum[i][v] = *(const vd *)(c + e) * *(const vd *)(o->scale + column + e);
        }
    }
}

/* `rows` rows from row r on, columns column .. column + 8 blocks - 1. */
INLINE void product_tile(int rows, int blocks, size_t r, size_t column, const operand *o)
{
    const int nv = blocks * PER8;
    vd sum[12][4 * PER8];
    const double *a = o->A + r * o->row_stride;
    const double *b = o->B + column;
    const char *soon = (const char *)(o->next + r * o->row_stride);
    product_begin(rows, nv, r, column, o, sum);
    for (size_t k = 0; k < o->depth; k++) {
        vd bk[4 * PER8];
        __builtin_prefetch(soon + k * (size_t)rows * 8, 0, 2);
        if (rows > 8)
            __builtin_prefetch(soon + k * (size_t)rows * 8 + 64, 0, 2);
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) bk[v] =
            *(const vd *)(b + (size_t)v * VW);
        _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
        {
            vd x = v_set(a[(size_t)i * o->row_stride]);
            _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) sum[i][v] += x * bk[v];
        }
        a += o->col_stride;
        b += o->ld;
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++)
    {
        double *c = o->C + (r + (size_t)i) * o->ld + column;
        _Pragma("GCC unroll 16") for (int v = 0; v < nv; v++) * (vd *)(c + (size_t)v * VW) =
            sum[i][v];
    }
}

/* All rows of one column strip: full tiles, then 4, 2 and 1 rows. */
INLINE void product_strip(int tile_rows, int blocks, size_t rows, size_t column, const operand *o)
{
    size_t r = 0;
    for (; r + (size_t)tile_rows <= rows; r += (size_t)tile_rows)
        product_tile(tile_rows, blocks, r, column, o);
    for (; tile_rows > 4 && r + 4 <= rows; r += 4)
        product_tile(4, blocks, r, column, o);
    for (; r + 2 <= rows; r += 2)
        product_tile(2, blocks, r, column, o);
    for (; r < rows; r++)
        product_tile(1, blocks, r, column, o);
}

#if VW == 8
static void strip(size_t blocks, size_t rows, size_t column, const operand *o)
{
    switch (blocks) {
    case 1:
        product_strip(ROWS1, 1, rows, column, o);
        break;
    case 2:
        product_strip(ROWS2, 2, rows, column, o);
        break;
    case 3:
        product_strip(ROWS3, 3, rows, column, o);
        break;
    default:
        product_strip(ROWS4, 4, rows, column, o);
    }
}
#else
static void strip(size_t blocks, size_t rows, size_t column, const operand *o)
{
    (void)blocks;
    product_strip(ROWS1, 1, rows, column, o);
}
#endif

/* How many blocks of 8 columns the next strip takes when `left` are left: never one alone after
 * a full strip. */
static size_t strip_blocks(size_t left)
{
    if (left <= MAX_BLOCKS)
        return left;
    return left == MAX_BLOCKS + 1 && MAX_BLOCKS > 1 ? MAX_BLOCKS - 1 : MAX_BLOCKS;
}

static void all_strips(size_t rows, const operand *o)
{
    size_t left = o->ld / PASS_PAD, column = 0;
    while (left > 0) {
        size_t blocks = strip_blocks(left);
        strip(blocks, rows, column, o);
        column += blocks * PASS_PAD;
        left -= blocks;
    }
}

void KERNEL(product)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                     size_t col_stride, const double *B, double *C, const double *next)
{
    operand o = {depth, row_stride, col_stride, PASS_LD(m), A, B, next, NULL, C};
    all_strips(rows, &o);
}

void KERNEL(product_onto)(size_t rows, size_t depth, size_t m, const double *A, size_t row_stride,
                          size_t col_stride, const double *B, const double *s, double *C)
{
    operand o = {depth, row_stride, col_stride, PASS_LD(m), A, B, A, s, C};
    all_strips(rows, &o);
}
