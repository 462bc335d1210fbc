/* engine.cuh - a fit on a device: the calls of a problem (optim/problem.h), which throw faults. */
#pragma once
#include "cuda/mailbox.cuh"
#include "cuda/shard.cuh"

struct cuda_engine {
    spd::partition cuts;
    cuda_peers peers{};
    spd::shard own;
    spd::shape s{};                /* of all samples */
    spd::pinned given, staging;    /* n M, M M + 4 M; for exchanges between processes */
    spd::mailbox outcomes, slopes; /* an outcome; n M */
    double *small = nullptr;       /* behind the n M of `given` */
    std::vector<double> v, sigma;  /* the rotation since the last step (M x M), sigma */
    spd::recording aims[4], probes[4], gradients[8];
    double t = NAN, f = NAN, begun = NAN; /* begun: where a probe is on its way */
    bool owed = false, moved = false;     /* Y owes v; and after a step the blend with P too */
    bool asked = false;                   /* is the gradient on its way? */
    bool busy = false;                    /* may `given` still be read from? */

    /* Were the samples in the device's memory already? */
    bool resident() const
    {
        return own.samples.resident;
    }
};

namespace spd
{

void open(cuda_engine &e, const cuda_input &in);
void start(cuda_engine &e, const double *W);
void cost_grad(cuda_engine &e, double *f, double *G);
void aim(cuda_engine &e, const double *U, const double *sigma, const double *V);
void ahead(cuda_engine &e, double t);
void probe(cuda_engine &e, double t, double *f, double *df);
void step(cuda_engine &e, double t);
void usage(const cuda_engine &e, cuda_usage *used);
void finish(cuda_engine &e); /* waits for all that is under way, whatever becomes of it */

} /* namespace spd */
