/* textures.c - colour images of materials, a folder per class: folder/class/class_NN.png.
 *
 * Image k of class c comes from (seed, c, k): asking for more images or classes adds to a set and
 * leaves what was there as it was. Colours of many classes are alike, so that they alone do not
 * tell the material. */
#include <stdio.h>

#include "synth/synth.h"
#include "synth/texture.h"

#define SMALLEST     16
#define LARGEST      4096
#define MOST_SAMPLES 100000
#define TEXTURE_SALT 0x7e87 /* apart from the other kinds of the same seed */

static spd_status textures_check(spd_context *ctx, const spd_synth_options *o)
{
    if (o->classes < 1 || o->classes > MATERIALS)
        return ctx_fail(ctx, SPD_EINVAL, "%zu classes of textures; expected 1 to %d", o->classes,
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

static void textures_name(const spd_synth_options *o, size_t i, char *name)
{
    const char *kind = materials[i / o->samples].name;
    snprintf(name, SYNTH_NAME, "%s/%s_%02zu.png", kind, kind, i % o->samples + 1);
}

static spd_status textures_write(spd_context *ctx, const spd_synth_options *o, const char *path,
                                 size_t i)
{
    const size_t kind = i / o->samples;
    image *picture = NULL;
    rng r;
    rng_seed(&r, rng_key(o->seed ^ TEXTURE_SALT, kind, i % o->samples));
    spd_status status = texture_render(ctx, &materials[kind], o->side, &r, &picture);
    if (status >= 0)
        status = image_write(ctx, path, picture);
    image_free(picture);
    return status;
}

const generator generator_textures = {.usual = {.classes = 18, .samples = 12, .side = 400},
                                      .check = textures_check,
                                      .files = textures_files,
                                      .name_file = textures_name,
                                      .write = textures_write};
