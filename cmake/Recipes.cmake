# Recipes.cmake - recipes/*.recipe as a C file, so that the command knows its experiments wherever it
# lies. The text files are the only source; a changed one is taken up by the next build.
file(GLOB recipes CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/recipes/*.recipe")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${recipes})

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

set(recipes_source "${PROJECT_BINARY_DIR}/recipes.c")
file(CONFIGURE OUTPUT "${recipes_source}" @ONLY CONTENT "/* Made from the folder recipes by cmake/Recipes.cmake. */
#include \"cli/experiment/recipe.h\"

@recipe_texts@
const recipe_builtin recipe_builtins[] = {
@recipe_rows@    {0, 0},
};
")
