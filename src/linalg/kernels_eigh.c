/* kernels_eigh.c - symmetric eigenvalues, with and without vectors, in lockstep over the lanes.
 *
 *   1. Householder:  Q' A Q = T, tridiagonal (d, e), row i of A from the last to the third:
 *          u = row i with its last entry moved away from zero by its norm,  h = u'u/2,
 *          p = A u / h,  q = p - (u'p / 2h) u,  A <- A - u q' - q u'
 *   2. implicit QL on T (Dubrulle, Martin, Wilkinson 1968), or its square-root-free form on e^2
 *      (Pal, Walker, Kahan; Reinsch 1973) when no vectors are wanted.
 *
 * All lanes run the same sweep; a lane that has converged, or whose block ends earlier, gets
 * identity rotations. Two vectors are in flight in step 2, because one alone waits for its own
 * square roots. Matrices are scaled by a power of two first, so that squares neither overflow
 * nor vanish; an off-diagonal below 1e-20 of the norm counts as zero. */
#include "linalg/kernels_tridiagonal.h"

/* Sweeps whose rotations are not yet applied to the vectors: sweep k turned columns first[k] to
 * last[k], with cosines and sines from c + k n, s + k n on. */
typedef struct backlog {
    size_t count, first[PENDING], last[PENDING];
} backlog;

/* Where the vectors of a pair live, lane offsets included. */
typedef struct eigen_job {
    double *A[PAIR], *lambda[PAIR], *Z[PAIR];
    vd scale_back[PAIR];
    vi bad[PAIR];
} eigen_job;

/* ---- the product of the reflectors ---------------------------------------------------------- */

/* Columns of Q that are made together. */
#if VW == 8
#define FORMED 8
#else
#define FORMED 4
#endif

/* Columns j .. j+nc-1 of Q. Reflector i turns rows below i, so it leaves unit vectors e_c with
 * c >= i alone: columns start as unit vectors, and reflectors up to j need not be applied. A pass
 * over the columns takes one reflector from them and has their product with the next. */
INLINE void form_columns(int nc, size_t j, size_t n, const double *A, const vd *h, double *Z)
{
    size_t first = j + 1 > 2 ? j + 1 : 2;
    vd g[FORMED], dot[FORMED];
    const double *u = ctri_row(A, first < n ? first - 1 : 0);
    for (size_t k = 0; k < n; k++) {
        UNROLL
        for (int b = 0; b < nc; b++) {
            AT(Z, k * n + j + (size_t)b) = v_set(k == j + (size_t)b ? 1.0 : 0.0);
            g[b] = v_set(0.0);
        }
    }
    for (size_t i = first; i < n; i++) {
        const double *next = ctri_row(A, i);
        double *z = Z + j * LANES, *last = z + (i - 1) * n * LANES;
        UNROLL
        for (int b = 0; b < nc; b++)
            dot[b] = CAT(next, i - 1) * CAT(last, b);
        for (size_t k = 0; k + 1 < i; k++, z += n * LANES) {
            vd uk = CAT(u, k), nk = CAT(next, k);
            UNROLL
            for (int b = 0; b < nc; b++) {
                vd x = CAT(z, b) - uk * g[b];
                AT(z, b) = x;
                dot[b] += nk * x;
            }
        }
        UNROLL
        for (int b = 0; b < nc; b++)
            g[b] = dot[b] * h[i];
        u = next;
    }
    double *z = Z + j * LANES;
    for (size_t k = 0; first < n && k + 1 < n; k++, z += n * LANES) {
        UNROLL
        for (int b = 0; b < nc; b++)
            AT(z, b) -= CAT(u, k) * g[b];
    }
}

/* Z (n x n) <- product of the reflectors in the rows of A. */
static void form_q(size_t n, const double *A, const vd *h, double *Z)
{
    size_t j = 0;
    for (; j + FORMED <= n && !stop_within(n); j += FORMED)
        form_columns(FORMED, j, n, A, h, Z);
    for (; j < n && !stop_within(n); j++)
        form_columns(1, j, n, A, h, Z);
}

/* ---- QL ------------------------------------------------------------------------------------- */

/* The block that a sweep works on, per lane: it ends at `last`, where dm = d[last]. */
typedef struct block {
    vi last[PAIR], active[PAIR];
    vd dm[PAIR];
    size_t end; /* largest `last` */
    int any;
} block;

