/* kernels_single.c - eigenvectors of one small symmetric matrix, its rows in vectors.
 *
 * Householder reduction as in kernels_eigh.c, but for a matrix that comes alone: no other fills
 * the time in which the rotations of a sweep wait for one another. So that they wait for a division
 * and no root, QL is the rational one (Reinsch 1971; Parlett 1980, 8-15), on squares of sines,
 * cosines and off-diagonal entries; roots of the first two, with their signs, turn the eigenvectors
 * meanwhile. Rows are padded with zeros to whole vectors, and everything is done to rows: sums over
 * a column are made for VW columns at once. */
#include "linalg/kernels_vec.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_SWEEPS 80 /* per eigenvalue; two are usual */
#define NEGLIGIBLE 1e-20
#define VANISHING  1e-290
#define BARE       1e-200 /* the square of an entry that turns nothing */

/* The matrix, later its reflectors, the rows Z of the eigenvectors, and rows of scratch. */
typedef struct single {
    size_t n, ld;  /* ld: doubles of a padded row */
    double *A, *Z; /* n x ld */
    double *d, *e; /* ld: the tridiagonal matrix; of e squares, with the signs of the entries */
    double *h;     /* 1/h of each reflector, 0 for none */
    double *u, *p; /* ld */
} single;

static single arrange(size_t n, double *work)
{
    single x = {.n = n, .ld = (n + 7) / 8 * 8};
    x.A = work;
    x.Z = x.A + n * x.ld;
    x.d = x.Z + n * x.ld;
    x.e = x.d + x.ld;
    x.h = x.e + x.ld;
    x.u = x.h + x.ld;
    x.p = x.u + x.ld;
    memset(work, 0, kernels_single_work(n) * sizeof *work);
    return x;
}

INLINE double total(vd v)
{
    double sum = 0.0;
    for (size_t l = 0; l < VW; l++)
        sum += v[l];
    return sum;
}

/* <a,b> of the first i entries; beyond them one of the two is zero. */
static double inner(size_t i, const double *a, const double *b)
{
    vd sum = v_set(0.0);
    for (size_t k = 0; k < i; k += VW)
        sum += *(const vu *)(a + k) * *(const vu *)(b + k);
    return total(sum);
}

/* p (i entries, then zeros) <- scale times the sum over j < i of u[j] times row j of X. */
static void combine(size_t i, size_t ld, const double *u, const double *X, double scale, double *p)
{
    for (size_t k = 0; k < i; k += VW) {
        vd even = v_set(0.0), odd = v_set(0.0);
        size_t j = 0;
        for (; j + 2 <= i; j += 2) {
            even += u[j] * *(const vu *)(X + j * ld + k);
            odd += u[j + 1] * *(const vu *)(X + (j + 1) * ld + k);
        }
        if (j < i)
            even += u[j] * *(const vu *)(X + j * ld + k);
        *(vu *)(p + k) = scale * (even + odd);
    }
    for (size_t k = i; k < (i + VW - 1) / VW * VW; k++)
        p[k] = 0.0;
}

/* x->u <- the reflector of row i, which goes to the row too; returns the off-diagonal entry. */
static double make_reflector(single *x, size_t i)
{
    double *row = x->A + i * x->ld, *u = x->u;
    memset(u, 0, x->ld * sizeof *u);
    memcpy(u, row, (i - 1) * sizeof *u);
    double sigma = inner(i, u, u), alpha = row[i - 1];
    x->h[i] = 0.0;
    if (!(sigma > VANISHING))
        return alpha;
    double square = alpha * alpha + sigma, off = -copysign(sqrt(square), alpha);
    u[i - 1] = alpha - off;
    x->h[i] = 1.0 / (square - alpha * off);
    memcpy(row, u, i * sizeof *u);
    return off;
}

/* A <- A - u q' - q u' in the leading i x i entries, with q (x->p) = p - (u'p h/2) u, p = h A u. */
static void reflect_both(single *x, size_t i)
{
    size_t ld = x->ld;
    double *u = x->u, *q = x->p;
    combine(i, ld, u, x->A, x->h[i], q);
    double half = 0.5 * x->h[i] * inner(i, u, q);
    for (size_t k = 0; k < i; k += VW)
        *(vu *)(q + k) -= half * *(const vu *)(u + k);
    for (size_t j = 0; j < i; j++) {
        double *row = x->A + j * ld, uj = u[j], qj = q[j];
        for (size_t k = 0; k < i; k += VW)
            *(vu *)(row + k) -= uj * *(const vu *)(q + k) + qj * *(const vu *)(u + k);
    }
}

static void tridiagonalise(single *x)
{
    size_t n = x->n;
    for (size_t i = n - 1; i >= 2 && i < n; i--) {
        x->d[i] = x->A[i * x->ld + i];
        x->e[i - 1] = make_reflector(x, i);
        if (x->h[i] > 0.0)
            reflect_both(x, i);
    }
    for (size_t i = 0; i < 2 && i < n; i++)
        x->d[i] = x->A[i * x->ld + i];
    if (n > 1)
        x->e[0] = x->A[x->ld];
    for (size_t i = 0; i + 1 < n; i++)
        x->e[i] *= fabs(x->e[i]);
}

/* Z <- Q', Q the product of the reflectors: the smallest first, so that only a corner is at work.
 */
