// SPDX-License-Identifier: BSD-3-Clause
// Calling gmsh: search, cache by hash, a confined child process with a time limit.
#include "engine/mesh/gmsh.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/hash.hpp"
#include "engine/core/log.hpp"
#include "engine/core/private_folder.hpp"
#include "engine/mesh/geometry_script.hpp"

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

Error no_cache() {
  return make_error(ErrorCode::file, "no folder can be written to for gmsh's mesh",
                    "Set XDG_CACHE_HOME or TMPDIR to a folder that you may write to.");
}

/// A word as a shell takes it.
std::string in_shell(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:,") ==
      std::string::npos)
    return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// gmsh's own words, in which the copy in the private folder has its own name again.
std::string with_its_name(std::string text, const std::string& copy, const std::string& name) {
  for (std::size_t at = text.find(copy); at != std::string::npos; at = text.find(copy, at + name.size()))
    text.replace(at, copy.size(), name);
  return text;
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

namespace {

/// A geometry file, and all that decides what comes out of it.
struct Geometry {
  std::string content;
  std::string own_hash;          ///< of the file and of those that it names
  std::optional<ScriptAct> act;  ///< of a script that does more than geometry
};

Result<Geometry> read_geometry(const fs::path& file) {
  auto content = read_file(file);
  if (!content) return content.error();
  Geometry out;
  Sha256 hash;
  std::set<fs::path> seen;
  hash_geometry(hash, file, *content, seen);
  if (lower_case_ending(file) == ".geo") out.act = reaches_out(*content);
  // gmsh executes this file too, where the script runs in its own folder.
  if (out.act)
    if (const auto more = read_file(file.string() + ".opt")) hash.update(*more);
  out.own_hash = hash.hex();
  out.content = std::move(*content);
  return out;
}

fs::path mark_of_trust(const Geometry& geometry, const fs::path& folder) {
  return folder / (geometry.own_hash + ".trusted");
}

bool has_word(const Geometry& geometry, const fs::path& folder) {
  std::error_code ignored;
  return !geometry.act || (!folder.empty() && fs::is_regular_file(mark_of_trust(geometry, folder), ignored));
}

Error without_word(const ScriptAct& act, const fs::path& file) {
  Place place;
  place.file = file.string();
  place.line = act.line;
  return make_error(
      ErrorCode::invalid_input,
      fmt::format("'{}' {}; a geometry script does so only if you trust it", act.word, act.does),
      fmt::format("Read the script. If you trust it: `conoid mesh --trust {}`, once for its content. Or mesh it "
                  "elsewhere and give the .msh file.",
                  in_shell(file.string().starts_with("-") ? "./" + file.string() : file.string())),
      place);
}

std::vector<std::string> options_of(const GmshOptions& o) {
  std::vector<std::string> options{
      fmt::format("-{}", o.dimension), "-order", std::to_string(o.order), "-format", "msh41", "-bin"};
  if (o.size > 0) options.insert(options.end(), {"-clmax", fmt::format("{}", o.size)});
  for (const auto& [name, value] : o.numbers)
    options.insert(options.end(), {"-setnumber", name, fmt::format("{}", value)});
  return options;
}

/// The name of a mesh in the cache: the geometry, the options, the program itself (by size and time of its file).
std::string name_of_mesh(const Geometry& geometry, const std::vector<std::string>& options, const fs::path& program) {
  Sha256 hash;
  hash.update(geometry.own_hash);
  for (const auto& a : options) hash.update(a + '\n');
  struct stat info {};
  if (::stat(program.c_str(), &info) == 0)
    hash.update(fmt::format("{} {} {}", program.string(), info.st_size, info.st_mtime));
  return hash.hex();
}

}  // namespace

std::optional<Error> needs_trust(const fs::path& file, const fs::path& wanted) {
  if (!is_geometry(file)) return std::nullopt;
  const auto geometry = read_geometry(file);
  if (!geometry || has_word(*geometry, cache_folder(wanted))) return std::nullopt;
  return without_word(*geometry->act, file);
}

Status trust_geometry(const fs::path& file, const fs::path& wanted) {
  const auto geometry = read_geometry(file);
  if (!geometry) return geometry.error();
  const fs::path folder = cache_folder(wanted);
  if (folder.empty()) return no_cache();
  return write_file_atomically(mark_of_trust(*geometry, folder), file.string() + "\n");
}

bool is_meshed(const fs::path& file, const GmshOptions& o) {
  const auto geometry = read_geometry(file);
  const auto program = find_gmsh(o.program);
  if (!geometry || !program) return false;
  std::error_code ignored;
  return fs::is_regular_file(cache_folder(o.cache_folder) / (name_of_mesh(*geometry, options_of(o), *program) + ".msh"),
                             ignored);
}

Result<fs::path> keep_script(std::string_view script, const fs::path& wanted) {
  const fs::path folder = cache_folder(wanted);
  if (folder.empty()) return no_cache();
  fs::path file = folder / (sha256_hex(script) + ".geo");
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    if (const Status kept = write_file_atomically(file, script); !kept) return kept.error();
  return file;
}

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

namespace {

/// gmsh on a geometry, in a private folder of its own below `cache`.
Result<GmshResult> mesh_it(const fs::path& file, const Geometry& geometry, const GmshOptions& o,
                           const fs::path& program, const fs::path& result_file, std::stop_token stop) {
  Place place;
  place.file = file.string();
  const PrivateFolder folder(result_file.parent_path(), "meshing");
  if (folder.path().empty()) return system_error("make a folder in", result_file.parent_path().string(), errno);
  const fs::path copy = folder.path() / ("geometry" + lower_case_ending(file));
  const bool trusted = geometry.act && o.script != ScriptUse::own;
  const bool moved = !geometry.act;  // what names other files is read where it lies
  if (moved)
    if (const Status copied = write_file_atomically(copy, geometry.content); !copied) return copied.error();
  const fs::path made = folder.path() / "made.msh";
  // An absolute path: one that begins with a dash would be an option.
  std::vector<std::string> command{program.string(), (moved ? copy : fs::absolute(file)).string()};
  for (std::string& word : options_of(o)) command.push_back(std::move(word));
  command.insert(command.end(), {"-v", "3", "-o", made.string()});
  Confinement how;
  how.locked = !trusted;
  if (how.locked) how.folder = folder.path().string();
  how.memory = static_cast<Bytes>(::sysconf(_SC_PHYS_PAGES)) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
  how.file_size = Bytes{1} << 36;
  how.processor_seconds = o.time_limit * std::max(1u, std::thread::hardware_concurrency());
  log::info("meshing {} with {}", file.string(), program.string());
  auto ran = run_program(command, {.seconds = o.time_limit, .stop = stop, .confinement = how});
  if (!ran) return ran.error();
  GmshResult result;
  result.mesh_file = result_file;
  result.log = with_its_name(std::move(ran->output), copy.string(), file.string());
  if (ran->stopped) return make_error(ErrorCode::stopped, "meshing was stopped on request", {}, place);
  if (ran->timed_out)
    return make_error(ErrorCode::resources, fmt::format("gmsh took longer than the {} s allowed", o.time_limit),
                      "Use a coarser mesh size, raise the time limit, or mesh the geometry beforehand.", place);
  std::error_code failed;
  const bool clean = WIFEXITED(ran->status) && WEXITSTATUS(ran->status) == 0;
  // gmsh leaves with 0 after some errors, having written what it had.
  if (!clean || !fs::is_regular_file(made, failed) || result.log.find("Error   :") != std::string::npos) {
    if (WIFSIGNALED(ran->status))
      return make_error(ErrorCode::invalid_input, fmt::format("gmsh ended by signal {}", WTERMSIG(ran->status)),
                        "Open the file in gmsh to see what is wrong.", place);
    return error_of(result.log, file);
  }
  // Renamed when whole: two programs may mesh the same file at once.
  fs::rename(made, result.mesh_file, failed);
  if (failed) return system_error("write", result.mesh_file.string(), failed.value());
  return result;
}

}  // namespace

Result<GmshResult> run_gmsh(const fs::path& file, const GmshOptions& o, std::stop_token stop) {
  try {
    Place place;
    place.file = file.string();
    if (o.dimension < 1 || o.dimension > 3 || o.order < 1 || o.order > 2)
      return make_error(ErrorCode::invalid_input, "gmsh: expected dimension 1 to 3 and order 1 or 2",
                        "Change the mesh's options.", place);
    const auto geometry = read_geometry(file);
    if (!geometry) return geometry.error();
    const auto program = find_gmsh(o.program);
    if (!program) return program.error();
    const fs::path folder = cache_folder(o.cache_folder);
    if (folder.empty()) return no_cache();
    GmshResult result;
    result.mesh_file = folder / (name_of_mesh(*geometry, options_of(o), *program) + ".msh");
    std::error_code ignored;
    if (o.use_cache && fs::is_regular_file(result.mesh_file, ignored)) {
      result.from_cache = true;
      return result;
    }
    if (o.only_made_before)
      return make_error(ErrorCode::invalid_input, "the geometry has not been meshed yet",
                        "Mesh it: press Mesh, or start the run; on the command line `conoid mesh FILE`.", place);
    if (o.script == ScriptUse::as_found && !has_word(*geometry, folder)) return without_word(*geometry->act, file);
    return mesh_it(file, *geometry, o, *program, result.mesh_file, std::move(stop));
  } catch (...) {
    return current_exception_as_error();
  }
}

Result<Mesh> load_mesh(const fs::path& path, const ReadOptions& options, const GmshOptions& gmsh,
                       std::stop_token stop) {
  ReadOptions read = options;
  read.stop = stop;
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
