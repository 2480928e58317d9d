# SPDX-License-Identifier: BSD-3-Clause
# How the folders become targets. A folder is a layer; its sources are found by name, so that a new file or a new
# solver touches no list.

# conoid_library(<name> <folder> [CHECKED] [LIGHT] [PRECOMPILED headers] [LINK targets...]): one static library of every .cpp directly or
# deeper in a folder. CHECKED: the standard library checks every index (for code that reads what others wrote; too slow in
# kernels). LIGHT: lightly optimised, because nothing in it computes and half the time to build it would go into that.
# Files ending in _avx2.cpp and _avx512.cpp are compiled for that instruction set (chosen at run time by the caller), files ending in
# _isa.inl once for each of the sets that they name (conoid_isa_variants).
function(conoid_library name folder)
  cmake_parse_arguments(arg "CHECKED;LIGHT" "PRECOMPILED" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main_[a-z_]+\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "/team/(cuda|emulated)/[a-z0-9_]+\\.cpp$")  # of the device modules (ConoidDevices)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC conoid_settings ${arg_LINK})
    if(arg_CHECKED)
      target_compile_definitions(${name} PRIVATE _GLIBCXX_ASSERTIONS)
    endif()
    if(arg_LIGHT)
      conoid_light(${name})
      conoid_together(${name})
    endif()
    if(arg_PRECOMPILED)
      conoid_use_precompiled(${name} ${arg_PRECOMPILED})
    endif()
    conoid_instruction_sets(${sources})
    file(GLOB_RECURSE bodies CONFIGURE_DEPENDS "${folder}/*_isa.inl")
    foreach(body ${bodies})
      conoid_isa_body(${name} "${body}")
    endforeach()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE conoid_settings ${arg_LINK})
  endif()
endfunction()

# conoid_together(<target>): compiles its files some (CONOID_UNITY_BATCH) at a time, since most of a small file's time goes into what it includes. Files with
# options of their own (instruction sets, hot ones) stay alone. Names in unnamed namespaces must differ within a library.
function(conoid_together target)
  if(CONOID_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${CONOID_UNITY_BATCH})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # It takes what is local to an included file for something that others see too.
      set_target_properties(${target} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"")
    endif()
  endif()
endfunction()

# Instruction sets that kernels are compiled for: bytes of a register, options of the compiler. The set `base` is what every processor has
# that the program runs on.
set(CONOID_ISA_BYTES_base 16)
set(CONOID_ISA_OPTIONS_base "")
set(CONOID_ISA_BYTES_avx2 32)
set(CONOID_ISA_OPTIONS_avx2 -mavx2 -mfma)
set(CONOID_ISA_BYTES_avx512 64)
set(CONOID_ISA_OPTIONS_avx512 -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx2 -mfma -mprefer-vector-width=512)

# Not optimised; glibc's fortification needs optimisation.
set(CONOID_PLAIN_OPTIONS -O0 -U_FORTIFY_SOURCE)

# The widest of them that this machine has.
set(CONOID_ISA_OF_THIS_MACHINE base)
if(EXISTS "/proc/cpuinfo")
  file(STRINGS "/proc/cpuinfo" flags LIMIT_COUNT 1 REGEX "^flags")
  string(APPEND flags " ")
  if(flags MATCHES " avx2 " AND flags MATCHES " fma ")
    set(CONOID_ISA_OF_THIS_MACHINE avx2)
    if(flags MATCHES " avx512f " AND flags MATCHES " avx512vl " AND flags MATCHES " avx512dq " AND flags MATCHES " avx512bw ")
      set(CONOID_ISA_OF_THIS_MACHINE avx512)
    endif()
  endif()
endif()

function(conoid_instruction_sets)
  foreach(file ${ARGN})
    if(file MATCHES "_(avx2|avx512)\\.cpp$")
      set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${CONOID_ISA_OPTIONS_${CMAKE_MATCH_1}}")
    endif()
  endforeach()
endfunction()

