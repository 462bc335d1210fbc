/* cmd_version.c - `spdml version`: what is running, and on which libraries. */
#include <stdio.h>

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
    spd_library library = SPD_STRUCT(spd_library);
    json_t *list = sheet_json_list();
    sheet_count(r, "threads", "threads", (size_t)spd_context_threads(s->ctx), "");
    char mpi[200];
    int there = spd_ranks_library(s->ctx, sizeof mpi, mpi) == SPD_OK;
    sheet_text(r, "mpi", "mpi", there ? mpi : spd_context_error(s->ctx)->message);
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
    /* Each engine with what it runs on, or why it cannot. */
    char device[200];
    for (spd_engine engine = SPD_ENGINE_CPU; engine <= SPD_ENGINE_CUDA; engine++) {
        char key[40];
        int there = spd_engine_device(s->ctx, engine, sizeof device, device) == SPD_OK;
        snprintf(key, sizeof key, "engine_%s", spd_name(SPD_ENUM_ENGINE, engine));
        sheet_text(session_sheet(s), key, spd_name(SPD_ENUM_ENGINE, engine),
                   there ? device : spd_context_error(s->ctx)->message);
    }
    if (arguments_flag(s->args, "verbose"))
        show_all(s);
    return CLI_GOOD;
}

static const option options[] = {OPTION_JSON,
                                 {"verbose", 'v', OPTION_FLAG,
                                  .help = "Also the number of threads, the MPI library, the "
                                          "hardening flags, and every library with its version"},
                                 OPTION_HELP,
                                 OPTION_END};

static const char *const paragraphs[] = {
    "The version of the library, the instruction set its kernels use on this machine, the compiler "
    "the command was built with, and the engines that fits can run on, each with its device or the "
    "reason why there is none.",
    "With --verbose also the libraries it uses, with their versions at run time (of KissFFT and "
    "libjpeg, which do not tell, at build time). Formats that were left out of the build have no "
    "library. For OpenBLAS also the processor whose kernels it uses.",
    NULL};

static const command_example examples[] = {
    {"spdml version", "Version, instruction set, compiler."},
    {"spdml version -v", "For a bug report: everything that may matter."},
    {"SPDML_ISA=baseline spdml version", "The environment variable SPDML_ISA forces the kernels."},
    {NULL, NULL}};

COMMAND(version, "version, instruction set and compiler", "", .groups = {{"Options", options}});
