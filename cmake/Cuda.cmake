# Cuda.cmake - the CUDA engine's module, libspdml-cuda.so, where there is a CUDA compiler.
#
#   -DSPDML_CUDA=auto|on|off     off leaves it out; on fails without a compiler; auto makes the target
#                                spdml_cuda where there is one. It takes minutes to compile, so only
#                                on makes it part of everything
#   -DSPDML_NVCC=PATH            the compiler; else nvcc in $CUDA_HOME, /usr/local/cuda or the path
#
# The library loads the module when the CUDA engine is asked for and links nothing of CUDA. CUDA's
# own language support in CMake is not used: it wants a whole toolkit, and the compiler's packages of
# the Python package index are enough.
set(SPDML_CUDA auto CACHE STRING "The CUDA engine: auto, on or off")
set_property(CACHE SPDML_CUDA PROPERTY STRINGS auto on off)
if(SPDML_CUDA STREQUAL "off")
    return()
endif()

find_program(SPDML_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" /usr/local/cuda/bin)
mark_as_advanced(SPDML_NVCC)
if(NOT SPDML_NVCC)
    if(SPDML_CUDA STREQUAL "on")
        message(FATAL_ERROR "SPDML_CUDA is on, but nvcc was not found; name it with SPDML_NVCC")
    endif()
    message(STATUS "spdml: without the CUDA engine, not found: nvcc")
    return()
endif()

# Machine code for Ampere and Hopper, and what later devices compile for themselves.
set(SPDML_CUDA_ARCHITECTURES "80;90" CACHE STRING "Architectures that the CUDA module has code for")
set(cuda_flags -O3 -std=c++17 -Xcompiler=-fPIC,-fvisibility=hidden "-I${PROJECT_SOURCE_DIR}/src"
    "-I${PROJECT_SOURCE_DIR}/include")
foreach(arch IN LISTS SPDML_CUDA_ARCHITECTURES)
    list(APPEND cuda_flags "-gencode=arch=compute_${arch},code=sm_${arch}")
    set(cuda_newest ${arch})
endforeach()
list(APPEND cuda_flags "-gencode=arch=compute_${cuda_newest},code=compute_${cuda_newest}")

file(GLOB cuda_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda/*.cu")
file(GLOB cuda_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cuda/*.h"
     "${PROJECT_SOURCE_DIR}/src/cuda/*.cuh" "${PROJECT_SOURCE_DIR}/include/spdml/*.h"
     "${PROJECT_SOURCE_DIR}/src/linalg/margin.h" "${PROJECT_SOURCE_DIR}/src/objective/constants.h")
set(cuda_objects "")
foreach(source IN LISTS cuda_sources)
    cmake_path(GET source STEM name)
    set(object "${PROJECT_BINARY_DIR}/cuda/${name}.o")
    add_custom_command(OUTPUT "${object}"
        COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/cuda"
        COMMAND "${SPDML_NVCC}" ${cuda_flags} -c "${source}" -o "${object}"
        DEPENDS "${source}" ${cuda_headers} VERBATIM COMMENT "Building CUDA object ${name}.o")
    list(APPEND cuda_objects "${object}")
endforeach()

# The compiler's packages keep the run-time library in lib, a toolkit in lib64.
cmake_path(GET SPDML_NVCC PARENT_PATH cuda_bin)
set(cuda_module "${PROJECT_BINARY_DIR}/libspdml-cuda.so")
add_custom_command(OUTPUT "${cuda_module}"
    COMMAND "${SPDML_NVCC}" -shared --cudart static -o "${cuda_module}" ${cuda_objects}
            "-L${cuda_bin}/../lib" "-Xlinker=-Bsymbolic" -ldl
    DEPENDS ${cuda_objects} VERBATIM COMMENT "Linking libspdml-cuda.so")
set(cuda_all "")
if(SPDML_CUDA STREQUAL "on")
    set(cuda_all ALL)
endif()
add_custom_target(spdml_cuda ${cuda_all} DEPENDS "${cuda_module}")
# Beside libspdml, where it is looked for.
install(FILES "${cuda_module}" TYPE LIB OPTIONAL)
