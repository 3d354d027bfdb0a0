# FLCC_CUDA=AUTO|ON|OFF: whether the plug-in for NVIDIA GPUs is built. AUTO builds it where a toolkit
# is found that can, and says why not; ON asks for it. Leaves FLCC_HAS_CUDA.

set(FLCC_CUDA AUTO CACHE STRING "Build the GPU engine: AUTO (where nvcc can), ON, OFF")
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

# flcc_without_cuda(REASON): how a configuration without the GPU engine goes on, or does not.
function(flcc_without_cuda reason)
    if(FLCC_CUDA STREQUAL "ON")
        message(FATAL_ERROR "FLCC_CUDA is ON, but ${reason}; FLCC_CUDA=OFF builds without a GPU engine")
    endif()
    message(STATUS "GPU engine: not built, ${reason}")
endfunction()

# flcc_try_nvcc(NVCC FAULT): builds a few lines as the GPU engine is built, outside of the project,
# where a compiler that cannot would end the configuration. What it says goes to FAULT.
function(flcc_try_nvcc nvcc fault)
    separate_arguments(flags NATIVE_COMMAND "${CMAKE_CUDA_FLAGS}")
    foreach(one IN LISTS CMAKE_CUDA_ARCHITECTURES)
        if(one MATCHES "^([0-9]+)")
            list(APPEND flags -gencode arch=compute_${CMAKE_MATCH_1},code=sm_${CMAKE_MATCH_1})
        endif()
    endforeach()
    if(CMAKE_CUDA_HOST_COMPILER)
        list(APPEND flags -ccbin ${CMAKE_CUDA_HOST_COMPILER})
    endif()
    set(${fault} "" PARENT_SCOPE)
    set(tried "${nvcc} ${flags}")
    if("${FLCC_TRIED_NVCC}" STREQUAL tried)
        return()
    endif()
    set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/flcc_try_nvcc)
    file(WRITE ${folder}/try.cu "#include <cuda_runtime_api.h>
#include <cufft.h>
#include <concepts>
template <std::integral T> __global__ void set(T* to) { *to = []<class V>(V value) { return value; }(1); }
int main() {
    set<<<1, 1>>>(static_cast<int*>(nullptr));
    return cudaGetLastError() == cudaSuccess ? CUFFT_SUCCESS : 1;
}
")
    execute_process(COMMAND ${nvcc} -std=c++20 ${flags} try.cu -o try WORKING_DIRECTORY ${folder}
        RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(code EQUAL 0)
        set(FLCC_TRIED_NVCC "${tried}" CACHE INTERNAL "The compiler and options that worked")
    elseif(said MATCHES "[^\n]*(fatal|error)[^\n]*")
        set(${fault} "${CMAKE_MATCH_0}" PARENT_SCOPE)
    else()
        set(${fault} "it ended with ${code}" PARENT_SCOPE)
    endif()
endfunction()

find_program(FLCC_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH
    PATHS ${CMAKE_SYSTEM_PREFIX_PATH} PATH_SUFFIXES bin cuda/bin)
set(nvcc "${CMAKE_CUDA_COMPILER}")
if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
endif()
if(NOT nvcc AND FLCC_NVCC)
    set(nvcc "${FLCC_NVCC}")
endif()
if(NOT nvcc)
    flcc_without_cuda("no CUDA compiler was found: put nvcc into PATH, or set CUDA_HOME to the folder of the toolkit")
    return()
endif()
flcc_try_nvcc("${nvcc}" fault)
if(fault)
    flcc_without_cuda("${nvcc} cannot build it (CUDA 12.0 or newer with cuFFT can): ${fault}")
    return()
endif()
set(CMAKE_CUDA_COMPILER "${nvcc}")
enable_language(CUDA)
find_package(CUDAToolkit)
if(NOT TARGET CUDA::cufft)
    flcc_without_cuda("the toolkit of ${nvcc} has no library cuFFT")
    return()
endif()
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
