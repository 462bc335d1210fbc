# arm64.cmake - toolchain file: 64-bit ARM Linux with Debian's cross compiler.
#
# Headers of the libraries are the same on every machine and are taken from this one; only the
# target `objects` needs no library of the other machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
