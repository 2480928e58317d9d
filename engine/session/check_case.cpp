// SPDX-License-Identifier: BSD-3-Clause
// What can be said about a case before it is run.
#include <algorithm>
#include <mutex>

#include "engine/session/case_checker.hpp"
#include "engine/session/session.hpp"
#include "engine/session/setup.hpp"
#include "engine/session/slowness.hpp"

namespace conoid {

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
    say_of_this_machine(out.estimate, setup.offer.threads.value);
  } catch (...) {
    out.diagnostics.push_back(current_exception_as_error());
  }
  return out;
}

CheckReport check_case(const CaseDocument& document, const OfferSources& sources) {
  return CaseChecker().check(document, sources);
}

}  // namespace conoid
