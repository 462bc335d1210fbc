/* kernels_poles.c - functions of positive definite matrices without eigenvectors, in lockstep over
 * the lanes.
 *
 *   1. Q' A Q = T, tridiagonal (kernels_tridiagonal.h).
 *   2. low <= eigenvalues <= high, by Laguerre's iteration from outside on det(T - x I).
 *   3. f(T) = C I + sum_j w_j (T + s_j I)^-1 with the poles of poles.h for [low, high]. With
 *      B_r = d_r + s - e_r^2 / B_{r+1} from the last row upwards, G = (T + s I)^-1 is
 *          G(r,r) = 1/B_r + u_r^2 G(r-1,r-1),   G(r,c) = -u_r G(r-1,c),   u_r = e_{r-1}/B_r :
 *      all pivots are positive, and no entry of G comes from a difference.
 *   4. Q f(T) Q', reflector by reflector. Row r meets those up to number r on one side only (they
 *      do not reach its own column), all of them while it is in the nearest cache; the others turn
 *      rows and columns of the leading block, each pass fused with the product that the next one
 *      needs.
 *
 * That is 10/3 n^3 operations and O(n^2) for each pole, where eigenvectors take more than 9 n^3.
 * What is further apart than the poles reach, or not positive definite, is left to the caller. */
#include "linalg/kernels_tridiagonal.h"
#include "linalg/poles.h"

#define BOUND_STEPS 3
#define MARGIN      0.04 /* of the bounds, which rounding may have moved inwards */

#if VW == 8
#define GROUP 8 /* poles in the registers, for two columns */
#else
#define GROUP 4
#endif
_Static_assert(POLES_MOST % GROUP == 0, "all groups are full");

/* The poles of each lane, from which lanes with fewer poles have zeros behind. */
typedef struct lane_poles {
    size_t count;
    vd constant, shift[POLES_MOST], weight[POLES_MOST];
} lane_poles;

/* ---- bounds ---------------------------------------------------------------------------------- */

/* One step of Laguerre's iteration from x, below all eigenvalues of T (sign 1) or above (-1);
 * *sound <- lanes in which x is. The others stay. S1 and S2 are sums of 1/|lambda - x| and its
 * square, from the pivots q of T - x I and their derivatives. */
static vd closer(size_t n, vd sign, const eigen_work *w, vd x, vi *sound)
{
    vd first = v_set(0.0), second = v_set(0.0), off = v_set(0.0), r = off, s = off;
    vi good = (vi)(v_set(0.0)) == 0;
    for (size_t i = 0; i < n; i++) {
        vd q = sign * (w->d[i].v[0] - x) - off;
        good &= q > VANISHING;
        vd inverse = v_recip(v_select(q > VANISHING, q, v_set(1.0)));
        vd slope = (off * r - 1.0) * inverse;
        s = off * (s - 2.0 * r * r) * inverse;
        r = slope;
        first -= r;
        second += r * r - s;
        off = w->e[i].v[0] * w->e[i].v[0] * inverse;
    }
    double size = (double)n;
    vd square = v_max((size - 1.0) * (size * second - first * first), v_set(VANISHING));
    vd below = first + square * v_rsqrt(square);
    good &= below > VANISHING;
    *sound = good;
    return v_select(good, x + sign * size * v_recip(v_select(good, below, v_set(1.0))), x);
}

/* No eigenvalue of T is larger. */
static vd gershgorin(size_t n, const eigen_work *w)
{
    vd top = v_set(0.0), before = v_set(0.0);
    for (size_t i = 0; i < n; i++) {
        vd after = v_abs(w->e[i].v[0]);
        top = v_max(w->d[i].v[0] + before + after, top);
        before = after;
    }
    return top;
}

/* low and high <- bounds of T's eigenvalues; returns the lanes where all are positive. */
static vi enclose(size_t n, const eigen_work *w, vd *low, vd *high)
{
    vd top = gershgorin(n, w), bottom = v_set(0.0);
    vi definite, unused;
    bottom = closer(n, v_set(1.0), w, bottom, &definite);
    for (int step = 1; step < BOUND_STEPS; step++)
        bottom = closer(n, v_set(1.0), w, bottom, &unused);
    for (int step = 0; step < BOUND_STEPS; step++)
        top = closer(n, v_set(-1.0), w, top, &unused);
    *low = (1.0 - MARGIN) * bottom;
    *high = (1.0 + MARGIN) * top;
    return definite;
}