/* tiny(x, a, b): is the off-diagonal x negligible beside diagonals a, b? For e or for e^2. */
INLINE vi tiny_plain(vd x, vd a, vd b)
{
    vd size = v_abs(x);
    return (size <= DBL_EPSILON * 0.5 * (v_abs(a) + v_abs(b))) | (size <= NEGLIGIBLE);
}

INLINE vi tiny_square(vd x, vd a, vd b)
{
    return (x <= 0.25 * DBL_EPSILON * DBL_EPSILON * v_abs(a * b)) | (x <= NEGLIGIBLE * NEGLIGIBLE);
}

/* Finds, per lane, the first negligible off-diagonal at or after l. */
INLINE block find_block(int nv, size_t n, size_t l, const vp *d, const vp *e, int squares)
{
    block k = {.end = l};
    vi found[PAIR];
    UNROLL
    for (int u = 0; u < nv; u++) {
        found[u] = (vi){0};
        k.last[u] = (vi)v_set(0.0) + (int64_t)(n - 1);
        k.dm[u] = d[n - 1].v[u];
    }
    for (size_t i = l; i + 1 < n; i++) {
        unsigned open = 0;
        UNROLL
        for (int u = 0; u < nv; u++) {
            vd x = e[i].v[u], a = d[i].v[u], b = d[i + 1].v[u];
            vi here = (squares ? tiny_square(x, a, b) : tiny_plain(x, a, b)) & ~found[u];
            found[u] |= here;
            k.last[u] = (k.last[u] & ~here) | ((int64_t)i & here);
            k.dm[u] = v_select(here, a, k.dm[u]);
            open |= v_bits(~found[u]);
        }
        if (!open)
            break;
        k.end = i + 1;
    }
    UNROLL
    for (int u = 0; u < nv; u++) {
        k.active[u] = k.last[u] > (int64_t)l;
        k.any |= v_any(k.active[u]);
    }
    return k;
}

/* Wilkinson-like shift of the QL step from the top 2 x 2 block: returns what is subtracted, as a
 * distance from d[l]; off is e[l], non-zero in active lanes. */
INLINE vd ql_shift(vi active, vd d0, vd d1, vd off)
{
    off = v_select(active, off, v_set(1.0));
    vd g = (d1 - d0) / (2.0 * off);
    vd square = g * g + 1.0;
    vd r = square * v_rsqrt(square);
    return off / (g + v_copysign(r, g));
}

/* One implicit QL sweep; its rotations i = end-1 .. l go to cosine and sine (n each). */
INLINE void sweep_rotations(int nv, size_t l, const block *k, const eigen_work *w, vp *cosine,
                            vp *sine)
{
    vd s[PAIR], c[PAIR], p[PAIR], g[PAIR];
    UNROLL
    for (int u = 0; u < nv; u++) {
        s[u] = c[u] = v_set(1.0);
        p[u] = v_set(0.0);
        vd d0 = w->d[l].v[u];
        g[u] = k->dm[u] - d0 + ql_shift(k->active[u], d0, w->d[l + 1].v[u], w->e[l].v[u]);
    }
    for (size_t i = k->end; i-- > l;) {
        UNROLL
        for (int u = 0; u < nv; u++) {
            vi run = k->last[u] > (int64_t)i;
            vi first = k->last[u] == (int64_t)(i + 1);
            vd f = s[u] * w->e[i].v[u], b = c[u] * w->e[i].v[u];
            vd square = f * f + g[u] * g[u];
            vi whole = square > VANISHING;
            vd inverse = v_rsqrt(v_select(whole, square, v_set(1.0)));
            vd cn = v_select(whole, g[u] * inverse, v_set(1.0));
            vd sn = v_select(whole, f * inverse, v_set(0.0));
            vd r = v_select(whole & ~first, square * inverse, v_set(0.0));
            vd d1 = w->d[i + 1].v[u];
            vd gap = d1 - p[u];
            vd t = (w->d[i].v[u] - gap) * sn + 2.0 * cn * b;
            vd pn = sn * t;
            w->e[i + 1].v[u] = v_select(run, r, w->e[i + 1].v[u]);
            w->d[i + 1].v[u] = v_select(run, gap + pn, d1);
            cosine[i].v[u] = v_select(run, cn, v_set(1.0));
            sine[i].v[u] = v_select(run, sn, v_set(0.0));
            g[u] = v_select(run, cn * t - b, g[u]);
            p[u] = v_select(run, pn, p[u]);
            c[u] = v_select(run, cn, c[u]);
            s[u] = v_select(run, sn, s[u]);
        }
    }
    UNROLL
    for (int u = 0; u < nv; u++) {
        w->d[l].v[u] -= v_select(k->active[u], p[u], v_set(0.0));
        w->e[l].v[u] = v_select(k->active[u], g[u], w->e[l].v[u]);
    }
}

