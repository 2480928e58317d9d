// SPDX-License-Identifier: BSD-3-Clause
// What can be said about a case before it is run.
#include <algorithm>
#include <mutex>

#include "engine/session/case_checker.hpp"
#include "engine/session/session.hpp"
#include "engine/session/setup.hpp"
#include "engine/session/slowness.hpp"

namespace conoid {

namespace {

/// Seconds of a server's cores, as a basis says that speaks of one, become those of as many cores here. Only what is said: what is
/// chosen by the seconds (devices that pay) must not hang on a measurement.
void say_it_of_this_machine(Estimate& e, int cores) {
  if (e.basis.find("a server's core") == std::string::npos || e.seconds < 1) return;
  if (!machine_rates_hold(cores)) return;  // under load: nothing is known of this machine, the reference's time is said
  const MachineRates here = machine_rates(cores);
  if (!here.known()) return;
  // So many cores of the reference would do `many` times what its own two do.
  const double many = static_cast<double>(std::max(1, cores)) / reference_machine.threads;
  const double slowness =
      slowness_of({here.copy / many, here.flops_double / many, here.flops_single / many, here.threads}, e.copying);
  e.seconds *= slowness;
  if (e.planned_seconds > 0) e.planned_seconds = e.device_seconds + (e.planned_seconds - e.device_seconds) * slowness;
  e.basis = "from the rates of a server's core and from what the cores here do against it";
}

}  // namespace

struct CaseChecker::Kept {
  std::mutex one_at_a_time;
  KeptSolver solver;
};

CaseChecker::CaseChecker() : kept_(std::make_unique<Kept>()) {}
CaseChecker::~CaseChecker() = default;

CheckReport CaseChecker::check(const CaseDocument& document, const OfferSources& sources) {
  const std::scoped_lock lock(kept_->one_at_a_time);
  NoProgress quiet;
  Setup setup = look_at(document, quiet, kept_->solver, Meshing::never, sources);
  CheckReport out;
  out.diagnostics = std::move(setup.diagnostics);
  if (!setup.looked_at) return out;
  out.estimated = true;
  out.estimate = std::move(setup.estimate);
  out.plan = std::move(setup.plan);
  try {
    say_it_of_this_machine(out.estimate, setup.offer.threads.value);
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

CheckReport check_case(const CaseDocument& document, const OfferSources& sources) {
  return CaseChecker().check(document, sources);
}

}  // namespace conoid