/* ---- which poles ----------------------------------------------------------------------------- */

/* The first range that holds low and high. */
static size_t range_of(double low, double high)
{
    size_t range = 0;
    while (range + 1 < POLES_RANGES && low * poles_reach(range) < high)
        range++;
    return range;
}

/* Lane l: the poles of f for T/unit, whose eigenvalues are from 1 on, so that the sum is of
 * f(back T) = factor f(T/unit), and for the logarithm with an addend. */
static void set_lane(poles_function f, int l, size_t range, double unit, double factor,
                     double addend, lane_poles *p)
{
    poles table;
    poles_get(f, range, &table);
    p->constant[l] = factor * table.constant + addend;
    p->count = table.count > p->count ? table.count : p->count;
    for (size_t j = 0; j < POLES_MOST; j++) {
        p->shift[j][l] = j < table.count ? unit * table.shift[j] : unit;
        p->weight[j][l] = j < table.count ? factor * unit * table.weight[j] : 0.0;
    }
}

/* Lanes that can be served, with their poles; the others get any. The constant of the square root
 * is some 15 times the largest root that the poles reach: there the range ends at `high`. */
static vi choose_poles(poles_function f, vi good, vd low, vd high, vd back, lane_poles *p)
{
    size_t range[VW];
    good &= high <= poles_reach(POLES_RANGES - 1) * low;
    good &= (low * back > 0x1p-900) & (high * back < 0x1p900);
    vd unit = v_select(good, low, v_set(1.0));
    for (int l = 0; l < VW; l++) {
        range[l] = range_of(unit[l], high[l]);
        if (f == POLES_SQRT && high[l] > unit[l])
            unit[l] = high[l] / poles_reach(range[l]);
    }
    vd whole = v_select(good, unit * back, v_set(1.0)), factor = v_rsqrt(whole);
    vd addend = v_set(0.0);
    if (f == POLES_SQRT)
        factor *= whole;
    if (f == POLES_LOG) {
        factor = v_set(1.0);
        addend = v_log(whole);
    }
    p->count = 0;
    for (int l = 0; l < VW; l++)
        set_lane(f, l, range[l], unit[l], factor[l], addend[l], p);
    return good;
}

/* ---- f(T) ------------------------------------------------------------------------------------ */

/* Ratios -u_r and diagonals w G(r,r) of GROUP poles from number j on: n x GROUP each. */
static void prepare_group(size_t n, const eigen_work *w, const lane_poles *p, size_t j, vd *ratio,
                          vd *diagonal)
{
    vd off[GROUP], before[GROUP];
    UNROLL
    for (int g = 0; g < GROUP; g++)
        off[g] = v_set(0.0);
    for (size_t r = n; r-- > 0;) {
        vd e = r > 0 ? w->e[r - 1].v[0] : v_set(0.0), d = w->d[r].v[0];
        UNROLL
        for (int g = 0; g < GROUP; g++) {
            vd inverse = v_recip(d + p->shift[j + (size_t)g] - off[g]);
            off[g] = e * e * inverse;
            ratio[r * GROUP + (size_t)g] = -e * inverse;
            diagonal[r * GROUP + (size_t)g] = p->weight[j + (size_t)g] * inverse;
        }
    }
    UNROLL
    for (int g = 0; g < GROUP; g++)
        before[g] = v_set(0.0);
    for (size_t r = 0; r < n; r++) {
        UNROLL
        for (int g = 0; g < GROUP; g++) {
            vd u = ratio[r * GROUP + (size_t)g];
            before[g] = diagonal[r * GROUP + (size_t)g] + u * u * before[g];
            diagonal[r * GROUP + (size_t)g] = before[g];
        }
    }
}

INLINE vd sum_of(const vd *x)
{
    vd a = x[0] + x[1], b = x[2] + x[3];
#if GROUP == 8
    vd c = x[4] + x[5], d = x[6] + x[7];
    return (a + b) + (c + d);
#else
    return a + b;
#endif
}

