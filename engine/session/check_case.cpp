// SPDX-License-Identifier: BSD-3-Clause
// What can be said about a case before it is run.
#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/session/effective.hpp"
#include "engine/session/session.hpp"
#include "engine/session/setup.hpp"

namespace conoid {

CheckReport check_case(const CaseDocument& document) {
  NoProgress quiet;
  Setup setup = set_up(document, quiet);
  CheckReport out;
  out.diagnostics = std::move(setup.diagnostics);
  if (!setup.solver) return out;
  out.host_memory = setup.estimate.host_memory;
  out.disk = setup.estimate.disk;
  out.seconds = setup.estimate.seconds;
  out.steps = setup.estimate.steps;
  out.details = setup.estimate.details;
  out.box = setup.estimate.box;
  try {
    SessionOptions options;
    const auto effective = effective_options(options, setup.input, setup.machine, 1, setup.estimate.seconds);
    if (!effective) {
      out.diagnostics.push_back(effective.error());
    } else if (out.host_memory > effective->host_memory) {
      out.diagnostics.push_back(make_error(
          ErrorCode::resources, fmt::format("this case needs about {} of memory, but {} may be used",
                                            format_bytes(out.host_memory), format_bytes(effective->host_memory)),
          "Use a smaller grid or a coarser mesh, or a machine with more memory."));
    }
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

}  // namespace conoid
