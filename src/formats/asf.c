/* asf.c - Acclaim skeletons.
 *
 * Sections begin with a word with a colon. :units gives the unit of lengths and of angles, :root
 * the channels of the root, :bonedata one begin ... end per bone, :hierarchy lines of a parent and
 * its children. Others (:version, :name, :documentation, :skin) are passed over, and so are lines
 * of a bone that place no joint (id, limits, bodymass, cofmass).
 *
 * `axis a b c XYZ` is C = Rz(c) Ry(b) Rx(a): the first letter turns first. */
#include <string.h>

#include "formats/kinematics.h"
#include "io/text.h"

/* The bone that is being read. */
typedef struct draft {
    size_t line; /* of its begin */
    word name;
    double direction[3], length, angle[3];
    word axis;
    int has_name, has_direction, has_length, has_angle, has_axis;
    size_t channels;
    unsigned char channel[MAX_CHANNELS];
} draft;

typedef struct asf_reader {
    spd_context *ctx;
    lines at;
    skeleton *bones;
} asf_reader;

static spd_status parse_length(asf_reader *in)
{
    spd_status status = lines_numbers(in->ctx, &in->at, "the unit of lengths", 1, &in->bones->unit);
    if (status == SPD_OK && in->bones->unit <= 0.0)
        status = ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: the unit of lengths is %g; expected > 0",
                          in->at.line, in->bones->unit);
    return status;
}

static spd_status parse_angle(asf_reader *in)
{
    word w = {0};
    if (lines_word(&in->at, &w) && (word_is(&w, "deg") || word_is(&w, "degrees")))
        in->bones->radians = DEGREE;
    else if (w.size && (word_is(&w, "rad") || word_is(&w, "radians")))
        in->bones->radians = 1.0;
    else
        return ctx_fail(in->ctx, SPD_EFORMAT,
                        "line %zu: the unit of angles is '%s'; expected deg or rad", in->at.line,
                        word_show(&w).text);
    return SPD_OK;
}

static spd_status parse_units(asf_reader *in, const word *key)
{
    if (word_is(key, "length"))
        return parse_length(in);
    if (word_is(key, "angle"))
        return parse_angle(in);
    return SPD_OK;
}

/* Channels to the end of the line; moves: shifts are allowed. */
static spd_status parse_channels(asf_reader *in, int moves, size_t *count, unsigned char *channel)
{
    static const char *const names[] = {"rx", "ry", "rz", "tx", "ty", "tz"};
    word w;
    size_t known = moves ? 6 : 3;
    for (*count = 0; lines_word(&in->at, &w); ++*count) {
        unsigned char c = 0;
        while (c < known && !word_is(&w, names[c]))
            c++;
        if (c == known)
            return ctx_fail(in->ctx, SPD_EFORMAT,
                            "line %zu: degree of freedom '%s' is not one of %s", in->at.line,
                            word_show(&w).text, moves ? "tx ty tz rx ry rz" : "rx ry rz");
        if (*count == MAX_CHANNELS)
            return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: more than %d degrees of freedom",
                            in->at.line, MAX_CHANNELS);
        channel[*count] = c;
    }
    return SPD_OK;
}

/* C <- rotation by three angles about the three axes of a word, "XYZ" or another order. */
static spd_status make_frame(asf_reader *in, size_t line, const word *axis, const double *angle,
                             double *C)
{
    if (axis->size != 3)
        goto bad;
    for (size_t i = 0; i < 3; i++) {
        const word letter = {axis->from + i, 1};
        size_t a = word_is(&letter, "x") ? 0 : word_is(&letter, "y") ? 1 : 2;
        if (a == 2 && !word_is(&letter, "z"))
            goto bad;
        turn_before(a, angle[i] * in->bones->radians, C);
    }
    return SPD_OK;
bad:
    return ctx_fail(in->ctx, SPD_EFORMAT,
                    "line %zu: axis order '%s' is not XYZ or another order of x, y, z", line,
                    word_show(axis).text);
}

