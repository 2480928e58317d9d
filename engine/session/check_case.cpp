// SPDX-License-Identifier: BSD-3-Clause
// What can be said about a case before it is run.
#include <algorithm>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/session/effective.hpp"
#include "engine/session/session.hpp"
#include "engine/session/setup.hpp"
#include "engine/session/slowness.hpp"

namespace conoid {

namespace {

/// Seconds of a server's cores, as a basis says that speaks of one, become those of as many cores here. Only what is said: what is
/// chosen by the seconds (devices that pay) must not hang on a measurement.
void say_it_of_this_machine(Estimate& e, int cores) {
  if (e.basis.find("a server's core") == std::string::npos || e.seconds < 1) return;
  const MachineRates here = machine_rates(cores);
  if (!here.known()) return;
  // So many cores of the reference would do `many` times what its own two do.
  const double many = static_cast<double>(std::max(1, cores)) / reference_machine.threads;
  e.seconds *= slowness_of({here.copy / many, here.flops_double / many, here.flops_single / many, here.threads});
  e.basis = "from the rates of a server's core and from what the cores here do against it";
}

}  // namespace

CheckReport check_case(const CaseDocument& document) {
  NoProgress quiet;
  Setup setup = set_up(document, quiet, {}, Meshing::never);
  CheckReport out;
  out.diagnostics = std::move(setup.diagnostics);
  if (!setup.solver) return out;
  out.estimated = true;
  out.estimate = std::move(setup.estimate);
  try {
    SessionOptions options;
    const auto effective = effective_options(options, setup.input, *setup.info, setup.machine, 1, out.estimate.seconds);
    if (!effective) {
      out.diagnostics.push_back(effective.error());
      return out;
    }
    out.diagnostics.insert(out.diagnostics.end(), effective->warnings.begin(), effective->warnings.end());
    out.host_budget = effective->host_memory;
    for (const WorkerSpec& worker : effective->workers)
      if (!worker.device.empty()) out.devices.push_back(worker.name);
    if (out.devices.empty()) out.estimate.device_memory = 0;
    if (out.estimate.host_memory > out.host_budget)
      out.diagnostics.push_back(
          make_error(ErrorCode::resources,
                     fmt::format("this case needs about {} of memory, but {} may be used",
                                 format_bytes(out.estimate.host_memory), format_bytes(out.host_budget)),
                     "Use a smaller grid or a coarser mesh, or a machine with more memory."));
    say_it_of_this_machine(out.estimate, setup.machine.cores);
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

}  // namespace conoid