/* F(r,c) += the sum of the group's entries x there. */
INLINE void add_row(size_t r, size_t c, const vd *x, double *F)
{
    AT(tri_row(F, r), c) += sum_of(x);
}

/* x <- u_r x, the entries one row below. */
INLINE void step_down(size_t r, const vd *ratio, vd *x)
{
    UNROLL
    for (int g = 0; g < GROUP; g++)
        x[g] *= ratio[r * GROUP + (size_t)g];
}

/* Columns c and, with two, c + 1 of F += those of the group's sum. */
INLINE void add_columns(int two, size_t n, size_t c, const vd *ratio, const vd *diagonal, double *F)
{
    vd x[GROUP], y[GROUP];
    UNROLL
    for (int g = 0; g < GROUP; g++) {
        x[g] = diagonal[c * GROUP + (size_t)g];
        y[g] = two ? diagonal[(c + 1) * GROUP + (size_t)g] : v_set(0.0);
    }
    add_row(c, c, x, F);
    if (!two)
        return;
    step_down(c + 1, ratio, x);
    add_row(c + 1, c, x, F);
    add_row(c + 1, c + 1, y, F);
    for (size_t r = c + 2; r < n; r++) {
        step_down(r, ratio, x);
        step_down(r, ratio, y);
        add_row(r, c, x, F);
        add_row(r, c + 1, y, F);
    }
}

/* F (TRI) <- f(T); ratio and diagonal: n x GROUP. */
static void sum_poles(size_t n, const eigen_work *w, const lane_poles *p, double *F, vd *ratio,
                      vd *diagonal)
{
    for (size_t e = 0; e < TRI(n); e++)
        AT(F, e) = v_set(0.0);
    for (size_t j = 0; j < p->count && !stop_within(n); j += GROUP) {
        prepare_group(n, w, p, j, ratio, diagonal);
        size_t c = 0;
        for (; c + 2 <= n; c += 2)
            add_columns(1, n, c, ratio, diagonal, F);
        if (c < n)
            add_columns(0, n, c, ratio, diagonal, F);
    }
    for (size_t r = 0; r < n; r++)
        AT(tri_row(F, r), r) += p->constant;
}

/* ---- Q F Q' ---------------------------------------------------------------------------------- */

/* Rows R .. R+nr-1 of F <- themselves times reflectors 2 .. last, in the rows of A, last <= R. A
 * pass takes the one away and has the product with the next. */
INLINE void turn_rows(int nr, size_t R, size_t last, const double *A, const vd *h, double *F)
{
    double *row[TILE];
    vd pending[TILE], dot[TILE];
    const double *u = ctri_row(A, 1);
    UNROLL
    for (int a = 0; a < nr; a++) {
        row[a] = tri_row(F, R + (size_t)a);
        pending[a] = v_set(0.0);
    }
    for (size_t i = 2; i <= last; i++) {
        const double *next = ctri_row(A, i);
        UNROLL
        for (int a = 0; a < nr; a++)
            dot[a] = CAT(row[a], i - 1) * CAT(next, i - 1);
        for (size_t k = 0; k + 1 < i; k++) {
            vd uk = CAT(u, k), nk = CAT(next, k);
            UNROLL
            for (int a = 0; a < nr; a++) {
                vd x = CAT(row[a], k) - pending[a] * uk;
                AT(row[a], k) = x;
                dot[a] += x * nk;
            }
        }
        UNROLL
        for (int a = 0; a < nr; a++)
            pending[a] = dot[a] * h[i];
        u = next;
    }
    for (size_t k = 0; k < last; k++) {
        UNROLL
        for (int a = 0; a < nr; a++)
            AT(row[a], k) -= pending[a] * CAT(u, k);
    }
}

/* Row R alone by the reflectors first .. R. */
static void turn_rest(size_t R, size_t first, const double *A, const vd *h, double *F)
{
    double *row = tri_row(F, R);
    for (size_t i = first; i <= R; i++) {
        const double *u = ctri_row(A, i);
        vd dot = v_set(0.0);
        for (size_t k = 0; k < i; k++)
            dot += CAT(row, k) * CAT(u, k);
        dot *= h[i];
        for (size_t k = 0; k < i; k++)
            AT(row, k) -= dot * CAT(u, k);
    }
}

