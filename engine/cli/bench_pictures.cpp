// SPDX-License-Identifier: BSD-3-Clause
// conoid bench pictures: asked of the sibling program conoid-render, so that this program loads no VTK.
#include <cstdlib>
#include <sstream>
#include <string>

#include <fmt/core.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/json.hpp"
#include "engine/core/resources.hpp"

namespace conoid::cli {
namespace {

/// Pictures a second below which turning a view is seen to jerk: those of a screen, and half of them where a processor draws.
constexpr double with_card = 60, without_card = 30;

bool draws_on_processor(const std::string& renderer) {
  for (const char* name : {"llvmpipe", "softpipe", "SWR", "swrast"})
    if (renderer.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace

Status bench_pictures(const TestRun& how, const BenchSink& sink) {
  std::error_code ignored;
  const std::filesystem::path program = program_folder() / "conoid-render";
  if (!std::filesystem::exists(program, ignored)) return {};  // a build without pictures
  how.doing("drawing pictures");
  ::setenv("CONOID_EGL", "device", 0);  // a card where there is one, as a window on a display has it
  RunLimits limits;
  limits.keep_end = false;
  limits.merge_errors = false;
  const auto done = run_program({program.string(), "--speed", how.quick ? "0.5" : "2"}, limits);
  if (!done) return done.error();
  if (done->status != 0 || done->timed_out)
    return make_error(ErrorCode::resources, "pictures could not be measured: " +
                                                (done->timed_out ? std::string("conoid-render took too long")
                                                                 : done->errors + describe_end(done->status)));
  std::istringstream lines(done->output);
  for (std::string line; std::getline(lines, line);) {
    const Json row = read_json(line);
    if (!row.is_object() || !row.contains("name")) continue;
    const std::string renderer = row.value("renderer", "");
    const bool processor = draws_on_processor(renderer);
    const double rate = row.value("per_second", 0.0), asked = processor ? without_card : with_card;
    sink({fmt::format("{}, 1 million cells", row.value("name", "")), rate, "pictures/s", rate / asked, asked,
          fmt::format("processor {:.0f} ms", 1e3 * row.value("processor", 0.0)), renderer});
  }
  return {};
}

}  // namespace conoid::cli