/* The same without rotations, on e^2: c and s here are squares of the rotation's. */
INLINE void sweep_values(int nv, size_t l, const block *k, const eigen_work *w)
{
    vd s[PAIR], c[PAIR], p[PAIR], gamma[PAIR], sigma[PAIR];
    UNROLL
    for (int u = 0; u < nv; u++) {
        vd d0 = w->d[l].v[u];
        vd square = v_select(k->active[u], w->e[l].v[u], v_set(1.0));
        vd off = square * v_rsqrt(square);
        sigma[u] = d0 - ql_shift(k->active[u], d0, w->d[l + 1].v[u], off);
        c[u] = v_set(1.0);
        s[u] = v_set(0.0);
        gamma[u] = k->dm[u] - sigma[u];
        p[u] = gamma[u] * gamma[u];
    }
    for (size_t i = k->end; i-- > l;) {
        UNROLL
        for (int u = 0; u < nv; u++) {
            vi run = k->last[u] > (int64_t)i;
            vd bb = w->e[i].v[u], alpha = w->d[i].v[u];
            vd r = p[u] + bb;
            vi whole = p[u] > 1e-200;
            vd r_inverse = v_recip(v_select(run, r, v_set(1.0)));
            vd ratio = r * v_recip(v_select(whole, p[u], v_set(1.0)));
            vd cn = p[u] * r_inverse, sn = bb * r_inverse;
            vd gn = cn * (alpha - sigma[u]) - sn * gamma[u];
            vd pn = v_select(whole, gn * gn * ratio, c[u] * bb);
            w->e[i + 1].v[u] = v_select(run, s[u] * r, w->e[i + 1].v[u]);
            w->d[i + 1].v[u] = v_select(run, gamma[u] + (alpha - gn), w->d[i + 1].v[u]);
            p[u] = v_select(run, pn, p[u]);
            c[u] = v_select(run, cn, c[u]);
            s[u] = v_select(run, sn, s[u]);
            gamma[u] = v_select(run, gn, gamma[u]);
        }
    }
    UNROLL
    for (int u = 0; u < nv; u++) {
        w->e[l].v[u] = v_select(k->active[u], s[u] * p[u], w->e[l].v[u]);
        w->d[l].v[u] = v_select(k->active[u], sigma[u] + gamma[u], w->d[l].v[u]);
    }
}

/* nr rows of Z (n columns) times the rotations i = end-1 .. l of one sweep. */
INLINE void rotate_rows(int nr, int side, size_t n, size_t l, size_t end, const vp *cosine,
                        const vp *sine, double *Z)
{
    vd carry[4];
    UNROLL
    for (int a = 0; a < nr; a++)
        carry[a] = CAT(Z + (size_t)a * n * LANES, end);
    for (size_t i = end; i-- > l;) {
        vd c = cosine[i].v[side], s = sine[i].v[side];
        UNROLL
        for (int a = 0; a < nr; a++) {
            double *z = Z + (size_t)a * n * LANES;
            vd zi = CAT(z, i);
            AT(z, i + 1) = s * zi + c * carry[a];
            carry[a] = c * zi - s * carry[a];
        }
    }
    UNROLL
    for (int a = 0; a < nr; a++)
        AT(Z + (size_t)a * n * LANES, l) = carry[a];
}

/* nr rows of Z times the rotations i = end-1 .. l of two sweeps in one pass: the second follows one
 * column behind the first. */
