# StandIns.cmake - code of ours in the place of small libraries that are missing.
#
# src/missing/WORD has a header of the library's name and the functions that spdml calls. Sets
# stand_ins (all words there are), stand_in_sources and stand_in_includes (of those that are used).
set(stand_ins zlib jansson kissfft libsvm)
set(stand_in_sources "")
set(stand_in_includes "")
foreach(word IN LISTS SPDML_STAND_INS)
    file(GLOB found CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/missing/${word}/*.c")
    list(APPEND stand_in_sources ${found})
    list(APPEND stand_in_includes "${CMAKE_CURRENT_SOURCE_DIR}/src/missing/${word}")
    if(word IN_LIST SPDML_WITHOUT)
        message(STATUS "spdml: code of its own for ${word}, as SPDML_WITHOUT says")
    else()
        message(STATUS "spdml: code of its own for ${word}, not found: ${SPDML_MISSING_${word}}")
    endif()
endforeach()
set(spdml_without_blas "") # for the installed package, which must look for the same
if("openblas" IN_LIST SPDML_WITHOUT)
    set(spdml_without_blas openblas)
endif()
