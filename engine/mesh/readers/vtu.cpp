// SPDX-License-Identifier: BSD-3-Clause
// VTU: another program reads it with VTK under limits and hands over MSH 4.1, which the reader here then distrusts as any file.
#include "engine/core/child_process.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/mesh/readers/read_mesh.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

namespace conoid {
namespace {

/// What a file may unpack to: text and raw arrays shrink several times at most, and the deepest that zlib or LZ4 pack meshes of
/// whole numbers is about a hundred times; each array is held about three times (VTK's, the mesh, what is handed over).
constexpr Bytes least_memory = Bytes{192} << 20, unpacked = 300;
/// VTK reads text at some 10 MB a second of a core; what a damaged file makes it do for ever ends soon.
constexpr double least_seconds = 0.5, bytes_a_second = 0.25e6;

Bytes memory_for(Bytes file, Bytes limit) {
  const auto machine = static_cast<Bytes>(::sysconf(_SC_PHYS_PAGES)) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
  return std::min({limit, machine / 4 * 3, file > limit / unpacked ? limit : least_memory + unpacked * file});
}

/// The last line of what the program said, without VTK's decoration.
std::string last_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  const auto begin = text.rfind('\n');
  return text.substr(begin == std::string::npos ? 0 : begin + 1, 300);
}

/// The rest of each line that begins with `key`.
std::vector<std::string> lines_with(const std::string& text, std::string_view key) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size() && out.size() < 20;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with(key)) out.emplace_back(line.substr(key.size(), 300));
    at = end + 1;
  }
  return out;
}

}  // namespace

Result<Mesh> read_vtu(const std::string& file, const ReadOptions& options, const VtuProbe& probe) {
  try {
    Place place;
    place.file = file;
    const std::string program = probe.program.empty() ? (program_folder() / "conoid-probe").string() : probe.program;
    if (::access(program.c_str(), X_OK) != 0)
      return make_error(
          ErrorCode::resources, fmt::format("VTU files are read by the program '{}', which is not there", program),
          "It is part of builds with VTK (CONOID_WITH_VTK). Or save the mesh as .msh, .ply or .stl.", place);
    std::error_code failed;
    const auto length = std::filesystem::file_size(file, failed);
    const Bytes size = failed ? 0 : static_cast<Bytes>(length);  // the program says what is wrong with it
    const Bytes memory = memory_for(size, options.memory_limit);
    const double processor = std::min(probe.seconds, least_seconds + static_cast<double>(size) / bytes_a_second);
    RunLimits limits;
    limits.seconds = probe.seconds;
    limits.stop = options.stop;
    limits.confinement.emplace();
    limits.output = memory;
    limits.keep_end = false;
    limits.merge_errors = false;
    auto ran = run_program({program, file, fmt::format("{}", memory), fmt::format("{:.3f}", processor)}, limits);
    if (!ran) return ran.error();
    if (ran->stopped) return make_error(ErrorCode::stopped, "reading was stopped on request", {}, place);
    if (ran->timed_out || (WIFSIGNALED(ran->status) && WTERMSIG(ran->status) == SIGPROF))
      return make_error(
          ErrorCode::resources,
          fmt::format("reading the {} of the file took longer than {:g} s", format_bytes(size),
                      ran->timed_out ? probe.seconds : processor),
          "The file is damaged, or made so that its reader never ends; save it again, as binary VTU or as "
          ".msh.",
          place);
    if (ran->too_much || (WIFEXITED(ran->status) && WEXITSTATUS(ran->status) == static_cast<int>(ErrorCode::resources)))
      return make_error(
          ErrorCode::resources,
          memory < options.memory_limit
              ? fmt::format("the {} of the file unpack to more than the {} that are allowed for them",
                            format_bytes(size), format_bytes(memory))
              : fmt::format("the mesh does not fit the memory limit of {}", format_bytes(memory)),
          memory < options.memory_limit
              ? "No mesh packs so well: the file is damaged, or made to fill memory. Save it again, or as .msh."
              : "Raise the limit with --memory host=…, or use a coarser mesh.",
          place);
    if (!WIFEXITED(ran->status) || WEXITSTATUS(ran->status) != 0) {
      const auto hints = lines_with(ran->errors, "hint: ");
      std::string text = last_line(std::move(ran->errors));
      if (!WIFEXITED(ran->status) || text.empty()) text = fmt::format("VTK's reader {}", describe_end(ran->status));
      return make_error(ErrorCode::invalid_input, std::move(text),
                        hints.empty() ? "The file is damaged or was cut off; save or copy it again." : hints.front(),
                        place);
    }
    if (options.notes != nullptr)
      for (std::string& said : lines_with(ran->errors, "note: ")) options.notes->said.push_back(std::move(said));
    auto mesh = read_msh(ran->output, file, options);
    if (!mesh && mesh.error().code == ErrorCode::invalid_input)
      return make_error(ErrorCode::invalid_input, "VTK's reader gave no mesh that can be used",
                        "The file is damaged or was cut off; save or copy it again.", place);
    return mesh;
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace conoid
