/* sets.h - data sets that may be larger than memory: read into it where they fit, else gone through
 * in their files. */
#ifndef SPD_CLI_FRAME_SETS_H
#define SPD_CLI_FRAME_SETS_H

#include "cli/frame/session.h"

typedef struct large_set {
    spd_data *data; /* its X is NULL where the matrices are apart */
    spd_set X;      /* the matrices */
    spd_set *apart; /* the same, unless they are in data->X */
    int streams;    /* they are read from files */
    int held;       /* and each of several processes holds its share of them */
} large_set;

/* The matrices of a data set in memory. */
spd_set sets_view(const spd_data *data);

/* Bytes of "8G", "500M", "64K" or "2.5e9"; non-zero when text is none of these. */
int sets_parse_size(const char *text, double *bytes);

/* The data set of a path: in memory as float64 within half of --memory, else as float32 if its
 * files are and it fits, else read piece by piece. Checked, unless it streams (sets_check). */
void sets_load(session *s, const char *path, const char *labels, large_set *set);

/* Checks the matrices of a set that streams: a pass over its files. */
void sets_check(session *s, const large_set *set);

/* Ends the command where a set is not in memory as float64; what: what needs it there. */
void sets_need_memory(const session *s, const large_set *set, const char *what);

/* Does `count` matrices X (n x n each) from number `first` on. */
typedef spd_status (*sets_body)(session *s, void *user, size_t first, size_t count,
                                const double *X);

/* body for all matrices of a set, block by block. */
void sets_each(session *s, const large_set *set, sets_body body, void *user);

/* The same of a fit, with so many passes per iteration: where the matrices were, and what was kept
 * of each. */
void sets_show_passes(session *s, sheet *r, const large_set *set, int passes);

/* How much memory was used at most, and the limit. */
void sets_show_memory(session *s, sheet *r);

#endif