static spd_status parse_root(asf_reader *in, draft *root, const word *key)
{
    if (word_is(key, "order"))
        return parse_channels(in, 1, &root->channels, root->channel);
    if (word_is(key, "position"))
        return lines_numbers(in->ctx, &in->at, "position", 3, root->direction);
    if (word_is(key, "orientation")) {
        root->has_angle = 1;
        return lines_numbers(in->ctx, &in->at, "orientation", 3, root->angle);
    }
    if (word_is(key, "axis"))
        root->has_axis = lines_word(&in->at, &root->axis);
    return SPD_OK;
}

static spd_status parse_axis(asf_reader *in, draft *d)
{
    spd_status status = lines_numbers(in->ctx, &in->at, "axis", 3, d->angle);
    d->has_angle = 1;
    d->has_axis = status == SPD_OK && lines_word(&in->at, &d->axis);
    return status;
}

static spd_status parse_bone_line(asf_reader *in, draft *d, const word *key)
{
    if (word_is(key, "name"))
        d->has_name = lines_word(&in->at, &d->name);
    if (word_is(key, "direction")) {
        d->has_direction = 1;
        return lines_numbers(in->ctx, &in->at, "direction", 3, d->direction);
    }
    if (word_is(key, "length")) {
        d->has_length = 1;
        return lines_numbers(in->ctx, &in->at, "length", 1, &d->length);
    }
    if (word_is(key, "axis"))
        return parse_axis(in, d);
    if (word_is(key, "dof"))
        return parse_channels(in, 0, &d->channels, d->channel);
    return SPD_OK;
}

/* Channels and frame of a finished draft. */
static spd_status settle(asf_reader *in, const draft *d, size_t number)
{
    static const word usual = {"XYZ", 3};
    bone *b = &in->bones->bone[number];
    b->channels = d->channels;
    memcpy(b->channel, d->channel, sizeof b->channel);
    return make_frame(in, d->line, d->has_axis ? &d->axis : &usual, d->angle, b->frame);
}

static spd_status add_bone(asf_reader *in, const draft *d)
{
    size_t number = 0;
    const char *missing = !d->has_name        ? "name"
                          : !d->has_direction ? "direction"
                          : !d->has_length    ? "length"
                                              : NULL;
    if (missing)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: the bone that begins here has no %s",
                        d->line, missing);
    spd_status status = skeleton_add(in->ctx, in->bones, &d->name, d->line, &number);
    if (status < 0)
        return status;
    for (size_t i = 0; i < 3; i++)
        in->bones->bone[number].offset[i] = d->direction[i] * d->length;
    return settle(in, d, number);
}

/* One line of :bonedata. */
static spd_status parse_bonedata(asf_reader *in, draft *d, const word *key)
{
    if (word_is(key, "begin")) {
        *d = (draft){.line = in->at.line};
        return SPD_OK;
    }
    if (d->line == 0)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: '%s' stands between bones; expected begin",
                        in->at.line, word_show(key).text);
    if (!word_is(key, "end"))
        return parse_bone_line(in, d, key);
    spd_status status = add_bone(in, d);
    *d = (draft){0};
    return status;
}

static spd_status find_bone(asf_reader *in, const word *name, size_t *found)
{
    *found = skeleton_find(in->bones, name);
    if (*found == BONE_NONE)
        return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: :hierarchy names '%s', :bonedata does not",
                        in->at.line, word_show(name).text);
    return SPD_OK;
}

