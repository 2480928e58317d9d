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
  out.estimated = true;
  out.estimate = std::move(setup.estimate);
  try {
    SessionOptions options;
    const auto effective = effective_options(options, setup.input, setup.machine, 1, out.estimate.seconds);
    if (!effective) {
      out.diagnostics.push_back(effective.error());
      return out;
    }
    out.host_budget = effective->host_memory;
    for (const WorkerSpec& worker : effective->workers)
      if (!worker.device.empty()) out.devices.push_back(worker.name);
    if (out.devices.empty()) out.estimate.device_memory = 0;
    if (out.estimate.host_memory > out.host_budget)
      out.diagnostics.push_back(make_error(
          ErrorCode::resources, fmt::format("this case needs about {} of memory, but {} may be used",
                                            format_bytes(out.estimate.host_memory), format_bytes(out.host_budget)),
          "Use a smaller grid or a coarser mesh, or a machine with more memory."));
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

}  // namespace conoid
