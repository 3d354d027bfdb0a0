# FLCC_CUDA=AUTO|ON|OFF: whether the plug-in for NVIDIA GPUs is built. AUTO builds it where its
# compiler is found, ON asks for it. Leaves FLCC_HAS_CUDA.

set(FLCC_CUDA AUTO CACHE STRING "Build the GPU engine: AUTO (where nvcc is found), ON, OFF")
set_property(CACHE FLCC_CUDA PROPERTY STRINGS AUTO ON OFF)
set(FLCC_HAS_CUDA OFF)
if(NOT FLCC_CUDA MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "FLCC_CUDA is ${FLCC_CUDA}; it can be AUTO, ON or OFF")
endif()
if(FLCC_CUDA STREQUAL "OFF")
    return()
endif()

# One architecture unless asked otherwise; packages take "75-real;80-real;86-real;90" (the preset
# "package"), the last with text that drivers of newer GPUs compile. Without a value of ours the
# compiler's would be used, which enable_language() finds first.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75 CACHE STRING "Compute capabilities the GPU engine is built for")
endif()
# CMake 3.25 does not know how nvcc is told of C++20.
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")

if(FLCC_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${FLCC_CCACHE})
endif()
find_program(FLCC_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH
    PATHS ${CMAKE_SYSTEM_PREFIX_PATH} PATH_SUFFIXES bin cuda/bin)
if(FLCC_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER ${FLCC_NVCC})
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
    if(FLCC_CUDA STREQUAL "ON")
        message(FATAL_ERROR "FLCC_CUDA is ON, but no CUDA compiler was found: put nvcc into PATH, or "
            "set CUDA_HOME to the folder of the toolkit; FLCC_CUDA=OFF builds without a GPU engine")
    endif()
    message(STATUS "GPU engine: not built, no CUDA compiler found")
    return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG")
set(FLCC_HAS_CUDA ON)
message(STATUS "GPU engine: CUDA ${CUDAToolkit_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")

# flcc_cuda_code(BINARIES TEXTS): the compute capabilities that CMAKE_CUDA_ARCHITECTURES gives code
# for, as "75/80": binary code, and text for newer devices.
function(flcc_cuda_code binaries texts)
    set(real)
    set(virtual)
    foreach(one IN LISTS CMAKE_CUDA_ARCHITECTURES)
        if(NOT one MATCHES "^([0-9]+)(-real|-virtual)?$")
            message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES holds ${one}; give compute capabilities "
                "such as 75, 80-real or 90-virtual, so that the GPU engine knows what it has code for")
        endif()
        if(NOT CMAKE_MATCH_2 STREQUAL "-virtual")
            list(APPEND real ${CMAKE_MATCH_1})
        endif()
        if(NOT CMAKE_MATCH_2 STREQUAL "-real")
            list(APPEND virtual ${CMAKE_MATCH_1})
        endif()
    endforeach()
    list(JOIN real "/" real)
    list(JOIN virtual "/" virtual)
    set(${binaries} "${real}" PARENT_SCOPE)
    set(${texts} "${virtual}" PARENT_SCOPE)
endfunction()
