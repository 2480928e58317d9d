// SPDX-License-Identifier: BSD-3-Clause
// Seconds of the reference as seconds of this machine.
#include "engine/session/slowness.hpp"

#include <string>

namespace conoid {

void say_of_this_machine(Estimate& e, int cores) {
  if (e.basis.find("a server's core") == std::string::npos || e.seconds < 1) return;
  if (!machine_rates_hold(cores)) return;  // under load: nothing is known of this machine, the reference's time is said
  const MachineRates here = machine_rates(cores);
  if (!here.known()) return;
  // So many cores of the reference would do `many` times what its own two do.
  const double many = static_cast<double>(std::max(1, cores)) / reference_machine.threads;
  const double slowness =
      slowness_of({here.copy / many, here.flops_double / many, here.flops_single / many, here.threads}, e.copying);
  e.seconds *= slowness;
  const auto of_processors = [slowness](double& seconds, double device_seconds) {
    seconds = device_seconds + (seconds - device_seconds) * slowness;
  };
  if (e.planned_seconds > 0) of_processors(e.planned_seconds, e.device_seconds);
  for (PhaseEstimate& phase : e.phases) of_processors(phase.seconds, phase.device_seconds);
  e.basis = "from the rates of a server's core and from what the cores here do against it";
}

}  // namespace conoid
