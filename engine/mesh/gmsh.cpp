// SPDX-License-Identifier: BSD-3-Clause
// Calling gmsh: search, cache by hash, a child process with a time limit.
#include "engine/mesh/gmsh.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/hash.hpp"
#include "engine/core/log.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace conoid {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_program(const fs::path& p) {
  std::error_code ignored;
  return fs::is_regular_file(p, ignored) && ::access(p.c_str(), X_OK) == 0;
}

/// The first folder that can be made and written to; empty when there is none.
fs::path cache_folder(const fs::path& wanted) {
  std::vector<fs::path> candidates;
  if (!wanted.empty())
    candidates.push_back(wanted);
  else {
    if (const auto x = environment("XDG_CACHE_HOME"); !x.empty())
      candidates.push_back(fs::path(x) / "conoid" / "meshes");
    if (const auto h = environment("HOME"); !h.empty())
      candidates.push_back(fs::path(h) / ".cache" / "conoid" / "meshes");
    const auto t = environment("TMPDIR");
    candidates.push_back(fs::path(t.empty() ? "/tmp" : t) / fmt::format("conoid-{}", ::getuid()) / "meshes");
  }
  for (const auto& folder : candidates) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    struct stat info {};
    // In a shared /tmp the folder must be this user's own.
    if (!failed && ::stat(folder.c_str(), &info) == 0 && info.st_uid == ::geteuid() &&
        ::access(folder.c_str(), W_OK | X_OK) == 0)
      return folder;
  }
  return {};
}

/// Adds a script and, for .geo, the files of its folder that it names (Include, Merge …) to the hash.
void hash_geometry(Sha256& hash, const fs::path& file, const std::string& content, std::set<fs::path>& seen) {
  hash.update(std::to_string(content.size()));
  hash.update(content);
  if (lower_case_ending(file) != ".geo") return;
  for (std::size_t at = content.find('"'); at != std::string::npos;) {
    const auto end = content.find_first_of("\"\n", at + 1);
    if (end == std::string::npos) return;
    if (content[end] == '\n') {  // an unpaired quote, in a comment perhaps
      at = content.find('"', end);
      continue;
    }
    const std::string name = content.substr(at + 1, end - at - 1);
    at = content.find('"', end + 1);
    if (name.empty() || name.size() > 1024) continue;
    const fs::path other = (file.parent_path() / name).lexically_normal();
    std::error_code ignored;
    if (seen.size() > 200 || !fs::is_regular_file(other, ignored) || !seen.insert(other).second) continue;
    if (const auto text = read_file(other)) hash_geometry(hash, other, *text, seen);
  }
}

/// gmsh's first line that begins "Error   : ", and its file and line where it names them ("'x.geo', line 3 : …").
Error error_of(const std::string& output, const fs::path& geometry) {
  Place place;
  place.file = geometry.string();
  std::string text;
  for (std::size_t at = 0; at < output.size() && text.empty();) {
    const auto end = std::min(output.find('\n', at), output.size());
    const std::string line = output.substr(at, end - at);
    at = end + 1;
    const auto found = line.find("Error");
    const auto colon = line.find(": ", found == std::string::npos ? 0 : found);
    if (found != std::string::npos && found < 4 && colon != std::string::npos) text = line.substr(colon + 2);
  }
  if (const auto at = text.find("', line "); at != std::string::npos)
    place.line = std::strtol(text.c_str() + at + 8, nullptr, 10);
  return make_error(ErrorCode::invalid_input, text.empty() ? "gmsh made no mesh" : "gmsh: " + text,
                    "Open the file in gmsh to see what is wrong; `gmsh -check FILE` checks a script.", place);
}

}  // namespace

bool is_geometry(const fs::path& path) {
  const std::string e = lower_case_ending(path);
  return e == ".geo" || e == ".step" || e == ".stp" || e == ".brep" || e == ".iges" || e == ".igs";
}

Result<fs::path> find_gmsh(const fs::path& wanted) {
  const std::string hint =
      "Install Gmsh (Debian: apt install gmsh; or https://gmsh.info) or name the program with "
      "CONOID_GMSH=/path/to/gmsh. Or "
      "mesh the geometry elsewhere and give the .msh file.";
  const std::string named = wanted.empty() ? environment("CONOID_GMSH") : wanted.string();
  if (!named.empty()) {
    if (is_program(named)) return fs::path(named);
    return make_error(ErrorCode::resources,
                      fmt::format("geometry is meshed by the program gmsh; '{}'{} is not a program", named,
                                  wanted.empty() ? " (from CONOID_GMSH)" : ""),
                      hint);
  }
  const std::string path = environment("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    const fs::path candidate = fs::path(path.substr(at, end - at)) / "gmsh";
    if (end > at && is_program(candidate)) return candidate;
    at = end + 1;
  }
  return make_error(ErrorCode::resources, "geometry is meshed by the program gmsh, which was not found on PATH", hint);
}

