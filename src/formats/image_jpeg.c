/* image_jpeg.c - JPEG images through libjpeg: grey, YCbCr, RGB, CMYK and YCCK; baseline,
 * progressive, arithmetic.
 *
 * libjpeg reports an error by a call that must not return, so it jumps. The function that waits for
 * it (run) keeps nothing of its own: all that must survive the jump is in a struct of its caller.
 * Warnings of missing or damaged data are errors too, for half an image would make a wrong matrix.
 *
 * Four colours are inks: with c, m, y, k in [0, 1], r = (1 - c)(1 - k). Files of Adobe's programs
 * store the inks inverted, and all of them carry Adobe's marker. */
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include "formats/image_formats.h"

/* The library has no function that tells. */
#define TEXT_OF(x)  #x
#define VALUE_OF(x) TEXT_OF(x)
#ifdef LIBJPEG_TURBO_VERSION
#define VERSION VALUE_OF(LIBJPEG_TURBO_VERSION)
#else
#define VERSION VALUE_OF(JPEG_LIB_VERSION)
#endif

/* Every 8 x 8 block costs at least one bit; with arithmetic coding it may be less. */
#define PIXELS_PER_BYTE            512.0
#define PIXELS_PER_BYTE_ARITHMETIC (64.0 * PIXELS_PER_BYTE)
#define MOST_SCANS                 500

typedef struct jpeg_reader {
    image_file *file;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf back;
    spd_status status;
} jpeg_reader;

/* ---- what libjpeg calls --------------------------------------------------------------------- */

static void on_error(j_common_ptr common)
{
    jpeg_reader *r = common->client_data;
    char text[JMSG_LENGTH_MAX];
    common->err->format_message(common, text);
    if (common->err->msg_code == JERR_OUT_OF_MEMORY)
        r->status = ctx_nomem(r->file->ctx, "a JPEG image");
    else
        r->status = ctx_fail(r->file->ctx, SPD_EFORMAT, "JPEG: %s", text);
    longjmp(r->back, 1);
}

/* Level -1 is a warning. Some are about the shape of the file, not about its pixels. */
static void on_message(j_common_ptr common, int level)
{
    switch (common->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_TOO_MUCH_DATA:
        return;
    default:
        if (level < 0)
            common->err->error_exit(common);
    }
}

static void on_output(j_common_ptr common)
{
    (void)common;
}

/* A small file may hold very many scans of a large image, each of which takes time. */
static void on_progress(j_common_ptr common)
{
    jpeg_reader *r = common->client_data;
    if (r->jpeg.input_scan_number <= MOST_SCANS)
        return;
    r->status = ctx_fail(r->file->ctx, SPD_EFORMAT, "JPEG: more than %d scans", MOST_SCANS);
    longjmp(r->back, 1);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Chooses what libjpeg shall give, checks the header and makes room. */
static spd_status prepare(jpeg_reader *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    const int grey = jpeg->jpeg_color_space == JCS_GRAYSCALE;
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE:
        jpeg->out_color_space = JCS_GRAYSCALE;
        break;
    case JCS_RGB:
    case JCS_YCbCr:
        jpeg->out_color_space = JCS_RGB;
        break;
    case JCS_CMYK:
    case JCS_YCCK:
        jpeg->out_color_space = JCS_CMYK;
        break;
    default:
        return ctx_fail(r->file->ctx, SPD_EFORMAT, "JPEG: unknown colours, %d components",
                        jpeg->num_components);
    }
    const size_t width = jpeg->image_width, height = jpeg->image_height, channels = grey ? 1 : 3;
    spd_status status =
        image_begin(r->file, width, height, channels,
                    jpeg->arith_code ? PIXELS_PER_BYTE_ARITHMETIC : PIXELS_PER_BYTE);
    return status < 0 ? status : image_room(r->file, width, 4 * sizeof(JSAMPLE));
}

/* to (width x 3) <- inks (width x 4) */
static void mix_inks(size_t width, int inverted, const JSAMPLE *inks, double *to)
{
    for (size_t x = 0; x < width; x++)
        for (size_t c = 0; c < 3; c++) {
            const double ink = inks[4 * x + c] / 255.0, black = inks[4 * x + 3] / 255.0;
            to[3 * x + c] = inverted ? ink * black : (1.0 - ink) * (1.0 - black);
        }
}

static void read_rows(jpeg_reader *r)
{
    struct jpeg_decompress_struct *jpeg = &r->jpeg;
    const image *made = r->file->made;
    const size_t count = made->width * made->channels;
    JSAMPLE *row = r->file->room;
    while (jpeg->output_scanline < jpeg->output_height) {
        double *to = made->pixel + jpeg->output_scanline * count;
        jpeg_read_scanlines(jpeg, &row, 1);
        if (jpeg->out_color_space == JCS_CMYK)
            mix_inks(made->width, jpeg->saw_Adobe_marker, row, to);
        else
            image_scale_8(count, row, 255.0, to);
    }
}

static void run(jpeg_reader *r)
{
    if (setjmp(r->back))
        return;
    jpeg_create_decompress(&r->jpeg);
    r->jpeg.client_data = r;
    r->jpeg.progress = &r->progress;
    r->jpeg.mem->max_memory_to_use = (long)(16 * r->file->most);
    jpeg_mem_src(&r->jpeg, r->file->bytes, (unsigned long)r->file->size);
    jpeg_read_header(&r->jpeg, TRUE);
    r->status = prepare(r);
    if (r->status < 0)
        return;
    jpeg_start_decompress(&r->jpeg);
    read_rows(r);
    jpeg_finish_decompress(&r->jpeg);
}

spd_status image_decode_jpeg(image_file *file)
{
    jpeg_reader r = {.file = file, .status = SPD_OK};
    r.jpeg.err = jpeg_std_error(&r.errors);
    r.jpeg.client_data = &r;
    r.errors.error_exit = on_error;
    r.errors.emit_message = on_message;
    r.errors.output_message = on_output;
    r.progress.progress_monitor = on_progress;
    run(&r);
    jpeg_destroy_decompress(&r.jpeg);
    return r.status;
}

const char *image_jpeg_version(void)
{
    return VERSION;
}
