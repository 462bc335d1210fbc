/* recipe.h - the text of an experiment: where it comes from, its lines, its variables.
 *
 * Comments follow #, and a line that ends with \ goes on in the next. Words are parted by blanks;
 * "..." keeps blanks in one. $NAME or ${NAME} stands for a variable's value, which is never split.
 * What stands in [...] is left out where a variable within it is empty. */
#ifndef SPD_CLI_EXPERIMENT_RECIPE_H
#define SPD_CLI_EXPERIMENT_RECIPE_H

#include <jansson.h>

#include "cli/frame/words.h"

/* One that is part of the program: the text of recipes/NAME.recipe, made by cmake/Recipes.cmake. */
typedef struct recipe_builtin {
    const char *name; /* NULL at the end */
    const unsigned char *text;
} recipe_builtin;

extern const recipe_builtin recipe_builtins[];

typedef struct recipe {
    char *name; /* "materials", of a file what stands before .recipe */
    char *path; /* as messages name it */
    char *text; /* as it was read */
    words line;
    size_t at, next;      /* the line that is being read, and the one after it */
    json_t *value;        /* {NAME: text} of the variables */
    json_t *given, *used; /* {NAME: true}: by the command line; by a line */
} recipe;

/* r <- the recipe of that name, from the folder of the environment variable SPDML_RECIPES or from
 * the program, or the file when the name ends with .recipe or holds a slash. */
void recipe_load(recipe *r, const char *name);

/* "FILE:LINE: ..." on stderr; the command ends as misused. */
void recipe_fail(const recipe *r, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* Gives a variable its value; what the command line has given, the recipe cannot change. */
void recipe_give(recipe *r, const char *name, const char *value);
void recipe_set(recipe *r, const char *name, const char *value);

/* The value of a variable, or NULL. */
const char *recipe_value(const recipe *r, const char *name);

/* No variable has a value. */
void recipe_forget(recipe *r);

/* w <- the words of the current line, with the values of variables. */
void recipe_words(recipe *r, words *w);

#endif
