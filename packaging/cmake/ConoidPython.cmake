# SPDX-License-Identifier: BSD-3-Clause
# The tests that Python runs, with the programs of this build: the package in python/ and its examples, and the documentation. Debian's
# Python comes first, since Debian's packages (packaging/setup.sh) are what they need.
find_program(CONOID_PYTHON NAMES python3 HINTS /usr/bin)

# conoid_python_has(<variable> modules...): whether this Python has them all.
function(conoid_python_has variable)
  set(${variable} OFF PARENT_SCOPE)
  if(CONOID_PYTHON)
    list(JOIN ARGN ", " modules)
    execute_process(COMMAND "${CONOID_PYTHON}" -c "import ${modules}" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(${variable} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()

# conoid_python_test(<name> <seconds> command...): with the build's `conoid` in CONOID_PROGRAM and on the PATH, and nothing written
# beside the sources.
function(conoid_python_test name seconds)
  add_test(NAME ${name} COMMAND ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS cli TIMEOUT ${seconds} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/python"
    ENVIRONMENT "CONOID_PROGRAM=$<TARGET_FILE:conoid>;PYTHONDONTWRITEBYTECODE=1;OMP_NUM_THREADS=2;OMP_WAIT_POLICY=passive;MPLBACKEND=agg;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:$<TARGET_FILE_DIR:conoid>")
endfunction()

if(NOT TARGET conoid OR CONOID_SANITIZE OR NOT CONOID_SOLVERS STREQUAL "all")
  return()
endif()
conoid_python_has(found numpy h5py pytest)
if(found AND CONOID_HAVE_HDF5)
  conoid_python_test(python.package 600 "${CONOID_PYTHON}" -m pytest -p no:cacheprovider tests)
else()
  message(STATUS "Tests of the Python package: left out (they need HDF5 and Debian's python3-numpy, python3-h5py, python3-pytest)")
endif()
conoid_python_has(found mypy)
if(found)
  conoid_python_test(python.types 300 "${CONOID_PYTHON}" -m mypy --cache-dir "${PROJECT_BINARY_DIR}/mypy" -p conoid)
endif()
conoid_python_has(found setuptools pip wheel numpy h5py)
if(found)
  conoid_python_test(python.wheel 300 bash "${PROJECT_SOURCE_DIR}/packaging/wheel.sh" --test "${PROJECT_BINARY_DIR}/wheel")
endif()

# The documentation: it is made without a warning; verbs, options and keys that it names are there; every command that a page shows is
# run, in an empty folder, and what the page says of its results is so. A test for each page.
conoid_python_has(found sphinx myst_parser sphinx_rtd_theme numpy h5py)
if(found)
  conoid_python_test(docs.site 120 bash "${PROJECT_SOURCE_DIR}/packaging/docs.sh" "${PROJECT_BINARY_DIR}/docs")
else()
  message(STATUS "Test of the documentation's pages: left out (packaging/setup.sh --docs installs what makes them)")
endif()
find_program(CONOID_DOXYGEN doxygen)
if(CONOID_DOXYGEN)
  conoid_python_test(docs.api 120 bash "${PROJECT_SOURCE_DIR}/packaging/docs.sh" --api "${PROJECT_BINARY_DIR}/docs.api")
endif()
conoid_python_has(found numpy)
if(found AND CONOID_HAVE_HDF5)
  conoid_python_test(docs.check 60 "${CONOID_PYTHON}" "${PROJECT_SOURCE_DIR}/docs/check_commands.py" --all)
  conoid_python_test(docs.readme 400 "${CONOID_PYTHON}" "${PROJECT_SOURCE_DIR}/docs/check_commands.py" --readme)
  file(GLOB_RECURSE pages CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/docs/*.md")
  foreach(page IN LISTS pages)
    file(STRINGS "${page}" shown REGEX "^```console")
    if(shown)
      get_filename_component(name "${page}" NAME_WE)
      conoid_python_test(docs.page.${name} 120 "${CONOID_PYTHON}" "${PROJECT_SOURCE_DIR}/docs/check_commands.py" "${page}")
    endif()
  endforeach()
endif()
