/* quick.c - the module spdml._quick: a few functions of libspdml without the cost of ctypes.
 *
 * A call through ctypes, with what numpy and Python do around it, takes longer than the distance of
 * two 8 x 8 matrices. Here arrays are taken by their buffers, looked at and handed on in less than a
 * microsecond. Only the usual case is served: aligned C-contiguous arrays of float64, symmetric ones,
 * and a call that succeeds. Anything else is answered by None, and the caller goes the long way, which
 * has the conversions and the messages.
 *
 * The library itself is loaded by _core/library.py; `bind` is told where its functions are. Built for the
 * limited API of Python 3.11: one file serves that version and all later ones. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "flat.h"
#include "spdml.h"

#define LITTLE         50000.0 /* operations below which other threads need not be let in */

static struct {
    void (*set_threads)(spd_context *ctx, int threads);
    void (*set_engine)(spd_context *ctx, spd_engine engine);
    void (*set_progress)(spd_context *ctx, spd_progress_fn fn, void *user);
    spd_status (*distance2)(spd_context *ctx, spd_metric metric, size_t n, const double *X,
                            const double *Y, double *d2);
    spd_status (*pairwise2)(spd_context *ctx, spd_metric metric, const spd_set *X,
                            const spd_set *Y, double *D2);
    spd_status (*mean)(spd_context *ctx, spd_metric metric, const spd_set *X,
                       const spd_mean_options *options, double *M, spd_mean_info *info);
    spd_status (*geodesics)(spd_context *ctx, spd_metric metric, const spd_set *X,
                            const spd_set *Y, size_t steps, const double *t, double *G);
    spd_status (*apply)(spd_context *ctx, spd_function f, double power, const spd_set *X,
                        double *F);
    spd_status (*congruence)(spd_context *ctx, const spd_set *X, size_t m, const double *W,
                             double *S);
    spd_status (*cholesky)(spd_context *ctx, const spd_set *X, double *L);
    spd_status (*inverse)(spd_context *ctx, const spd_set *X, double *Xinv);
    spd_status (*eigh_general)(spd_context *ctx, const spd_set *X, const spd_set *Y, double *lambda,
                               double *V);
    void (*flat_mean)(size_t p, size_t n, size_t m, const double *weight, const double *X,
                      double *M);
} library;

/* ---- arrays ------------------------------------------------------------------------------------ */

/* Sets of square matrices: p x n x n, or n x n with p = 1. */
typedef struct matrices {
    Py_buffer view;
    size_t n, p;
    double *at;
} matrices;

