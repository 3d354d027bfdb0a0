# How every target of the project is made.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
endif()

find_program(FLCC_CCACHE ccache)
if(FLCC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # Precompiled headers are cached when differences that cannot matter here are allowed.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${FLCC_CCACHE})
endif()

option(CMAKE_UNITY_BUILD "Compile the files of a target in groups: in less time, but anew as a group" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
set(FLCC_SHADOW -Wshadow)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # That a name hides one of another file in its group is nothing to warn of.
    set(FLCC_SHADOW -Wshadow=local -Wno-subobject-linkage)
endif()

# flcc_options: what every target is compiled with: warnings, and the sanitizer if there is one.
add_library(flcc_warnings INTERFACE)
add_library(flcc_options INTERFACE)
target_link_libraries(flcc_options INTERFACE flcc_warnings)
target_include_directories(flcc_warnings INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(flcc_warnings INTERFACE -Wall -Wextra -Wpedantic ${FLCC_SHADOW} -Wconversion
    -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
    $<$<BOOL:${FLCC_WARNINGS_AS_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlaps and overflows in "text" + std::string (its bug 105651).
    target_compile_options(flcc_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow
        -Wno-array-bounds)
endif()
if(FLCC_SANITIZE)
    # -O1 -g1: reports with lines, in half the time that -O2 -g takes to compile.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
    # Left out: checks of what ends a test anyway (null pointers) or what the address sanitizer sees
    # as well (sizes of objects, sums of pointers), and of alignment, which the processor checks where
    # it matters. They take a third of the time to compile and a fifth of the time to run.
    target_compile_options(flcc_options INTERFACE -fsanitize=${FLCC_SANITIZE}
        -fno-sanitize=null,object-size,vptr,alignment,pointer-overflow
        -fno-omit-frame-pointer -fno-sanitize-recover=all)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # The checks a sanitizer adds make GCC see uninitialised values where there are none.
        target_compile_options(flcc_options INTERFACE -Wno-maybe-uninitialized)
    endif()
    target_link_options(flcc_options INTERFACE -fsanitize=${FLCC_SANITIZE})
endif()

if(FLCC_FUZZ)
    target_compile_options(flcc_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# flcc_computes_little(): the code of this folder waits for files, screens and other rooms. It is
# compiled with little optimisation, in about three quarters of the time, for the sanitizers with none.
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(FLCC_LITTLE -O0)
    set(FLCC_MUCH -O0)
elseif(FLCC_FUZZ) # parsers run millions of times
    set(FLCC_LITTLE -O1)
    set(FLCC_MUCH -O1)
elseif(FLCC_SANITIZE)
    set(FLCC_LITTLE -O0)
    set(FLCC_MUCH -O1)
else()
    set(FLCC_LITTLE -O1)
    set(FLCC_MUCH -O3)
endif()
function(flcc_computes_little)
    add_compile_options(${FLCC_LITTLE})
    set(FLCC_HEADERS flcc_headers_little PARENT_SCOPE)
endfunction()

# flcc_computes_much(TARGET): a target in such a folder that does compute.
function(flcc_computes_much target)
    target_compile_options(${target} PRIVATE ${FLCC_MUCH})
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
endfunction()

# flcc_judges(TARGET): the target computes what others are judged by, voxel by voxel. Its frames are
# not watched after a function has returned, which takes a quarter of the time of the tests.
function(flcc_judges target)
    if(FLCC_SANITIZE MATCHES address AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE --param=asan-use-after-return=0)
        set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
    endif()
endfunction()

# The standard headers that most files include, parsed once for each set of options that changes the
# result: parsing them is half of the time of a file.
set(FLCC_STANDARD_HEADERS <algorithm> <array> <atomic> <cmath> <condition_variable> <cstdint>
    <filesystem> <fstream> <functional> <iterator> <limits> <memory> <mutex> <numeric> <optional>
    <random> <span> <sstream> <stop_token> <string> <string_view> <thread> <type_traits> <utility>
    <variant> <vector>)
find_package(Threads REQUIRED)
set(FLCC_HEADERS flcc_headers)
foreach(headers flcc_headers flcc_headers_little)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${headers}.cpp CONTENT "")
    add_library(${headers} STATIC ${CMAKE_BINARY_DIR}/${headers}.cpp)
    target_link_libraries(${headers} PRIVATE flcc_options Threads::Threads)
    target_precompile_headers(${headers} PRIVATE ${FLCC_STANDARD_HEADERS})
endforeach()
target_compile_options(flcc_headers_little PRIVATE ${FLCC_LITTLE})

# flcc_add_room(NAME SOURCES ... [PUBLIC lib ...] [PRIVATE lib ...] [HEADERS <header> ...]): the static
# library flcc_NAME. HEADERS are parsed once, beside the standard ones.
function(flcc_add_room name)
    cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE;HEADERS" ${ARGN})
    add_library(flcc_${name} STATIC ${ROOM_SOURCES})
    target_link_libraries(flcc_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE flcc_options ${ROOM_PRIVATE})
    target_include_directories(flcc_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    if(ROOM_HEADERS)
        target_precompile_headers(flcc_${name} PRIVATE ${ROOM_HEADERS} ${FLCC_STANDARD_HEADERS})
    else()
        target_precompile_headers(flcc_${name} REUSE_FROM ${FLCC_HEADERS})
    endif()
endfunction()

# flcc_compile_alone(SOURCES ...): files whose names clash with those of others in a group
# (CMAKE_UNITY_BUILD).
function(flcc_compile_alone)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# flcc_compile_options(OPTIONS SOURCES ...): options of single files, which keep them from using
# headers that were parsed with others. A sanitizer gets -O1 for -O3, which takes a third of the time to compile.
function(flcc_compile_options options)
    if(FLCC_SANITIZE AND NOT FLCC_FUZZ)
        list(TRANSFORM options REPLACE "^-O3$" "${FLCC_MUCH}")
    endif()
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}"
        SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# flcc_vector_code(TARGET SOURCES ... LIBRARIES ...): adds sources that Highway compiles once for each
# instruction set. LIBRARIES are those that the sources include.
# Portable, SSE4, AVX2 and AVX3 (AVX-512) are the sets that differ for the kernels of this project.
# Highway drops its portable vectors for a defect of GCC before 12.3 in the high half of integer
# products, which no kernel uses; the tests run every set against the reference. With a sanitizer only
# one set is compiled, as each takes minutes: the longest vectors this machine has, at least AVX2.
function(flcc_vector_code target)
    cmake_parse_arguments(CODE "" "" "SOURCES;LIBRARIES" ${ARGN})
    if(FLCC_ONLY_MARCH)
        target_sources(${target} PRIVATE ${CODE_SOURCES})
        target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_STATIC)
        flcc_compile_options(-march=${FLCC_ONLY_MARCH} ${CODE_SOURCES})
        return()
    endif()
    if(FLCC_SANITIZE AND NOT FLCC_SANITIZE STREQUAL "thread")
        target_sources(${target} PRIVATE ${CODE_SOURCES})
        target_compile_definitions(${target} PRIVATE HWY_COMPILE_ONLY_STATIC)
        include(CheckCXXSourceRuns)
        check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx512bw\") &&
            __builtin_cpu_supports(\"avx512vl\") && __builtin_cpu_supports(\"avx512dq\") ? 0 : 1; }"
            FLCC_HAS_AVX512)
        set(options -march=haswell)
        if(FLCC_HAS_AVX512)
            set(options -march=skylake-avx512)
        endif()
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            # Registers are chosen for a function at once, in two thirds of the time to compile.
            list(APPEND options -fira-region=one)
        endif()
        flcc_compile_options("${options}" ${CODE_SOURCES})
        return()
    endif()
    # How registers are used, not which instructions: the generic tuning makes the wide kernels of
    # room cpu 5 (window sums) to 25 % (direct, small templates) slower with AVX-512.
    include(CheckCXXCompilerFlag)
    check_cxx_compiler_flag(-mtune=skylake-avx512 FLCC_HAS_WIDE_TUNING)
    set(tuning)
    set(compiled ${target})
    if(FLCC_HAS_WIDE_TUNING)
        set(tuning -mtune=skylake-avx512)
    endif()
    if(FLCC_SANITIZE) # thread
        list(TRANSFORM CODE_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
        set(libraries ${CODE_LIBRARIES})
        add_subdirectory(${CMAKE_SOURCE_DIR}/packaging/cmake/vectors ${CMAKE_CURRENT_BINARY_DIR}/vectors)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_vectors>)
        list(APPEND compiled ${target}_vectors)
    else()
        target_sources(${target} PRIVATE ${CODE_SOURCES})
        flcc_compile_options("${tuning}" ${CODE_SOURCES})
    endif()
    foreach(one IN LISTS compiled)
        target_compile_definitions(${one} PRIVATE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)"
            HWY_BROKEN_EMU128=0)
    endforeach()
endfunction()

# Adds the test classes of files "*_test.cpp" to a room's tests. moc is given no include folders: a
# test class needs nothing from a header to be understood, and reading them takes twenty times as
# long as the class. A slot behind an #ifdef is not seen.
function(flcc_moc_tests room)
    set(classes ${ARGN})
    list(FILTER classes INCLUDE REGEX "_test\\.cpp$")
    foreach(class IN LISTS classes)
        get_filename_component(moc ${class} NAME_WLE)
        string(PREPEND moc ${CMAKE_CURRENT_BINARY_DIR}/)
        qt6_generate_moc(${class} ${moc}.moc)
        target_sources(${room}_tests PRIVATE ${moc}.moc)
    endforeach()
endfunction()

# flcc_add_tests(ROOM TESTS names ... [SLOW names] [SERIAL names] [THREADED names] [ALONE names]
# [TOGETHER "names" ...] [SOURCES ...] LIBRARIES ... LABELS ... [DISPLAY] [MAIN library]
# [HEADERS <header> ...]): the Qt Test executable ROOM_tests of NAME_test.cpp
# for every name (tests/support/test_class.h), and a ctest test ROOM_NAME_test for each. SLOW tests
# carry the label "slow", SERIAL tests measure time and run alone. The thread sanitizer is given the
# THREADED ones only. ALONE are those whose names clash with those of others in a group of files
# (CMAKE_UNITY_BUILD). Where many clash, TOGETHER has the groups, each with names that do not; files in none
# are compiled alone. HEADERS are parsed once, beside the standard ones and Qt Test.
function(flcc_add_tests room)
    cmake_parse_arguments(TEST "DISPLAY" "MAIN"
        "TESTS;SLOW;SERIAL;THREADED;ALONE;TOGETHER;SOURCES;LIBRARIES;LABELS;HEADERS" ${ARGN})
    set(names ${TEST_TESTS} ${TEST_SLOW})
    if(FLCC_SANITIZE STREQUAL "thread")
        set(names ${TEST_THREADED})
    endif()
    if(NOT names)
        return()
    endif()
    if(NOT TEST_MAIN)
        set(TEST_MAIN flcc_test_main)
    endif()
    set(sources ${names})
    list(TRANSFORM sources APPEND _test.cpp)
    add_executable(${room}_tests ${sources} ${TEST_SOURCES})
    add_dependencies(flcc_tests ${room}_tests)
    list(TRANSFORM TEST_ALONE APPEND _test.cpp)
    flcc_compile_alone(${TEST_ALONE})
    if(TEST_TOGETHER)
        set_target_properties(${room}_tests PROPERTIES UNITY_BUILD_MODE GROUP)
        set_source_files_properties(${TEST_SOURCES} PROPERTIES UNITY_GROUP sources)
    endif()
    foreach(group IN LISTS TEST_TOGETHER)
        separate_arguments(members UNIX_COMMAND "${group}")
        list(GET members 0 first)
        list(TRANSFORM members APPEND _test.cpp)
        set_source_files_properties(${members} PROPERTIES UNITY_GROUP ${first})
    endforeach()
    set_target_properties(${room}_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    flcc_moc_tests(${room} ${sources} ${TEST_SOURCES})
    target_include_directories(${room}_tests PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    target_compile_definitions(${room}_tests PRIVATE QT_NO_KEYWORDS)
    target_link_libraries(${room}_tests PRIVATE flcc_options ${TEST_MAIN} ${TEST_LIBRARIES})
    if(TEST_HEADERS)
        target_precompile_headers(${room}_tests PRIVATE <QtTest> ${TEST_HEADERS}
            ${FLCC_STANDARD_HEADERS})
    else()
        target_precompile_headers(${room}_tests REUSE_FROM flcc_test_classes)
    endif()
    foreach(name IN LISTS names)
        set(options)
        if(name IN_LIST TEST_SLOW)
            list(APPEND options SLOW)
        endif()
        if(name IN_LIST TEST_SERIAL)
            list(APPEND options SERIAL)
        endif()
        if(TEST_DISPLAY)
            list(APPEND options DISPLAY)
        endif()
        flcc_add_test_run(${room} ${name} LABELS ${TEST_LABELS} ${options})
    endforeach()
endfunction()

# flcc_add_test_run(ROOM NAME LABELS ... [PREFIX name] [SLOW] [SERIAL] [DISPLAY] [ENVIRONMENT ...]): a
# ctest test that runs the class of NAME_test.cpp. It is called PREFIX_NAME_test or ROOM_NAME_test, or
# NAME_test where NAME is the room's.
function(flcc_add_test_run room name)
    cmake_parse_arguments(RUN "SLOW;SERIAL;DISPLAY" "PREFIX" "LABELS;ENVIRONMENT" ${ARGN})
    if(NOT RUN_PREFIX)
        set(RUN_PREFIX ${room})
    endif()
    set(test ${RUN_PREFIX}_${name}_test)
    if(name STREQUAL RUN_PREFIX)
        set(test ${name}_test)
    endif()
    set(command $<TARGET_FILE:${room}_tests> ${name}_test)
    if(RUN_DISPLAY)
        list(PREPEND command ${CMAKE_SOURCE_DIR}/tests/support/run-with-display)
    endif()
    set(timeout 300)
    if(RUN_SLOW)
        list(APPEND RUN_LABELS slow)
        set(timeout 3600)
    elseif(FLCC_SANITIZE) # several times as long
        set(timeout 1200)
    endif()
    if(test IN_LIST FLCC_LONG_TESTS)
        list(APPEND RUN_LABELS long)
    endif()
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES LABELS "${RUN_LABELS}" TIMEOUT ${timeout}
        RUN_SERIAL "${RUN_SERIAL}"
        ENVIRONMENT "LC_ALL=C.UTF-8;QT_SCALE_FACTOR=1;\
QTEST_FUNCTION_TIMEOUT=${timeout}000;${RUN_ENVIRONMENT}")
endfunction()
