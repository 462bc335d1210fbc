# The module spdml._quick of the Python package (python/quick/quick.c), where there are headers of
# Python 3.11 or newer: the package does without it. It is beside the shared library, and asks for no
# library of Python: whoever loads it is one.
if(NOT SPDML_PYTHON_INCLUDE AND NOT CMAKE_CROSSCOMPILING)
    find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module)
    if(Python3_Development.Module_FOUND)
        set(SPDML_PYTHON_INCLUDE "${Python3_INCLUDE_DIRS}")
    endif()
endif()
set(SPDML_PYTHON_INCLUDE "${SPDML_PYTHON_INCLUDE}" CACHE PATH "Folder of Python.h, 3.11 or newer")
if(SPDML_PYTHON_INCLUDE AND NOT WIN32)
    add_library(spdml_quick MODULE python/quick/quick.c)
    spdml_flags(spdml_quick)
    spdml_link_flags(spdml_quick)
    target_include_directories(spdml_quick PRIVATE include)
    target_include_directories(spdml_quick SYSTEM PRIVATE "${SPDML_PYTHON_INCLUDE}")
    target_link_libraries(spdml_quick PRIVATE m)
    set_target_properties(spdml_quick PROPERTIES OUTPUT_NAME _quick PREFIX "" SUFFIX .abi3.so
                          C_VISIBILITY_PRESET hidden)
    install(TARGETS spdml_quick LIBRARY DESTINATION spdml COMPONENT python EXCLUDE_FROM_ALL)
    add_dependencies(spdml_shared spdml_quick)
else()
    message(STATUS "spdml: without the quick calls of the Python package, not found: Python.h 3.11")
endif()
