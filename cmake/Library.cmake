# Library.cmake - a library that shows what its headers declare, and nothing else.
#
#   spdml_library(name headers [PRIVATE headers...] OBJECTS objects... NEEDS libraries... [ON other])
#
# Makes the targets ${name}_shared and ${name}_static (with _ for - in the name). Both export the
# functions that the headers, a file or a pattern, mark SPD_API: the shared one by a version script,
# the static one by being a single object whose other symbols are local. PRIVATE: headers whose
# functions are exported for a library of ours above it and the Python package, and are not part of
# the interface. ON: another library of ours beneath it.

# spdml_exported(list headers): names of the functions.
function(spdml_exported list headers)
    file(GLOB headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${headers}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
    set(all "")
    foreach(header IN LISTS headers)
        file(READ "${header}" text)
        string(REGEX MATCHALL "SPD_API [^(;]*spd_[a-z0-9_]+\\(" names "${text}")
        list(TRANSFORM names REPLACE "^.*(spd_[a-z0-9_]+)\\($" "\\1")
        list(APPEND all ${names})
    endforeach()
    set(${list} "${all}" PARENT_SCOPE)
endfunction()

# What both forms have alike.
function(spdml_describe_library target name)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C)
endfunction()

function(spdml_library name headers)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "ON" "PRIVATE;OBJECTS;NEEDS")
    string(REPLACE "-" "_" target ${name})
    string(TOUPPER ${target} node)
    spdml_exported(exported ${headers})
    set(private "")
    set(private_node "")
    foreach(private_header IN LISTS arg_PRIVATE)
        spdml_exported(more ${private_header})
        list(APPEND private ${more})
    endforeach()
    if(private)
        list(JOIN private ";\n    " text)
        set(private_node "${node}_PRIVATE {\nglobal:\n    ${text};\n};\n")
    endif()
    set(names "${PROJECT_BINARY_DIR}/${name}.names")
    set(map "${PROJECT_BINARY_DIR}/${name}.map")
    list(JOIN exported "\n" text)
    list(JOIN private "\n" private_text)
    file(CONFIGURE OUTPUT "${names}" CONTENT "${text}\n${private_text}\n" @ONLY)
    set(definition "${PROJECT_BINARY_DIR}/${name}.def") # the same for Windows
    file(CONFIGURE OUTPUT "${definition}" CONTENT "EXPORTS\n${text}\n${private_text}\n" @ONLY)
    list(JOIN exported ";\n    " text)
    file(CONFIGURE OUTPUT "${map}" @ONLY
         CONTENT "${node}_${PROJECT_VERSION_MAJOR} {\nglobal:\n    ${text};\nlocal:\n    *;\n};\n${private_node}")

    add_library(${target}_shared SHARED ${arg_OBJECTS})
    spdml_describe_library(${target}_shared ${name})
    spdml_link_flags(${target}_shared)
    target_link_libraries(${target}_shared PRIVATE ${arg_NEEDS} Threads::Threads m)
    set_target_properties(${target}_shared PROPERTIES
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME ${name}
        SKIP_BUILD_RPATH ON)
    # On macOS names are of two levels: what else is visible is in nobody's way.
    if(WIN32)
        target_sources(${target}_shared PRIVATE "${definition}")
        spdml_windows_library(${target}_shared "${definition}")
    elseif(NOT APPLE)
        target_link_options(${target}_shared PRIVATE LINKER:--as-needed)
    endif()
    if(NOT WIN32 AND NOT APPLE AND NOT spdml_instrument) # whose run-time library only a program brings
        target_link_options(${target}_shared PRIVATE LINKER:--no-undefined
                            LINKER:--version-script=${map})
        set_target_properties(${target}_shared PROPERTIES LINK_DEPENDS "${map}")
    endif()

    if(WIN32) # no static library: joined objects cannot keep their symbols to themselves there
        if(arg_ON)
            target_link_libraries(${target}_shared PUBLIC ${arg_ON}_shared)
        endif()
        return()
    endif()

    # One object; what the header does not declare becomes local.
    if(APPLE)
        set(whole ${arg_OBJECTS})
    else()
        set(whole "${PROJECT_BINARY_DIR}/${name}.o")
        add_custom_command(OUTPUT "${whole}"
            COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o "${whole}" ${arg_OBJECTS}
            COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${names} "${whole}"
            DEPENDS ${arg_OBJECTS} "${names}" COMMAND_EXPAND_LISTS VERBATIM
            COMMENT "Joining the objects of lib${name}.a")
        set_source_files_properties("${whole}" PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
    endif()
    add_library(${target}_static STATIC ${whole})
    spdml_describe_library(${target}_static ${name})
    target_link_libraries(${target}_static PRIVATE ${arg_NEEDS} Threads::Threads m)
    set_target_properties(${target}_static PROPERTIES EXPORT_NAME ${name}_static)

    if(arg_ON)
        target_link_libraries(${target}_shared PUBLIC ${arg_ON}_shared)
        target_link_libraries(${target}_static PUBLIC ${arg_ON}_static)
        # They are installed side by side.
        set_target_properties(${target}_shared PROPERTIES
            SKIP_BUILD_RPATH OFF BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "${spdml_beside}")
    endif()
endfunction()
