/* spdml.h - the public interface of libspdml: symmetric positive definite (SPD) matrices. It
 * includes the headers of all subjects:
 *   spdml/base.h      status codes, errors, contexts, engines, processes, words of enumerations
 *   spdml/geometry.h  sets of matrices, linear algebra, metrics, distances, means, covariances
 *   spdml/learn.h     learned maps, models, checkpoints, embeddings
 *   spdml/classify.h  classifiers, tuning
 *   spdml/evaluate.h  protocols, scores, tests
 *
 * Conventions:
 *   - Matrices are row-major double arrays. A set of p matrices of size n x n is one array
 *     p x n x n; symmetric matrices have both triangles. Most functions read only the lower one;
 *     spd_check tells whether the two agree.
 *   - Status: 0 means success. < 0 means that there is no result; outputs are unchanged unless the
 *     function says otherwise. > 0 means that the result is usable, with a remark. Test the sign:
 *     later versions may have further codes. If the function takes a context, the context then
 *     holds a message that names the cause.
 *   - Ownership: an object that a function stores through a pointer to a pointer, or returns from
 *     spd_x_new, is new and belongs to the caller, who frees it with the spd_x_free of its type or
 *     the function named next to it. It owns everything it points to. Every free function accepts
 *     NULL. Everything else is borrowed: inputs are not kept after the call unless the function
 *     says so, names are constants, and spd_context_error is valid until the next call.
 *   - There are three kinds of structs. Those that callers provide and that may grow begin with
 *     `size`, their sizeof when the caller was compiled: start them with SPD_STRUCT(type), which
 *     sets everything else to zero, or with spd_x_defaults(&x, sizeof x). Those that only the
 *     library makes may grow too, so callers never allocate, copy or keep arrays of them. Those
 *     that will not change say so. New members are added only at the end.
 *   - Enumerators begin with the name of their enumeration. AUTO is 0: the library chooses. New
 *     values are added only at the end; the value "how many there are" grows with them, so do not
 *     store it. spd_name gives the word for a value, and spd_parse the value of a word.
 *   - Nothing here prints or exits. Results are bit-identical for any number of threads.
 *   - A context may be NULL: all cores, the CPU, no progress, no messages. A context serves one
 *     call at a time; different threads may use different contexts. A forked child may continue to
 *     use its parent's contexts, and free them, if no other thread was in a call at that moment.
 *
 * Equation numbers refer to docs/math.md. */
#ifndef SPDML_H
#define SPDML_H

#include "spdml/base.h"
#include "spdml/geometry.h"
#include "spdml/learn.h"
#include "spdml/classify.h"
#include "spdml/evaluate.h"

#endif
