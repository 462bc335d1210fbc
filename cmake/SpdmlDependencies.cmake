# SpdmlDependencies.cmake - the libraries spdml stands on, as imported targets.
#
# Used by the build, and by the installed package for those who link the static library. Each
# library is named directly, without what it needs itself: its shared form knows that.
# Sets SPDML_DEPENDENCIES (targets) and SPDML_MISSING (names of what was not found).

find_package(PkgConfig QUIET)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads QUIET)

set(SPDML_DEPENDENCIES "")
set(SPDML_MISSING "")
if(NOT Threads_FOUND)
    list(APPEND SPDML_MISSING Threads)
endif()

# spdml_dependency(library header module): target spdml::library, found where pkg-config says
# or on the usual paths.
macro(spdml_dependency library header module)
    if(PkgConfig_FOUND)
        pkg_check_modules(SPDML_PC_${library} QUIET ${module})
    endif()
    find_path(SPDML_${library}_INCLUDE ${header} HINTS ${SPDML_PC_${library}_INCLUDE_DIRS})
    find_library(SPDML_${library}_LIBRARY ${library} HINTS ${SPDML_PC_${library}_LIBRARY_DIRS})
    mark_as_advanced(SPDML_${library}_INCLUDE SPDML_${library}_LIBRARY)
    if(NOT SPDML_${library}_INCLUDE OR NOT SPDML_${library}_LIBRARY)
        list(APPEND SPDML_MISSING ${library})
    elseif(NOT TARGET spdml::${library})
        add_library(spdml::${library} UNKNOWN IMPORTED)
        set_target_properties(spdml::${library} PROPERTIES
            IMPORTED_LOCATION "${SPDML_${library}_LIBRARY}"
            INTERFACE_INCLUDE_DIRECTORIES "${SPDML_${library}_INCLUDE}")
    endif()
    list(APPEND SPDML_DEPENDENCIES spdml::${library})
endmacro()

spdml_dependency(lapacke lapacke.h lapacke)
spdml_dependency(openblas cblas.h openblas)
spdml_dependency(zip zip.h libzip)
spdml_dependency(matio matio.h matio)
spdml_dependency(hdf5 hdf5.h hdf5) # beneath matio: io silences what it prints
spdml_dependency(jansson jansson.h jansson)
spdml_dependency(archive archive.h libarchive)
spdml_dependency(png png.h libpng)
spdml_dependency(jpeg jpeglib.h libjpeg)
spdml_dependency(tiff tiffio.h libtiff-4)
spdml_dependency(kissfft-float kissfft/kiss_fftnd.h kissfft-float)
spdml_dependency(svm libsvm/svm.h libsvm)

if(SPDML_MISSING AND PROJECT_NAME STREQUAL "spdml")
    list(JOIN SPDML_MISSING ", " missing_text)
    message(FATAL_ERROR "not found: ${missing_text}; `make setup` installs what is missing")
endif()
