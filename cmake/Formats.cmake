# Formats.cmake - which formats of libspdml-data are compiled, and which have a stand-in.
#
# A format whose library is missing, or that SPDML_WITHOUT names, is left out: src/formats/missing/
# has a file of its name that answers for it. format_headers_missing is a regular expression for the
# headers that are then out of reach.

set(format_files_archive archive.c)
set(format_files_png image_png.c)
set(format_files_jpeg image_jpeg.c)
set(format_files_tiff image_tiff.c)
set(format_files_webp image_webp.c)
set(format_files_gif image_gif.c)
set(format_headers_archive archive archive_entry)
set(format_headers_png png)
set(format_headers_jpeg jpeglib)
set(format_headers_tiff tiffio)
set(format_headers_webp webp/decode webp/encode)
set(format_headers_gif gif_lib)

set(formats_folder "${CMAKE_CURRENT_SOURCE_DIR}/src/formats")
set(format_headers_missing none)
foreach(format archive png jpeg tiff webp gif)
    if(format IN_LIST SPDML_FORMATS)
        continue()
    endif()
    foreach(file IN LISTS format_files_${format})
        list(REMOVE_ITEM data_sources "${formats_folder}/${file}")
    endforeach()
    list(APPEND data_sources "${formats_folder}/missing/${format}.c")
    list(APPEND format_headers_missing ${format_headers_${format}})
    if(format IN_LIST SPDML_WITHOUT)
        message(STATUS "spdml: without ${format}, as SPDML_WITHOUT says")
    else()
        list(JOIN SPDML_MISSING_${format} ", " missing_text)
        message(STATUS "spdml: without ${format}, not found: ${missing_text}")
    endif()
endforeach()
list(JOIN format_headers_missing "|" format_headers_missing)

# A word that names nothing would leave in what somebody wants to be without.
foreach(word IN LISTS SPDML_WITHOUT)
    if(NOT DEFINED format_files_${word} AND NOT word IN_LIST stand_ins AND NOT word STREQUAL openblas)
        message(FATAL_ERROR "SPDML_WITHOUT: '${word}' cannot be left out; what can is archive, png, "
                            "jpeg, tiff, webp, gif, zlib, jansson, kissfft, libsvm and openblas")
    endif()
endforeach()
