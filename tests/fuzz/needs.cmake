# SPDX-License-Identifier: BSD-3-Clause
# What a fuzz target needs besides its source: no more, or the build would take long. Its first lines say it:
#   // links: conoid_io               libraries
#   // sources: engine/io/*.cpp       files of the tree, where a library would bring too much (the kernels of a solver)
#   // program: conoid-probe          a program that it starts, whose path it gets as CONOID_PROGRAM
function(conoid_fuzz_needs target source)
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  conoid_fuzz_line(links "${source}" links)
  conoid_fuzz_line(patterns "${source}" sources)
  target_link_libraries(${target} PRIVATE conoid_settings ${links})
  foreach(pattern ${patterns})
    file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
    if(NOT found)
      message(FATAL_ERROR "${source}: '// sources: ${pattern}' names no file")
    endif()
    target_sources(${target} PRIVATE ${found})
  endforeach()
endfunction()

# conoid_fuzz_line(<variable> <source> <word>): what stands behind `// word:` in the lines of a source, as a list.
function(conoid_fuzz_line variable source word)
  file(STRINGS "${source}" lines REGEX "^// ${word}: ")
  set(words "")
  foreach(line ${lines})
    string(REGEX REPLACE "^// ${word}: +" "" line "${line}")
    separate_arguments(line)
    list(APPEND words ${line})
  endforeach()
  set(${variable} "${words}" PARENT_SCOPE)
endfunction()
