/* show_meta.h - how the matrices of a data set were made, as its file tells. */
#ifndef SPD_CLI_COMMANDS_SHOW_META_H
#define SPD_CLI_COMMANDS_SHOW_META_H

#include "cli/frame/sheet.h"

/* Shows the JSON text that came with a data set; NULL or a text that is not JSON: nothing. */
void show_meta(sheet *r, const char *meta);

#endif
