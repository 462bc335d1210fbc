/* graph.cu - pairs sorted by sample, on the host, once. */
#include <algorithm>

#include "cuda/graph.cuh"

namespace spd
{

/* Whose samples are here, and the pairs that are measured: their numbers, in order. */
struct here {
    const cuda_input &in;
    size_t p, first, last;
    std::vector<uint32_t> which;
    bool has(uint32_t i) const
    {
        return i >= first && i < last;
    }
};

/* Ends at own samples of `count` pairs measured here, by sample, pairs in order (counting sort); at
 * <- places. */
static std::vector<end> sort_ends(const here &h, size_t first, size_t count, int sides,
                                  std::vector<uint32_t> &at)
{
    const auto each_end = [&](auto body) {
        for (size_t k = 0; k < count; k++) {
            const spd_pair &q = h.in.pair[h.which[first + k]];
            if (h.has(q.i))
                body(q, q.i - h.first, sides ? k : q.j, k);
            if (h.has(q.j))
                body(q, q.j - h.first, sides == 2 ? count + k : sides ? k : q.i, k);
        }
    };
    at.assign(h.last - h.first + 2, 0);
    each_end([&](const spd_pair &, size_t i, size_t, size_t) { at[i + 2]++; });
    for (size_t i = 0; i + 1 < at.size(); i++)
        at[i + 1] += at[i];
    std::vector<end> ends(at.back());
    each_end([&](const spd_pair &q, size_t i, size_t row, size_t k) {
        ends[at[i + 1]++] = {(uint32_t)row, (uint32_t)k, 2.0 * (q.within - q.between)};
    });
    return ends;
}

/* Cuts every sample's ends into parts. all: list samples without ends too. */
static void cut_ends(const here &h, const std::vector<uint32_t> &at, bool all,
                     std::vector<part> &parts, std::vector<part> &several)
{
    uint32_t slot = 0;
    for (size_t i = h.first; i < h.last; i++) {
        const uint32_t from = at[i - h.first], count = at[i - h.first + 1] - from,
                       pieces = (count + PART - 1) / PART;
        if (pieces > 1)
            several.push_back({(uint32_t)i, slot, pieces, 0});
        if (pieces <= 1 && (count || all))
            parts.push_back({(uint32_t)i, from, count, NOWHERE});
        for (uint32_t k = 0; pieces > 1 && k < pieces; k++)
            parts.push_back(
                {(uint32_t)i, from + k * PART, k + 1 < pieces ? PART : count - k * PART, slot++});
    }
}

template <class T> static void give(array<T> &to, const std::vector<T> &from)
{
    to.make(from.size());
    if (!from.empty())
        copy_now(to.at, from.data(), from.size() * sizeof(T), "the graph");
}

static void add_weights(graph &g, const cuda_input &in, size_t p)
{
    std::vector<double> within(in.pairs), between(in.pairs), degree(p, 0.0);
    for (size_t k = 0; k < in.pairs; k++) {
        const spd_pair &q = in.pair[k];
        within[k] = 2.0 * q.within;
        between[k] = 2.0 * q.between;
        g.total += 2.0 * (q.within + q.between);
        for (uint32_t i : {q.i, q.j})
            degree[i] += 2.0 * (q.within - q.between);
    }
    give(g.within, within);
    give(g.between, between);
    give(g.degree, degree);
}

/* Lists of candidates, pairs in their order; one that is within and between counts as within. */
static void add_lists(graph &g, const cuda_input &in, size_t p)
{
    std::vector<uint32_t> first(2 * p + 1, 0), listed(2 * in.pairs), at;
    const auto list_of = [&](size_t k, int side) {
        const spd_pair &q = in.pair[k];
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
    g.half_weight.make(2 * in.pairs);
    g.weight.make(in.pairs);
    g.value.make(p);
}

/* How distances are exchanged. A pair across two processes is measured by both, but sent by one
 * only: its owner, the process of its first sample. All concatenate what they send, by process and
 * then in the order of the pairs, into one array of all distances:
 *
 *   sent_at[r]   where the distances of process r begin in that array
 *   sent         which of the pairs measured here this process sends, in order
 *   place[k]     where the distance of pair k is in that array
 *
 * Owners are found from `at`, where the samples of each process begin. */
static void add_exchange(graph &g, const here &h, const std::vector<size_t> &at, size_t rank)
{
    std::vector<uint32_t> sent, place(h.in.pairs);
    std::vector<uint16_t> owner(h.in.pairs);
    g.sent_at.assign(at.size(), 0);
    for (size_t k = 0; k < h.in.pairs; k++) {
        owner[k] =
            (uint16_t)(std::upper_bound(at.begin(), at.end() - 1, h.in.pair[k].i) - at.begin() - 1);
        g.sent_at[owner[k] + 1]++;
    }
    for (size_t r = 0; r + 1 < at.size(); r++)
        g.sent_at[r + 1] += g.sent_at[r];
    std::vector<size_t> next(g.sent_at);
    for (size_t k = 0; k < h.in.pairs; k++)
        place[k] = (uint32_t)next[owner[k]]++;
    for (size_t k = 0; k < h.which.size(); k++)
        if (owner[h.which[k]] == rank)
            sent.push_back((uint32_t)k);
    give(g.which, h.which);
    give(g.sent, sent);
    give(g.place, place);
}

/* A chunk of the pairs `first` .. `last`-1 of those measured here. */
static void add_chunk(graph &g, const here &h, size_t first, size_t last, int sides)
{
    auto c = std::make_unique<chunk>();
    std::vector<uint32_t> at;
    std::vector<part> parts, many;
    c->first = first;
    c->count = last - first;
    give(c->ends, sort_ends(h, first, c->count, sides, at));
    cut_ends(h, at, g.chunks.empty(), parts, many);
    give(c->parts, parts);
    give(c->several, many);
    g.slots = std::max(g.slots, many.empty() ? 0 : (size_t)many.back().first + many.back().count);
    g.most = std::max(g.most, c->count);
    g.chunks.push_back(std::move(c));
}

void graph::make(const cuda_input &in, const std::vector<size_t> &at, size_t rank, size_t each,
                 int sides)
{
    here h = {in, at.back(), at[rank], at[rank + 1], {}};
    std::vector<link> list;
    pairs = in.pairs;
    for (size_t k = 0; k < pairs; k++)
        if (h.has(in.pair[k].i) || h.has(in.pair[k].j)) {
            h.which.push_back((uint32_t)k);
            list.push_back({in.pair[k].i, in.pair[k].j});
        }
    give(links, list);
    add_weights(*this, in, h.p);
    if (of_samples(in.objective))
        add_lists(*this, in, h.p);
    if (at.size() > 2)
        add_exchange(*this, h, at, rank);
    for (size_t first = 0, from = 0; first < pairs || first == 0; first += each) {
        size_t to = from;
        while (to < h.which.size() && h.which[to] < first + each)
            to++;
        add_chunk(*this, h, from, to, sides);
        from = to;
    }
}

} /* namespace spd */