/* One line of :hierarchy: a bone and its children. */
static spd_status parse_family(asf_reader *in, const word *key)
{
    word w;
    size_t parent, child;
    if (word_is(key, "begin") || word_is(key, "end"))
        return SPD_OK;
    spd_status status = find_bone(in, key, &parent);
    while (status == SPD_OK && lines_word(&in->at, &w)) {
        status = find_bone(in, &w, &child);
        if (status < 0)
            break;
        if (child == 0 || in->bones->bone[child].parent != BONE_NONE)
            return ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: '%s' %s", in->at.line,
                            word_show(&w).text,
                            child == 0 ? "cannot be a child" : "has a parent already");
        in->bones->bone[child].parent = parent;
    }
    return status;
}

typedef enum section { NO_SECTION = 0, UNITS, ROOT, BONEDATA, HIERARCHY, OTHER } section;

static section section_of(const word *key)
{
    static const char *const names[] = {"", ":units", ":root", ":bonedata", ":hierarchy"};
    section s = UNITS;
    while (s < OTHER && !word_is(key, names[s]))
        s++;
    return s;
}

/* Everything of one kind of section, wherever it stands: units come first, though a file may
 * have them last. */
static spd_status read_section(asf_reader *in, const lines *start, section wanted, draft *d)
{
    spd_status status = SPD_OK;
    section now = NO_SECTION;
    word key;
    in->at = *start;
    while (status == SPD_OK && lines_next(&in->at)) {
        lines_word(&in->at, &key);
        if (key.from[0] == ':')
            now = section_of(&key);
        else if (now != wanted)
            continue;
        else if (now == UNITS)
            status = parse_units(in, &key);
        else if (now == ROOT)
            status = parse_root(in, d, &key);
        else if (now == BONEDATA)
            status = parse_bonedata(in, d, &key);
        else
            status = parse_family(in, &key);
    }
    return status;
}

static spd_status read_root(asf_reader *in, const lines *start)
{
    static const word name = {"root", 4};
    size_t number = 0;
    draft root = {0};
    spd_status status = read_section(in, start, ROOT, &root);
    if (status == SPD_OK && root.channels == 0)
        status = ctx_fail(in->ctx, SPD_EFORMAT,
                          "there is no :root section with an order; is this an .asf file?");
    if (status == SPD_OK)
        status = skeleton_add(in->ctx, in->bones, &name, 0, &number);
    if (status < 0)
        return status;
    memcpy(in->bones->bone[number].offset, root.direction, sizeof root.direction);
    return settle(in, &root, number);
}

static spd_status read_bones(asf_reader *in, const lines *start)
{
    draft d = {0};
    spd_status status = read_section(in, start, BONEDATA, &d);
    if (status == SPD_OK && d.line)
        status = ctx_fail(in->ctx, SPD_EFORMAT, "line %zu: the bone that begins here has no end",
                          d.line);
    if (status == SPD_OK && in->bones->bones == 1)
        status = ctx_fail(in->ctx, SPD_EFORMAT, "there are no bones in :bonedata");
    return status;
}

spd_status skeleton_parse(spd_context *ctx, const char *text, size_t size, skeleton **bones)
{
    asf_reader in = {.ctx = ctx};
    text_locale saved;
    lines start;
    lines_start(&start, text, size, '#');
    if (text_enter_c_locale(&saved))
        return ctx_nomem(ctx, "a locale");
    spd_status status = skeleton_new(ctx, POSE_ACCLAIM, &in.bones);
    if (status == SPD_OK) {
        in.bones->radians = DEGREE;
        status = read_section(&in, &start, UNITS, NULL);
    }
    if (status == SPD_OK)
        status = read_root(&in, &start);
    if (status == SPD_OK)
        status = read_bones(&in, &start);
    if (status == SPD_OK)
        status = skeleton_sort_names(ctx, in.bones);
    if (status == SPD_OK)
        status = read_section(&in, &start, HIERARCHY, NULL);
    if (status == SPD_OK)
        status = skeleton_sort_tree(ctx, in.bones);
    text_leave_c_locale(&saved);
    if (status == SPD_OK) {
        skeleton_number(in.bones);
        *bones = in.bones;
    } else {
        skeleton_free(in.bones);
    }
    return status;
}
