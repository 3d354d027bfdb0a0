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
    set(CMAKE_CXX_COMPILER_LAUNCHER ${FLCC_CCACHE})
endif()

add_library(flcc_options INTERFACE)
target_include_directories(flcc_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(flcc_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
    $<$<BOOL:${FLCC_WARNINGS_AS_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees an overlap in every "text" + std::string (its bug 105651).
    target_compile_options(flcc_options INTERFACE -Wno-restrict)
endif()
if(FLCC_SANITIZE)
    # -O1 -g1: reports with lines, in half the time that -O2 -g takes to compile.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -DNDEBUG")
    # A null pointer ends a test without a check of its own, and the checks of objects' sizes are
    # those of the address sanitizer: a tenth of the time to compile.
    target_compile_options(flcc_options INTERFACE -fsanitize=${FLCC_SANITIZE}
        -fno-sanitize=null,object-size,vptr -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # The checks a sanitizer adds make GCC see uninitialised values where there are none.
    target_compile_options(flcc_options INTERFACE -Wno-maybe-uninitialized)
    target_link_options(flcc_options INTERFACE -fsanitize=${FLCC_SANITIZE})
endif()

# flcc_computes_little(): what this folder holds is compiled without optimisation for the sanitizers,
# in half the time.
function(flcc_computes_little)
    if(FLCC_SANITIZE)
        add_compile_options(-O0)
    endif()
endfunction()

# flcc_add_room(NAME SOURCES ... [PUBLIC lib ...] [PRIVATE lib ...]): the static library flcc_NAME.
function(flcc_add_room name)
    cmake_parse_arguments(ROOM "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(flcc_${name} STATIC ${ROOM_SOURCES})
    target_link_libraries(flcc_${name} PUBLIC ${ROOM_PUBLIC} PRIVATE flcc_options ${ROOM_PRIVATE})
    target_include_directories(flcc_${name} PUBLIC ${CMAKE_SOURCE_DIR})
endfunction()

# flcc_add_test(NAME SOURCES ... LIBRARIES ... LABELS ... [DISPLAY] [TIMEOUT seconds]): the Qt Test
# executable NAME, run as one ctest test; DISPLAY runs it in a window system of its own.
function(flcc_add_test name)
    cmake_parse_arguments(TEST "DISPLAY" "TIMEOUT" "SOURCES;LIBRARIES;LABELS" ${ARGN})
    if(FLCC_SANITIZE) # takes several times as long
        set(TEST_TIMEOUT 1200)
    elseif(NOT TEST_TIMEOUT)
        set(TEST_TIMEOUT 300)
    endif()
    add_executable(${name} ${TEST_SOURCES})
    set_target_properties(${name} PROPERTIES AUTOMOC ON
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
    target_link_libraries(${name} PRIVATE flcc_options flcc_own_cache Qt6::Test ${TEST_LIBRARIES})
    if(TEST_DISPLAY)
        add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/support/run-with-display
            $<TARGET_FILE:${name}>)
    else()
        add_test(NAME ${name} COMMAND ${name})
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${TEST_LABELS}" TIMEOUT ${TEST_TIMEOUT}
        ENVIRONMENT "LC_ALL=C.UTF-8;QT_SCALE_FACTOR=1;FLCC_TEST_DATA=${CMAKE_SOURCE_DIR}/tests/data;\
QTEST_FUNCTION_TIMEOUT=${TEST_TIMEOUT}000")
endfunction()
