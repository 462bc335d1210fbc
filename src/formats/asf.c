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

/* The bone that is being read. */
typedef struct draft {
    size_t line; /* of its begin */
    word name;
    double direction[3], length, angle[3];
    word axis;
    int has_name, has_direction, has_length, has_axis;
    size_t channels;
    unsigned char channel[MAX_CHANNELS];
} draft;

typedef struct asf_reader {
    lines start, at;
    skeleton *bones;
} asf_reader;

static void parse_units(asf_reader *in, const word *key)
{
    word w = {0};
    if (word_is(key, "length")) {
        lines_numbers(&in->at, "the unit of lengths", 1, &in->bones->unit);
        if (in->bones->unit <= 0.0)
            lines_fail(&in->at, in->at.line, "the unit of lengths is %g; expected > 0",
                       in->bones->unit);
    }
    if (!word_is(key, "angle"))
        return;
    if (lines_word(&in->at, &w) && (word_is(&w, "deg") || word_is(&w, "degrees")))
        in->bones->radians = DEGREE;
    else if (w.size && (word_is(&w, "rad") || word_is(&w, "radians")))
        in->bones->radians = 1.0;
    else
        lines_fail(&in->at, in->at.line, "the unit of angles is '%s'; expected deg or rad",
                   word_show(&w).text);
}

/* Channels to the end of the line; moves: shifts are allowed. */
static void parse_channels(asf_reader *in, int moves, size_t *count, unsigned char *channel)
{
    static const char *const names[] = {"rx", "ry", "rz", "tx", "ty", "tz"};
    word w;
    size_t known = moves ? 6 : 3;
    for (*count = 0; *count <= MAX_CHANNELS && lines_word(&in->at, &w); ++*count) {
        unsigned char c = 0;
        while (c < known && !word_is(&w, names[c]))
            c++;
        if (c == known)
            lines_fail(&in->at, in->at.line, "degree of freedom '%s' is not one of %s",
                       word_show(&w).text, moves ? "tx ty tz rx ry rz" : "rx ry rz");
        if (*count == MAX_CHANNELS)
            lines_fail(&in->at, in->at.line, "more than %d degrees of freedom", MAX_CHANNELS);
        else
            channel[*count] = c;
    }
}

/* C <- rotation by three angles about the three axes of a word, "XYZ" or another order. */
static void make_frame(asf_reader *in, size_t line, const word *axis, const double *angle,
                       double *C)
{
    int good = axis->size == 3;
    for (size_t i = 0; good && i < 3; i++) {
        const word letter = {axis->from + i, 1};
        size_t a = word_is(&letter, "x") ? 0 : word_is(&letter, "y") ? 1 : 2;
        good = a < 2 || word_is(&letter, "z");
        turn_before(a, angle[i] * in->bones->radians, C);
    }
    if (!good)
        lines_fail(&in->at, line, "axis order '%s' is not XYZ or another order of x, y, z",
                   word_show(axis).text);
}

static void parse_root(asf_reader *in, draft *root, const word *key)
{
    if (word_is(key, "order"))
        parse_channels(in, 1, &root->channels, root->channel);
    else if (word_is(key, "position"))
        lines_numbers(&in->at, "position", 3, root->direction);
    else if (word_is(key, "orientation"))
        lines_numbers(&in->at, "orientation", 3, root->angle);
    else if (word_is(key, "axis"))
        root->has_axis = lines_word(&in->at, &root->axis);
}

static void parse_bone_line(asf_reader *in, draft *d, const word *key)
{
    if (word_is(key, "name")) {
        d->has_name = lines_word(&in->at, &d->name);
    } else if (word_is(key, "direction")) {
        d->has_direction = 1;
        lines_numbers(&in->at, "direction", 3, d->direction);
    } else if (word_is(key, "length")) {
        d->has_length = 1;
        lines_numbers(&in->at, "length", 1, &d->length);
    } else if (word_is(key, "axis")) {
        lines_numbers(&in->at, "axis", 3, d->angle);
        d->has_axis = lines_word(&in->at, &d->axis);
    } else if (word_is(key, "dof")) {
        parse_channels(in, 0, &d->channels, d->channel);
    }
}

