/* functions.cu - eigenvalues and functions of all matrices of a set, in portions. */
#include "cuda/functions.cuh"

#include <cmath>
#include <cstring>

#include "cuda/eigen.cuh"
#include "cuda/guard.cuh"
#include "cuda/poles.cuh"
#include "cuda/portions.cuh"
#include "cuda/queue.cuh"
#include "cuda/resident.cuh"
#include "cuda/squares.cuh"

namespace spd
{

/* What one thread of the host needs. */
struct spectral_room {
    const cuda_sets &in;
    shape s{};
    pinned staging; /* a portion of matrices, and an outcome */
    array<double> X, S, L, Li, lambda;
    array<placed> how;
    array<outcome> out;
    queue own;

    spectral_room(const cuda_sets &set, size_t each) : in(set)
    {
        own.make();
        const int M = spectral_size((int)in.n);
        const size_t mm = (size_t)M * M;
        s = shape_here(in.n, in.n, M, each, own.at);
        X.make(in.on_device ? 0 : each * in.n * in.n);
        S.make(each * std::max(mm, squares_size(squares_of(s.n)))); /* or in squares */
        lambda.make(each * M);
        how.make(each);
        out.make(1);
        staging.make(X.count + sizeof(outcome) / sizeof(double));
    }

    /* Where a portion lies on the device. any: matrices that need not be positive definite. */
    const double *bring(size_t first, size_t count, bool any)
    {
        const size_t nn = in.n * in.n;
        const double *matrices = in.X + first * nn;
        s.p = count;
        if (!in.on_device) {
            memcpy(staging.at, matrices, count * nn * sizeof(double));
            X.put(staging.at, count * nn, s.stream);
            matrices = X.at;
        }
        check(cudaMemsetAsync(out.at, 0xff, sizeof(outcome), s.stream), "result");
        if (!any)
            squares_definite(s, first, matrices, out.at);
        return matrices;
    }

    /* wanted: are the vectors? */
    void solve(const double *matrices, const uint32_t *which, bool any, bool wanted,
               double *vectors, double *values)
    {
        const size_t mm = (size_t)s.M * s.M, each = lambda.count / s.M;
        if (!L.at) {
            L.make(s.n <= FAST ? each * mm : 1);
            Li.make(s.n <= FAST ? each * mm : 1);
        }
        place(s, any, matrices, which, vectors, how.at);
        eigen(s, wanted, vectors, L.at, Li.at, values, out.at);
    }

