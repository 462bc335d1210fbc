/* naming.h - the words of an enumeration: one table names its values and parses them.
 *
 *   static const naming metrics = {"metric", 2, {"airm", "stein"}, {{"logdet", SPD_STEIN}}};
 *   const char *spd_metric_name(spd_metric metric) { return naming_word(&metrics,
 * (unsigned)metric); } spd_status spd_metric_parse(spd_context *ctx, const char *name, spd_metric
 * *metric)
 *   {
 *       unsigned value = 0;
 *       spd_status status = naming_parse(ctx, &metrics, name, &value);
 *       if (status == SPD_OK)
 *           *metric = (spd_metric)value;
 *       return status;
 *   }  */
#ifndef SPD_BASE_NAMING_H
#define SPD_BASE_NAMING_H

#include "base/context.h"

#define NAMING_MOST    32
#define NAMING_ALIASES 8

typedef struct naming {
    const char *kind; /* what the values are, for messages: "metric" */
    unsigned count;
    const char *word[NAMING_MOST]; /* in the order of the header; NULL: that value has no word */
    struct {
        const char *word;
        unsigned value;
    } alias[NAMING_ALIASES]; /* further words that are understood */
} naming;

/* The word of a value; NULL for one that has none. */
const char *naming_word(const naming *names, unsigned value);

/* *value <- what the word stands for. SPD_EINVAL with a message that lists the words, *value
 * untouched. */
spd_status naming_parse(spd_context *ctx, const naming *names, const char *word, unsigned *value);

#endif
