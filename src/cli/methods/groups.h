/* groups.h - per-sample columns as groups, and clauses COLUMN=value,... over them. */
#ifndef SPD_CLI_METHODS_GROUPS_H
#define SPD_CLI_METHODS_GROUPS_H

#include "cli/frame/session.h"

/* The per-sample array of that name, or NULL. */
const spd_array *column_named(const spd_data *data, const char *name);

/* A column as numbers of its values. */
typedef struct groups {
    const char *column; /* its name */
    size_t count;
    int *group;        /* p: which value a sample has */
    const char **name; /* count values as text: numbers ascending, texts in the order of bytes */
} groups;

/* g <- the column of that name; y is the labels, and so is the name that --y gave. Where it is
 * not there, the command ends with a list of the columns there are. */
void groups_take(const spd_data *data, const char *column, const char *asked, groups *g);

/* Which columns could hold the labels of a data set without: "--y activity takes that column", "--y
 * NAME takes one of activity, subject", or "". */
const char *labels_hint(const spd_data *data);

/* "has no labels ..." with the columns that could hold them. what and or_else may be
 * "": " to learn from", ", or use --unsupervised". */
void labels_missing(const spd_data *data, const char *what, const char *or_else)
    __attribute__((noreturn));

/* flag (p) <- 1 where all clauses of a repeatable option hold. A clause that holds nowhere, or
 * names a value that is not there, ends the command with a list of the values there are. */
void where_select(session *s, const spd_data *data, const char *asked, char *flag);

/* The column of an option's first clause, cut out of its text. */
char *where_column(session *s, const char *asked);

#endif
