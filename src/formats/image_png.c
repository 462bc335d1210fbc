/* image_png.c - PNG images through libpng: every colour type and depth, interlaced or not.
 *
 * libpng reports an error by a jump. The function that waits for it (run) keeps nothing of its own:
 * all that must survive the jump is in a struct of its caller. libpng's memory comes from ours,
 * with which it also returns when an allocation fails. */
#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/memory.h"
#include "formats/image_formats.h"

/* Deflate packs at most 1032 bytes into one; a text or a profile may take so much memory. */
#define DEFLATE_RATIO 1032.0
#define CHUNK_BYTES   ((png_alloc_size_t)8 << 20)

typedef struct png_reader {
    const image_file *file;
    size_t at; /* the next byte */
    png_structp png;
    png_infop info;
    int starved;  /* an allocation failed */
    size_t limit; /* bytes of an allocation: libpng asks for what a chunk claims to be */
    jmp_buf back;
    spd_status status;
    unsigned char *rows; /* of the image as libpng gives it: one, or all when interlaced */
    image *made;
} png_reader;

/* ---- what libpng calls ---------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp text)
{
    png_reader *r = png_get_error_ptr(png);
    if (r->starved)
        r->status = ctx_nomem(r->file->ctx, "a PNG image");
    else
        r->status = ctx_fail(r->file->ctx, SPD_EFORMAT, "PNG: %s", text);
    longjmp(r->back, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void *on_malloc(png_structp png, png_alloc_size_t size)
{
    png_reader *r = png_get_mem_ptr(png);
    if (size > r->limit)
        return NULL;
    void *block = mem_alloc(size, 1);
    r->starved |= block == NULL;
    return block;
}

static void on_free(png_structp png, png_voidp block)
{
    (void)png;
    mem_free(block);
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    png_reader *r = png_get_io_ptr(png);
    if (size > r->file->size - r->at)
        png_error(png, "cut off: the file ends too early");
    memcpy(to, r->file->bytes + r->at, size);
    r->at += size;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Asks libpng for grey or RGB of 8 or 16 bits, whatever is in the file. */
static void set_transforms(const png_reader *r)
{
    const int type = png_get_color_type(r->png, r->info);
    if (type == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(r->png);
    if (type == PNG_COLOR_TYPE_GRAY && png_get_bit_depth(r->png, r->info) < 8)
        png_set_expand_gray_1_2_4_to_8(r->png);
    png_set_strip_alpha(r->png); /* also what a palette's transparency expands to */
}

/* Checks the header and makes room. */
static spd_status prepare(png_reader *r)
{
    const size_t width = png_get_image_width(r->png, r->info);
    const size_t height = png_get_image_height(r->png, r->info);
    const int colour = png_get_color_type(r->png, r->info) & PNG_COLOR_MASK_COLOR;
    const int bits = png_get_bit_depth(r->png, r->info) * png_get_channels(r->png, r->info);
    const size_t channels = colour ? 3 : 1;
    spd_status status =
        image_claim(r->file, width, height, channels, DEFLATE_RATIO * 8.0 / (double)bits);
    if (status < 0)
        return status;
    r->limit += 16 * width; /* rows of 64-bit pixels */
    set_transforms(r);
    const int interlaced = png_set_interlace_handling(r->png) > 1;
    png_read_update_info(r->png, r->info);
    if (png_get_channels(r->png, r->info) != channels)
        return ctx_fail(r->file->ctx, SPD_EFORMAT, "PNG: a palette without colours");
    const size_t bytes = png_get_rowbytes(r->png, r->info);
    r->rows = mem_zero(interlaced ? height : 1, bytes);
    if (!r->rows)
        return ctx_nomem(r->file->ctx, "a PNG image");
    return image_new(r->file->ctx, width, height, channels, &r->made);
}

static void scale_row(const png_reader *r, size_t y, const unsigned char *row)
{
    const size_t count = r->made->width * r->made->channels;
    double *to = r->made->pixel + y * count;
    if (png_get_bit_depth(r->png, r->info) == 16)
        image_scale_16(count, row, 65535.0, to);
    else
        image_scale_8(count, row, 255.0, to);
}

/* Interlaced images come in seven passes, each of which refines all rows. */
static void read_rows(const png_reader *r)
{
    const size_t bytes = png_get_rowbytes(r->png, r->info);
    const int passes = png_get_interlace_type(r->png, r->info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 1; pass <= passes; pass++)
        for (size_t y = 0; y < r->made->height; y++) {
            unsigned char *row = r->rows + (passes > 1 ? y * bytes : 0);
            png_read_row(r->png, row, NULL);
            if (pass == passes)
                scale_row(r, y, row);
        }
}

static void run(png_reader *r)
{
    if (setjmp(r->back))
        return;
    r->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, r, on_error, on_warning, r, on_malloc,
                                      on_free);
    if (r->png)
        r->info = png_create_info_struct(r->png);
    if (!r->info) {
        r->status = ctx_nomem(r->file->ctx, "a PNG image");
        return;
    }
    png_set_user_limits(r->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX); /* prepare is stricter */
    png_set_chunk_malloc_max(r->png, CHUNK_BYTES);
    png_set_read_fn(r->png, r, on_read);
    png_read_info(r->png, r->info);
    r->status = prepare(r);
    if (r->status < 0)
        return;
    read_rows(r);
    png_read_end(r->png, NULL);
}

spd_status image_decode_png(const image_file *file, image **picture)
{
    png_reader r = {.file = file, .status = SPD_OK, .limit = CHUNK_BYTES};
    run(&r);
    png_destroy_read_struct(&r.png, &r.info, NULL);
    mem_free(r.rows);
    if (r.status < 0)
        image_free(r.made);
    else
        *picture = r.made;
    return r.status;
}
