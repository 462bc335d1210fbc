# Install.cmake - what `cmake --install` puts where: headers, libraries, command, manual
# pages, completion, experiments, pkg-config files and CMake package.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/spdml")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" TYPE INCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" TYPE DOC)
foreach(library spdml spdml_data)
    install(TARGETS ${library}_shared EXPORT ${library}Targets)
    install(EXPORT ${library}Targets NAMESPACE spdml:: DESTINATION "${package_dir}")
    if(TARGET ${library}_static)
        install(TARGETS ${library}_static EXPORT ${library}StaticTargets)
        install(EXPORT ${library}StaticTargets NAMESPACE spdml:: DESTINATION "${package_dir}")
    endif()
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/spdmlConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/spdmlConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/spdmlConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/spdmlConfig.cmake"
              "${PROJECT_BINARY_DIR}/spdmlConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/SpdmlDependencies.cmake"
        DESTINATION "${package_dir}")

# A static library needs its dependencies named. Only their shared forms are asked for, so the
# line stays short and asks for no development package of a dependency's dependency.
function(spdml_private_libs list)
    set(flags "")
    foreach(dependency IN LISTS ARGN)
        get_target_property(location ${dependency} IMPORTED_LOCATION)
        cmake_path(GET location PARENT_PATH folder)
        string(REPLACE "spdml::" "" library "${dependency}")
        if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
            string(APPEND flags " -L${folder}")
        endif()
        string(APPEND flags " -l${library}")
    endforeach()
    string(STRIP "${flags} -pthread -lm" flags)
    set(${list} "${flags}" PARENT_SCOPE)
endfunction()

# Paths relative to the file itself: the installed tree may be moved.
file(RELATIVE_PATH pc_prefix_from_here
     "/x/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/x")
string(REGEX REPLACE "/$" "" pc_prefix_from_here "${pc_prefix_from_here}")

# spdml_pkg_config(name description requires dependency...)
function(spdml_pkg_config pc_name pc_description pc_requires)
    spdml_private_libs(pc_private_libs ${ARGN})
    configure_file("${PROJECT_SOURCE_DIR}/cmake/spdml.pc.in" "${PROJECT_BINARY_DIR}/${pc_name}.pc"
                   @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endfunction()
spdml_pkg_config(spdml "${PROJECT_DESCRIPTION}" "" ${SPDML_DEPENDENCIES})
spdml_pkg_config(spdml-data "Files, images, motion capture and descriptors for spdml"
                 "spdml = ${PROJECT_VERSION}" ${SPDML_DATA_DEPENDENCIES} ${SPDML_DEPENDENCIES})

install(TARGETS spdml)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/experiments" DESTINATION "${CMAKE_INSTALL_DATADIR}/spdml" USE_SOURCE_PERMISSIONS)

# The command writes its own manual and completion: one table feeds them and --help. A program
# for another machine cannot be asked, and an instrumented one need not be.
if(NOT CMAKE_CROSSCOMPILING AND NOT SPDML_SANITIZE AND NOT SPDML_COVERAGE)
    set(share "${PROJECT_BINARY_DIR}/share")
    add_custom_command(OUTPUT "${share}/stamp"
        COMMAND ${CMAKE_COMMAND} -DSPDML=$<TARGET_FILE:spdml> -DSHARE=${share}
                -P "${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake"
        DEPENDS spdml "${PROJECT_SOURCE_DIR}/cmake/write-manual.cmake"
        COMMENT "Writing manual pages and completion" VERBATIM)
    add_custom_target(manual ALL DEPENDS "${share}/stamp")
    install(DIRECTORY "${share}/man/" DESTINATION "${CMAKE_INSTALL_MANDIR}")
    install(DIRECTORY "${share}/completion/" TYPE DATA)
endif()

# What has to be built first, and no more.
add_custom_target(installed)
foreach(target spdml spdml_shared spdml_static spdml_data_shared spdml_data_static manual spdml-mpi)
    if(TARGET ${target})
        add_dependencies(installed ${target})
    endif()
endforeach()

# For the Python package, whose folder libspdml goes into; no links, which wheels cannot hold. On macOS
# libspdml-data finds it by its full name.
set(wheel_end ".so")
if(APPLE)
    set(wheel_end ".${PROJECT_VERSION_MAJOR}.dylib")
elseif(WIN32)
    set(wheel_end ".dll")
    install(FILES ${windows_libraries} DESTINATION spdml COMPONENT python EXCLUDE_FROM_ALL)
    install(FILES ${windows_libraries} TYPE BIN)
endif()
install(FILES $<TARGET_FILE:spdml_shared> DESTINATION spdml RENAME libspdml${wheel_end}
        COMPONENT python EXCLUDE_FROM_ALL)
# The package reads there what the library's types and functions are.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include" DESTINATION spdml COMPONENT python EXCLUDE_FROM_ALL)

# And for spdml-data (packaging/data), with the command.
install(FILES $<TARGET_FILE:spdml_data_shared> DESTINATION spdml_data RENAME libspdml-data${wheel_end}
        COMPONENT python-data EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:spdml> DESTINATION spdml_data COMPONENT python-data EXCLUDE_FROM_ALL)
