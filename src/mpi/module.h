/* module.h - what libspdml and its MPI module say to each other.
 *
 * The module is a library of its own, loaded when a context is to work with other processes
 * (run/mpi.c), so that libspdml runs where MPI is not. One function gives the processes, as
 * base/ranks.h sees them; it starts MPI where that has not been done. */
#ifndef SPD_MPI_MODULE_H
#define SPD_MPI_MODULE_H

#include "base/ranks.h"

#define MPI_MODULE_VERSION 2
#define MPI_MODULE_ENTRY   "spdml_mpi_module"

typedef struct mpi_module {
    size_t size, ranks_size; /* of this struct and of struct ranks: another one is refused */
    int version;
    const char *library;  /* "Open MPI v4.1.4, ..." */
    ranks *(*join)(void); /* NULL when MPI cannot be started */
} mpi_module;

typedef const mpi_module *(*mpi_module_entry)(void);

#endif
