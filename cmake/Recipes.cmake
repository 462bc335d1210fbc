# Recipes.cmake - texts as a C file, so that the command has them wherever it lies: recipes/*.recipe, and
# the styles and the script of its pages. The text files are the only source; a changed one is taken up by
# the next build.
file(GLOB recipes CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/recipes/*.recipe")
set(drawing "${PROJECT_SOURCE_DIR}/src/cli/drawing")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${recipes} "${drawing}/page.css" "${drawing}/drawing.css"
    "${drawing}/page.js")

set(recipe_texts "")
set(recipe_rows "")
set(recipe_number 0)
foreach(recipe IN LISTS recipes)
    cmake_path(GET recipe STEM name)
    file(READ "${recipe}" bytes HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
    string(APPEND recipe_texts "static const unsigned char text_${recipe_number}[] = {${bytes}0};\n")
    string(APPEND recipe_rows
           "    {\"${name}\", text_${recipe_number}},\n")
    math(EXPR recipe_number "${recipe_number} + 1")
endforeach()

# The bytes of a page's part, without the comment that it opens with.
foreach(part page.css drawing.css page.js)
    file(READ "${drawing}/${part}" text)
    string(REGEX REPLACE "^/\\*[^*]*\\*/\n" "" text "${text}")
    string(HEX "${text}" ${part})
    string(REGEX REPLACE "(..)" "0x\\1," ${part} "${${part}}")
endforeach()

set(recipes_source "${PROJECT_BINARY_DIR}/recipes.c")
file(CONFIGURE OUTPUT "${recipes_source}" @ONLY CONTENT "/* Made from the folder recipes, page.css, drawing.css and page.js by cmake/Recipes.cmake. */
#include \"cli/drawing/html.h\"
#include \"cli/experiment/recipe.h\"

const unsigned char html_style[] = {${page.css}0};
const unsigned char drawing_style[] = {${drawing.css}0};
const unsigned char html_script[] = {${page.js}0};

@recipe_texts@
const recipe_builtin recipe_builtins[] = {
@recipe_rows@    {0, 0},
};
")
