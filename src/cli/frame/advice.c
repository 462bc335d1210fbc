/* advice.c - options that the library's remedies ask for. */
#include "cli/frame/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    spd_remedy remedy;
    const char *option;
} options[] = {
    {SPD_REMEDY_SYMMETRIZE, "--symmetrize"},
    {SPD_REMEDY_NO_COLOR, "--no-color"},
    {SPD_REMEDY_SHRINK, "--shrinkage oas"},
    {SPD_REMEDY_REGULARIZE, "--regularize"}, /* its value follows */
    {SPD_REMEDY_PROJECT, "--model FILE"},
    {SPD_REMEDY_REGIONS, "other --regions"},
    {SPD_REMEDY_SIFT_STEP, "a larger --sift-step"},
    {SPD_REMEDY_SIZE, "--size WxH"},
    {SPD_REMEDY_WINDOW, "--window SECONDS"},
    {SPD_REMEDY_NAME_X, "--x NAME"},
    {SPD_REMEDY_NAME_Y, "--y NAME"},
    {SPD_REMEDY_LABELS, "--labels FILE"},
    {SPD_REMEDY_SKELETON, "--asf FILE"},
    {SPD_REMEDY_AUTO_ENGINE, "--engine auto"},
    {SPD_REMEDY_LEAVE_OUT, "'spdml convert --drop-nan', which leaves such matrices out"},
};
#define OPTIONS (sizeof options / sizeof *options)

static void append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

/* "--regularize 1e-6": powers of ten as such. */
static void append_value(char *text, size_t size, double value)
{
    char number[40];
    int exponent = (int)lround(log10(value));
    if (fabs(value / pow(10.0, exponent) - 1.0) < 1e-9)
        snprintf(number, sizeof number, " 1e%d", exponent);
    else
        snprintf(number, sizeof number, " %g", value);
    append(text, size, number);
    if (value > 0.5)
        append(text, size, " (so far from definite, it may not be a covariance matrix)");
}

void advice_words(unsigned remedy, double value, char *text, size_t size)
{
    const char *between = "try ";
    int on_its_side = (remedy & SPD_REMEDY_CHANNELS_FIRST) != 0;
    remedy &= ~(unsigned)SPD_REMEDY_CHANNELS_FIRST;
    text[0] = '\0';
    if (remedy & SPD_REMEDY_REMOVE)
        snprintf(text, size, "it is not a covariance matrix: remove it");
    for (size_t i = 0; i < OPTIONS; i++) {
        if (!(remedy & options[i].remedy))
            continue;
        remedy &= ~(unsigned)options[i].remedy;
        append(text, size, between);
        append(text, size, options[i].option);
        if (options[i].remedy == SPD_REMEDY_REGULARIZE)
            append_value(text, size, value);
        between = remedy & (remedy - 1) ? ", " : " or ";
    }
    if (on_its_side) {
        append(text, size, text[0] ? "; " : "");
        append(text, size, "if rows are channels, use --channels-first");
    }
}

advised advice_message(const spd_error *error)
{
    advised full;
    char remedy[280];
    advice_words(error->remedy, error->remedy_value, remedy, sizeof remedy);
    snprintf(full.text, sizeof full.text, "%s%s%s", error->message, remedy[0] ? "; " : "", remedy);
    return full;
}

advised advice_last(const spd_context *ctx)
{
    return advice_message(spd_context_error(ctx));
}
