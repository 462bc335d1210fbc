/* gateway.h - what the files of the MEX function share: a call, its arguments and options, and values
 * between MATLAB's layout and the library's.
 *
 * Matrices of MATLAB lie column by column. A stack n x n x p of symmetric matrices has the same
 * numbers in both layouts and is lent to the library as it is; Hermitian stacks become real forms,
 * row by row; all other arrays are transposed. */
#ifndef SPDML_GATEWAY_H
#define SPDML_GATEWAY_H

#include "mex.h"
#include "spdml-data.h"

/* ---- a call ---------------------------------------------------------------------------------- */

#define MAX_PAIRS 64
#define MAX_KNOWN 128

typedef struct pair {
    char name[32]; /* as `plain` makes it */
    const mxArray *value;
    int used;
} pair;

typedef struct call {
    const char *command;
    spd_context *ctx;
    int outputs;
    mxArray **output;
    int inputs; /* positional ones */
    const mxArray **input;
    size_t pairs;
    pair pair[MAX_PAIRS];
    size_t known; /* names that the command has asked for */
    const char *known_name[MAX_KNOWN];
    double regularize;
    int symmetrize;
    const char *alias; /* of X in messages, or NULL */
    unsigned remedy;   /* for a failure about which the library gives no advice */
    double remedy_value;
} call;

/* Positional arguments: `least` at least; further ones, up to `most`, end with the first text or
 * struct. The rest are options: pairs of name and value, or structs. Sets up the context by the
 * options that all commands have. */
void call_arguments(call *c, int least, int most);
void call_context(call *c);

/* The result number `index`; freed if nobody asked for it. */
void call_return(call *c, int index, mxArray *value);

/* Ends the call with an error: spdml:ID. Everything kept is freed. */
__attribute__((noreturn, format(printf, 2, 3))) void call_fail(const char *id, const char *format,
                                                               ...);

/* Ends the call if a status is below zero; warns if it is above. */
void call_check(call *c, spd_status status);

/* Frees object by release when the call ends, whichever way. */
void call_keep(void *object, void (*release)(void *));

/* ---- options --------------------------------------------------------------------------------- */

typedef enum option_type { REAL, SIZE, INT, SEED, FLAG, WORD, TEXT } option_type;

/* One option: where its value goes; WORD: an enumeration. The name is that of the command without
 * hyphens: "nu-w", "nu_w" and "NuW" are all nuw. */
typedef struct option {
    const char *name;
    option_type type;
    spd_enum of;
    size_t offset;
} option;
#define INTO(type, member) offsetof(type, member)
#define COUNT(table)       (sizeof(table) / sizeof *(table))

/* *into <- the options of the table that were given. */
void options_take(call *c, size_t count, const option *table, void *into);

/* The value of one option, or NULL. */
const mxArray *option_value(call *c, const char *name);
double option_real(call *c, const char *name, double otherwise);
int option_flag(call *c, const char *name);
char *option_text(call *c, const char *name); /* NULL without it */
int option_word(call *c, const char *name, spd_enum of, int otherwise);

/* Refuses options that nobody asked for. */
void options_done(call *c);

/* text (room) <- name in small letters and digits. */
void plain(const char *name, char *text, size_t room);

/* ---- values ---------------------------------------------------------------------------------- */

/* A stack of matrices as a set; n is the size in MATLAB, set.n twice that if they are complex. */
typedef struct stack {
    spd_set set;
    size_t n, p;
    int complex;
} stack;

/* From n x n x p, or from a struct with the field X. Repaired as the options say, and checked:
 * definite or, if not `definite`, symmetric alone. */
void stack_take(call *c, const mxArray *value, const char *name, int definite, stack *s);
void stack_like(call *c, const mxArray *value, const char *name, const stack *other, stack *s);

/* The same as float64, for functions that take nothing else. */
const double *stack_doubles(call *c, stack *s);

/* Room for p results of the size of real forms, or of symmetric matrices, and what becomes of it. */
typedef struct result {
    size_t n, p; /* of the matrices in MATLAB */
    int complex;
    double *X;
    mxArray *array;
} result;
result result_stack(size_t n, size_t p, int complex);
mxArray *result_array(result *r);

/* Arrays of numbers, transposed: rows x columns row by row <-> MATLAB's matrix. */
mxArray *matrix_of(size_t rows, size_t columns, const double *row_major);
mxArray *map_of(size_t n, size_t m, int complex, const double *W);
double *map_take(const mxArray *value, const char *name, size_t *n, size_t *m, int complex);
double *numbers_take(const mxArray *value, const char *name, size_t *count);
mxArray *number(double value);
mxArray *whole(size_t value);
mxArray *words_of(size_t count, const char *const *text);
mxArray *array_of(const spd_array *array);
spd_array *array_from(const mxArray *value, const char *name, size_t p);

/* An array of this class and shape; 1-based indices of samples. */
mxArray *indices_of(size_t count, const size_t *index);

/* A struct that grows by fields. */
mxArray *record(void);
void field(mxArray *record, const char *name, mxArray *value);

/* A text, also of MATLAB's class string; NULL if it is none. */
char *text_take(const mxArray *value);
char *text_need(const mxArray *value, const char *name);
/* Texts of a cell array or one text. */
const char **texts_take(const mxArray *value, const char *name, size_t *count);

/* Labels as class numbers, with the names of the classes in the library's order. */
typedef struct labels {
    size_t classes;
    int *label;        /* p, or NULL */
    const char **name; /* classes */
    spd_type type;
} labels;
void labels_take(call *c, const mxArray *value, size_t p, const char *name, labels *l);
mxArray *labels_of(size_t count, const int *label, const char *const *name, spd_type type);

/* Samples of a command: X and y, or a struct of data with both. */
typedef struct samples {
    stack X;
    labels y;
    spd_samples view;
    const mxArray *data; /* the struct, or NULL */
} samples;
void samples_take(call *c, int labelled, int on_vectors, samples *s);

/* p group numbers from an option: values, one for each sample, or the name of a field of the data. */
int *groups_take(call *c, const char *name, const samples *s, size_t *count);

/* ---- objects --------------------------------------------------------------------------------- */

/* Models and trained methods are structs with the contents of their .spdml file as file.spdml.bytes:
 * nested, so that they are not printed. image_of: NULL if there are none. */
mxArray *file_of(unsigned char *bytes, size_t count); /* which it keeps */
const unsigned char *image_of(const mxArray *value, size_t *size);

mxArray *model_struct(call *c, const spd_model *model);
spd_model *model_take(call *c, const mxArray *value); /* kept */
mxArray *classifier_struct(call *c, const spd_classifier *k);
spd_classifier *classifier_take(call *c, const mxArray *value); /* kept */
spd_kind object_kind(const mxArray *value);                     /* SPD_KIND_DATA: none */
void fit_options_take(call *c, spd_fit_options *options);

/* ---- commands -------------------------------------------------------------------------------- */

void command_distance(call *c);
void command_mean(call *c);
void command_geodesic(call *c);
void command_logm(call *c);
void command_expm(call *c);
void command_sqrtm(call *c);
void command_powm(call *c);
void command_kernel(call *c);
void command_nearest(call *c);
void command_embed(call *c);
void command_fit(call *c);
void command_transform(call *c);
void command_cost(call *c);
void command_explain(call *c);
void command_train(call *c);
void command_predict(call *c);
void command_evaluate(call *c);
void command_load(call *c);
void command_save(call *c);
void command_describe(call *c);
void command_synth(call *c);
void command_version(call *c);

#endif
