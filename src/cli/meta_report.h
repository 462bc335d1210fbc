/* meta_report.h - how the matrices of a data set were made, as its file tells. */
#ifndef SPD_CLI_META_REPORT_H
#define SPD_CLI_META_REPORT_H

#include "cli/report.h"

/* Reports the JSON text that came with a data set; NULL or a text that is not JSON: nothing. */
void meta_report(report *r, const char *meta);

#endif
