# Flags.cmake - warnings, optimisation, hardening, sanitizers, coverage: the same for every target.
#
#   spdml_flags(target)        compiler flags; spdml_flags(target PLAIN) without instruments
#   spdml_link_flags(target)   what the linker must know of them
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # vector types
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

set(spdml_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(SPDML_WERROR)
    list(APPEND spdml_warnings -Werror)
endif()

set(spdml_instrument "")
if(SPDML_SANITIZE)
    list(APPEND spdml_instrument -fsanitize=${SPDML_SANITIZE} -fno-sanitize-recover=all
         -fno-omit-frame-pointer)
endif()
if(SPDML_FUZZ AND SPDML_FUZZ_ENGINE STREQUAL "-fsanitize=fuzzer") # others bring their own flags
    list(APPEND spdml_instrument -fsanitize=fuzzer-no-link)
endif()
if(SPDML_COVERAGE)
    # Counters are shared by threads.
    list(APPEND spdml_instrument --coverage -fprofile-update=atomic)
endif()

# ---- hardening ---------------------------------------------------------------------------------
# What a compiler or linker does not know is left out. None of it changes a number.
#   stack protector, stack clash   an overflow of the stack ends the program before it returns
#   control flow                   indirect jumps and returns go where they may alone (x86: CET)
#   FORTIFY                        writes of the C library are checked against the size of the target
#   relro, now                     the table of functions is read only once the program runs
#   position independent           addresses differ from run to run, those of programs too
set(spdml_hardening "")
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
             -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "SPDML_HAS${flag}" known)
    check_c_compiler_flag("-Werror ${flag}" ${known})
    if(${known})
        list(APPEND spdml_hardening ${flag})
    endif()
endforeach()

# It needs an optimiser, and a sanitizer sees more by itself. Older compilers have level 2 alone, and
# some predefine one.
if(NOT SPDML_SANITIZE)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
    foreach(level 3 2)
        set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
        list(JOIN fortify " " CMAKE_REQUIRED_FLAGS)
        string(APPEND CMAKE_REQUIRED_FLAGS " ${CMAKE_C_FLAGS_${config}} -Werror")
        check_c_source_compiles("#include <string.h>
            #ifndef __OPTIMIZE__
            #error nothing is checked
            #endif
            int main(int n, char **text) { return (int)strlen(text[n - 1]); }"
            SPDML_HAS_FORTIFY_${level})
        set(CMAKE_REQUIRED_FLAGS "")
        if(SPDML_HAS_FORTIFY_${level})
            list(APPEND spdml_hardening ${fortify})
            break()
        endif()
    endforeach()
endif()

set(spdml_link_hardening "")
foreach(word relro now noexecstack)
    check_linker_flag(C "LINKER:-z,${word}" SPDML_LINKS_${word})
    if(SPDML_LINKS_${word})
        list(APPEND spdml_link_hardening LINKER:-z,${word})
    endif()
endforeach()
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# errno after a mathematical function is never read; without it sqrt and log vectorise.
function(spdml_flags target)
    target_compile_options(${target} PRIVATE ${spdml_warnings} ${spdml_hardening} -fno-math-errno)
    if(NOT "PLAIN" IN_LIST ARGN)
        target_compile_options(${target} PRIVATE ${spdml_instrument})
    endif()
endfunction()

function(spdml_link_flags target)
    target_link_options(${target} PRIVATE ${spdml_link_hardening} ${spdml_weak_links} ${spdml_instrument})
endfunction()
