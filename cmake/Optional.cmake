# Optional.cmake - leaves out what needs a library that is missing or that SPDML_WITHOUT names.
#
# Beside each file that needs such a library, the folder missing/ has a file of the word's name that
# answers for it. optional_files holds the files that may be left out, and optional_headers_missing a regular
# expression for the headers that are out of reach.

set(optional_file_kissfft src/filters/gabor_bank.c)
set(optional_file_libsvm src/classify/svm_solve.c)
set(optional_file_archive src/formats/archive.c)
set(optional_headers_archive archive archive_entry)
set(optional_headers_png png)
set(optional_headers_jpeg jpeglib)
set(optional_headers_tiff tiffio)
set(optional_headers_webp webp/decode webp/encode)
set(optional_headers_gif gif_lib)
foreach(word png jpeg tiff webp gif)
    set(optional_file_${word} src/formats/image_${word}.c)
endforeach()

set(optional_words kissfft libsvm archive png jpeg tiff webp gif)
set(optional_files "")
set(optional_headers_missing none)
foreach(word IN LISTS optional_words)
    set(file "${CMAKE_CURRENT_SOURCE_DIR}/${optional_file_${word}}")
    list(APPEND optional_files "${file}")
    if(word IN_LIST SPDML_OPTIONAL)
        continue()
    endif()
    cmake_path(GET file PARENT_PATH folder)
    list(TRANSFORM core_sources REPLACE "^${file}$" "${folder}/missing/${word}.c")
    list(TRANSFORM data_sources REPLACE "^${file}$" "${folder}/missing/${word}.c")
    list(APPEND optional_headers_missing ${optional_headers_${word}})
    if(word IN_LIST SPDML_WITHOUT)
        message(STATUS "spdml: without ${word}, as SPDML_WITHOUT says")
    else()
        message(STATUS "spdml: without ${word}, not found: ${SPDML_MISSING_${word}}")
    endif()
endforeach()
list(JOIN optional_headers_missing "|" optional_headers_missing)

set(spdml_without_blas "") # for the installed package, which must look for the same
if("openblas" IN_LIST SPDML_WITHOUT)
    set(spdml_without_blas openblas)
endif()

# A word that names nothing would leave in what somebody wants to be without.
foreach(word IN LISTS SPDML_WITHOUT)
    if(NOT word IN_LIST optional_words AND NOT word STREQUAL openblas)
        list(JOIN optional_words ", " optional_text)
        message(FATAL_ERROR "SPDML_WITHOUT: '${word}' cannot be left out; what can is ${optional_text} and openblas")
    endif()
endforeach()
