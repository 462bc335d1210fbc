/* c3d.h - the bytes of a .c3d file: numbers in its byte order, header, parameters.
 *
 * A file is a row of blocks of 512 bytes: the header, somewhere the parameters, then the data.
 * Parameters are a chain of records with groups and names; each gives its distance to the next. */
#ifndef SPD_FORMATS_C3D_H
#define SPD_FORMATS_C3D_H

#include <stdint.h>

#include "base/context.h"

/* How the machine that wrote the file kept numbers. */
typedef enum c3d_machine { C3D_INTEL = 84, C3D_DEC = 85, C3D_MIPS = 86 } c3d_machine;

typedef struct c3d_file {
    spd_context *ctx;
    const unsigned char *bytes;
    size_t size;
    c3d_machine machine;
    /* from the header */
    size_t points, analog; /* numbers per frame: 4 for each point, and analog ones behind them */
    size_t frames, data;   /* data: offset of the first frame */
    double scale;          /* of integers; not positive: the data are floats */
    double rate;
    size_t parameters, chain_end; /* offsets of the section of parameters, and behind it */
} c3d_file;

/* A parameter's elements. */
typedef struct c3d_parameter {
    const unsigned char *data;
    size_t count;  /* elements: bytes of texts, else numbers */
    int type;      /* -1 characters, 1 bytes, 2 integers, 4 floats */
    size_t length; /* of one text: the first dimension */
} c3d_parameter;

/* A number at an offset that the caller has checked. */
uint16_t c3d_word(const c3d_file *file, const unsigned char *at);
double c3d_float(const c3d_file *file, const unsigned char *at);

/* Fills everything but ctx, bytes and size; SPD_EFORMAT when the sections do not fit. */
spd_status c3d_read_header(c3d_file *file);

/* The parameter GROUP:NAME; non-zero when there is one. */
int c3d_find(const c3d_file *file, const char *group, const char *name, c3d_parameter *found);

/* The number in a parameter; missing when there is none. Two words are one number. */
double c3d_number(const c3d_file *file, const char *group, const char *name, double missing);

#endif
