# find_package(FLCC [COMPONENTS c engine]), after `cmake --install`:
#   FLCC::c       the C interface, flcc.h: a shared library that needs nothing else to link
#   FLCC::engine  the engine for C++20, "engine/plan/planner.h" and so on: a static library, for which
#                 the development files of FFTW, Highway and spdlog are needed
# Without COMPONENTS FLCC::engine is left out where one of those is missing.
include(${CMAKE_CURRENT_LIST_DIR}/FLCC-c.cmake)
set(FLCC_c_FOUND TRUE)

if(NOT FLCC_FIND_COMPONENTS OR "engine" IN_LIST FLCC_FIND_COMPONENTS)
    set(FLCC_engine_FOUND TRUE)
    list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # FindFFTW3.cmake
    foreach(library FFTW3 hwy spdlog Threads)
        find_package(${library} QUIET)
        if(NOT ${library}_FOUND)
            set(FLCC_engine_FOUND FALSE)
            string(APPEND FLCC_NOT_FOUND_MESSAGE "FLCC::engine needs ${library}. ")
        endif()
    endforeach()
    list(POP_FRONT CMAKE_MODULE_PATH)
    if(FLCC_engine_FOUND)
        include(${CMAKE_CURRENT_LIST_DIR}/FLCC-engine.cmake)
    endif()
endif()

foreach(component IN LISTS FLCC_FIND_COMPONENTS)
    if(NOT FLCC_${component}_FOUND AND FLCC_FIND_REQUIRED_${component})
        set(FLCC_FOUND FALSE)
        string(APPEND FLCC_NOT_FOUND_MESSAGE "FLCC has no component ${component} here.")
    endif()
endforeach()