/* 0 and no exception where `object` is not an array of doubles as we want it. */
static int take(PyObject *object, int flags, int least, int most, Py_buffer *view)
{
    if (PyObject_GetBuffer(object, view, flags | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (view->ndim >= least && view->ndim <= most && view->format && strcmp(view->format, "d") == 0 &&
        (uintptr_t)view->buf % sizeof(double) == 0 && view->len > 0)
        return 1;
    PyBuffer_Release(view);
    return 0;
}

static int take_matrices(PyObject *object, int flags, matrices *m)
{
    if (!take(object, flags, 2, 3, &m->view))
        return 0;
    const Py_ssize_t *shape = m->view.shape + (m->view.ndim - 2);
    m->p = m->view.ndim == 3 ? (size_t)m->view.shape[0] : 1;
    m->n = (size_t)shape[0];
    m->at = m->view.buf;
    if (shape[0] == shape[1])
        return 1;
    PyBuffer_Release(&m->view);
    return 0;
}

/* As the library takes them. */
#define set_of(m) SPD_SET((m)->n, (m)->p, (m)->at)

/* ---- symmetry ---------------------------------------------------------------------------------- */

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t pair_bits __attribute__((vector_size(16), may_alias));

static pair largest(pair a, pair b)
{
    pair_bits above = a > b; /* of NaN: no */
    return (pair)(((pair_bits)a & above) | ((pair_bits)b & ~above));
}

static pair size_of(pair a)
{
    const pair_bits sign = {INT64_MIN, INT64_MIN};
    return (pair)((pair_bits)a & ~sign);
}

/* What was found in some entries: largest |x_ij - x_ji| and |x_ij|, each in two parts. */
typedef struct found {
    pair gap, entry;
} found;

/* Two by two entries from (r,c) on against those from (c,r) on. */
static inline void compare_four(size_t n, size_t r, size_t c, const double *X, found *f)
{
    const double *a = X + r * n + c, *t = X + c * n + r;
    pair x = *(const pair *)a, y = *(const pair *)(a + n);
    pair u = *(const pair *)t, v = *(const pair *)(t + n);
    f->gap = largest(size_of(x - (pair){u[0], v[0]}), f->gap);
    f->gap = largest(size_of(y - (pair){u[1], v[1]}), f->gap);
    f->entry = largest(size_of(x), f->entry);
    f->entry = largest(size_of(y), f->entry);
}

/* Blocks of eight by eight, a cache line wide: columns of large matrices lie far apart. */
#define BLOCK 8

static void compare_blocks(size_t n, size_t even, const double *X, found *f)
{
    for (size_t I = 0; I < even; I += BLOCK)
        for (size_t J = 0; J <= I; J += BLOCK)
            for (size_t r = I; r < I + BLOCK && r < even; r += 2)
                for (size_t c = J; c < J + BLOCK && c <= r; c += 2)
                    compare_four(n, r, c, X, f);
}

/* Do entries ij and ji differ by at most tolerance times the largest entry? NaN is no difference. */
static int is_symmetric(size_t n, const double *X, double tolerance)
{
    found f = {{0.0, 0.0}, {0.0, 0.0}};
    compare_blocks(n, n / 2 * 2, X, &f);
    for (size_t c = 0, r = n - 1; n % 2 && c < n; c++) {
        double x = X[r * n + c];
        f.gap = largest((pair){fabs(x - X[c * n + r]), 0.0}, f.gap);
        f.entry = largest((pair){fabs(x), 0.0}, f.entry);
    }
    double apart = f.gap[0] > f.gap[1] ? f.gap[0] : f.gap[1];
    double most = f.entry[0] > f.entry[1] ? f.entry[0] : f.entry[1];
    return apart == 0.0 || apart <= tolerance * most;
}

/* Number of the first matrix that is not symmetric; p: all are. */
static size_t first_skew(const matrices *m, double tolerance)
{
    size_t i = 0, n2 = m->n * m->n;
    for (; i < m->p && is_symmetric(m->n, m->at + i * n2, tolerance); i++)
        for (size_t e = 0; e < n2 && m->n <= 128 && i + 2 < m->p; e += BLOCK) /* the one after next */
            __builtin_prefetch(m->at + (i + 2) * n2 + e);
    return i;
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* The library asks now and then: Ctrl-C is heard here. An exception stays until the call is over. */
static int hear_signals(void *user, const spd_progress *progress)
{
    (void)user;
    (void)progress;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_Occurred() || PyErr_CheckSignals() < 0;
    PyGILState_Release(state);
    return stop;
}

/* The context of the thread, set to what it is for here: others use it too. */
static spd_context *context_of(PyObject *object, long threads)
{
    spd_context *ctx = PyLong_AsVoidPtr(object);
    if (PyErr_Occurred() || !ctx)
        return NULL;
    library.set_threads(ctx, (int)threads);
    library.set_engine(ctx, SPD_ENGINE_CPU);
    library.set_progress(ctx, hear_signals, NULL);
    return ctx;
}

/* Lets other threads run during long work. */
static PyThreadState *let_go(double operations)
{
    return operations > LITTLE ? PyEval_SaveThread() : NULL;
}

/* After the call: True, None for the long way, or NULL with what a signal has raised. */
static PyObject *answer(PyThreadState *held, spd_status status)
{
    if (held)
        PyEval_RestoreThread(held);
    if (PyErr_Occurred())
        return NULL;
    return status == SPD_OK ? Py_NewRef(Py_True) : Py_NewRef(Py_None);
}

static double cube(const matrices *m)
{
    return (double)m->n * (double)m->n * (double)m->n * (double)m->p;
}

/* pair(ctx, metric, A, B, tolerance) -> squared distance or None */
static PyObject *quick_pair(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    matrices A, B;
    double d2 = NAN;
    (void)self;
    if (count != 5)
        return PyErr_Format(PyExc_TypeError, "five arguments are needed");
    spd_context *ctx = context_of(args[0], 1);
    long metric = PyLong_AsLong(args[1]);
    double tolerance = PyFloat_AsDouble(args[4]);
    if (PyErr_Occurred())
        return NULL;
    if (!take_matrices(args[2], 0, &A))
        return Py_NewRef(Py_None);
    if (!take_matrices(args[3], 0, &B)) {
        PyBuffer_Release(&A.view);
        return Py_NewRef(Py_None);
    }
    int good = A.view.ndim == 2 && B.view.ndim == 2 && A.n == B.n &&
               is_symmetric(A.n, A.at, tolerance) && is_symmetric(B.n, B.at, tolerance);
    PyThreadState *held = good ? let_go(cube(&A)) : NULL;
    if (good)
        good = library.distance2(ctx, (spd_metric)metric, A.n, A.at, B.at, &d2) == SPD_OK;
    if (held)
        PyEval_RestoreThread(held);
    PyBuffer_Release(&A.view);
    PyBuffer_Release(&B.view);
    return good ? PyFloat_FromDouble(d2) : PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

/* What mean, apply, factor, joint and geodesics share: matrices in and matrices out. */
typedef struct job {
    spd_context *ctx;
    matrices X, Y, out;
    int has_y, good;
} job;

static job job_open(PyObject *ctx, PyObject *threads, PyObject *X, PyObject *Y, PyObject *out,
                    PyObject *tolerance)
{
    job j = {.has_y = 0, .good = 0};
    double most = PyFloat_AsDouble(tolerance);
    j.ctx = context_of(ctx, PyLong_AsLong(threads));
    if (!j.ctx || PyErr_Occurred() || !take_matrices(X, 0, &j.X))
        return j;
    j.good = take_matrices(out, PyBUF_WRITABLE, &j.out);
    if (!j.good) {
        PyBuffer_Release(&j.X.view);
        return j;
    }
    j.has_y = j.good && Y != Py_None && take_matrices(Y, 0, &j.Y);
    int fits = j.out.n == j.X.n && first_skew(&j.X, most) == j.X.p && (Y == Py_None || j.has_y);
    if (j.has_y)
        fits = fits && j.Y.n == j.X.n && j.Y.p == j.X.p && first_skew(&j.Y, most) == j.Y.p;
    j.good = fits ? 1 : -1;
    return j;
}

static void job_close(job *j)
{
    if (!j->good)
        return;
    PyBuffer_Release(&j->X.view);
    PyBuffer_Release(&j->out.view);
    if (j->has_y)
        PyBuffer_Release(&j->Y.view);
}

static PyObject *job_end(job *j, PyThreadState *held, spd_status status)
{
    PyObject *result = answer(held, status);
    job_close(j);
    return result;
}

/* mean(ctx, threads, metric, X, tol, max_iter, M, tolerance) -> True or None */
static PyObject *quick_mean(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 8)
        return PyErr_Format(PyExc_TypeError, "eight arguments are needed");
    spd_mean_options options = SPD_STRUCT(spd_mean_options);
    spd_metric metric = (spd_metric)PyLong_AsLong(args[2]);
    options.tol = PyFloat_AsDouble(args[4]);
    options.max_iter = (int)PyLong_AsLong(args[5]);
    if (PyErr_Occurred())
        return NULL;
    job j = job_open(args[0], args[1], args[3], Py_None, args[6], args[7]);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (j.good == 1 && j.out.p == 1 && j.X.view.ndim == 3) {
        held = let_go(cube(&j.X));
        status = library.mean(j.ctx, metric, set_of(&j.X), &options, j.out.at, NULL);
    }
    return job_end(&j, held, status);
}

/* apply(ctx, threads, function, power, X, F, tolerance) -> True or None */
static PyObject *quick_apply(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 7)
        return PyErr_Format(PyExc_TypeError, "seven arguments are needed");
    spd_function function = (spd_function)PyLong_AsLong(args[2]);
    double power = PyFloat_AsDouble(args[3]);
    if (PyErr_Occurred())
        return NULL;
    job j = job_open(args[0], args[1], args[4], Py_None, args[5], args[6]);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (j.good == 1 && j.out.p == j.X.p) {
        held = let_go(cube(&j.X));
        status = library.apply(j.ctx, function, power, set_of(&j.X), j.out.at);
    }
    return job_end(&j, held, status);
}

/* factor(ctx, threads, inverse, X, F, tolerance) -> True or None: Cholesky factors, or inverses */
static PyObject *quick_factor(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 6)
        return PyErr_Format(PyExc_TypeError, "six arguments are needed");
    int inverse = PyObject_IsTrue(args[2]);
    job j = job_open(args[0], args[1], args[3], Py_None, args[4], args[5]);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (j.good == 1 && j.out.p == j.X.p) {
        held = let_go(cube(&j.X));
        status = (inverse ? library.inverse : library.cholesky)(j.ctx, set_of(&j.X), j.out.at);
    }
    return job_end(&j, held, status);
}

/* joint(ctx, threads, X, Y, E, tolerance) -> True or None: E (n x n), its first row <- the
 * eigenvalues of X v = lambda Y v, of two matrices */
static PyObject *quick_joint(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 6)
        return PyErr_Format(PyExc_TypeError, "six arguments are needed");
    job j = job_open(args[0], args[1], args[2], args[3], args[4], args[5]);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (j.good == 1 && j.has_y && j.X.p == 1) {
        held = let_go(cube(&j.X));
        status = library.eigh_general(j.ctx, set_of(&j.X), set_of(&j.Y), j.out.at, NULL);
    }
    return job_end(&j, held, status);
}

