/* metric.c - the table of metrics. */
#include "geometry/metric.h"

static const metric *const table[SPD_METRICS] = {
    [SPD_AIRM] = &metric_airm,
    [SPD_STEIN] = &metric_stein,
    [SPD_LOG_EUCLIDEAN] = &metric_log_euclidean,
    [SPD_JEFFREY] = &metric_jeffrey,
    [SPD_BURES_WASSERSTEIN] = &metric_bures_wasserstein,
    [SPD_LOG_CHOLESKY] = &metric_log_cholesky,
    [SPD_EUCLIDEAN] = &metric_euclidean,
};

const metric *metric_get(spd_metric id)
{
    return (unsigned)id < SPD_METRICS ? table[id] : NULL;
}

const naming metric_names = {
    .kind = "metric",
    .count = SPD_METRICS,
    .word = {[SPD_AIRM] = "airm",
             [SPD_STEIN] = "stein",
             [SPD_LOG_EUCLIDEAN] = "log-euclidean",
             [SPD_JEFFREY] = "jeffrey",
             [SPD_BURES_WASSERSTEIN] = "bures-wasserstein",
             [SPD_LOG_CHOLESKY] = "log-cholesky",
             [SPD_EUCLIDEAN] = "euclidean"},
    .alias = {{"riemann", SPD_AIRM}, /* pyRiemann's */
              {"logdet", SPD_STEIN},
              {"logeuclid", SPD_LOG_EUCLIDEAN},
              {"kullback_sym", SPD_JEFFREY},
              {"wasserstein", SPD_BURES_WASSERSTEIN},
              {"logchol", SPD_LOG_CHOLESKY},
              {"euclid", SPD_EUCLIDEAN}},
};

const char *spd_metric_name(spd_metric id)
{
    return naming_word(&metric_names, (unsigned)id);
}

spd_status spd_metric_parse(spd_context *ctx, const char *name, spd_metric *id)
{
    unsigned value = 0;
    spd_status status = naming_parse(ctx, &metric_names, name, &value);
    if (status == SPD_OK)
        *id = (spd_metric)value;
    return status;
}