static void form_rows(single *x)
{
    size_t n = x->n, ld = x->ld;
    double *Q = x->Z;
    for (size_t i = 0; i < n; i++)
        Q[i * ld + i] = 1.0;
    for (size_t i = 2; i < n; i++) {
        if (x->h[i] == 0.0)
            continue;
        const double *u = x->A + i * ld;
        combine(i, ld, u, Q, x->h[i], x->p);
        for (size_t j = 0; j < i; j++) {
            double uj = u[j], *row = Q + j * ld;
            for (size_t k = 0; k < i; k += VW)
                *(vu *)(row + k) -= uj * *(const vu *)(x->p + k);
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = Q[i * ld + j];
            Q[i * ld + j] = Q[j * ld + i];
            Q[j * ld + i] = swap;
        }
}

/* Rows i and i + 1 of Z. */
INLINE void rotate_rows(const single *x, size_t i, double c, double s)
{
    double *low = x->Z + i * x->ld, *high = low + x->ld;
    for (size_t k = 0; k < x->n; k += VW) {
        vd a = *(const vu *)(low + k), b = *(const vu *)(high + k);
        *(vu *)(high + k) = s * a + c * b;
        *(vu *)(low + k) = c * a - s * b;
    }
}

/* The first negligible off-diagonal at or after l. */
static size_t block_end(const single *x, size_t l)
{
    size_t i = l;
    for (; i + 1 < x->n; i++) {
        double size = fabs(x->e[i]);
        double least = 0.5 * DBL_EPSILON * (fabs(x->d[i]) + fabs(x->d[i + 1]));
        if (size <= least * least || size <= NEGLIGIBLE * NEGLIGIBLE)
            break;
    }
    return i;
}

/* The eigenvalue of rows l and l + 1 alone that is nearer to d[l]. */
static double shift_of(const single *x, size_t l)
{
    double half = 0.5 * (x->d[l + 1] - x->d[l]), square = fabs(x->e[l]);
    return x->d[l] - square / (half + copysign(sqrt(half * half + square), half));
}

/* One QL sweep over l .. last. A rotation takes the entry e next to p, both of the matrix less the
 * shift and what was rotated before: cosine = p/r, sine = e/r, r^2 = p^2 + e^2. Kept are P = p^2,
 * the squares C and S of the rotation before, and p times its cosine in g, which gives the next p:
 * g'= C' (d - shift) - S' g is p' times the cosine. */
static void sweep(single *x, size_t l, size_t last)
{
    double *d = x->d, *e = x->e, shift = shift_of(x, l);
    double g = d[last] - shift, P = g * g, C = 1.0, S = 0.0, sign = copysign(1.0, g);
    for (size_t i = last; i-- > l;) {
        double E = fabs(e[i]), R = P + E, before = C, from = g;
        e[i + 1] = copysign(S * R, e[i + 1]);
        C = P / R;
        S = E / R;
        double c = copysign(sqrt(C), sign), s = copysign(sqrt(S), e[i]);
        g = C * (d[i] - shift + from) - from;
        d[i + 1] = from + (d[i] - g);
        if (P > BARE) {
            P = g * g * (R / P);
            sign *= copysign(1.0, g);
        } else { /* a quarter turn: p' = -|e| times the cosine before, p's sign times that of from */
            P = before * E;
            sign *= -copysign(1.0, from);
        }
        rotate_rows(x, i, c, s);
    }
    e[l] = copysign(S * P, sign * e[l]);
    d[l] = shift + g;
}

/* x->A <- A times a power of 2 that makes its largest entry lie near 1, which is returned; 0 where
 * an entry is not finite. */
static double load(single *x, const double *A)
{
    vd largest = v_set(0.0), sum = v_set(0.0);
    double most = 0.0;
    int exponent = 0;
    for (size_t r = 0; r < x->n; r++)
        memcpy(x->A + r * x->ld, A + r * x->n, x->n * sizeof *A);
    for (size_t e = 0; e < x->n * x->ld; e += VW) {
        vd size = v_abs(*(const vu *)(x->A + e));
        largest = v_max(size, largest);
        sum += size * 0.0; /* NaN if any entry is NaN or Inf */
    }
    for (size_t l = 0; l < VW; l++)
        most = largest[l] > most ? largest[l] : most;
    if (!(total(sum) == 0.0))
        return 0.0;
    frexp(most, &exponent);
    double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    for (size_t e = 0; e < x->n * x->ld; e += VW)
        *(vu *)(x->A + e) *= scale;
    return scale;
}

int KERNEL(eigh_single)(size_t n, const double *A, double *lambda, double *Z, double *work)
{
    single x = arrange(n, work);
    double scale = load(&x, A);
    if (scale == 0.0)
        return 1;
    tridiagonalise(&x);
    form_rows(&x);
    for (size_t l = 0, sweeps = 0, last; l < n;) {
        last = block_end(&x, l);
        if (last == l) {
            l++;
            sweeps = 0;
        } else if (++sweeps > MAX_SWEEPS) {
            return 1;
        } else {
            sweep(&x, l, last);
        }
    }
    for (size_t r = 0; r < n; r++) {
        lambda[r] = x.d[r] / scale;
        memcpy(Z + r * n, x.Z + r * x.ld, n * sizeof *Z);
    }
    return 0;
}