Result<GmshResult> run_gmsh(const fs::path& geometry, const GmshOptions& o, std::stop_token stop) {
  try {
    Place place;
    place.file = geometry.string();
    if (o.dimension < 1 || o.dimension > 3 || o.order < 1 || o.order > 2)
      return make_error(ErrorCode::invalid_input, "gmsh: expected dimension 1 to 3 and order 1 or 2",
                        "Change the mesh's options.", place);
    const auto content = read_file(geometry);
    if (!content) return content.error();
    const auto program = find_gmsh(o.program);
    if (!program) return program.error();

    // Everything that decides what comes out: the geometry, the options, the program itself (by size and time of its file).
    std::vector<std::string> options{
        fmt::format("-{}", o.dimension), "-order", std::to_string(o.order), "-format", "msh41", "-bin"};
    if (o.size > 0) options.insert(options.end(), {"-clmax", fmt::format("{}", o.size)});
    for (const auto& [name, value] : o.numbers)
      options.insert(options.end(), {"-setnumber", name, fmt::format("{}", value)});
    Sha256 hash;
    std::set<fs::path> seen;
    hash_geometry(hash, geometry, *content, seen);
    for (const auto& a : options) hash.update(a + '\n');
    struct stat info {};
    if (::stat(program->c_str(), &info) == 0)
      hash.update(fmt::format("{} {} {}", program->string(), info.st_size, info.st_mtime));
    const std::string name = hash.hex();

    const fs::path folder = cache_folder(o.cache_folder);
    if (folder.empty())
      return make_error(ErrorCode::file, "no folder can be written to for gmsh's mesh",
                        "Set XDG_CACHE_HOME or TMPDIR to a folder that you may write to.");
    GmshResult result;
    result.mesh_file = folder / (name + ".msh");
    std::error_code ignored;
    if (o.use_cache && fs::is_regular_file(result.mesh_file, ignored)) {
      result.from_cache = true;
      return result;
    }
    // Written beside under a name of this process's own, renamed when whole: two programs may mesh the same file at once.
    const auto thread_number = std::hash<std::thread::id>()(std::this_thread::get_id());
    const fs::path beside = folder / fmt::format("{}.{}.{}.part.msh", name.substr(0, 16), ::getpid(), thread_number);
    std::vector<std::string> command{program->string(), geometry.string()};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"-v", "3", "-o", beside.string()});
    log::info("meshing {} with {}", geometry.string(), program->string());
    auto ran = run_program(command, {.seconds = o.time_limit, .stop = stop});
    if (!ran) return ran.error();
    result.log = std::move(ran->output);
    const bool made = fs::is_regular_file(beside, ignored);
    const auto forget = [&](Error e) -> Result<GmshResult> {
      fs::remove(beside, ignored);
      return e;
    };
    if (ran->stopped) return forget(make_error(ErrorCode::stopped, "meshing was stopped on request", {}, place));
    if (ran->timed_out)
      return forget(
          make_error(ErrorCode::resources, fmt::format("gmsh took longer than the {} s allowed", o.time_limit),
                     "Use a coarser mesh size, raise the time limit, or mesh the geometry beforehand.", place));
    const bool clean = WIFEXITED(ran->status) && WEXITSTATUS(ran->status) == 0;
    // gmsh leaves with 0 after some errors, having written what it had.
    if (!clean || !made || result.log.find("Error   :") != std::string::npos) {
      if (WIFSIGNALED(ran->status))
        return forget(make_error(ErrorCode::invalid_input,
                                 fmt::format("gmsh ended by signal {}", WTERMSIG(ran->status)),
                                 "Open the file in gmsh to see what is wrong.", place));
      return forget(error_of(result.log, geometry));
    }
    fs::rename(beside, result.mesh_file, ignored);
    if (ignored) return forget(system_error("write", result.mesh_file.string(), ignored.value()));
    return result;
  } catch (...) {
    return current_exception_as_error();
  }
}

Result<Mesh> load_mesh(const fs::path& path, const ReadOptions& read, const GmshOptions& gmsh, std::stop_token stop) {
  if (!is_geometry(path)) return read_mesh(path, read);
  auto made = run_gmsh(path, gmsh, stop);
  if (!made) return made.error();
  auto mesh = read_mesh(made->mesh_file, read);
  // A cache file that cannot be read any more is made again.
  if (!mesh && made->from_cache && mesh.error().code == ErrorCode::invalid_input) {
    GmshOptions fresh = gmsh;
    fresh.use_cache = false;
    made = run_gmsh(path, fresh, stop);
    if (!made) return made.error();
    mesh = read_mesh(made->mesh_file, read);
  }
  return mesh;
}

}  // namespace conoid
