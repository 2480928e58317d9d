# SPDX-License-Identifier: BSD-3-Clause
# The corpus of a fuzz target: what is kept in tests/data/fuzz/<name>, files that lie elsewhere in tests/data (elsewhere.txt there), and long
# inputs that a rule makes in the build folder.

# conoid_fuzz_corpus(<variable> <name>): its folders; none: it has no corpus.
function(conoid_fuzz_corpus result name)
  set(data "${PROJECT_SOURCE_DIR}/tests/data")
  set(made "${PROJECT_BINARY_DIR}/corpus/${name}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${data}/fuzz/elsewhere.txt")
  file(REMOVE_RECURSE "${made}")
  file(STRINGS "${data}/fuzz/elsewhere.txt" lines REGEX "^${name} ")
  foreach(line ${lines})
    string(REGEX REPLACE "^[^ ]+ " "" file "${line}")
    file(COPY "${data}/${file}" DESTINATION "${made}")
  endforeach()
  if(name STREQUAL "table")  # the first byte says which reader, modulo 4
    string(REPEAT "#\n" 30000 preamble)
    file(WRITE "${made}/preamble_alone" "0${preamble}")
    set(table "3density,energy,pressure,sound_speed\n")
    foreach(i RANGE 1 5600)
      math(EXPR energy "${i} - 1")
      string(APPEND table "${i},${energy},1,1\n")
    endforeach()
    file(WRITE "${made}/equation_of_state_of_pairs_that_never_meet" "${table}")
  elseif(name STREQUAL "folder")
    string(ASCII 255 border)
    string(REPEAT "x" 30000 long)
    string(REPEAT "0,0,0,0,0,0,0,0\n" 2100 rows)
    file(WRITE "${made}/phase_with_a_long_name"
      "{}${border}{}${border}pass,worker,begin,end,busy,waiting,copying,phase\n# phase 0 is ${long}\n${rows}${border}")
  endif()
  set(out "")
  foreach(folder "${data}/fuzz/${name}" "${made}")
    if(EXISTS "${folder}")
      list(APPEND out "${folder}")
    endif()
  endforeach()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()
