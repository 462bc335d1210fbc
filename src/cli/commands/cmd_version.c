/* cmd_version.c - `spdml version`: what is running. */
#include "cli/frame/session.h"

#if defined(__clang__)
#define COMPILER __VERSION__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static int run(session *s)
{
    sheet *r = session_sheet(s);
    sheet_text(r, "version", "spdml", spd_version());
    sheet_text(r, "isa", "kernels", spd_isa_name());
    sheet_text(r, "compiler", "compiler", COMPILER);
    return CLI_GOOD;
}

static const option options[] = {OPTION_JSON, OPTION_HELP, OPTION_END};

static const char *const paragraphs[] = {
    "The version of the library, the instruction set its kernels use on this machine, and the "
    "compiler the command was built with.",
    NULL};

static const command_example examples[] = {
    {"spdml version", "Version, instruction set, compiler."},
    {"SPDML_ISA=baseline spdml version", "The environment variable SPDML_ISA forces the kernels."},
    {NULL, NULL}};

const command command_version = {
    .name = "version",
    .summary = "version, instruction set and compiler",
    .operands = "",
    .groups = {{"Options", options}},
    .paragraphs = paragraphs,
    .examples = examples,
    .run = run,
};
