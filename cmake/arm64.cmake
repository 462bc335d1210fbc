# arm64.cmake - toolchain file: 64-bit ARM Linux with Debian's cross compiler.
#
# For the target `objects` alone, which links nothing: headers of the libraries are taken from this
# machine, and so are the libraries that configuration looks for. Debian keeps headers that depend
# on the machine (jconfig.h, tiffio.h) in a folder of their own; it comes last, so that the C
# library's headers in it are never preferred to those of the cross compiler. What these headers say
# is the same on all 64-bit machines.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(own_folder "${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu")
set(CMAKE_C_FLAGS_INIT "-idirafter /usr/include/${own_folder}")
set(CMAKE_INCLUDE_PATH "/usr/include/${own_folder}")
set(CMAKE_LIBRARY_PATH "/usr/lib/${own_folder}")
