/* shard.cuh - one process's part of a fit, on its device: its own samples, and what it does with
 * them between two exchanges.
 *
 * On the device are the current point W and, for every own sample, X packed (feed.cuh), Y = X W up
 * to a rotation that is still owed, S0 = W'XW, and after aim P = X U and Q = [U W]'P. A probe blends
 * S(t) from S0 and Q and sums over the pairs; a step swaps S0 and S and lets Y owe the rotation Y <- Y
 * T + P diag(sin), which is made together with the gradient, in one reading of Y and P.
 *
 * S is there for all samples: the matrices of the others come by exchange, as do all distances, and
 * the parts of slope and gradient that the others have added up. What is small, the sums of these,
 * every process does for itself. */
#pragma once
#include "cuda/feed.cuh"
#include "cuda/graph.cuh"
#include "cuda/plain.cuh"
#include "cuda/squares.cuh"

namespace spd
{

/* What the metrics of a fit have that others have not; as pair_rule in geometry/pairs.h. */
struct rule {
    int sides;        /* matrices per pair, in a buffer; 0: there are none (plain.cuh) */
    double no_spread; /* mean d2 per dimension that counts as zero */
};
rule rule_of(spd_metric metric);

/* How the samples are divided: where those of each shard begin, and the slices of the gradient
 * (kernels.cuh). */
struct partition {
    std::vector<size_t> samples, slices; /* shards + 1 places */
};
partition partition_of(size_t n, size_t p, size_t shards);

struct shard {
    size_t number = 0;
    int device = 0;
    spd_metric metric = SPD_METRIC_STEIN;
    spd_objective objective = SPD_OBJECTIVE_DIFFERENCE;
    rule how{};
    bool alone = true;    /* are there no others? */
    bool waits = false;   /* does the host wait for distances on their way (cuSOLVER)? */
    shape all{}, local{}; /* with the samples of all, and with its own */
    cut slices{};         /* its own */
    size_t at = 0;        /* its first sample */
    graph pairs;
    feed samples;
    array<double> Y, P, Q, Z, Zb, G, C, partial, sums; /* of own samples: Y, P, Q, Z, Zb */
    /* Of all samples; own_matrix: inverse or logarithm; part: of all slices. */
    array<double> S0, S, L, Li, own_matrix, dets, d, part;
    /* The same of plain metrics; half: plain_room. */
    array<double> flat, vectors, lambda, value, half;
    /* Of pairs measured here; as sent; of all; weights of those measured here. */
    array<double> d2, sent, d2_all, weight;
    spectrum_room room;         /* of wide pairs */
    array<double> W, U, angles; /* n x M; n x M and, behind it, T: M x M and M; 3 M */
    array<outcome> out;
    event began, ended;  /* around the data pass of a start */
    event fork, join;    /* of the side queue */
    bool forked = false; /* is something there that nobody has joined? */
    size_t bytes = 0;
    double peak = 0.0;
    queue main_queue, side; /* side: what need not wait for the data pass, and sums */

    /* Chooses the device, and makes all but graph, buffer and samples. */
    void open(const cuda_input &in, const partition &cuts, size_t number, int device);
    /* Most pairs whose matrices may be held at once. */
    size_t most_pairs(const cuda_input &in) const;
    /* Graph and buffer, then the samples, here if there is room for them; returns their largest
     * trace. */
    double load(const cuda_input &in, const partition &cuts, size_t each);

    void begin();     /* Y, Q and its part of S0 out of W */
    void aim();       /* P, Q out of U, T, W */
    void try_point(); /* its part of S out of the angles */
    /* Factors of all samples; distances, and of objectives of sums also weights Z. */
    void measure(const double *S);
    void send_distances();       /* its distances, for the others */
    void weigh(const double *S); /* from the distances of all: sums, and weights Z */
    void slope();                /* its part of d */
    void add_slope();
    void gradient(bool rotation); /* its part of `part`; rotation: by T and the sines behind it */
    void add_gradient();          /* G */
    void join_side();             /* the sums that run beside the rest are there */

    double *T() const
    {
        return U.at + (size_t)all.n * all.M;
    }
    double *own_S(array<double> &A) const
    {
        return A.at + at * all.M * all.M;
    }
    const double *distances() const
    {
        return alone ? d2.at : d2_all.at;
    }

  private:
    void make_small();
    template <class F> void on_side(F body);
    void make_factors();
    void factors(const double *S);
    void matrices(const double *S, const chunk &c);
    void sum_up();
    void add_up(const chunk &c);
    void add_plain(const chunk &c);
};

} /* namespace spd */