/* A finished draft as a bone with this offset. */
static void add_bone(asf_reader *in, const draft *d, const word *name, const double *offset)
{
    static const word usual = {"XYZ", 3};
    size_t number = 0;
    if (in->at.status == SPD_OK)
        in->at.status = skeleton_add(in->at.ctx, in->bones, name, d->line, &number);
    if (in->at.status < 0)
        return;
    bone *b = &in->bones->bone[number];
    memcpy(b->offset, offset, sizeof b->offset);
    b->channels = d->channels;
    memcpy(b->channel, d->channel, sizeof b->channel);
    make_frame(in, d->line, d->has_axis ? &d->axis : &usual, d->angle, b->frame);
}

static void end_bone(asf_reader *in, const draft *d)
{
    const char *missing = !d->has_name        ? "name"
                          : !d->has_direction ? "direction"
                          : !d->has_length    ? "length"
                                              : NULL;
    const double offset[3] = {d->direction[0] * d->length, d->direction[1] * d->length,
                              d->direction[2] * d->length};
    if (missing)
        lines_fail(&in->at, d->line, "the bone that begins here has no %s", missing);
    add_bone(in, d, &d->name, offset);
}

/* One line of :bonedata. */
static void parse_bonedata(asf_reader *in, draft *d, const word *key)
{
    if (word_is(key, "begin")) {
        *d = (draft){.line = in->at.line};
    } else if (d->line == 0) {
        lines_fail(&in->at, in->at.line, "'%s' between bones; expected begin", word_show(key).text);
    } else if (word_is(key, "end")) {
        end_bone(in, d);
        *d = (draft){0};
    } else {
        parse_bone_line(in, d, key);
    }
}

static size_t find_bone(asf_reader *in, const word *name)
{
    size_t found = skeleton_find(in->bones, name);
    if (found == BONE_NONE)
        lines_fail(&in->at, in->at.line, ":hierarchy names '%s', which is not in :bonedata",
                   word_show(name).text);
    return found;
}

/* One line of :hierarchy: a bone and its children. */
static void parse_family(asf_reader *in, const word *key)
{
    word w;
    if (word_is(key, "begin") || word_is(key, "end"))
        return;
    size_t parent = find_bone(in, key);
    while (lines_word(&in->at, &w)) {
        size_t child = find_bone(in, &w);
        if (child == BONE_NONE)
            return;
        if (child == 0 || in->bones->bone[child].parent != BONE_NONE)
            lines_fail(&in->at, in->at.line, "'%s' %s", word_show(&w).text,
                       child == 0 ? "cannot be a child" : "has a parent already");
        in->bones->bone[child].parent = parent;
    }
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
static void read_section(asf_reader *in, section wanted, draft *d)
{
    section now = NO_SECTION;
    word key;
    in->start.status = in->at.status;
    in->at = in->start;
    while (lines_next(&in->at)) {
        lines_word(&in->at, &key);
        if (key.from[0] == ':')
            now = section_of(&key);
        else if (now != wanted)
            continue;
        else if (now == UNITS)
            parse_units(in, &key);
        else if (now == ROOT)
            parse_root(in, d, &key);
        else if (now == BONEDATA)
            parse_bonedata(in, d, &key);
        else
            parse_family(in, &key);
    }
}

static void read_root(asf_reader *in)
{
    static const word name = {"root", 4};
    draft root = {0};
    read_section(in, ROOT, &root);
    if (root.channels == 0)
        lines_fail(&in->at, 0, "there is no :root section with an order; is this an .asf file?");
    add_bone(in, &root, &name, root.direction);
}

static void read_bones(asf_reader *in)
{
    draft d = {0};
    read_section(in, BONEDATA, &d);
    if (d.line)
        lines_fail(&in->at, d.line, "the bone that begins here has no end");
    if (in->bones->bones == 1)
        lines_fail(&in->at, 0, "there are no bones in :bonedata");
}

spd_status skeleton_parse(spd_context *ctx, const char *text, size_t size, skeleton **bones)
{
    asf_reader in = {0};
    lines_start(&in.start, ctx, text, size, '#');
    spd_status status = skeleton_new(ctx, POSE_ACCLAIM, &in.bones);
    if (status < 0)
        return status;
    in.bones->radians = DEGREE;
    read_section(&in, UNITS, NULL);
    read_root(&in);
    read_bones(&in);
    if (in.at.status == SPD_OK)
        in.at.status = skeleton_sort_names(ctx, in.bones);
    read_section(&in, HIERARCHY, NULL);
    status = in.at.status == SPD_OK ? skeleton_sort_tree(ctx, in.bones) : in.at.status;
    if (status < 0) {
        skeleton_free(in.bones);
        return status;
    }
    skeleton_number(in.bones);
    *bones = in.bones;
    return SPD_OK;
}
