# Windows.cmake - what is different where there is no POSIX (compiled by tools/windows, with clang).
#
# src/windows gives the sources the part of POSIX that they use: its header is included before each of
# them, its objects go into every library and program. A file that has nothing in common with Windows
# is replaced by the one of its name in the folder windows/ beside it.

# spdml_for_windows(list...): such files take their places in these lists.
function(spdml_for_windows)
    foreach(list IN LISTS ARGN)
        list(FILTER ${list} EXCLUDE REGEX "/windows/[a-z]+\\.c$")
        if(WIN32)
            set(files "")
            foreach(file IN LISTS ${list})
                cmake_path(GET file PARENT_PATH folder)
                cmake_path(GET file FILENAME name)
                if(EXISTS "${folder}/windows/${name}")
                    set(file "${folder}/windows/${name}")
                endif()
                list(APPEND files "${file}")
            endforeach()
            set(${list} "${files}")
        endif()
        set(${list} "${${list}}" PARENT_SCOPE)
    endforeach()
endfunction()

if(NOT WIN32)
    return()
endif()
cmake_path(GET SPDML_openblas_LIBRARY PARENT_PATH windows_libraries)
file(GLOB windows_libraries "${windows_libraries}/*.dll") # that ours load
file(GLOB windows_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/windows/*.c")
set(windows_start "${CMAKE_CURRENT_SOURCE_DIR}/src/windows/start.c")
list(REMOVE_ITEM windows_sources "${windows_start}")

# Numbers are printed and read by the compiler's library, which rounds as others do; files may be large.
add_compile_definitions(_FILE_OFFSET_BITS=64 __USE_MINGW_ANSI_STDIO=1 _CRT_SECURE_NO_WARNINGS)
add_library(windows STATIC ${windows_sources})
spdml_flags(windows)
target_include_directories(windows PRIVATE src src/windows/headers)
set_target_properties(windows PROPERTIES C_VISIBILITY_PRESET hidden)

# All that is compiled below sees POSIX's names, and is linked with what they stand for.
add_compile_options("SHELL:-include ${CMAKE_CURRENT_SOURCE_DIR}/src/windows/posix.h")
include_directories("${CMAKE_CURRENT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}/src/windows/headers")
link_libraries("$<BUILD_INTERFACE:windows>" "$<BUILD_INTERFACE:psapi>")

# spdml_windows_program(name): it begins in wmain.
function(spdml_windows_program name)
    target_sources(${name} PRIVATE "${windows_start}")
    target_compile_definitions(${name} PRIVATE main=posix_main)
    target_link_options(${name} PRIVATE -municode)
endfunction()

# spdml_windows_library(target definition): what programs link with, which zig's linker does not write.
function(spdml_windows_library target definition)
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
        COMMAND "${CMAKE_DLLTOOL}" -m i386:x86-64 -D $<TARGET_FILE_NAME:${target}> -d "${definition}"
                -l $<TARGET_LINKER_FILE:${target}>)
endfunction()
