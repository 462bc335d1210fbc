/* cmd_version.c - `spdml version`: what is running, and on which libraries. */
#include "cli/frame/session.h"

#if defined(__clang__)
#define COMPILER __VERSION__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

#ifndef HARDENING /* the build says which of them the compiler knows */
#define HARDENING "none"
#endif

/* A row of the table, or an object in the list. */
static void show(sheet *r, const spd_library *library, json_t *list)
{
    sheet_line(r, library->name, "%-10s %s", library->version, library->detail);
    sheet_json_append(list, json_pack("{s:o,s:o,s:o}", "name", sheet_json_text(library->name),
                                      "version", sheet_json_text(library->version), "detail",
                                      sheet_json_text(library->detail)));
}

static void show_all(session *s)
{
    sheet *r = session_sheet(s);
    spd_library library = SPD_INIT(spd_library);
    json_t *list = sheet_json_list();
    sheet_count(r, "threads", "threads", (size_t)spd_context_threads(s->ctx), "");
    sheet_text(r, "hardening", "hardening", HARDENING);
    for (size_t i = 0; spd_library_at(i, &library); i++)
        show(r, &library, list);
    for (size_t i = 0; spd_data_library_at(i, &library); i++)
        show(r, &library, list);
    sheet_json(r, "libraries", list);
}

static int run(session *s)
{
    sheet *r = session_sheet(s);
    sheet_text(r, "version", "spdml", spd_version());
    sheet_text(r, "isa", "kernels", spd_isa_name());
    sheet_text(r, "compiler", "compiler", COMPILER);
    if (arguments_flag(s->args, "verbose"))
        show_all(s);
    return CLI_GOOD;
}

static const option options[] = {
    OPTION_JSON,
    {"verbose", 'v', OPTION_FLAG,
     .help = "Also the threads that it would use, the flags that harden it, and every library with "
             "its version"},
    OPTION_HELP,
    OPTION_END};

static const char *const paragraphs[] = {
    "The version of the library, the instruction set its kernels use on this machine, and the "
    "compiler the command was built with.",
    "With --verbose also the libraries that it runs with: versions as they say themselves, not as "
    "they were when it was built (KissFFT and libjpeg do not say). Formats that were left out of "
    "the build have none. For OpenBLAS also the processor whose kernels it uses.",
    NULL};

static const command_example examples[] = {
    {"spdml version", "Version, instruction set, compiler."},
    {"spdml version -v", "For a report of a fault: everything that may matter."},
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