static void turn_outer_rows(size_t n, const double *A, const vd *h, double *F)
{
    size_t R = 2;
    for (; R + TILE <= n && !stop_within(n); R += TILE) {
        turn_rows(TILE, R, R, A, h, F);
        for (size_t a = 1; a < TILE; a++)
            turn_rest(R + a, R + 1, A, h, F);
    }
    for (; R < n; R++)
        turn_rows(1, R, R, A, h, F);
}

/* F <- Q F Q'; the diagonal of A is overwritten with zeros, which end each reflector. */
static void turn_back(size_t n, double *A, const eigen_work *w, double *F)
{
    const vd *h = w->h[0];
    update t = {.u = ctri_row(A, n > 1), .q = w->q, .p = w->p};
    for (size_t i = 0; i < n; i++) {
        AT(tri_row(A, i), i) = v_set(0.0);
        w->q[i] = w->p[i] = v_set(0.0);
    }
    turn_outer_rows(n, A, h, F);
    for (size_t i = 2; i < n && !stop_within(n); i++) {
        t.next = ctri_row(A, i);
        update_triangle(i, F, &t);
        finish_q(i, t.next, h[i], t.p);
        t.p[i] = v_set(0.0);
        vd *spent = t.q;
        t.u = t.next;
        t.q = t.p;
        t.p = spent;
    }
    for (size_t j = 0; j + 1 < n; j++)
        update_row(j, F, &t);
}

/* ---- together -------------------------------------------------------------------------------- */

/* work: 7 n vectors. */
static eigen_work share_out(size_t n, double *work)
{
    vp *pairs = (vp *)work;
    vd *single = (vd *)(pairs + 2 * n);
    eigen_work w = {.d = pairs, .e = pairs + n, .h = {single}, .p = single + n};
    w.q = single + 2 * n;
    return w;
}

/* Lanes served. F: TRI x 8; groups: 2 x n x GROUP vectors. */
static vi function_of(size_t n, poles_function f, double *A, double *edges, const eigen_work *w,
                      double *F, vd *groups)
{
    vd low, high, back;
    lane_poles p;
    vi bad = scale_lanes(n, A, &back);
    tridiagonalise(n, A, 0, w);
    vi good = enclose(n, w, &low, &high) & ~bad;
    good = choose_poles(f, good, low, high, back, &p);
    AT(edges, 0) = low * back;
    AT(edges, 1) = high * back;
    if (!v_any(good))
        return good;
    for (size_t i = 0; i < n; i++) { /* of the others any matrix */
        w->d[i].v[0] = v_select(good, w->d[i].v[0], v_set(1.0));
        w->e[i].v[0] = v_select(good, w->e[i].v[0], v_set(0.0));
    }
    sum_poles(n, w, &p, F, groups, groups + n * GROUP);
    turn_back(n, A, w, F);
    for (size_t e = 0; e < TRI(n); e++)
        AT(A, e) = CAT(F, e);
    return good;
}

static unsigned by_poles_lanes(int lanes, size_t n, int f, double *A, double *edges, double *work)
{
    unsigned missed = 0;
    double *F = work, *groups = F + TRI(n) * LANES, *rest = groups + 2 * n * GROUP * LANES;
    for (int l = 0; l < lanes; l += VW) {
        eigen_work w = share_out(n, rest);
        vi good = function_of(n, (poles_function)f, A + l, edges + l, &w, F + l, (vd *)groups);
        missed |= (~v_bits(good) & ((1u << VW) - 1u)) << l;
    }
    return missed;
}

unsigned KERNEL(by_poles)(size_t n, int f, double *A, double *edges, double *work)
{
    return by_poles_lanes(LANES, n, f, A, edges, work);
}

unsigned KERNEL(few_by_poles)(size_t n, int f, double *A, double *edges, double *work)
{
    return by_poles_lanes(FEW_LANES, n, f, A, edges, work) & ((1u << FEW_LANES) - 1u);
}

/* ---- one matrix alone ------------------------------------------------------------------------ */

