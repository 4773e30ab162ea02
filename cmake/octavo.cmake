# The few functions that every CMakeLists.txt of the tree uses.

find_package(Threads REQUIRED)
enable_testing()
if(BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

option(OCTAVO_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(OCTAVO_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")

add_library(octavo_options INTERFACE)
target_include_directories(octavo_options INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_options(octavo_options INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(OCTAVO_WARNINGS_AS_ERRORS)
  target_compile_options(octavo_options INTERFACE -Werror)
endif()
# One multiplication and addition is fused only where the source says so, or results would
# depend on the compiler.
target_compile_options(octavo_options INTERFACE -ffp-contract=off)
if(OCTAVO_SANITIZE)
  target_compile_options(octavo_options INTERFACE
    -fsanitize=${OCTAVO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(octavo_options INTERFACE -fsanitize=${OCTAVO_SANITIZE})
endif()
target_link_libraries(octavo_options INTERFACE Threads::Threads)

# octavo_add_library(<floor> SOURCES a.cc ... [DEPS lower floors and third-party targets])
# A floor: the static library octavo_<floor> from an explicit list of sources.
function(octavo_add_library floor)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PRIVATE_DEPS" ${ARGN})
  if(NOT ARG_SOURCES)
    add_library(octavo_${floor} INTERFACE)
    target_link_libraries(octavo_${floor} INTERFACE octavo_options ${ARG_DEPS})
    return()
  endif()
  add_library(octavo_${floor} STATIC ${ARG_SOURCES})
  target_link_libraries(octavo_${floor} PUBLIC octavo_options ${ARG_DEPS} PRIVATE
    ${ARG_PRIVATE_DEPS})
endfunction()

# octavo_label_test(<test name> <target> <label>...)
# Labels a test and makes the target part of tests_<label>, which builds all tests of a label:
#   fast     less than a minute for all of them on two cores
#   per_isa  results come from a kernel table; run again with each OCTAVO_ISA and on arm64
#   threads  several threads share data; run with data-race checks
#   slow     the rest
function(octavo_label_test name target)
  set_tests_properties(${name} PROPERTIES LABELS "${ARGN}")
  foreach(label IN LISTS ARGN)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
  # Under an emulator everything takes several times as long.
  if(CMAKE_CROSSCOMPILING)
    get_test_property(${name} TIMEOUT seconds)
    if(seconds)
      math(EXPR seconds "5 * ${seconds}")
      set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds})
    endif()
  endif()
endfunction()

# octavo_add_test(<floor> SOURCES a_test.cc ... [DEPS targets] [LABELS fast ...] [TIMEOUT seconds])
# One test program <floor>_test of all the floor's unit tests. LABELS as above.
function(octavo_add_test name)
  if(NOT BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS fast)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE octavo_options ${ARG_DEPS} GTest::gtest_main)
  # -Wconversion complains about gtest's own templates instantiated in tests; optimising test code
  # beyond -O1 takes a third of its compile time and saves none. A source's options follow those of
  # octavo_options, a target's would not.
  set_source_files_properties(${ARG_SOURCES} PROPERTIES COMPILE_OPTIONS
    "-Wno-conversion;$<$<CONFIG:Release>:-O1>")
  # Most of a test's compile time is gtest's headers. Not with ccache, which gives more, but can do
  # nothing for sources that take a precompiled header unless it is told to be careless.
  if(NOT CCACHE_PROGRAM AND CMAKE_BUILD_TYPE STREQUAL "Release")
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h>)
  endif()
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE
    OCTAVO_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/tests/data"
    OCTAVO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name}_test COMMAND ${name}_test --gtest_brief=1)
  set_tests_properties(${name}_test PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  octavo_label_test(${name}_test ${name}_test ${ARG_LABELS})
endfunction()
