// SPDX-License-Identifier: BSD-3-Clause
// Versions as headers had them when this was compiled, and as the libraries tell them now.
#include "engine/cli/parts.hpp"

#include "conoid/config.hpp"
#include "conoid/parts.hpp"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/core.h>
#include <spdlog/version.h>
#include <Eigen/Core>
#if CONOID_HAVE_MPI
#include <mpi.h>
#endif
#if CONOID_HAVE_HDF5
#include <hdf5.h>
#endif
#if CONOID_HAVE_ZSTD
#include <zstd.h>
#endif
#if CONOID_HAVE_HWLOC
#include <hwloc.h>
#endif
#if CONOID_HAVE_MUPARSER
#include <muParser.h>
#endif
#if CONOID_HAVE_MUMPS
#include <zmumps_c.h>
#endif

#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"
#include "engine/team/machine.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

Json library(const char* name, const std::string& compiled, const std::string& running = {}) {
  return {{"name", name},
          {"compiled", compiled.empty() ? Json(nullptr) : Json(compiled)},
          {"running", running.empty() ? Json(nullptr) : Json(running)}};
}

std::string dotted(unsigned a, unsigned b, unsigned c) {
  return fmt::format("{}.{}.{}", a, b, c);
}

Json libraries() {
  Json out = Json::array();
  out.push_back(library("GNU C library", fmt::format("{}.{}", __GLIBC__, __GLIBC_MINOR__), gnu_get_libc_version()));
  out.push_back(library("Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)));
  out.push_back(library("fmt", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)));
  out.push_back(library("spdlog", dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)));
  out.push_back(library("nlohmann-json",
                        dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)));
  out.push_back(library("CLI11", CONOID_CLI11));
#if CONOID_HAVE_OPENMP && defined(_OPENMP)
  out.push_back(library("OpenMP", std::to_string(_OPENMP)));
#endif
#if CONOID_HAVE_HDF5
  unsigned a = 0, b = 0, c = 0;
  const bool told = H5get_libversion(&a, &b, &c) >= 0;
  out.push_back(
      library("HDF5", dotted(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE), told ? dotted(a, b, c) : std::string()));
#endif
#if CONOID_HAVE_LAPACK
  // Any BLAS may stand behind the name; OpenBLAS tells of itself.
  const auto config = reinterpret_cast<const char* (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_config"));
  out.push_back(library("BLAS and LAPACK", {}, config != nullptr ? config() : ""));
#endif
#if CONOID_HAVE_MUMPS
  out.push_back(library("MUMPS", MUMPS_VERSION));
#endif
#if CONOID_HAVE_MUPARSER
  out.push_back(library("muParser", {}, mu::Parser().GetVersion(mu::pviBRIEF)));
#endif
#if CONOID_HAVE_ZSTD
  out.push_back(library("zstd", ZSTD_VERSION_STRING, ZSTD_versionString()));
#endif
#if CONOID_HAVE_HWLOC
  const unsigned api = hwloc_get_api_version();
  out.push_back(library("hwloc", dotted(HWLOC_API_VERSION >> 16, HWLOC_API_VERSION >> 8 & 255, HWLOC_API_VERSION & 255),
                        dotted(api >> 16, api >> 8 & 255, api & 255)));
#endif
#if CONOID_HAVE_BOOST_CONTEXT
  out.push_back(library("Boost.Context", CONOID_BOOST));
#endif
#if CONOID_HAVE_VTK
  out.push_back(library("VTK", CONOID_VTK));
#endif
#if CONOID_HAVE_QT
  out.push_back(library("Qt", CONOID_QT));
#endif
#if CONOID_HAVE_CUDA
  out.push_back(library("CUDA", CONOID_CUDA));
#endif
  return out;
}

Json mpi() {
#if CONOID_HAVE_MPI
  // Both may be called before MPI is started.
  int version = 0, subversion = 0, length = 0;
  MPI_Get_version(&version, &subversion);
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  MPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  while (text.ends_with('\0') || text.ends_with('\n')) text.pop_back();
  return {{"standard", fmt::format("{}.{}", version, subversion)}, {"library", text}};
#else
  return nullptr;
#endif
}

Json file_or_null(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) ? Json(path.lexically_normal().string()) : Json(nullptr);
}

/// The places are those that engine/team/device.cpp loads modules from.
Json module_files() {
  Json out = Json::array();
  const struct {
    const char* name;
    bool built;
  } kinds[] = {{"cuda", CONOID_HAVE_CUDA != 0},
               {"emulated", CONOID_HAVE_EMULATED != 0},
               {"emulated_checked", CONOID_HAVE_EMULATED_CHECKED != 0}};
  for (const auto& kind : kinds) {
    std::vector<fs::path> folders;
    if (const char* named = std::getenv("CONOID_MODULES"); named != nullptr && *named != '\0')
      folders.emplace_back(named);
    folders.push_back(program_folder() / ".." / "lib" / "conoid");
    folders.push_back(program_folder() / ".." / "lib");
    Json file = nullptr;
    for (const fs::path& folder : folders)
      if (file.is_null()) file = file_or_null(folder / fmt::format("libconoid_{}.so", kind.name));
    out.push_back({{"name", kind.name}, {"built", kind.built}, {"file", file}});
  }
  return out;
}

Json instruction_sets() {
  Json built = Json::array();
#ifdef __x86_64__
  built = {"x86-64", "AVX2", "AVX-512"};  // files that end in _avx2.cpp and _avx512.cpp; chosen at run time
#endif
  const Machine machine = this_machine();
  Json here = Json::array();
#ifdef __x86_64__
  here.push_back("x86-64");
#endif
  if (machine.avx2) here.push_back("AVX2");
  if (machine.avx512) here.push_back("AVX-512");
  return {{"built", built}, {"here", here}};
}

}  // namespace

Json parts_of_program() {
  Json programs = Json::object();
  for (const char* name : {"conoid", "conoid-worker", "conoid-render", "conoid-probe", "conoid-gui"})
    programs[name] = file_or_null(program_folder() / name);
  Json solvers = Json::array();
  for (const SolverInfo* info : registered_solvers()) solvers.push_back(info->id);
  return {{"version", CONOID_VERSION},
          {"compiler", {{"name", CONOID_COMPILER}, {"version", CONOID_COMPILER_VERSION}}},
          {"build_type", CONOID_BUILD_TYPE},
          {"sanitizers", *CONOID_WITH_SANITIZERS != '\0' ? Json(CONOID_WITH_SANITIZERS) : Json(nullptr)},
          {"system", CONOID_SYSTEM},
          {"libraries", libraries()},
          {"mpi", mpi()},
          {"instruction_sets", instruction_sets()},
          {"modules", module_files()},
          {"programs", programs},
          {"resources", file_or_null(resources_folder())},
          {"solvers", solvers}};
}

}  // namespace conoid::cli
