# Kernels.cmake - src/linalg/kernels*.c, compiled once for each instruction set.
#
# Each copy is told its name by KERNELS_ISA; src/linalg/isa.c picks one when the program runs.
# Sets kernel_sources, kernel_objects, kernel_targets, kernel_isas and kernel_definitions (for the rest of the library).

file(GLOB kernel_sources CONFIGURE_DEPENDS
     "${CMAKE_CURRENT_SOURCE_DIR}/src/linalg/kernels*.c")

set(kernel_isas baseline)
set(kernel_definitions KERNELS_ONLY_BASELINE)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(kernel_isas baseline avx2 avx512)
    set(kernel_definitions "")
endif()

set(kernel_flags_baseline "")
set(kernel_flags_avx2 -mavx2 -mfma)
set(kernel_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma
    -mprefer-vector-width=512 -mtune=skylake-avx512)

# Not -ffast-math: a NaN must stay one. -Wpsabi speaks of vectors passed between files compiled
# with different flags; none are.
#
# A product and a sum become one operation where they stand in one expression (clang) or anywhere (gcc, which
# knows nothing between that and nowhere). Anywhere, clang decides for each copy of an unrolled loop anew, and
# equal matrices in different lanes would not give equal numbers.
set(kernel_contract fast)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(kernel_contract on)
endif()
set(kernel_flags -fno-trapping-math -ffp-contract=${kernel_contract} -Wno-psabi
    $<IF:$<CONFIG:Release>,-O3,-O2>)

# Fuzzing is for the readers; instrumented kernels would only take minutes to compile.
set(kernel_instruments "")
if(SPDML_FUZZ)
    set(kernel_instruments PLAIN)
endif()

set(kernel_objects "")
set(kernel_targets "")
if(kernel_sources)
    foreach(isa IN LISTS kernel_isas)
        set(library kernels_${isa})
        add_library(${library} OBJECT ${kernel_sources})
        spdml_flags(${library} ${kernel_instruments})
        target_compile_definitions(${library} PRIVATE KERNELS_ISA=${isa} ${kernel_definitions})
        target_compile_options(${library} PRIVATE ${kernel_flags} ${kernel_flags_${isa}})
        target_include_directories(${library} PRIVATE include src)
        target_link_libraries(${library} PRIVATE ${SPDML_DEPENDENCIES})
        set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON
                                                    C_VISIBILITY_PRESET hidden)
        list(APPEND kernel_targets ${library})
        list(APPEND kernel_objects $<TARGET_OBJECTS:${library}>)
    endforeach()
endif()
