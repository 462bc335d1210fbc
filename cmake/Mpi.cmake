# Mpi.cmake - the module for jobs of several processes, libspdml-mpi.so, where there is MPI.
#
#   -DSPDML_MPI=auto|on|off      off leaves it out; on fails without MPI
#
# The library loads the module when it is asked for and links nothing of MPI.
set(SPDML_MPI auto CACHE STRING "Jobs of several processes (MPI): auto, on or off")
set_property(CACHE SPDML_MPI PROPERTY STRINGS auto on off)
if(SPDML_MPI STREQUAL "off")
    return()
endif()

find_package(MPI COMPONENTS C QUIET)
if(NOT MPI_C_FOUND)
    if(SPDML_MPI STREQUAL "on")
        message(FATAL_ERROR "SPDML_MPI is on, but MPI was not found")
    endif()
    message(STATUS "spdml: without jobs of several processes, not found: MPI")
    return()
endif()

add_library(spdml-mpi MODULE src/mpi/module.c)
spdml_flags(spdml-mpi)
target_include_directories(spdml-mpi PRIVATE include src)
target_include_directories(spdml-mpi SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
target_link_libraries(spdml-mpi PRIVATE MPI::MPI_C)
set_target_properties(spdml-mpi PROPERTIES C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
# Beside libspdml, where it is looked for.
install(TARGETS spdml-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