# conoid_isa_variants(<target> BODY <file_isa.inl> ISAS base avx2 avx512 [EACH values...]): compiles the body once for each instruction set and
# value, in a file of the build folder that defines CONOID_ISA (avx2), CONOID_ISA_TEXT ("avx2"), CONOID_BYTES (of a register), CONOID_EACH
# (the value) and CONOID_ISA_NAME(name) (name_avx2, or name_float_avx2 for the value float), and then includes the body.
function(conoid_isa_variants target)
  cmake_parse_arguments(arg "" "BODY" "ISAS;EACH" ${ARGN})
  file(RELATIVE_PATH body "${PROJECT_SOURCE_DIR}" "${arg_BODY}")
  string(REGEX REPLACE "_isa\\.inl$" "" stem "${PROJECT_BINARY_DIR}/generated/isa/${body}")
  if(NOT arg_EACH)
    set(arg_EACH none)
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    list(FILTER arg_ISAS INCLUDE REGEX "^base$")
  endif()
  foreach(isa ${arg_ISAS})
    if(NOT DEFINED CONOID_ISA_BYTES_${isa})
      message(FATAL_ERROR "${body}: there is no instruction set '${isa}'; '// isas:' takes base, avx2 and avx512")
    endif()
    foreach(each ${arg_EACH})
      set(suffix "_${isa}")
      set(define "")
      if(NOT each STREQUAL "none")
        set(suffix "_${each}_${isa}")
        set(define "#define CONOID_EACH ${each}\n")
      endif()
      set(file "${stem}${suffix}.cpp")
      conoid_write_if_other("${file}" "// Written by CMake for one instruction set; do not edit.
#define CONOID_ISA ${isa}
#define CONOID_ISA_TEXT \"${isa}\"
#define CONOID_BYTES ${CONOID_ISA_BYTES_${isa}}
#define CONOID_ISA_NAME(name) name##${suffix}
${define}#include \"${body}\"
")
      target_sources(${target} PRIVATE "${file}")
      set_source_files_properties("${file}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      set(options ${CONOID_ISA_OPTIONS_${isa}})
      if(CONOID_QUICK_BUILD AND NOT isa STREQUAL CONOID_ISA_OF_THIS_MACHINE)
        list(APPEND options ${CONOID_PLAIN_OPTIONS})
      endif()
      if(options)
        set_source_files_properties("${file}" PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${options}")
      endif()
    endforeach()
  endforeach()
endfunction()

# conoid_isa_body(<target> <file_isa.inl>): its variants as its first lines ask for: `// isas: base avx2 avx512`, and `// each: float double`
# where a set is compiled in several pieces. (After a change of these lines, configure again.)
function(conoid_isa_body target body)
  file(STRINGS "${body}" isas LIMIT_COUNT 1 REGEX "^// isas: ")
  file(STRINGS "${body}" each LIMIT_COUNT 1 REGEX "^// each: ")
  if(NOT isas)
    message(FATAL_ERROR "${body}: the first lines need '// isas: base avx2 avx512' (see CONTRIBUTING.md)")
  endif()
  string(REGEX REPLACE "^// isas: +" "" isas "${isas}")
  string(REGEX REPLACE "^// each: +" "" each "${each}")
  separate_arguments(isas)
  separate_arguments(each)
  conoid_isa_variants(${target} BODY "${body}" ISAS ${isas} EACH ${each})
endfunction()

# conoid_add_solver(<folder>): the library of one solver. The folder's name with '-' for '_' is the solver's id; the
# library embeds the folder's parameters.json and README-free sources and must define
#   const conoid::SolverInfo& conoid::<folder>::solver_info();
function(conoid_add_solver folder)
  get_filename_component(name "${folder}" NAME)
  set(embedded "${PROJECT_BINARY_DIR}/generated/solvers/${name}_parameters.cpp")
  conoid_embed("${folder}/parameters.json" "${embedded}" "conoid::${name}" "parameters_schema")
  conoid_library(conoid_solver_${name} "${folder}" PRECOMPILED conoid_engine_headers LINK conoid_solver_base)
  target_sources(conoid_solver_${name} PRIVATE "${embedded}")
  conoid_calm_files("${folder}" conoid_solver_${name})
  if(TARGET OpenMP::OpenMP_CXX)
    target_link_libraries(conoid_solver_${name} PUBLIC OpenMP::OpenMP_CXX)
  endif()
endfunction()

# conoid_calm_files(<folder> <solver's library>): what reads a case, prepares, writes results and compares them with known numbers waits
# for the loops in other files: lightly optimised, checked, and compiled together. A file's name says its role; of verify/ it is all but what
# is timed (bench, machine_rates) and the plain loops that it is compared with.
function(conoid_calm_files folder solver)
  get_filename_component(name "${folder}" NAME)
  get_target_property(sources ${solver} SOURCES)
  set(calm ${sources})
  list(FILTER calm INCLUDE REGEX "^${folder}/((case|problem|output)(_[a-z]+)*|verify/[a-z0-9_]+)\\.cpp$")
  list(FILTER calm EXCLUDE REGEX "/(output_view|verify/(bench|machine_rates|plain))\\.cpp$")
  if(calm)
    list(REMOVE_ITEM sources ${calm})
    add_library(${solver}_calm OBJECT ${calm})
    target_link_libraries(${solver}_calm PRIVATE conoid_solver_base)
    target_compile_definitions(${solver}_calm PRIVATE _GLIBCXX_ASSERTIONS)
    conoid_light(${solver}_calm)
    conoid_use_precompiled(${solver}_calm conoid_checked_headers)
    conoid_together(${solver}_calm)
    set_target_properties(${solver} PROPERTIES SOURCES "${sources};$<TARGET_OBJECTS:${solver}_calm>")
  endif()
  # Steps and frames are the solver's own work, but few lines of it: fully optimised, together.
  conoid_together(${solver})
  list(FILTER sources EXCLUDE REGEX "^${folder}/(${name}|plan(_[a-z]+)*|output_view)\\.cpp$")
  set_source_files_properties(${sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# conoid_embed(<file> <output.cpp> <namespace> <symbol>): a text file as `extern const std::string_view symbol`.
function(conoid_embed input output namespace symbol)
  file(READ "${input}" text)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${input}")
  # String literals have a length limit in the standard; pieces are joined by the compiler.
  string(LENGTH "${text}" length)
  set(pieces "")
  set(position 0)
  while(position LESS length)
    string(SUBSTRING "${text}" ${position} 8000 piece)
    string(APPEND pieces "R\"~conoid~(${piece})~conoid~\"\n")
    math(EXPR position "${position} + 8000")
  endwhile()
  if(pieces STREQUAL "")
    set(pieces "\"\"")
  endif()
  file(CONFIGURE OUTPUT "${output}" CONTENT
"// Written by CMake from a text file of the source tree; do not edit.
#include <string_view>
namespace @namespace@ { extern const std::string_view @symbol@; const std::string_view @symbol@ = @pieces@; }
" @ONLY)
endfunction()

# conoid_make_registry(<target> folders...): the library that knows which solvers this program contains.
function(conoid_make_registry target)
  set(declarations "")
  set(entries "")
  set(libraries "")
  foreach(folder ${ARGN})
    get_filename_component(name "${folder}" NAME)
    string(APPEND declarations "namespace ${name} { const SolverInfo& solver_info(); }\n")
    string(APPEND entries "      &${name}::solver_info(),\n")
    list(APPEND libraries conoid_solver_${name})
  endforeach()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${target}.cpp" CONTENT
"// Written by CMake from the folders in engine/solvers; do not edit.
#include \"engine/solvers/registry.hpp\"
namespace conoid {
@declarations@
std::span<const SolverInfo* const> registered_solvers() {
  static const std::vector<const SolverInfo*> solvers = {
@entries@  };
  return solvers;
}
const SolverInfo* find_solver(std::string_view id) {
  for (const SolverInfo* info : registered_solvers())
    if (info->id == id) return info;
  return nullptr;
}
}  // namespace conoid
" @ONLY)
  add_library(${target} STATIC "${PROJECT_BINARY_DIR}/generated/${target}.cpp")
  target_link_libraries(${target} PUBLIC conoid_solver_base ${libraries})
  conoid_use_precompiled(${target} conoid_engine_headers)
endfunction()

# conoid_plain(<target>): not optimised in release builds and in a CONOID_QUICK_BUILD; it is called once, and a sixth of the time to build it
# would go into that, below a sanitizer half of it.
function(conoid_plain target)
  target_compile_options(${target} PRIVATE "$<$<OR:$<CONFIG:Release>,$<BOOL:${CONOID_QUICK_BUILD}>>:${CONOID_PLAIN_OPTIONS}>")
endfunction()

# conoid_light(<target>): lightly optimised in release builds, not at all in a CONOID_QUICK_BUILD.
function(conoid_light target)
  if(CONOID_QUICK_BUILD)
    conoid_plain(${target})
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()

# conoid_precompiled(<name> [CHECKED] [LIGHT|PLAIN] LINK targets... HEADERS headers...): parses headers once, for all libraries and tests that
# ask for them by name (PRECOMPILED) and have the same definitions and optimisation; each file still includes what it uses.
function(conoid_precompiled name)
  cmake_parse_arguments(arg "CHECKED;LIGHT;PLAIN" "" "LINK;HEADERS" ${ARGN})
  if(NOT CONOID_PRECOMPILE_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/${name}.cpp" CONTENT "// Written by CMake; do not edit.\n")
  add_library(${name} OBJECT "${PROJECT_BINARY_DIR}/generated/${name}.cpp")
  target_link_libraries(${name} PRIVATE conoid_settings ${arg_LINK})
  if(arg_LIGHT)
    conoid_light(${name})
  elseif(arg_PLAIN)
    conoid_plain(${name})
  endif()
  if(arg_CHECKED)
    target_compile_definitions(${name} PRIVATE _GLIBCXX_ASSERTIONS)
  endif()
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

function(conoid_use_precompiled target name)
  if(CONOID_PRECOMPILE_HEADERS AND TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

function(conoid_test_definitions target)
  target_compile_definitions(${target} PRIVATE
    CONOID_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CONOID_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    CONOID_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
endfunction()

# A test includes "test_name.moc" of its own file: one run of moc, where AUTOMOC would scan, run and compile one file more.
function(conoid_moc_of_test target source)
  get_filename_component(name "${source}" NAME_WE)
  set(moc "${CMAKE_CURRENT_BINARY_DIR}/moc/${target}/${name}.moc")
  add_custom_command(OUTPUT "${moc}" DEPENDS "${source}"
    COMMAND Qt6::moc -i -I "${PROJECT_SOURCE_DIR}" -o "${moc}" "${source}" VERBATIM)
  set_source_files_properties("${moc}" PROPERTIES GENERATED ON HEADER_FILE_ONLY ON)
  target_sources(${target} PRIVATE "${moc}")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/moc/${target}")
endfunction()

# conoid_write_if_other(<file> <text>): so that nothing is compiled again for a file that says the same.
function(conoid_write_if_other file text)
  file(CONFIGURE OUTPUT "${file}" CONTENT "@text@" @ONLY)
endfunction()

# conoid_tests_together(<target> tests...): one program of several tests, whose first argument says which. Each still has a main() of
# its own (QTEST_MAIN and the like), which gets another name here.
function(conoid_tests_together target)
  set(folder "${PROJECT_BINARY_DIR}/generated/tests/${target}")
  set(batch_size 1)
  if(CONOID_UNITY)
    set(batch_size ${CONOID_UNITY_BATCH})
  endif()
  set(declarations "")
  set(entries "")
  set(batch "")
  set(count 0)
  set(files "")
  set(index 0)
  foreach(source ${ARGN})
    get_filename_component(name "${source}" NAME_WE)
    string(APPEND declarations "int main_of_${name}(int, char**);\n")
    string(REGEX REPLACE "^test_" "" word "${name}")
    string(APPEND entries "    {\"${word}\", main_of_${name}},\n")
    string(APPEND batch "#define main main_of_${name}\n#include \"${source}\"\n#undef main\n")
    math(EXPR count "${count} + 1")
    math(EXPR full "${count} % ${batch_size}")
    if(full EQUAL 0)
      conoid_write_if_other("${folder}/tests_${index}.cpp" "// Written by CMake; do not edit.\n${batch}")
      list(APPEND files "${folder}/tests_${index}.cpp")
      math(EXPR index "${index} + 1")
      set(batch "")
    endif()
  endforeach()
  conoid_write_if_other("${folder}/tests_${index}.cpp" "// Written by CMake; do not edit.
#include <cstdio>
#include <cstring>
${declarations}
namespace {
struct { const char* name; int (*run)(int, char**); } const tests[] = {
${entries}};
}  // namespace
${batch}
int main(int argc, char** argv) {
  for (const auto& test : tests)
    if (argc > 1 && std::strcmp(test.name, argv[1]) == 0) {
      argv[1] = argv[0];
      return test.run(argc - 1, argv + 1);
    }
  std::fputs(\"Say which test first:\\n\", stderr);
  for (const auto& test : tests) std::fprintf(stderr, \"  %s\\n\", test.name);
  return 2;
}
")
  list(APPEND files "${folder}/tests_${index}.cpp")
  add_executable(${target} ${files})
  if(CONOID_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # see conoid_together
  endif()
  foreach(source ${ARGN})
    conoid_moc_of_test(${target} "${source}")
  endforeach()
endfunction()

# conoid_add_tests(<folder> [PRECOMPILED headers [COMPUTING headers]] [LINK targets...]): every test_*.cpp becomes a test of CTest; those of
# one folder are one program, but for tests with a main() of their own. A file's first lines carry its labels: `// labels: unit mpi2`
# (mpiN: run under mpirun -n N; gl: under Xvfb; serial: alone; timeout300: seconds allowed; rows: once more with CONOID_ALL_ROWS, label long; long: only there). Tests call; those of numbers compute too,
# have a light optimisation and their own headers.
function(conoid_add_tests folder)
  cmake_parse_arguments(arg "" "PRECOMPILED;COMPUTING" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/test_*.cpp")
  set(targets "")
  foreach(source ${sources})
    file(RELATIVE_PATH relative "${PROJECT_SOURCE_DIR}/tests" "${source}")
    string(REGEX REPLACE "\\.cpp$" "" name "${relative}")
    string(REPLACE "/test_" "/" name "${name}")
    string(REPLACE "/" "." name "${name}")
    file(STRINGS "${source}" header LIMIT_COUNT 6 REGEX "^//.*labels:")
    string(REGEX REPLACE "^//.*labels: *" "" labels "${header}")
    string(REPLACE " " ";" labels "${labels}")
    if(NOT labels)
      message(FATAL_ERROR "${relative}: the first lines need '// labels: unit' (see CONTRIBUTING.md)")
    endif()
    # "// links: conoid_window": a test of one layer needs no more, and builds fast under a sanitizer.
    file(STRINGS "${source}" links LIMIT_COUNT 6 REGEX "^// links:")
    if(links)
      string(REGEX REPLACE "^// links: *" "" links "${links}")
      string(REPLACE " " ";" links "${links}")
    endif()
    get_filename_component(target "${relative}" DIRECTORY)
    string(REGEX REPLACE "^(app|render)/.*" "\\1" target "${target}")  # small folders, slow to link
    string(REPLACE "/" "_" target "test_${target}")
    set(devices OFF)
    if(labels MATCHES "emulated|gpu")
      set(devices ON)
      string(APPEND target "_devices")
    elseif(links)
      string(APPEND target "_light")
    endif()
    file(STRINGS "${source}" own_main LIMIT_COUNT 1 REGEX "^int main\\(")
    if(own_main)
      string(REPLACE "." "_" target "test_${name}")
    else()
      set(argument "${name}")
      string(REGEX REPLACE "^.*[.]" "" argument "${argument}")
    endif()
    if(NOT target IN_LIST targets)
      list(APPEND targets ${target})
      set(sources_${target} "")
      set(links_${target} "")
      set(own_${target} "${own_main}")
      set(relative_${target} "${relative}")
      set(devices_${target} ${devices})
    endif()
    list(APPEND sources_${target} "${source}")
    list(APPEND links_${target} ${links})

    set(launcher "")
    set(timeout 120)
    set(serial OFF)
    set(rows OFF)
    set(processors 1)
    set(kept "")
    set(platform offscreen)
    foreach(label ${labels})
      if(label MATCHES "^mpi([0-9]+)$")
        set(launcher ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe -n ${CMAKE_MATCH_1})
        list(APPEND kept mpi)
      elseif(label STREQUAL "wide")
        set(processors 2)
      elseif(label MATCHES "^timeout([0-9]+)$")
        set(timeout ${CMAKE_MATCH_1})
      elseif(label STREQUAL "serial")
        set(serial ON)
      elseif(label STREQUAL "rows")
        set(rows ON)
      elseif(label STREQUAL "gl")
        set(launcher ${XVFB_RUN} -a -s "-screen 0 1280x1024x24 +extension GLX")
        set(platform xcb)
        list(APPEND kept gl)
      else()
        list(APPEND kept ${label})
      endif()
    endforeach()
    if(("mpi" IN_LIST kept AND NOT CONOID_HAVE_MPI) OR ("gl" IN_LIST kept AND NOT XVFB_RUN))
      continue()
    endif()
    if(own_main)
      set(argument "")
    endif()
    if("mpi" IN_LIST kept)  # ranks that wait for each other look again and again
      set(processors 2)
    endif()
    add_test(NAME ${name} COMMAND ${launcher} $<TARGET_FILE:${target}> ${argument})
    if(CONOID_SANITIZE)  # without MPI and MUMPS besides: factors by Eigen
      math(EXPR timeout "8 * ${timeout}")
    endif()
    set(environment "OMP_NUM_THREADS=2;OMP_WAIT_POLICY=passive;QT_QPA_PLATFORM=${platform};OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
    if("long" IN_LIST kept)
      string(APPEND environment ";CONOID_ALL_ROWS=1")
    endif()
    # Those that may take long begin first, so that none of them is left over at the end.
    set_tests_properties(${name} PROPERTIES LABELS "${kept}" TIMEOUT ${timeout} RUN_SERIAL ${serial} COST ${timeout}
      PROCESSORS ${processors} ENVIRONMENT "${environment};QTEST_FUNCTION_TIMEOUT=${timeout}000")
    if(rows)  # the same with every row, by hand alone
      math(EXPR timeout "4 * ${timeout}")
      add_test(NAME ${name}.all_rows COMMAND ${launcher} $<TARGET_FILE:${target}> ${argument})
      set_tests_properties(${name}.all_rows PROPERTIES LABELS "${kept};long;rows" TIMEOUT ${timeout} RUN_SERIAL ${serial}
        COST ${timeout} PROCESSORS ${processors} ENVIRONMENT "${environment};QTEST_FUNCTION_TIMEOUT=${timeout}000;CONOID_ALL_ROWS=1")
    endif()
  endforeach()

  foreach(target ${targets})
    if(own_${target})
      add_executable(${target} ${sources_${target}})
      conoid_moc_of_test(${target} ${sources_${target}})
    else()
      conoid_tests_together(${target} ${sources_${target}})
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_link_libraries(${target} PRIVATE conoid_settings Qt6::Test)
    if(links_${target})
      target_link_libraries(${target} PRIVATE ${links_${target}})
    else()
      target_link_libraries(${target} PRIVATE ${arg_LINK})
    endif()
    set(precompiled "${arg_PRECOMPILED}")
    if(relative_${target} MATCHES "^(engine/(linalg|solvers|team)|bench)/")
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
      set(precompiled "${arg_COMPUTING}")
    else()
      conoid_plain(${target})
    endif()
    if(precompiled AND NOT links_${target})
      conoid_use_precompiled(${target} ${precompiled})
    endif()
    conoid_test_definitions(${target})
    if(devices_${target})
      add_dependencies(${target} conoid_modules)
    endif()
  endforeach()
endfunction()

# conoid_uninstrumented(<files...>): little but templates of Eigen, whose inner loops would take minutes below a sanitizer. Its memory
# has another alignment there, which other files see.
function(conoid_uninstrumented)
  if(CONOID_SANITIZE)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
      COMPILE_OPTIONS "-O2;-fno-sanitize=all;-DEIGEN_MALLOC_ALREADY_ALIGNED=0")
  endif()
endfunction()

# conoid_hot(<files...>): files of a LIGHT library that compute after all. Below a sanitizer nothing is LIGHT, and -O3 would only
# take its time.
function(conoid_hot)
  if(CONOID_SANITIZE)
    return()
  endif()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS -O3)
endfunction()