/* Bounds of the eigenvalues of one T, from below and from above side by side in two lanes. */
static int enclose_one(size_t n, const eigen_work *w, double *low, double *high)
{
    vd x = v_set(0.0), sign = v_set(1.0);
    vi sound, definite;
    x[1] = gershgorin(n, w)[0];
    sign[1] = -1.0;
    x = closer(n, sign, w, x, &definite);
    for (int step = 1; step < BOUND_STEPS; step++)
        x = closer(n, sign, w, x, &sound);
    *low = (1.0 - MARGIN) * x[0];
    *high = (1.0 + MARGIN) * x[1];
    return definite[0] != 0;
}

/* Ratios and diagonals as in prepare_group for all poles of p, which stand in the lanes: n x count
 * each. */
static void prepare_one(size_t n, const eigen_work *w, const poles *p, double *ratio,
                        double *diagonal)
{
    for (size_t j = 0; j < p->count; j += VW) {
        vd shift = *(const vu *)(p->shift + j), weight = *(const vu *)(p->weight + j);
        vd off = v_set(0.0), before = v_set(0.0);
        for (size_t r = n; r-- > 0;) {
            vd e = v_set(0.0);
            if (r > 0)
                e = w->e[r - 1].v[0];
            vd inverse = v_recip(w->d[r].v[0] + shift - off);
            off = e * e * inverse;
            *(vu *)(ratio + r * p->count + j) = -e * inverse;
            *(vu *)(diagonal + r * p->count + j) = weight * inverse;
        }
        for (size_t r = 0; r < n; r++) {
            vd u = *(const vu *)(ratio + r * p->count + j);
            before = *(const vu *)(diagonal + r * p->count + j) + u * u * before;
            *(vu *)(diagonal + r * p->count + j) = before;
        }
    }
}

/* The squared norm of C I + sum over the poles, row by row; G (count x width): the last row of each
 * pole, which becomes the next one. */
static double square_one(size_t n, size_t width, const poles *p, const double *ratio,
                         const double *diagonal, double *G)
{
    vd below = v_set(0.0);
    double whole = 0.0;
    for (size_t e = 0; e < p->count * width; e++)
        G[e] = 0.0;
    for (size_t r = 0; r < n; r++, ratio += p->count, diagonal += p->count) {
        double own = p->constant;
        for (size_t c = 0; c < r; c += VW) {
            vd even = v_set(0.0), odd = v_set(0.0);
            for (size_t j = 0; j < p->count; j += 2) {
                vd *x = (vd *)(G + j * width + c), *y = (vd *)(G + (j + 1) * width + c);
                *x *= v_set(ratio[j]);
                *y *= v_set(ratio[j + 1]);
                even += *x;
                odd += *y;
            }
            even += odd;
            below += even * even;
        }
        for (size_t j = 0; j < p->count; j++) {
            own += diagonal[j];
            G[j * width + r] = diagonal[j];
        }
        whole += own * own;
    }
    for (int l = 0; l < VW; l++)
        whole += 2.0 * below[l];
    return whole;
}

/* T is given by its diagonal d (n) and what is beside it, e (n - 1). */
double KERNEL(log_norm2)(size_t n, const double *d, const double *e, double *work)
{
    size_t width = (n + LANES - 1) / LANES * LANES;
    double *ratio = work, *diagonal = ratio + n * POLES_MOST, *G = diagonal + n * POLES_MOST;
    eigen_work w = share_out(n, G + width * POLES_MOST);
    double low, high;
    poles p;
    for (size_t i = 0; i < n; i++) {
        w.d[i].v[0] = v_set(d[i]);
        w.e[i].v[0] = v_set(i + 1 < n ? e[i] : 0.0);
    }
    if (!enclose_one(n, &w, &low, &high) || !(low > 0x1p-900 && high < 0x1p900) ||
        !(high <= low * poles_reach(POLES_RANGES - 1)))
        return NAN;
    poles_get(POLES_LOG, range_of(low, high), &p);
    for (size_t j = 0; j < p.count; j++) {
        p.shift[j] *= low;
        p.weight[j] *= low;
    }
    p.constant += log(low);
    prepare_one(n, &w, &p, ratio, diagonal);
    return square_one(n, width, &p, ratio, diagonal, G);
}