/* geodesics(ctx, threads, metric, X, Y, t, G, tolerance) -> True or None; t is one number */
static PyObject *quick_geodesics(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    (void)self;
    if (count != 8)
        return PyErr_Format(PyExc_TypeError, "eight arguments are needed");
    spd_metric metric = (spd_metric)PyLong_AsLong(args[2]);
    double t = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred())
        return NULL;
    job j = job_open(args[0], args[1], args[3], args[4], args[6], args[7]);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (j.good == 1 && j.has_y && j.out.p == j.X.p) {
        held = let_go(cube(&j.X));
        status = library.geodesics(j.ctx, metric, set_of(&j.X), set_of(&j.Y), 1, &t, j.out.at);
    }
    return job_end(&j, held, status);
}

/* pairwise(ctx, threads, metric, X, Y or None, D2, tolerance) -> True or None */
static PyObject *quick_pairwise(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    matrices X, Y = {.p = 0};
    Py_buffer D2;
    (void)self;
    if (count != 7)
        return PyErr_Format(PyExc_TypeError, "seven arguments are needed");
    spd_context *ctx = context_of(args[0], PyLong_AsLong(args[1]));
    spd_metric metric = (spd_metric)PyLong_AsLong(args[2]);
    double tolerance = PyFloat_AsDouble(args[6]);
    if (PyErr_Occurred())
        return NULL;
    int has_y = args[4] != Py_None;
    int got_x = ctx && take_matrices(args[3], 0, &X);
    int got_y = got_x && has_y && take_matrices(args[4], 0, &Y);
    int got_d = got_x && got_y == has_y && take(args[5], PyBUF_WRITABLE, 2, 2, &D2);
    size_t p = got_x ? X.p : 0, q = has_y ? Y.p : p;
    int good = got_d && D2.shape[0] == (Py_ssize_t)p && D2.shape[1] == (Py_ssize_t)q &&
               (!has_y || Y.n == X.n) && first_skew(&X, tolerance) == p &&
               (!has_y || first_skew(&Y, tolerance) == q);
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (good) {
        held = let_go(cube(&X) * (double)q);
        status = library.pairwise2(ctx, metric, set_of(&X), has_y ? set_of(&Y) : NULL, D2.buf);
    }
    PyObject *result = answer(held, status);
    if (got_x)
        PyBuffer_Release(&X.view);
    if (got_y)
        PyBuffer_Release(&Y.view);
    if (got_d)
        PyBuffer_Release(&D2);
    return result;
}