INLINE void rotate_twice(int nr, int side, size_t n, size_t l, size_t end, const vp *cosine,
                         const vp *sine, double *Z)
{
    const vp *cosine2 = cosine + n, *sine2 = sine + n;
    vd carry[4], other[4];
    UNROLL
    for (int a = 0; a < nr; a++) {
        double *z = Z + (size_t)a * n * LANES;
        vd zi = CAT(z, end - 1), zn = CAT(z, end), c = cosine[end - 1].v[side];
        vd s = sine[end - 1].v[side];
        other[a] = s * zi + c * zn;
        carry[a] = c * zi - s * zn;
    }
    for (size_t i = end - 1; i-- > l;) {
        vd c = cosine[i].v[side], s = sine[i].v[side];
        vd c2 = cosine2[i + 1].v[side], s2 = sine2[i + 1].v[side];
        UNROLL
        for (int a = 0; a < nr; a++) {
            double *z = Z + (size_t)a * n * LANES;
            vd zi = CAT(z, i), done = s * zi + c * carry[a];
            carry[a] = c * zi - s * carry[a];
            AT(z, i + 2) = s2 * done + c2 * other[a];
            other[a] = c2 * done - s2 * other[a];
        }
    }
    vd c2 = cosine2[l].v[side], s2 = sine2[l].v[side];
    UNROLL
    for (int a = 0; a < nr; a++) {
        double *z = Z + (size_t)a * n * LANES;
        AT(z, l + 1) = s2 * carry[a] + c2 * other[a];
        AT(z, l) = c2 * carry[a] - s2 * other[a];
    }
}

/* All pending sweeps on nr rows, while those are in the nearest cache. */
INLINE void rotate_pending(int nr, int side, size_t n, const backlog *b, const eigen_work *w,
                           double *Z)
{
    size_t k = 0;
    for (; k + 2 <= b->count; k += 2)
        rotate_twice(nr, side, n, b->first[k], b->last[k], w->c + k * n, w->s + k * n, Z);
    for (; k < b->count; k++)
        rotate_rows(nr, side, n, b->first[k], b->last[k], w->c + k * n, w->s + k * n, Z);
}

static void rotate_all(int side, size_t n, const backlog *b, const eigen_work *w, double *Z)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4)
        rotate_pending(4, side, n, b, w, Z + k * n * LANES);
    for (; k < n; k++)
        rotate_pending(1, side, n, b, w, Z + k * n * LANES);
}

/* Sweep k turns columns first to last from now on: where it did not, by nothing. */
INLINE void widen(int nv, size_t n, size_t k, size_t first, size_t last, backlog *b,
                  const eigen_work *w)
{
    for (size_t i = first; i < last; i++) {
        if (i >= b->first[k] && i < b->last[k])
            continue;
        UNROLL
        for (int u = 0; u < nv; u++) {
            w->c[k * n + i].v[u] = v_set(1.0);
            w->s[k * n + i].v[u] = v_set(0.0);
        }
    }
    b->first[k] = first;
    b->last[k] = last;
}

INLINE void clear_backlog(int nv, size_t n, backlog *b, const eigen_work *w, const eigen_job *job)
{
    for (size_t k = 0; k + 2 <= b->count; k += 2) {
        size_t first = b->first[k] < b->first[k + 1] ? b->first[k] : b->first[k + 1];
        size_t last = b->last[k] > b->last[k + 1] ? b->last[k] : b->last[k + 1];
        widen(nv, n, k, first, last, b, w);
        widen(nv, n, k + 1, first, last, b, w);
    }
    UNROLL
    for (int u = 0; u < nv; u++)
        rotate_all(u, n, b, w, job->Z[u]);
    b->count = 0;
}

/* A sweep whose rotations join the backlog; the vectors follow when it is full. */
INLINE void sweep_vectors(int nv, size_t n, size_t l, const block *k, backlog *b,
                          const eigen_work *w, const eigen_job *job)
{
    size_t slot = b->count++;
    b->first[slot] = l;
    b->last[slot] = k->end;
    sweep_rotations(nv, l, k, w, w->c + slot * n, w->s + slot * n);
    if (b->count == PENDING)
        clear_backlog(nv, n, b, w, job);
}

/* Runs QL to the end; lanes that did not converge are added to job->bad. */
INLINE void ql(int nv, int vectors, size_t n, const eigen_work *w, eigen_job *job)
{
    backlog pending = {0};
    for (size_t l = 0; l + 1 < n && !stop_within(n); l++) {
        block k = find_block(nv, n, l, w->d, w->e, !vectors);
        for (int sweep = 0; k.any && sweep < MAX_SWEEPS; sweep++) {
            if (vectors)
                sweep_vectors(nv, n, l, &k, &pending, w, job);
            else
                sweep_values(nv, l, &k, w);
            k = find_block(nv, n, l, w->d, w->e, !vectors);
        }
        UNROLL
        for (int u = 0; u < nv; u++)
            job->bad[u] |= k.active[u];
    }
    if (vectors)
        clear_backlog(nv, n, &pending, w, job);
}

