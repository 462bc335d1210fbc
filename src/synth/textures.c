/* textures.c - colour images of materials, a folder per class: folder/class/class_NN.png.
 *
 * Image k of class c comes from (seed, c, k): asking for more images or classes adds to a set and
 * leaves what was there as it was. Colours of many classes are alike, so that they alone do not
 * tell the material. */
#include <stdio.h>

#include "base/memory.h"
#include "formats/outfolder.h"
#include "synth/noise.h"
#include "synth/synth.h"
#include "synth/texture.h"

#define MATERIALS    (sizeof materials / sizeof *materials)
#define SMALLEST     16
#define LARGEST      4096
#define MOST_SAMPLES 100000
#define TEXTURE_SALT 0x7e87 /* apart from the other kinds of the same seed */

/* name, pattern, units on a side, relief, dye; colours: dark, middle, light, accent */
static const material materials[] = {
    {"weave", pattern_weave, 9.0, 0.8, 0.14, 0x241a0f, 0x8c6e47, 0xe0c494, 0x6b4c26},
    {"bark", pattern_bark, 7.0, 0.8, 0.10, 0x1f1712, 0x6b5745, 0xb8a38a, 0x617347},
    {"brick", pattern_brick, 7.0, 1.0, 0.10, 0x522b21, 0x995440, 0xcc8566, 0xada394},
    {"fur", pattern_fur, 9.0, 1.2, 0.14, 0x291c14, 0x85664a, 0xdbc4a3, 0x473329},
    {"marble", pattern_marble, 5.0, 0.0, 0.08, 0x474545, 0xa8a199, 0xebe6de, 0x998066},
    {"wood", pattern_wood, 12.0, 0.6, 0.12, 0x422614, 0x94663d, 0xd1a670, 0x9e6133},
    {"gravel", pattern_gravel, 12.0, 0.6, 0.08, 0x1a1714, 0x7a736b, 0xd6cfc4, 0x8c6b57},
    {"sand", pattern_sand, 9.0, 1.6, 0.08, 0x664f26, 0xb2946e, 0xebd4ad, 0xf5e6cc},
    {"water", pattern_water, 7.0, 0.7, 0.12, 0x0f2421, 0x3d616b, 0x94adb2, 0xebf2f5},
    {"foliage", pattern_foliage, 6.0, 0.6, 0.14, 0x0f170a, 0x476621, 0x9eb261, 0xa8853d},
    {"plaid", pattern_plaid, 11.0, 1.0, 0.15, 0x292433, 0x80423d, 0xd1bda3, 0xdbcc85},
    {"knit", pattern_knit, 12.0, 0.5, 0.15, 0x292124, 0x857070, 0xdbccc2, 0x7a4c57},
    {"leather", pattern_leather, 20.0, 0.9, 0.16, 0x21140d, 0x754f36, 0xb88f6b, 0x4c2e1f},
    {"metal", pattern_metal, 8.0, 0.6, 0.05, 0x38383b, 0x8c8c8f, 0xe6e6e6, 0xb2a38a},
    {"stone", pattern_stone, 6.0, 0.6, 0.08, 0x241f1c, 0x807366, 0xc7baab, 0x998061},
    {"carpet", pattern_carpet, 44.0, 0.4, 0.13, 0x241f1c, 0x78665c, 0xc2b09e, 0x61545c},
    {"grass", pattern_grass, 8.0, 0.4, 0.10, 0x121708, 0x576b21, 0xadb866, 0xb8a361},
    {"corduroy", pattern_corduroy, 16.0, 0.7, 0.13, 0x241a12, 0x7a5c42, 0xc2a380, 0xa88f75},
    {"granite", pattern_granite, 26.0, 0.6, 0.05, 0x1a1a1a, 0x948a85, 0xe6ded6, 0xb2806b},
    {"denim", pattern_denim, 60.0, 0.4, 0.10, 0x141c21, 0x425775, 0x8599b2, 0xbdbfbd},
};

static void textures_defaults(spd_synth_options *options)
{
    options->classes = 18;
    options->samples = 12;
    options->side = 400;
}

static spd_status textures_check(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > MATERIALS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu classes of textures; expected 1 to %zu", o->classes,
                        MATERIALS);
    if (o->samples < 1 || o->samples > MOST_SAMPLES)
        return ctx_fail(ctx, SPD_EINVAL, "%zu textures per class; expected 1 to %d", o->samples,
                        MOST_SAMPLES);
    if (o->side < SMALLEST || o->side > LARGEST)
        return ctx_fail(ctx, SPD_EINVAL, "textures of %zu x %zu pixels; sides must be %d to %d",
                        o->side, o->side, SMALLEST, LARGEST);
    return SPD_OK;
}

static size_t textures_files(const spd_synth_options *o)
{
    return o->classes * o->samples;
}

static spd_status write_picture(spd_context *ctx, const char *folder, const char *class_name,
                                size_t number, const image *picture)
{
    char name[64];
    char *path;
    snprintf(name, sizeof name, "%s/%s_%02zu.png", class_name, class_name, number);
    spd_status status = outfolder_make(ctx, folder, class_name);
    if (status >= 0)
        status = outfolder_path(ctx, folder, name, &path);
    if (status < 0)
        return status;
    status = image_write(ctx, path, picture);
    mem_free(path);
    return status;
}

static spd_status textures_write(spd_context *ctx, const spd_synth_options *o, const char *folder,
                                 size_t i)
{
    const size_t kind = i / o->samples, number = i % o->samples;
    image *picture = NULL;
    rng r;
    rng_seed(&r, rng_key(o->seed ^ TEXTURE_SALT, kind, number));
    spd_status status = texture_render(ctx, &materials[kind], o->side, &r, &picture);
    if (status >= 0)
        status = write_picture(ctx, folder, materials[kind].name, number + 1, picture);
    image_free(picture);
    return status;
}

const generator generator_textures = {.defaults = textures_defaults,
                                      .check = textures_check,
                                      .files = textures_files,
                                      .write = textures_write};