    /* Waits; throws where a matrix has no result. */
    void settle()
    {
        outcome o;
        double *end = staging.at + X.count;
        check(cudaMemcpyAsync(end, out.at, sizeof o, cudaMemcpyDeviceToHost, s.stream), "results");
        check(cudaStreamSynchronize(s.stream), "eigenvalues");
        memcpy(&o, end, sizeof o);
        if (o.bad != ~0ull)
            throw fault{CUDA_FAULT_SAMPLE, "a matrix has no such function", cudaSuccess};
    }
};

static portions cut(const cuda_sets &in)
{
    if (in.n < 1 || in.n > CUDA_MAX_N)
        throw fault{CUDA_FAULT_SIZE, "the CUDA engine takes matrices of up to 512 x 512",
                    cudaSuccess};
    const size_t M = (size_t)spectral_size((int)in.n);
    return portions(in.p, M * M, in.threads, in.on_device);
}

/* ---- functions ------------------------------------------------------------------------------- */

struct function_transfer : spectral_room {
    int f;
    double power, *F;
    array<uint32_t> missed; /* by sums over poles */
    function_transfer(const cuda_sets &set, size_t each, int function, double exponent, double *to)
        : spectral_room(set, each), f(function), power(exponent), F(to)
    {
    }
    /* By eigenvectors; of those that `which` says, unless it is NULL. */
    void rotate(const double *matrices, double *to, const uint32_t *which)
    {
        solve(matrices, which, f == SPD_FUNCTION_EXP, true, S.at, lambda.at);
        spectral_values(s, f, power, how.at, lambda.at, out.at);
        rebuild(s, S.at, lambda.at, to, which);
    }
    void run(size_t first, size_t count)
    {
        double *to = F + first * in.n * in.n;
        const double *matrices = bring(first, count, f == SPD_FUNCTION_EXP);
        if (poles_take(s.n, f)) {
            squares_spread(s, s.p, 1.0, matrices, S.at);
            s.p = sum_poles(s, f, S.at, to, nullptr, missed);
        }
        if (s.p)
            rotate(matrices, to, poles_take(s.n, f) ? missed.at : nullptr);
        settle();
    }
};

void functions_of(const cuda_sets &in, int function, double power, double *F)
{
    transfer_all<function_transfer>(in, cut(in), true, function, power, F);
}

/* The results stay on the device until all are there: the caller's array may be X, and is left
 * alone where one has none. */
static void apply(const cuda_sets &in, int function, double power, double *F)
{
    array<double> all;
    all.make(in.p * in.n * in.n);
    functions_of(in, function, power, all.at);
    if (in.on_device)
        return copy_now(F, all.at, all.count * sizeof(double), "results");
    downloader(in, all.count).fetch(all.at, all.count, F);
}

/* ---- eigenvalues ----------------------------------------------------------------------------- */

struct eigen_transfer : spectral_room {
    double *values, *vectors; /* of all matrices; vectors may be NULL */
    eigen_transfer(const cuda_sets &set, size_t each, double *lambda_to, double *to)
        : spectral_room(set, each), values(lambda_to), vectors(to)
    {
    }
    void run(size_t first, size_t count)
    {
        double *to = values + first * s.M;
        const double *matrices = bring(first, count, true);
        solve(matrices, nullptr, true, vectors, vectors ? vectors + first * s.M * s.M : S.at, to);
        spectral_values(s, ITSELF, 0.0, how.at, to, out.at);
        settle();
    }
};

/* Takes them to the host: ascending, vectors as columns, without the padding. */
struct sorting_transfer {
    const cuda_sets &in;
    pinned staging;
    queue own;
    std::vector<size_t> order;
    const double *values, *vectors;
    double *lambda, *V;
    size_t n, M;
    sorting_transfer(const cuda_sets &set, size_t each, const double *from,
                     const double *from_vectors, double *to, double *to_vectors)
        : in(set), values(from), vectors(from_vectors), lambda(to), V(to_vectors), n(set.n),
          M((size_t)spectral_size((int)set.n))
    {
        own.make();
        staging.make(each * M * (M + 1));
    }
    void deliver(size_t i, const double *value, const double *U)
    {
        order.clear();
        for (size_t k = 0; k < M; k++)
            if (!std::isnan(value[k]))
                order.push_back(k);
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return value[a] < value[b]; });
        for (size_t c = 0; c < n; c++)
            lambda[i * n + c] = value[order[c]];
        for (size_t r = 0; r < n && V; r++)
            for (size_t c = 0; c < n; c++)
                V[(i * n + r) * n + c] = U[order[c] * M + r];
    }
    void run(size_t first, size_t count)
    {
        double *U = staging.at + count * M;
        check(cudaMemcpyAsync(staging.at, values + first * M, count * M * sizeof(double),
                              cudaMemcpyDeviceToHost, own.at),
              "results");
        if (V)
            check(cudaMemcpyAsync(U, vectors + first * M * M, count * M * M * sizeof(double),
                                  cudaMemcpyDeviceToHost, own.at),
                  "results");
        check(cudaStreamSynchronize(own.at), "results");
        for (size_t k = 0; k < count; k++)
            deliver(first + k, staging.at + k * M, U + k * M * M);
    }
};

static void eigen_all(const cuda_sets &in, double *lambda, double *V)
{
    const portions p = cut(in);
    const size_t M = (size_t)spectral_size((int)in.n);
    array<double> values, vectors;
    values.make(in.p * M);
    vectors.make(V ? in.p * M * M : 1);
    double *to = V ? vectors.at : nullptr;
    transfer_all<eigen_transfer>(in, p, true, values.at, to);
    transfer_all<sorting_transfer>(in, p, false, values.at, to, lambda, V);
}

/* ---- outside --------------------------------------------------------------------------------- */

int module_apply(const cuda_sets *in, spd_function f, double power, double *F, char *why)
{
    return guarded(why, [&] {
        visit here(*in, {F});
        check(cudaSetDevice(in->device), "choosing the device");
        apply(*in, f, power, F);
    });
}

int module_eigen(const cuda_sets *in, double *lambda, double *V, char *why)
{
    return guarded(why, [&] {
        check(cudaSetDevice(in->device), "choosing the device");
        eigen_all(*in, lambda, V);
    });
}

} /* namespace spd */