/* congruence(ctx, threads, X, W, S, tolerance) -> True or None: W'XW, no larger, of finite X */
static PyObject *quick_congruence(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    matrices X, S;
    Py_buffer W;
    (void)self;
    if (count != 6)
        return PyErr_Format(PyExc_TypeError, "six arguments are needed");
    spd_context *ctx = context_of(args[0], PyLong_AsLong(args[1]));
    double tolerance = PyFloat_AsDouble(args[5]);
    if (PyErr_Occurred())
        return NULL;
    int got_x = ctx && take_matrices(args[2], 0, &X);
    int got_w = got_x && take(args[3], 0, 2, 2, &W);
    int got_s = got_w && take_matrices(args[4], PyBUF_WRITABLE, &S);
    int good = got_s && W.shape[0] == (Py_ssize_t)X.n && W.shape[1] == (Py_ssize_t)S.n &&
               S.n <= X.n && S.p == X.p && flat_finite(X.p * X.n * X.n, X.at) &&
               first_skew(&X, tolerance) == X.p;
    spd_status status = SPD_EINVAL;
    PyThreadState *held = NULL;
    if (good) {
        held = let_go(cube(&X));
        status = library.congruence(ctx, set_of(&X), S.n, W.buf, S.at);
    }
    PyObject *result = answer(held, status);
    if (got_x)
        PyBuffer_Release(&X.view);
    if (got_w)
        PyBuffer_Release(&W);
    if (got_s)
        PyBuffer_Release(&S.view);
    return result;
}