/* ---- together -------------------------------------------------------------------------------- */

INLINE void solve_job(int nv, int vectors, size_t n, const eigen_work *w, eigen_job *job)
{
    UNROLL
    for (int u = 0; u < nv; u++) {
        job->bad[u] = scale_lanes(n, job->A[u], &job->scale_back[u]);
        tridiagonalise(n, job->A[u], u, w);
        if (vectors)
            form_q(n, job->A[u], w->h[u], job->Z[u]);
    }
    for (size_t i = 0; !vectors && i < n; i++) {
        UNROLL
        for (int u = 0; u < nv; u++)
            w->e[i].v[u] *= w->e[i].v[u];
    }
    ql(nv, vectors, n, w, job);
    for (size_t i = 0; i < n; i++) {
        UNROLL
        for (int u = 0; u < nv; u++)
            AT(job->lambda[u], i) =
                v_select(job->bad[u], v_set(NAN), w->d[i].v[u] * job->scale_back[u]);
    }
}

static void solve_values(int nv, size_t n, const eigen_work *w, eigen_job *job)
{
    if (nv == PAIR)
        solve_job(PAIR, 0, n, w, job);
    else
        solve_job(1, 0, n, w, job);
}

static void solve_vectors(int nv, size_t n, const eigen_work *w, eigen_job *job)
{
    if (nv == PAIR)
        solve_job(PAIR, 1, n, w, job);
    else
        solve_job(1, 1, n, w, job);
}

static eigen_work share_out(size_t n, double *work)
{
    eigen_work w;
    vp *pairs = (vp *)work;
    w.d = pairs;
    w.e = pairs + n;
    w.c = pairs + 2 * n;
    w.s = pairs + (2 + PENDING) * n;
    vd *single = (vd *)(pairs + (2 + 2 * PENDING) * n);
    w.h[0] = single;
    w.h[1] = single + n;
    w.p = single + 2 * n;
    w.q = single + 3 * n;
    return w;
}

static void solve_octets(size_t n, size_t octets, double *A, double *lambda, double *Z,
                         unsigned *bad, double *work)
{
    const size_t per_octet = LANES / VW, vectors = octets * per_octet;
    eigen_work w = share_out(n, work);
    for (size_t g = 0; g < octets; g++)
        bad[g] = 0;
    for (size_t v = 0; v < vectors; v += PAIR) {
        int nv = v + 1 < vectors ? PAIR : 1;
        eigen_job job;
        for (int u = 0; u < nv; u++) {
            size_t g = (v + (size_t)u) / per_octet, lane = (v + (size_t)u) % per_octet * VW;
            job.A[u] = A + g * TRI(n) * LANES + lane;
            job.lambda[u] = lambda + g * n * LANES + lane;
            job.Z[u] = Z ? Z + g * n * n * LANES + lane : NULL;
        }
        if (Z)
            solve_vectors(nv, n, &w, &job);
        else
            solve_values(nv, n, &w, &job);
        for (int u = 0; u < nv; u++) {
            size_t g = (v + (size_t)u) / per_octet, lane = (v + (size_t)u) % per_octet * VW;
            bad[g] |= v_bits(job.bad[u]) << lane;
        }
    }
}

void KERNEL(eigvals)(size_t n, size_t octets, double *A, double *lambda, unsigned *bad,
                     double *work)
{
    solve_octets(n, octets, A, lambda, NULL, bad, work);
}

void KERNEL(eigh)(size_t n, size_t octets, double *A, double *lambda, double *Z, unsigned *bad,
                  double *work)
{
    solve_octets(n, octets, A, lambda, Z, bad, work);
}

void KERNEL(rank)(size_t n, const double *lambda, size_t *rank)
{
    for (int l = 0; l < LANES; l += VW)
        for (size_t i = 0; i < n; i++) {
            vd x = CAT(lambda + l, i);
            vi below = (vi){0};
            for (size_t j = 0; j < i; j++)
                below -= CAT(lambda + l, j) <= x;
            for (size_t j = i + 1; j < n; j++)
                below -= CAT(lambda + l, j) < x;
            for (int v = 0; v < VW; v++)
                rank[i * LANES + (size_t)(l + v)] = (size_t)below[v];
        }
}
