// SPDX-License-Identifier: BSD-3-Clause
// The calls of a session, one after the other.
#include "engine/solvers/run_case.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "engine/core/taken.hpp"
#include "engine/team/team.hpp"

namespace conoid {

Result<MemoryResults> run_case(const SolverInfo& solver, const Json& input, Team& team, const Offer& offer) {
  const auto schema = Schema::for_solver(solver.id, solver.schema);
  if (!schema) return schema.error();
  Json whole = input;
  whole["solver"] = solver.id;
  const auto read = Case::resolve(CaseDocument::from_json(whole, "case.json"), *schema);
  if (!read) return read.error();
  const std::unique_ptr<Communicator> alone = single_rank();
  const std::unique_ptr<Solver> run = solver.make();
  MemoryResults results;
  NoProgress progress;
  RunContext context{*read, nullptr, team, offer, *alone, results, progress, {}};
  if (Status s = run->prepare(context); !s) return s.error();
  for (bool finished = false; !finished;) {
    const auto advanced = run->advance(context);
    if (!advanced) return advanced.error();
    finished = advanced->finished;
  }
  if (Status s = run->finish(context); !s) return s.error();
  return results;
}

RowCases::RowCases(const SolverInfo& solver, const TestRun& run, Bytes host)
    : solver_(solver), team_(run.workers()), offer_(run.offer) {
  offer_.workers = team_->workers();
  offer_.automatic = false;
  offer_.host.value = host;
}

double RowCases::number(const Json& input, std::string_view name) {
  (void)team_->take_samples();
  const MemoryResults results = taken_or_thrown(run_case(solver_, input, team_, offer_));
  for (const MemoryResults::Number& number : results.numbers)
    if (number.name == name) return number.value;
  return std::numeric_limits<double>::quiet_NaN();
}

double RowCases::rate_of(std::string_view phase) {
  // A pass takes as long for every worker: those that are done wait for the others.
  std::map<std::uint64_t, double> passes;
  double items = 0, seconds = 0;
  for (const BalanceSample& sample : team_->take_samples()) {
    if (sample.phase != phase) continue;
    items += static_cast<double>(sample.items.size());
    passes[sample.pass] = std::max(passes[sample.pass], sample.busy + sample.copying + sample.waiting);
  }
  for (const auto& [pass, took] : passes) seconds += took;
  return items / seconds;
}

}  // namespace conoid
