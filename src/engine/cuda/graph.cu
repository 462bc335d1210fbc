/* graph.cu - pairs sorted by sample, on the host, once. */
#include "engine/cuda/graph.cuh"

namespace spd {

constexpr uint32_t PART = 128; /* ends that one block of threads adds up */

/* Ends of the pairs of a chunk, by sample, pairs in order (counting sort); at <- p + 1 places. */
static std::vector<end> sort_ends(const cuda_input &in, size_t p, size_t first, size_t count, int sides,
                                  std::vector<uint32_t> &at)
{
    std::vector<end> ends(2 * count);
    at.assign(p + 2, 0);
    for (size_t k = 0; k < count; k++) {
        at[in.pair[first + k].i + 2]++;
        at[in.pair[first + k].j + 2]++;
    }
    for (size_t i = 0; i + 1 < p + 2; i++)
        at[i + 1] += at[i];
    for (size_t k = 0; k < count; k++) {
        const cuda_pair &q = in.pair[first + k];
        const bool ratio = in.objective == CUDA_RATIO;
        const double within = 2.0 * (ratio ? q.within : q.within - q.between), between = ratio ? 2.0 * q.between : 0.0;
        ends[at[q.i + 1]++] = {(uint32_t)k, within, between};
        ends[at[q.j + 1]++] = {(uint32_t)(sides == 2 ? count + k : k), within, between};
    }
    return ends;
}

/* Cuts every sample's ends into parts. all: list samples without ends too. */
static void cut(size_t p, const std::vector<uint32_t> &at, bool all, std::vector<part> &parts, std::vector<part> &several)
{
    uint32_t slot = 0;
    for (size_t i = 0; i < p; i++) {
        const uint32_t from = at[i], count = at[i + 1] - from, pieces = (count + PART - 1) / PART;
        if (pieces > 1)
            several.push_back({(uint32_t)i, slot, pieces, 0});
        if (pieces <= 1 && (count || all))
            parts.push_back({(uint32_t)i, from, count, NOWHERE});
        for (uint32_t k = 0; pieces > 1 && k < pieces; k++)
            parts.push_back({(uint32_t)i, from + k * PART, k + 1 < pieces ? PART : count - k * PART, slot++});
    }
}

template <class T> static void give(array<T> &to, const std::vector<T> &from)
{
    to.make(from.size());
    if (!from.empty())
        check(cudaMemcpy(to.at, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice), "the graph");
}

static void add_weights(graph &g, const cuda_input &in, size_t p)
{
    std::vector<link> links(in.pairs);
    std::vector<double> within(in.pairs), between(in.pairs), degree(2 * p, 0.0);
    for (size_t k = 0; k < in.pairs; k++) {
        const cuda_pair &q = in.pair[k];
        links[k] = {q.i, q.j};
        within[k] = 2.0 * q.within;
        between[k] = 2.0 * q.between;
        g.total += 2.0 * (q.within + q.between);
        for (uint32_t i : {q.i, q.j}) {
            degree[i] += 2.0 * (in.objective == CUDA_RATIO ? q.within : q.within - q.between);
            degree[p + i] += 2.0 * q.between;
        }
    }
    give(g.links, links);
    give(g.within, within);
    give(g.between, between);
    give(g.degree, degree);
}

/* Lists of candidates, pairs in their order; one that is within and between counts as within. */
static void add_lists(graph &g, const cuda_input &in, size_t p)
{
    std::vector<uint32_t> first(2 * p + 1, 0), listed(2 * in.pairs), at;
    const auto list_of = [&](size_t k, int side) {
        const cuda_pair &q = in.pair[k];
        return 2 * (size_t)(side ? q.j : q.i) + !(q.within > 0.0);
    };
    for (size_t k = 0; k < in.pairs; k++)
        for (int side = 0; side < 2; side++)
            first[list_of(k, side) + 1]++;
    for (size_t i = 0; i < p; i++)
        g.samples += first[2 * i + 1] > 0 && first[2 * i + 2] > 0;
    for (size_t l = 0; l < 2 * p; l++)
        first[l + 1] += first[l];
    at = first;
    for (size_t k = 0; k < in.pairs; k++)
        for (int side = 0; side < 2; side++)
            listed[at[list_of(k, side)]++] = (uint32_t)(2 * k + side);
    if (g.samples == 0.0)
        throw fault{CUDA_FAULT_GRAPH, "no sample has near and far pairs", cudaSuccess};
    give(g.first, first);
    give(g.listed, listed);
    g.share.make(2 * in.pairs);
    g.weight.make(in.pairs);
    g.value.make(p);
}

void graph::make(const cuda_input &in, size_t p, size_t each, int sides)
{
    pairs = in.pairs;
    add_weights(*this, in, p);
    if (in.objective >= CUDA_SOFTMAX)
        add_lists(*this, in, p);
    for (size_t first = 0; first < pairs || first == 0; first += each) {
        auto c = std::make_unique<chunk>();
        std::vector<uint32_t> at;
        std::vector<part> parts, many;
        c->first = first;
        c->count = pairs - first < each ? pairs - first : each;
        give(c->ends, sort_ends(in, p, first, c->count, sides, at));
        cut(p, at, first == 0, parts, many);
        give(c->parts, parts);
        give(c->several, many);
        size_t used = many.empty() ? 0 : many.back().first + many.back().count;
        slots = used > slots ? used : slots;
        chunks.push_back(std::move(c));
    }
}

} /* namespace spd */
