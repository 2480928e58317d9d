# SPDX-License-Identifier: BSD-3-Clause
# Options, compiler settings and the optional third-party parts. Every part is AUTO (used when found),
# ON (an error when missing) or OFF; the engine needs none of them to build or to start.

foreach(part
    HDF5
    MPI
    CUDA
    LAPACK
    EMULATED
    MUMPS
    MUPARSER
    ZSTD
    HWLOC
)
  set(CONOID_WITH_${part} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE CONOID_WITH_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()
set(CONOID_WITH_VTK AUTO CACHE STRING "Pictures: AUTO, ON or OFF")
set(CONOID_WITH_QT AUTO CACHE STRING "The window: AUTO, ON or OFF")
set(CONOID_WITH_TESTS AUTO CACHE STRING "Tests (need Qt Test): AUTO, ON or OFF")
set(CONOID_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=...: 'address,undefined' or 'thread'")
set(CONOID_SOLVERS "all" CACHE STRING "Folders of engine/solvers to build, or all, or none")
option(CONOID_PRECOMPILE_HEADERS "Parse the headers that most files include once" ON)
option(CONOID_UNITY "Compile several files that compute nothing as one: half their time; for daily work one by one is quicker" ON)
set(CONOID_UNITY_BATCH 8 CACHE STRING "How many files at a time; 1000 shows every name that two files of a library share")
mark_as_advanced(CONOID_UNITY_BATCH)
option(CONOID_QUICK_BUILD "For a demonstration: what computes nothing is not optimised, nor are kernels for processors other than this one (they are right, and slow)" OFF)
option(CONOID_FUZZ "Build the libFuzzer targets (needs clang)" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The two liberties are what ccache asks for where a header is precompiled; depending on the list of headers that the compiler
  # writes saves it a run of the preprocessor for each file it has not seen, and remembering the hash of a file by its inode
  # saves it reading some 200 MB of precompiled headers for each.
  find_program(ENV_PROGRAM env REQUIRED)  # starts in a millisecond, where cmake -E env takes thirty
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ENV_PROGRAM}"
    CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1 CCACHE_INODECACHE=1 "${CCACHE_PROGRAM}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# A quicker linker, where there is one: some 130 programs are linked.
include(CheckLinkerFlag)
foreach(linker mold gold)
  check_linker_flag(CXX -fuse-ld=${linker} CONOID_LINKS_WITH_${linker})
  if(CONOID_LINKS_WITH_${linker})
    add_link_options(-fuse-ld=${linker})
    break()
  endif()
endforeach()

add_library(conoid_settings INTERFACE)
target_include_directories(conoid_settings INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}/generated")
# Flags of the C++ compiler only: nvcc has others.
function(conoid_cxx_options)
  foreach(option ${ARGN})
    target_compile_options(conoid_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${option}>)
  endforeach()
endfunction()
conoid_cxx_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in every std::string + (its bug 105651).
  conoid_cxx_options(-Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The compiler tidies its memory up from 128 MB on, for one part in twelve of the time to build; few files need 600 MB.
  conoid_cxx_options(--param=ggc-min-heapsize=600000)
endif()
if(NOT CONOID_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  conoid_cxx_options(-fstack-protector-strong)
  target_compile_definitions(conoid_settings INTERFACE _FORTIFY_SOURCE=2)
  target_link_options(conoid_settings INTERFACE -Wl,-z,relro,-z,now)
endif()
if(CONOID_SANITIZE)
  conoid_cxx_options(-fsanitize=${CONOID_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(conoid_settings INTERFACE -fsanitize=${CONOID_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    conoid_cxx_options(-Wno-maybe-uninitialized)  # GCC 12 sees ghosts in <functional> and <regex> below a sanitizer
  endif()
endif()

find_package(Threads REQUIRED)
find_program(XVFB_RUN xvfb-run)  # runs the tests that need an X server
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.11 REQUIRED)
include(ConoidJson)
conoid_json_without_literal()
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenMP COMPONENTS CXX)

# conoid_optional(HDF5 <found-variable>): turns AUTO/ON/OFF and what was found into CONOID_HAVE_<part>.
macro(conoid_optional part found hint)
  if(CONOID_WITH_${part} STREQUAL "ON" AND NOT ${found})
    message(FATAL_ERROR "CONOID_WITH_${part}=ON, but it was not found. ${hint}")
  endif()
  if(${found} AND NOT CONOID_WITH_${part} STREQUAL "OFF")
    set(CONOID_HAVE_${part} 1)
  else()
    set(CONOID_HAVE_${part} 0)
  endif()
endmacro()

if(NOT CONOID_WITH_HDF5 STREQUAL "OFF")
  set(HDF5_PREFER_PARALLEL OFF)
  find_package(HDF5 COMPONENTS C)
endif()
conoid_optional(HDF5 HDF5_FOUND "Debian: libhdf5-dev.")
if(NOT CONOID_WITH_MUPARSER STREQUAL "OFF")
  find_package(muparser QUIET)
endif()
conoid_optional(MUPARSER muparser_FOUND "Formulas in cases need it. Debian: libmuparser-dev.")
if(NOT CONOID_WITH_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS C CXX)
endif()
conoid_optional(MPI MPI_CXX_FOUND "Debian: libopenmpi-dev openmpi-bin.")
if(NOT CONOID_WITH_LAPACK STREQUAL "OFF")
  find_package(LAPACK)  # big dense systems; without it Eigen solves them, several times slower
endif()
conoid_optional(LAPACK LAPACK_FOUND "Debian: libopenblas-openmp-dev.")
# conoid_header_and_library(ZSTD zstd.h zstd <hint>): a part that brings no CMake package; the target conoid_zstd where it is used.
macro(conoid_header_and_library part header library hint)
  if(NOT CONOID_WITH_${part} STREQUAL "OFF")
    find_path(CONOID_${part}_INCLUDE ${header})
    find_library(CONOID_${part}_LIBRARY ${library})
    mark_as_advanced(CONOID_${part}_INCLUDE CONOID_${part}_LIBRARY)
  endif()
  set(usable FALSE)
  if(CONOID_${part}_INCLUDE AND CONOID_${part}_LIBRARY)
    set(usable TRUE)
  endif()
  conoid_optional(${part} usable "${hint}")
  if(CONOID_HAVE_${part})
    add_library(conoid_${library} INTERFACE)
    target_include_directories(conoid_${library} INTERFACE "${CONOID_${part}_INCLUDE}")
    target_link_libraries(conoid_${library} INTERFACE "${CONOID_${part}_LIBRARY}")
  endif()
endmacro()
conoid_header_and_library(ZSTD zstd.h zstd "It packs what a program on another machine sends. Debian: libzstd-dev.")
conoid_header_and_library(HWLOC hwloc.h hwloc "It keeps threads of the processor off the cores that feed devices. Debian: libhwloc-dev.")
# MUMPS with the MPI of the program: its sequential library brings an MPI of its own, which would hide the real one, and so
# serves only builds without MPI.
if(NOT CONOID_WITH_MUMPS STREQUAL "OFF")
  find_path(MUMPS_INCLUDE zmumps_c.h)
  if(MPI_CXX_FOUND)
    find_library(MUMPS_LIBRARY zmumps)
    set(mumps_libraries "${MUMPS_LIBRARY}" MPI::MPI_CXX)
  else()
    find_library(MUMPS_SEQUENTIAL_LIBRARY zmumps_seq)
    find_library(MUMPS_SEQUENTIAL_MPI mpiseq_seq)
    set(MUMPS_LIBRARY "${MUMPS_SEQUENTIAL_LIBRARY}")
    set(mumps_libraries "${MUMPS_SEQUENTIAL_LIBRARY}" "${MUMPS_SEQUENTIAL_MPI}")
  endif()
endif()
set(mumps_usable FALSE)
if(MUMPS_INCLUDE AND MUMPS_LIBRARY)
  set(mumps_usable TRUE)
endif()
conoid_optional(MUMPS mumps_usable
  "Factors on disk, and sparse systems whose pivots have to be exchanged; without it a slower solver is built in for the latter. Debian: libmumps-dev (without MPI: libmumps-seq-dev).")
if(CONOID_HAVE_MUMPS)
  add_library(conoid_mumps INTERFACE)
  target_include_directories(conoid_mumps SYSTEM INTERFACE "${MUMPS_INCLUDE}")
  target_link_libraries(conoid_mumps INTERFACE ${mumps_libraries})
endif()
include(ConoidCuda)
conoid_find_cuda()
# The emulated device needs nothing but the C library; with Boost.Context its threads change forty times faster.
set(CONOID_HAVE_EMULATED 1)
if(CONOID_WITH_EMULATED STREQUAL "OFF")
  set(CONOID_HAVE_EMULATED 0)
endif()
set(CONOID_HAVE_EMULATED_CHECKED ${CONOID_HAVE_EMULATED})
if(CONOID_SANITIZE)
  set(CONOID_HAVE_EMULATED_CHECKED 0)  # its instrumentation and the sanitizers' exclude each other
endif()
set(CONOID_HAVE_BOOST_CONTEXT 0)
if(CONOID_HAVE_EMULATED)
  find_package(Boost 1.66 QUIET COMPONENTS context)
  if(Boost_CONTEXT_FOUND)
    set(CONOID_HAVE_BOOST_CONTEXT 1)
  endif()
endif()
set(CONOID_HAVE_OPENMP 0)
if(OpenMP_CXX_FOUND)
  set(CONOID_HAVE_OPENMP 1)
endif()

if(NOT CONOID_WITH_VTK STREQUAL "OFF")
  find_package(VTK 9.1 QUIET COMPONENTS
    ChartsCore CommonColor CommonCore CommonDataModel CommonExecutionModel CommonTransforms FiltersCore
    FiltersExtraction FiltersGeneral FiltersGeometry FiltersModeling FiltersSources FiltersFlowPaths IOImage IOExport
    ImagingCore InteractionStyle InteractionWidgets RenderingAnnotation RenderingContext2D
    RenderingContextOpenGL2 RenderingCore RenderingFreeType RenderingOpenGL2 RenderingUI RenderingVolume
    RenderingVolumeOpenGL2
    OPTIONAL_COMPONENTS IOExportGL2PS RenderingGL2PSOpenGL2 IOHDF IOXML)
  find_package(OpenGL QUIET COMPONENTS EGL OpenGL)
  find_package(GLEW QUIET)
endif()
set(vtk_usable FALSE)
if(VTK_FOUND AND TARGET OpenGL::EGL)
  set(vtk_usable TRUE)
endif()
conoid_optional(VTK vtk_usable "Debian: libvtk9-dev libegl-dev libglew-dev.")
set(CONOID_RENDER ${CONOID_HAVE_VTK})

if(NOT CONOID_WITH_QT STREQUAL "OFF")
  find_package(Qt6 6.4 QUIET COMPONENTS Core Gui Widgets OpenGL OpenGLWidgets Svg)
endif()
set(qt_usable FALSE)
if(Qt6Widgets_FOUND AND CONOID_RENDER)
  set(qt_usable TRUE)
endif()
conoid_optional(QT qt_usable "The window needs Qt 6 and VTK. Debian: qt6-base-dev libqt6opengl6-dev qt6-svg-dev.")
set(CONOID_APP ${CONOID_HAVE_QT})

if(NOT CONOID_WITH_TESTS STREQUAL "OFF")
  find_package(Qt6 6.4 QUIET COMPONENTS Core Test)
endif()
conoid_optional(TESTS Qt6Test_FOUND "Debian: qt6-base-dev.")
set(CONOID_TESTS ${CONOID_HAVE_TESTS})

function(conoid_print_summary)
  message(STATUS "Conoid ${PROJECT_VERSION} (${CMAKE_BUILD_TYPE}): "
    "HDF5=${CONOID_HAVE_HDF5} MPI=${CONOID_HAVE_MPI} CUDA=${CONOID_HAVE_CUDA} emulated=${CONOID_HAVE_EMULATED} "
    "LAPACK=${CONOID_HAVE_LAPACK} MUMPS=${CONOID_HAVE_MUMPS} zstd=${CONOID_HAVE_ZSTD} hwloc=${CONOID_HAVE_HWLOC} "
    "OpenMP=${CONOID_HAVE_OPENMP} "
    "pictures=${CONOID_HAVE_VTK} window=${CONOID_HAVE_QT} tests=${CONOID_HAVE_TESTS}")
endfunction()

configure_file("${PROJECT_SOURCE_DIR}/packaging/cmake/config.hpp.in" "${PROJECT_BINARY_DIR}/generated/conoid/config.hpp")
configure_file("${PROJECT_SOURCE_DIR}/packaging/cmake/parts.hpp.in" "${PROJECT_BINARY_DIR}/generated/conoid/parts.hpp")
