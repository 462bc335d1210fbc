# SpdmlDependencies.cmake - the libraries spdml stands on, as imported targets.
#
# Used by the build, and by the installed package for those who link a static library. Each library
# is named directly, without what it needs itself: its shared form knows that. Sets
#
#   SPDML_DEPENDENCIES        targets libspdml needs
#   SPDML_MISSING             libraries of those that were not found
#   SPDML_OPTIONAL            optional libraries that are there and are not in the list SPDML_WITHOUT
#   SPDML_OPTIONAL_MISSING    optional libraries of libspdml that were not found; the installed package
#                             asks only for those of SPDML_OPTIONAL_BUILT
#   SPDML_DATA_DEPENDENCIES   targets libspdml-data needs in addition, one for each format
#   SPDML_DATA_MISSING        libraries of formats that were not found

find_package(PkgConfig QUIET)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads QUIET)

# spdml_find(library header module missing): target spdml::library, found where pkg-config says or
# on the usual paths; else its name goes to the list ${missing}.
macro(spdml_find library header module missing)
    if(PkgConfig_FOUND)
        pkg_check_modules(SPDML_PC_${library} QUIET ${module})
    endif()
    find_path(SPDML_${library}_INCLUDE ${header} HINTS ${SPDML_PC_${library}_INCLUDE_DIRS})
    find_library(SPDML_${library}_LIBRARY ${library} HINTS ${SPDML_PC_${library}_LIBRARY_DIRS})
    mark_as_advanced(SPDML_${library}_INCLUDE SPDML_${library}_LIBRARY)
    if(NOT SPDML_${library}_INCLUDE OR NOT SPDML_${library}_LIBRARY)
        list(APPEND ${missing} ${library})
    elseif(NOT TARGET spdml::${library})
        add_library(spdml::${library} UNKNOWN IMPORTED)
        set_target_properties(spdml::${library} PROPERTIES
            IMPORTED_LOCATION "${SPDML_${library}_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${SPDML_${library}_INCLUDE}")
    endif()
endmacro()

# ---- libspdml ----------------------------------------------------------------------------------
# BLAS and LAPACK are OpenBLAS, or any libblas (with libcblas, where that is a library of its
# own) and liblapack.
set(SPDML_MISSING "")
set(SPDML_DEPENDENCIES "")
if(NOT Threads_FOUND)
    list(APPEND SPDML_MISSING Threads)
endif()

set(SPDML_MISSING_openblas "")
spdml_find(openblas cblas.h openblas SPDML_MISSING_openblas)
if(SPDML_MISSING_openblas OR "openblas" IN_LIST SPDML_WITHOUT)
    set(SPDML_MISSING_cblas "")
    spdml_find(cblas cblas.h cblas SPDML_MISSING_cblas)
    spdml_find(blas cblas.h blas SPDML_MISSING)
    spdml_find(lapack cblas.h lapack SPDML_MISSING)
    set(SPDML_DEPENDENCIES spdml::lapack spdml::blas)
    # Debian's libblas may be a part of OpenBLAS that takes the rest from libopenblas; what we ask of
    # OpenBLAS, if it is there (src/run/blas.c), is looked for in that too.
    if(TARGET spdml::blas AND CMAKE_C_COMPILER_LOADED)
        include(CheckLinkerFlag)
        check_linker_flag(C "LINKER:--copy-dt-needed-entries" SPDML_COPIES_NEEDED)
        if(SPDML_COPIES_NEEDED)
            set_target_properties(spdml::blas PROPERTIES
                INTERFACE_LINK_OPTIONS "LINKER:--copy-dt-needed-entries")
        endif()
    endif()
    if(NOT SPDML_MISSING_cblas)
        list(PREPEND SPDML_DEPENDENCIES spdml::cblas)
    endif()
else()
    set(SPDML_DEPENDENCIES spdml::openblas)
endif()

spdml_find(z zlib.h zlib SPDML_MISSING)
spdml_find(jansson jansson.h jansson SPDML_MISSING)
list(APPEND SPDML_DEPENDENCIES spdml::z spdml::jansson)

# ---- what can be left out ------------------------------------------------------------------------
# spdml_optional(word library header module dependencies missing): the library becomes one of the
# dependencies, and the word goes to SPDML_OPTIONAL.
macro(spdml_optional word library header module dependencies missing)
    set(SPDML_MISSING_${word} "")
    if(DEFINED SPDML_OPTIONAL_BUILT AND NOT "${word}" IN_LIST SPDML_OPTIONAL_BUILT)
        # the installed library does without
    else()
        spdml_find(${library} ${header} ${module} SPDML_MISSING_${word})
        if(SPDML_MISSING_${word} OR "${word}" IN_LIST SPDML_WITHOUT)
            list(APPEND ${missing} ${SPDML_MISSING_${word}})
        else()
            list(APPEND SPDML_OPTIONAL ${word})
            list(APPEND ${dependencies} spdml::${library})
        endif()
    endif()
endmacro()

set(SPDML_OPTIONAL "")
set(SPDML_OPTIONAL_MISSING "")
set(SPDML_DATA_DEPENDENCIES "")
set(SPDML_DATA_MISSING "")
spdml_optional(kissfft kissfft-float kissfft/kiss_fft.h kissfft-float SPDML_DEPENDENCIES SPDML_OPTIONAL_MISSING)
spdml_optional(libsvm svm libsvm/svm.h libsvm SPDML_DEPENDENCIES SPDML_OPTIONAL_MISSING)
spdml_optional(archive archive archive.h libarchive SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING)
spdml_optional(png png png.h libpng SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING)
spdml_optional(jpeg jpeg jpeglib.h libjpeg SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING)
spdml_optional(tiff tiff tiffio.h libtiff-4 SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING)
spdml_optional(webp webp webp/decode.h libwebp SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING)
spdml_optional(gif gif gif_lib.h giflib SPDML_DATA_DEPENDENCIES SPDML_DATA_MISSING) # Debian's has no file for pkg-config
