/* method.h - methods by name: classifier, metric and map. */
#ifndef SPD_EVALUATE_METHOD_H
#define SPD_EVALUATE_METHOD_H

#include "classify/classifier.h"

/* The options of the learned map: the method's own or the defaults, with m, metric, nu (0 where
 * they are not fixed) and, where it is fixed, the objective of its values. */
spd_fit_options method_fit_options(const spd_method *method);

/* Is its map, or are its maps, learned by spd_fit? */
int method_learns_map(const spd_method *method);

/* Has it several maps side by side? */
int method_has_parts(const spd_method *method);

/* Is it `auto`? Of a method that may be of another version. */
int method_is_automatic(const spd_method *given);

/* Is it a parameter of the map, not of the classifier? */
int method_of_map(spd_parameter parameter);

/* Value of a parameter as a count; 0 when it is not fixed. */
size_t method_count(const spd_method *method, spd_parameter parameter);

/* *mine <- the caller's method, which may be of another version, checked as by method_check. */
spd_status method_take(spd_context *ctx, const spd_method *given, spd_method *mine);

/* Would two methods fit the same maps: map, metric, options, what is fixed of their parameters? */
int method_same_map(const spd_method *a, const spd_method *b);

/* Equal numbers, or both NaN? */
int same_number(double a, double b);

/* Does the method make sense: known numbers, a metric that the classifier and the map can do, no
 * map for vectors, fixed values in range? The message says what would be. */
spd_status method_check(spd_context *ctx, const spd_method *method);

/* Can its training samples train it: enough of them, labels in range, at least two classes, and
 * what the method reads is there? */
spd_status method_check_samples(spd_context *ctx, const spd_method *method, const samples *train);

/* Values of the classifier (not of the map) that are not fixed <- their defaults for these samples,
 * which are mapped already. A fixed beta leaves beta-scale idle. */
void method_standard_values(spd_method *method, const samples *train);

#endif
