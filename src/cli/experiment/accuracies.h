/* accuracies.h - numbers by row and column, the paper's next to ours. */
#ifndef SPD_CLI_EXPERIMENT_ACCURACIES_H
#define SPD_CLI_EXPERIMENT_ACCURACIES_H

#include <jansson.h>
#include <stdio.h>

#include "cli/frame/words.h"

/* What a cell may hold. */
typedef enum table_kind {
    TABLE_OURS,
    TABLE_DEVIATION,
    TABLE_PAPER,
    TABLE_PAPER_DEVIATION
} table_kind;

typedef struct table {
    words row, column; /* names */
    json_t *number;    /* {"row\tcolumn\tkind": number} */
} table;

/* Rows and columns are made where they are not there. NaN is no number. */
void table_put(table *t, const char *row, const char *column, table_kind kind, double number);

/* The number in a cell, NaN where there is none. */
double table_at(const table *t, size_t row, size_t column, table_kind kind);

/* Does the paper have a figure in this column? */
int table_compared(const table *t, size_t column);

#define TABLE_TEXT 48

/* text <- ours or the paper's: "71.3 +- 2.0" of shares, "0.012" of seconds, or a dash. */
void table_text(const table *t, size_t row, size_t column, int paper, int seconds,
                char text[TABLE_TEXT]);

/* On stdout, under a caption; the heading is that of the rows. Nothing when there are none. */
void table_print(const table *t, const char *caption, const char *heading, int seconds);

/* The same in the layout of papers, for booktabs: the best of our numbers in bold, of each row if
 * the columns are methods, else of each column. */
void table_latex(FILE *f, const table *t, const char *heading, int columns_are_methods);

#endif
