# Macos.cmake - what macOS has otherwise: a file in a folder macos takes the place of the one beside that folder,
# src/macos has what the system lacks, and its posix.h is included before every file.
#
#   spdml_beside      where a library of ours looks for another: beside itself, and as wheels have them
#   spdml_weak_links  linker options for functions that need not be there
set(spdml_beside "\$ORIGIN")
set(spdml_weak_links "")
if(NOT APPLE)
    return()
endif()
set(spdml_beside "@loader_path" "@loader_path/../spdml")
set(spdml_weak_links LINKER:-undefined,dynamic_lookup)
file(GLOB macos_files CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}/src"
     "${CMAKE_CURRENT_SOURCE_DIR}/src/*/macos/*.c")
foreach(file IN LISTS macos_files)
    string(REPLACE "/macos/" "/" replaced "${file}")
    list(TRANSFORM core_sources REPLACE "^(.*/src/)${replaced}$" "\\1${file}")
endforeach()
list(APPEND core_sources "${CMAKE_CURRENT_SOURCE_DIR}/src/macos/stream.c")
set(CMAKE_SHARED_LIBRARY_RUNTIME_C_FLAG "-Wl,-rpath,") # CMake knows it on a Mac alone
set(CMAKE_INSTALL_NAME_DIR "@rpath")
set(CMAKE_BUILD_WITH_INSTALL_NAME_DIR ON) # for wheels too, which take libraries from the build
add_compile_options(-include "${CMAKE_CURRENT_SOURCE_DIR}/src/macos/posix.h")
include_directories(BEFORE SYSTEM src/macos/headers)
