/* svm.c - C-support vector classification by sequential minimal optimisation; see svm.h.
 *
 *   minimise  a'Qa/2 - 1'a   subject to   0 <= a <= C,  y'a = 0,   Q_ij = y_i y_j K_ij
 *
 * Two coordinates at a time: i, whose condition is violated most, and j, which with i promises the
 * largest decrease to second order; along both the minimum is known. It ends where the conditions
 * of the optimum hold to eps. Fan, Chen and Lin, Working set selection using second order
 * information, JMLR 6, 2005. */
#include <float.h>
#include <libsvm/svm.h>
#include <math.h>
#include <stdlib.h>

#define FLAT 1e-12 /* in the place of a curvature that is not positive */

typedef struct machine {
    int size;
    const double *y;
    struct svm_node **x;
    double C, *a, *gradient; /* of the cost: Qa - 1 */
} machine;

static double kernel(const machine *m, int i, int j)
{
    return m->x[i][j + 1].value;
}

/* May a_i move so that y_i a_i grows, or falls? */
static int may_grow(const machine *m, int i)
{
    return m->y[i] > 0.0 ? m->a[i] < m->C : m->a[i] > 0.0;
}

static int may_fall(const machine *m, int i)
{
    return m->y[i] > 0.0 ? m->a[i] > 0.0 : m->a[i] < m->C;
}

static double curvature(const machine *m, int i, int j)
{
    double value = kernel(m, i, i) + kernel(m, j, j) - 2.0 * kernel(m, i, j);
    return value > 0.0 ? value : FLAT;
}

/* *i, *j <- the next two; returns by how much the conditions are violated. */
static double choose(const machine *m, int *i, int *j)
{
    double most = -DBL_MAX, least = DBL_MAX, best = DBL_MAX;
    *i = *j = -1;
    for (int t = 0; t < m->size; t++)
        if (may_grow(m, t) && -m->y[t] * m->gradient[t] >= most) {
            most = -m->y[t] * m->gradient[t];
            *i = t;
        }
    for (int t = 0; t < m->size && *i >= 0; t++) {
        if (!may_fall(m, t))
            continue;
        double value = -m->y[t] * m->gradient[t], gap = most - value;
        least = value < least ? value : least;
        if (gap > 0.0 && -gap * gap / curvature(m, *i, t) <= best) {
            best = -gap * gap / curvature(m, *i, t);
            *j = t;
        }
    }
    return *j < 0 ? 0.0 : most - least;
}

static double within(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* The minimum along y_i a_i + s, y_j a_j - s. */
static void move(machine *m, int i, int j)
{
    double yi = m->y[i], yj = m->y[j], old_i = m->a[i], old_j = m->a[j];
    double step = (-yi * m->gradient[i] + yj * m->gradient[j]) / curvature(m, i, j);
    double room_i = yi > 0.0 ? m->C - old_i : old_i, room_j = yj > 0.0 ? old_j : m->C - old_j;
    step = within(step, 0.0, fmin(room_i, room_j));
    m->a[i] = within(old_i + yi * step, 0.0, m->C);
    m->a[j] = within(old_j - yj * step, 0.0, m->C);
    if (step >= room_i) /* at the bound, whatever the rounding */
        m->a[i] = yi > 0.0 ? m->C : 0.0;
    if (step >= room_j)
        m->a[j] = yj > 0.0 ? 0.0 : m->C;
    double di = yi * (m->a[i] - old_i), dj = yj * (m->a[j] - old_j);
    for (int t = 0; t < m->size; t++)
        m->gradient[t] += m->y[t] * (kernel(m, t, i) * di + kernel(m, t, j) * dj);
}

/* From the samples between the bounds, or from the middle of what the others allow. */
static double offset(const machine *m)
{
    double sum = 0.0, high = DBL_MAX, low = -DBL_MAX;
    int count = 0;
    for (int t = 0; t < m->size; t++) {
        double value = m->y[t] * m->gradient[t];
        if (may_grow(m, t) && may_fall(m, t)) {
            sum += value;
            count++;
        } else if (may_grow(m, t)) {
            high = value < high ? value : high;
        } else {
            low = value > low ? value : low;
        }
    }
    return count ? sum / count : (high + low) / 2.0;
}

/* NULL without memory. */
static struct svm_model *make_model(const machine *m)
{
    struct svm_model *model = malloc(sizeof *model);
    double *numbers = malloc(((size_t)m->size + 1) * sizeof *numbers);
    int *indices = malloc((size_t)m->size * sizeof *indices);
    double **rows = malloc(sizeof *rows);
    if (!model || !numbers || !indices || !rows) {
        free(model);
        free(numbers);
        free(indices);
        free(rows);
        return NULL;
    }
    *model = (struct svm_model){.sv_coef = rows, .sv_indices = indices, .rho = numbers + m->size};
    rows[0] = numbers;
    for (int t = 0; t < m->size; t++)
        if (m->a[t] > 0.0) {
            numbers[model->l] = m->y[t] * m->a[t];
            indices[model->l++] = t + 1;
        }
    model->rho[0] = offset(m);
    return model;
}

struct svm_model *svm_train(const struct svm_problem *problem, const struct svm_parameter *how)
{
    int size = problem->l, i, j;
    long long most = size > 100000 ? 100LL * size : 10000000;
    machine m = {.size = size, .y = problem->y, .x = problem->x, .C = how->C};
    m.a = calloc((size_t)size, sizeof *m.a);
    m.gradient = malloc((size_t)size * sizeof *m.gradient);
    struct svm_model *model = NULL;
    if (m.a && m.gradient) {
        for (int t = 0; t < size; t++)
            m.gradient[t] = -1.0;
        while (most-- > 0 && choose(&m, &i, &j) > how->eps && i >= 0 && j >= 0)
            move(&m, i, j);
        model = make_model(&m);
    }
    free(m.a);
    free(m.gradient);
    return model;
}

void svm_free_and_destroy_model(struct svm_model **model)
{
    free((*model)->sv_coef[0]);
    free((*model)->sv_coef);
    free((*model)->sv_indices);
    free(*model);
    *model = NULL;
}

void svm_set_print_string_function(void (*print)(const char *text))
{
    (void)print; /* nothing is ever printed */
}
