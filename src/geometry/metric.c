/* metric.c - the table of metrics. */
#include "geometry/metric.h"

static const metric *const table[SPD_METRICS] = {
    [SPD_METRIC_AIRM] = &metric_airm,
    [SPD_METRIC_STEIN] = &metric_stein,
    [SPD_METRIC_LOG_EUCLIDEAN] = &metric_log_euclidean,
    [SPD_METRIC_JEFFREY] = &metric_jeffrey,
    [SPD_METRIC_BURES_WASSERSTEIN] = &metric_bures_wasserstein,
    [SPD_METRIC_LOG_CHOLESKY] = &metric_log_cholesky,
    [SPD_METRIC_EUCLIDEAN] = &metric_euclidean,
};

const metric *metric_get(spd_metric id)
{
    return (unsigned)id < SPD_METRICS ? table[id] : NULL;
}
