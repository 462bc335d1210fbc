# SpdmlDependencies.cmake - the libraries spdml stands on, as imported targets.
#
# Used by the build, and by the installed package for those who link a static library. Each library
# is named directly, without what it needs itself: its shared form knows that. Sets
#
#   SPDML_DEPENDENCIES        targets libspdml needs
#   SPDML_MISSING             libraries of those that were not found
#   SPDML_STAND_INS           zlib, jansson, kissfft, libsvm: those in whose place code of ours stands
#   SPDML_FORMATS             formats of libspdml-data whose libraries are there and are not in the
#                             list SPDML_WITHOUT
#   SPDML_DATA_DEPENDENCIES   targets those formats need
#   SPDML_DATA_MISSING        libraries of formats that were not found; the installed package asks
#                             only for those of SPDML_FORMATS_BUILT

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
# BLAS and LAPACK are needed: OpenBLAS, or any libblas (with libcblas, where that is a library of its
# own) and liblapack. For the others there is code of ours in src/missing.
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
    # OpenBLAS, if it is there (src/engine/blas.c), is looked for in that too.
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

# spdml_or_ours(word library header module): the library becomes a dependency, or the word goes to
# SPDML_STAND_INS. An installed package knows which: SPDML_STAND_INS_BUILT.
macro(spdml_or_ours word library header module)
    set(SPDML_MISSING_${word} "")
    if(DEFINED SPDML_STAND_INS_BUILT)
        if("${word}" IN_LIST SPDML_STAND_INS_BUILT)
            set(SPDML_MISSING_${word} ${library})
        else()
            spdml_find(${library} ${header} ${module} SPDML_MISSING)
        endif()
    else()
        spdml_find(${library} ${header} ${module} SPDML_MISSING_${word})
    endif()
    if(SPDML_MISSING_${word} OR "${word}" IN_LIST SPDML_WITHOUT)
        list(APPEND SPDML_STAND_INS ${word})
    else()
        list(APPEND SPDML_DEPENDENCIES spdml::${library})
    endif()
endmacro()

set(SPDML_STAND_INS "")
spdml_or_ours(zlib z zlib.h zlib)
spdml_or_ours(jansson jansson jansson.h jansson)
spdml_or_ours(kissfft kissfft-float kissfft/kiss_fft.h kissfft-float)
spdml_or_ours(libsvm svm libsvm/svm.h libsvm)

# ---- libspdml-data: what is missing is a format less -------------------------------------------
set(SPDML_DATA_DEPENDENCIES "")
set(SPDML_DATA_MISSING "")

# spdml_format(format library...): its libraries become dependencies where all of them are there.
macro(spdml_format format)
    set(spdml_missing_here ${SPDML_MISSING_${format}})
    if(DEFINED SPDML_FORMATS_BUILT AND NOT "${format}" IN_LIST SPDML_FORMATS_BUILT)
        # the installed library does without
    elseif(spdml_missing_here OR "${format}" IN_LIST SPDML_WITHOUT)
        list(APPEND SPDML_DATA_MISSING ${spdml_missing_here})
    else()
        list(APPEND SPDML_FORMATS ${format})
        foreach(spdml_library ${ARGN})
            list(APPEND SPDML_DATA_DEPENDENCIES spdml::${spdml_library})
        endforeach()
    endif()
endmacro()

set(SPDML_FORMATS "")
foreach(format archive png jpeg tiff webp gif)
    set(SPDML_MISSING_${format} "")
endforeach()
spdml_find(archive archive.h libarchive SPDML_MISSING_archive)
spdml_find(png png.h libpng SPDML_MISSING_png)
spdml_find(jpeg jpeglib.h libjpeg SPDML_MISSING_jpeg)
spdml_find(tiff tiffio.h libtiff-4 SPDML_MISSING_tiff)
spdml_find(webp webp/decode.h libwebp SPDML_MISSING_webp)
spdml_find(gif gif_lib.h giflib SPDML_MISSING_gif) # Debian's has no file for pkg-config
spdml_format(archive archive)
spdml_format(png png)
spdml_format(jpeg jpeg)
spdml_format(tiff tiff)
spdml_format(webp webp)
spdml_format(gif gif)
