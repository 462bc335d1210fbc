/* fft.c - Fourier transforms of lengths with small factors; see kiss_fft.h.
 *
 *   out_k = sum_j in_j w^(jk),  w = exp(-+ 2 pi i / length)
 *
 * For length = p m: transforms of length m of the p sequences in_j, in_(j+p), ..., put together
 * with powers of w. */
#include <kissfft/kiss_fft.h>
#include <math.h>

#define PI      3.14159265358979323846
#define LARGEST 1024 /* factor; all of ours are at most 5 */

struct kiss_fft_state {
    int length;
    kiss_fft_cpx power[]; /* of w, length of them */
};

kiss_fft_cfg kiss_fft_alloc(int length, int inverse, void *memory, size_t *bytes)
{
    struct kiss_fft_state *plan = memory;
    size_t needed = sizeof *plan + (size_t)length * sizeof *plan->power, given = *bytes;
    *bytes = needed;
    if (!plan || given < needed)
        return NULL;
    plan->length = length;
    for (int i = 0; i < length; i++) {
        double angle = (inverse ? 2.0 : -2.0) * PI * i / length;
        plan->power[i] = (kiss_fft_cpx){(float)cos(angle), (float)sin(angle)};
    }
    return plan;
}

static int smallest_factor(int length)
{
    for (int factor = 2; factor * factor <= length; factor++)
        if (length % factor == 0)
            return factor;
    return length;
}

static void add_product(kiss_fft_cpx *sum, kiss_fft_cpx a, kiss_fft_cpx w)
{
    sum->r += a.r * w.r - a.i * w.i;
    sum->i += a.r * w.i + a.i * w.r;
}

/* out (p m) <- sums of its p parts, each of which is a transform of length m; `step` is how far
 * powers of this length's w are apart in the plan. */
static void join(const struct kiss_fft_state *plan, int p, int m, int step, kiss_fft_cpx *out)
{
    kiss_fft_cpx part[LARGEST];
    for (int k = 0; k < m; k++) {
        for (int q = 0; q < p; q++)
            part[q] = out[q * m + k];
        for (int r = 0; r < p; r++) {
            kiss_fft_cpx sum = part[0];
            for (int q = 1; q < p; q++) {
                long long power = (long long)q * (k + r * m) % ((long long)p * m) * step;
                add_product(&sum, part[q], plan->power[power]);
            }
            out[k + r * m] = sum;
        }
    }
}

static void transform(const struct kiss_fft_state *plan, int length, int step,
                      const kiss_fft_cpx *in, int stride, kiss_fft_cpx *out)
{
    if (length == 1) {
        out[0] = in[0];
        return;
    }
    int p = smallest_factor(length), m = length / p;
    for (int q = 0; q < p; q++)
        transform(plan, m, step * p, in + (ptrdiff_t)q * step * stride, stride, out + q * m);
    join(plan, p, m, step, out);
}

void kiss_fft_stride(kiss_fft_cfg plan, const kiss_fft_cpx *in, kiss_fft_cpx *out, int stride)
{
    transform(plan, plan->length, 1, in, stride, out);
}

void kiss_fft(kiss_fft_cfg plan, const kiss_fft_cpx *in, kiss_fft_cpx *out)
{
    kiss_fft_stride(plan, in, out, 1);
}

int kiss_fft_next_fast_size(int length)
{
    static const int factor[] = {2, 3, 5};
    for (;; length++) {
        int rest = length;
        for (int i = 0; i < 3; i++)
            while (rest % factor[i] == 0)
                rest /= factor[i];
        if (rest <= 1)
            return length;
    }
}
