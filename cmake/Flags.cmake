# Flags.cmake - warnings, optimisation, sanitizers, coverage: the same for every target.
#
#   spdml_flags(target)        compiler flags; spdml_flags(target PLAIN) without instruments
#   spdml_link_flags(target)   what the linker must know of them

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
if(SPDML_FUZZ)
    list(APPEND spdml_instrument -fsanitize=fuzzer-no-link)
endif()
if(SPDML_COVERAGE)
    # Counters are shared by threads.
    list(APPEND spdml_instrument --coverage -fprofile-update=atomic)
endif()

# errno after a mathematical function is never read; without it sqrt and log vectorise.
function(spdml_flags target)
    target_compile_options(${target} PRIVATE ${spdml_warnings} -fno-math-errno)
    if(NOT "PLAIN" IN_LIST ARGN)
        target_compile_options(${target} PRIVATE ${spdml_instrument})
    endif()
endfunction()

function(spdml_link_flags target)
    target_link_options(${target} PRIVATE ${spdml_instrument})
endfunction()