/* mean_flat(X, M) -> True or None: the Euclidean mean of p arrays of any shape */
static PyObject *quick_mean_flat(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer X, M;
    (void)self;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "two arguments are needed");
    if (!take(args[0], 0, 3, 3, &X))
        return Py_NewRef(Py_None);
    if (!take(args[1], PyBUF_WRITABLE, 2, 2, &M)) {
        PyBuffer_Release(&X);
        return Py_NewRef(Py_None);
    }
    size_t p = (size_t)X.shape[0], n = (size_t)X.shape[1], m = (size_t)X.shape[2];
    int good = M.shape[0] == X.shape[1] && M.shape[1] == X.shape[2];
    PyThreadState *held = good ? let_go((double)p * (double)n * (double)m) : NULL;
    if (good)
        library.flat_mean(p, n, m, NULL, X.buf, M.buf);
    good = good && flat_finite(n * m, M.buf);
    PyObject *result = answer(held, good ? SPD_OK : SPD_EINVAL);
    PyBuffer_Release(&X);
    PyBuffer_Release(&M);
    return result;
}

/* apart(A, B, d2) -> True or None: squared Euclidean distances between p arrays A and p or one B;
 * without d2 the squared distance of two matrices. */
static PyObject *quick_apart(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer A, B, d2 = {.buf = NULL};
    double one, *to = &one;
    (void)self;
    if (count != 2 && count != 3)
        return PyErr_Format(PyExc_TypeError, "two or three arguments are needed");
    int many = count == 3, got_a = take(args[0], 0, 2 + many, 2 + many, &A);
    int got_b = got_a && take(args[1], 0, 2, 2 + many, &B);
    int got_d = got_b && many && take(args[2], PyBUF_WRITABLE, 1, 1, &d2);
    size_t p = got_d ? (size_t)A.shape[0] : 1, size = got_b ? (size_t)A.len / p / sizeof(double) : 0;
    int good = got_b && got_d == many &&
               memcmp(A.shape + many, B.shape + (B.ndim - 2), 2 * sizeof *A.shape) == 0 &&
               (B.ndim == 2 || B.len == A.len) && (!many || d2.shape[0] == A.shape[0]);
    PyThreadState *held = good ? let_go((double)p * (double)size) : NULL;
    if (good && many)
        to = d2.buf;
    for (size_t i = 0; good && i < p; i++)
        to[i] = flat_apart(size, (const double *)A.buf + i * size,
                           (const double *)B.buf + (B.ndim == 3 ? i * size : 0));
    good = good && flat_finite(p, to);
    PyObject *result = answer(held, good ? SPD_OK : SPD_EINVAL);
    if (got_a)
        PyBuffer_Release(&A);
    if (got_b)
        PyBuffer_Release(&B);
    if (got_d)
        PyBuffer_Release(&d2);
    if (result != Py_True || many)
        return result;
    Py_DECREF(result);
    return PyFloat_FromDouble(one);
}

/* between(A, B, t, G) -> True or None: (1 - t) A + t B of arrays of one shape */
static PyObject *quick_between(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer A, B, G;
    (void)self;
    if (count != 4)
        return PyErr_Format(PyExc_TypeError, "four arguments are needed");
    double t = PyFloat_AsDouble(args[2]);
    if (PyErr_Occurred())
        return NULL;
    int got_a = take(args[0], 0, 2, 3, &A), got_b = got_a && take(args[1], 0, 2, 3, &B);
    int got_g = got_b && take(args[3], PyBUF_WRITABLE, 2, 3, &G);
    int good = got_g && A.ndim == B.ndim && A.ndim == G.ndim &&
               memcmp(A.shape, B.shape, (size_t)A.ndim * sizeof *A.shape) == 0 &&
               memcmp(A.shape, G.shape, (size_t)A.ndim * sizeof *A.shape) == 0;
    size_t size = good ? (size_t)A.len / sizeof(double) : 0;
    PyThreadState *held = good ? let_go((double)size) : NULL;
    good = good && flat_between(size, A.buf, B.buf, t, G.buf);
    PyObject *result = answer(held, good ? SPD_OK : SPD_EINVAL);
    if (got_a)
        PyBuffer_Release(&A);
    if (got_b)
        PyBuffer_Release(&B);
    if (got_g)
        PyBuffer_Release(&G);
    return result;
}

