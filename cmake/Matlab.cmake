# Matlab.cmake - the MEX function of the toolbox for MATLAB and Octave (matlab/), where Octave can compile
# one: target spdml_mex, part of `all`, and octave-package, the archive for Octave's `pkg install`. MATLAB
# users run matlab/make.m. Without Octave the rest is built all the same.
#
#   -DSPDML_MATLAB=ON|OFF        ON unless tests are left out
option(SPDML_MATLAB "Build the MEX function if Octave is there" ${SPDML_TESTS})
find_program(MKOCTFILE mkoctfile)
find_program(OCTAVE octave-cli)
mark_as_advanced(MKOCTFILE OCTAVE)
if(SPDML_MATLAB AND MKOCTFILE AND OCTAVE AND NOT SPDML_SANITIZE AND NOT SPDML_COVERAGE AND NOT SPDML_MUTANTS AND NOT CMAKE_CROSSCOMPILING)
    execute_process(COMMAND ${MKOCTFILE} -p OCTINCLUDEDIR OUTPUT_VARIABLE octave_include
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB mex_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/matlab/src/*.c") # not in Octave's package
if(mex_sources AND octave_include AND EXISTS "${octave_include}/mex.h")
    add_library(spdml_mex MODULE ${mex_sources})
    spdml_flags(spdml_mex)
    spdml_link_flags(spdml_mex)
    # mwSize has a sign in Octave and none in MATLAB. What mex.h names is in the program that loads it.
    target_compile_options(spdml_mex PRIVATE -Wno-sign-conversion)
    target_link_options(spdml_mex PRIVATE "LINKER:-z,undefs")
    target_include_directories(spdml_mex SYSTEM PRIVATE "${octave_include}")
    target_link_libraries(spdml_mex PRIVATE spdml_data_shared spdml_shared m)
    set_target_properties(spdml_mex PROPERTIES PREFIX "" SUFFIX .mex C_VISIBILITY_PRESET hidden
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/matlab")
    add_custom_target(octave-package
        COMMAND sh "${PROJECT_SOURCE_DIR}/matlab/package.sh" "${PROJECT_BINARY_DIR}/matlab" ${PROJECT_VERSION}
        VERBATIM)
else()
    message(STATUS "spdml: without the MEX function, not found: octave-cli and mkoctfile")
endif()
