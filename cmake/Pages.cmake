# Pages.cmake - the styles and the script of pages as a C file, so that the command has them wherever it lies.
# The text files are the only source; a changed one is taken up by the next build.
set(drawing "${PROJECT_SOURCE_DIR}/src/cli/drawing")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${drawing}/page.css" "${drawing}/drawing.css"
    "${drawing}/page.js")

# The bytes of a page's part, without the comment that it opens with.
foreach(part page.css drawing.css page.js)
    file(READ "${drawing}/${part}" text)
    string(REGEX REPLACE "^/\\*[^*]*\\*/\n" "" text "${text}")
    string(HEX "${text}" ${part})
    string(REGEX REPLACE "(..)" "0x\\1," ${part} "${${part}}")
endforeach()

set(pages_source "${PROJECT_BINARY_DIR}/pages.c")
file(CONFIGURE OUTPUT "${pages_source}" @ONLY CONTENT "/* Made from page.css, drawing.css and page.js by cmake/Pages.cmake. */
#include \"cli/drawing/html.h\"

const unsigned char html_style[] = {${page.css}0};
const unsigned char drawing_style[] = {${drawing.css}0};
const unsigned char html_script[] = {${page.js}0};
")