/* symmetric(X, tolerance) -> number of the first matrix that is not, -1 if all are, None if X is not
 * an array of this kind */
static PyObject *quick_symmetric(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    matrices X;
    (void)self;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "two arguments are needed");
    double tolerance = PyFloat_AsDouble(args[1]);
    if (PyErr_Occurred())
        return NULL;
    if (!take_matrices(args[0], 0, &X))
        return Py_NewRef(Py_None);
    PyThreadState *held = let_go((double)X.view.len);
    size_t i = first_skew(&X, tolerance), p = X.p;
    if (held)
        PyEval_RestoreThread(held);
    PyBuffer_Release(&X.view);
    return PyLong_FromLongLong(i < p ? (long long)i : -1);
}

/* hermitian(X, tolerance) -> True if p complex matrices are, as far as rounding goes; X (p x n x 2n) has
 * their real and imaginary parts. None: not so, or not an array of this kind. */
static PyObject *quick_hermitian(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer X;
    (void)self;
    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "two arguments are needed");
    double tolerance = PyFloat_AsDouble(args[1]);
    if (PyErr_Occurred())
        return NULL;
    if (!take(args[0], 0, 3, 3, &X))
        return Py_NewRef(Py_None);
    size_t p = (size_t)X.shape[0], n = (size_t)X.shape[1];
    int good = X.shape[2] == 2 * X.shape[1];
    PyThreadState *held = let_go((double)X.len);
    const pair *x = X.buf, conjugate = {1.0, -1.0};
    for (size_t i = 0; good && i < p; i++, x += n * n) {
        found f = {{0.0, 0.0}, {0.0, 0.0}};
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c <= r; c++) {
                f.gap = largest(size_of(x[r * n + c] - conjugate * x[c * n + r]), f.gap);
                f.entry = largest(size_of(x[r * n + c]), f.entry);
            }
        double apart = f.gap[0] > f.gap[1] ? f.gap[0] : f.gap[1]; /* the modulus: at most 1.5 times */
        double most = f.entry[0] > f.entry[1] ? f.entry[0] : f.entry[1];
        good = apart == 0.0 || 1.5 * apart <= tolerance * most;
    }
    if (held)
        PyEval_RestoreThread(held);
    PyBuffer_Release(&X);
    return Py_NewRef(good ? Py_True : Py_None);
}

/* ---- the module -------------------------------------------------------------------------------- */

/* bind(addresses): a tuple of them in the order of `library` */
static PyObject *quick_bind(PyObject *self, PyObject *addresses)
{
    void *at[sizeof library / sizeof(void *)];
    (void)self;
    for (Py_ssize_t i = 0; i < (Py_ssize_t)(sizeof at / sizeof *at); i++) {
        PyObject *address = PySequence_GetItem(addresses, i);
        at[i] = address ? PyLong_AsVoidPtr(address) : NULL;
        Py_XDECREF(address);
        if (PyErr_Occurred())
            return NULL;
    }
    memcpy(&library, at, sizeof library);
    return Py_NewRef(Py_None);
}

#define FAST(function) (PyCFunction)(void (*)(void)) function, METH_FASTCALL, NULL

static PyMethodDef methods[] = {
    {"bind", quick_bind, METH_O, NULL},
    {"pair", FAST(quick_pair)},
    {"pairwise", FAST(quick_pairwise)},
    {"mean", FAST(quick_mean)},
    {"apply", FAST(quick_apply)},
    {"geodesics", FAST(quick_geodesics)},
    {"symmetric", FAST(quick_symmetric)},
    {"factor", FAST(quick_factor)},
    {"joint", FAST(quick_joint)},
    {"congruence", FAST(quick_congruence)},
    {"hermitian", FAST(quick_hermitian)},
    {"mean_flat", FAST(quick_mean_flat)},
    {"apart", FAST(quick_apart)},
    {"between", FAST(quick_between)},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_quick", NULL, -1, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__quick(void)
{
    return PyModule_Create(&module);
}
