/* share.cuh - one device's part of a fit: its own samples, and what it does with them between two exchanges.
 *
 * On the device are the current point W and, for every own sample, X packed (feed.cuh), Y = X W up to a turn that is
 * still owed, S0 = W'XW, and after aim P = X U and Q = [U W]'P. A probe blends S(t) from S0 and Q and sums over the
 * pairs; a step swaps S0 and S and lets Y owe the turn Y <- Y T + P diag(sin), which is made together with the
 * gradient, in one reading of Y and P.
 *
 * S is there for all samples: the matrices of the others come by exchange, as do all distances, and the parts of
 * slope and gradient that the others have added up. What is small, the sums of these, every device does for itself. */
#pragma once
#include "engine/cuda/feed.cuh"
#include "engine/cuda/graph.cuh"
#include "engine/cuda/plain.cuh"

namespace spd {

/* What the metrics of a fit have that others have not; as pair_rule in geometry/pairs.h. */
struct rule {
    int sides;        /* matrices per pair, in a buffer; 0: there are none (plain.cuh) */
    double no_spread; /* mean d2 per dimension that counts as zero */
};
rule rule_of(int metric);

/* How the samples are dealt out: where those of each share begin, and the slices of the gradient (kernels.cuh). */
struct deal {
    std::vector<size_t> samples, slices; /* shares + 1 places */
    size_t shares() const { return samples.size() - 1; }
};
deal deal_out(size_t n, size_t p, size_t shares);

struct share {
    queue own_queue, side; /* first, as they go last; the second for what need not wait for the data pass, and for sums */
    size_t number = 0;
    int device = 0, metric = 0, ratio = 0, objective = 0;
    rule how{};
    bool alone = true;     /* are there no others? */
    shape all{}, mine{};   /* with the samples of all, and with its own */
    cut slices{};          /* its own */
    size_t at = 0;         /* its first sample */
    graph pairs;
    feed samples;
    array<double> Y, P, Q, Z, Zb, G, C, partial, sums; /* of own samples: Y, P, Q, Z, Zb */
    array<double> S0, S, L, Li, own, dets, d, part;          /* of all samples; part: of all slices */
    array<double> flat, vectors, lambda, value, half;        /* the same, of plain metrics; half: plain_room */
    array<double> d2, told, d2_all, weight;                  /* measured here; as told; of all pairs; of those measured */
    array<double> W, U, angles; /* n x M; n x M and, behind it, T: M x M and M; 3 M */
    array<outcome> out;
    event ready, taken, began, ended; /* for exchanges; around the data pass of a start */
    event fork, join;                 /* of the side queue */
    bool forked = false;              /* is something there that nobody has joined? */
    size_t bytes = 0;
    double peak = 0.0;

    /* Chooses the device, and makes all but graph, buffer and samples. */
    void open(const cuda_input &in, const deal &dealt, size_t number, int device);
    /* Most pairs whose matrices may be held at once, if `divisor` shares are on this device. */
    size_t most_pairs(const cuda_input &in, size_t divisor) const;
    /* Graph and buffer, then the samples, here if there is room for them; returns their largest trace. */
    double load(const cuda_input &in, const deal &dealt, size_t each, size_t divisor, int threads);

    void begin();                    /* Y, Q and its part of S0 out of W */
    void aim();                      /* P, Q out of U, T, W */
    void try_point();                /* its part of S out of the angles */
    void measure(const double *S);   /* factors of all samples; distances, and of sums also weights Z */
    void tell();                     /* its distances, for the others */
    void weigh(const double *S);     /* from the distances of all: sums, and weights Z */
    void slope();                    /* its part of d */
    void add_slope();
    void gradient(bool turn);        /* its part of `part`; turn: by T and the sines behind it */
    void add_gradient();             /* G */
    void join_side();                /* the sums that run beside the rest are there */

    double *T() const { return U.at + (size_t)all.n * all.M; }
    double *own_S(array<double> &A) const { return A.at + at * all.M * all.M; }
    const double *distances() const { return alone ? d2.at : d2_all.at; }

  private:
    void make_small();
    template <class F> void aside(F body);
    void make_factors();
    void factors(const double *S);
    void matrices(const double *S, const chunk &c);
    void sum_up();
    void add_up(const chunk &c);
    void add_plain(const chunk &c);
};

} /* namespace spd */
