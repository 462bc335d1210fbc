/* metric.c - the table of metrics. */
#include "geometry/metric.h"

#include <string.h>

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

const char *spd_metric_name(spd_metric id)
{
    const metric *m = metric_get(id);
    return m ? m->name : NULL;
}

spd_status spd_metric_parse(const char *name, spd_metric *id)
{
    for (int i = 0; name && i < SPD_METRICS; i++)
        if (strcmp(name, table[i]->name) == 0 || strcmp(name, table[i]->alias) == 0) {
            *id = (spd_metric)i;
            return SPD_OK;
        }
    return SPD_EINVAL;
}
