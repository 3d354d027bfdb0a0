# FLCC_ITK=AUTO|ON|OFF: whether flcc-reader reads rare formats by ITK. AUTO does where ITK is found
# and the compiler is one that its headers know; ON asks for it. Leaves FLCC_HAS_ITK, ITK_VERSION,
# ITK_LIBRARIES and ITK_INCLUDE_DIRS.

set(FLCC_ITK AUTO CACHE STRING "Read rare formats by ITK: AUTO (where it is found), ON, OFF")
set_property(CACHE FLCC_ITK PROPERTY STRINGS AUTO ON OFF)
set(FLCC_HAS_ITK OFF)
if(NOT FLCC_ITK MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "FLCC_ITK is ${FLCC_ITK}; it can be AUTO, ON or OFF")
endif()
if(FLCC_ITK STREQUAL "OFF")
    return()
endif()
# Debian's headers of ITK stop every compiler but GCC.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The modules of the formats alone: ITK's own settings for every folder would choose others too.
    find_package(ITK 5.2 QUIET COMPONENTS ITKIOBioRad ITKIOBruker ITKIOGE ITKIOGIPL ITKIOSiemens
        ITKIOStimulate ITKIOVTK)
endif()
if(ITK_FOUND)
    set(FLCC_HAS_ITK ON)
    set(ITK_VERSION "${ITK_VERSION_MAJOR}.${ITK_VERSION_MINOR}.${ITK_VERSION_PATCH}")
elseif(FLCC_ITK STREQUAL "ON")
    message(FATAL_ERROR "FLCC_ITK is ON, but ITK 5.2 or newer was not found, or the compiler is not GCC")
else()
    message(STATUS "ITK: not found, or the compiler is not GCC; GIPL, VTK legacy and other rare formats cannot be read")
endif()
