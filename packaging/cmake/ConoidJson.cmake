# SPDX-License-Identifier: BSD-3-Clause
# nlohmann-json as it is installed, less one function: the literal operator""_json is neither a template nor used here, so every
# file that sees it instantiates the whole parser for it, 0.5 s of each of some 600 files. The copy without it lies in the build
# folder; where the text is not the expected one, the library is used as it is.
function(conoid_json_without_literal)
  get_target_property(folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  find_file(header nlohmann/json.hpp PATHS ${folders} NO_CACHE)
  if(NOT header)
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
  file(READ "${header}" text)
  string(REGEX REPLACE
    "JSON_HEDLEY_NON_NULL\\(1\\)[^;{}]*operator *\"\" *_json\\([^;{}]*{[^{}]*}\n" "" shorter "${text}")
  string(REGEX REPLACE "[^\n]*using nlohmann::literals::json_literals::operator *\"\" *_json;[^\n]*\n" "" shorter "${shorter}")
  set(copies "${PROJECT_BINARY_DIR}/generated/json")
  if(shorter MATCHES "operator *\"\" *_json[;(]" OR shorter STREQUAL text)
    file(REMOVE_RECURSE "${copies}")
    return()
  endif()
  file(CONFIGURE OUTPUT "${copies}/nlohmann/json.hpp" CONTENT "@shorter@" @ONLY)
  target_include_directories(nlohmann_json::nlohmann_json BEFORE INTERFACE "${copies}")
endfunction()
