// SPDX-License-Identifier: BSD-3-Clause
// A solver that fails where its case says so, or goes at a pace that can be watched: tests of sessions, of the command and of the window
// see by it how runs end. Put around a solver; keys of "parameters": fault, fault_step, fault_rank, pace.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "engine/core/json.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::test {

class Faulty final : public Solver {
 public:
  explicit Faulty(std::unique_ptr<Solver> solver) : solver_(std::move(solver)) {}

  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh* mesh, const Offer& offer) const override {
    return solver_->check(input, mesh, offer);
  }
  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const override {
    return solver_->estimate(input, mesh, offer);
  }
  [[nodiscard]] Status prepare(RunContext& context) override {
    const Values parameters = context.input["parameters"];
    pace_ = parameters["pace"].number();
    const Index faulty = parameters["fault_rank"].integer();
    if (faulty < 0 || faulty == context.cluster.rank()) {
      kind_ = parameters["fault"].text();
      at_ = parameters["fault_step"].integer();
    }
    if (Status failed = provoke(0); !failed) return failed;
    return solver_->prepare(context);
  }
  [[nodiscard]] Result<Advanced> advance(RunContext& context) override {
    if (Status failed = provoke(done_ + 1); !failed) return failed.error();
    auto advanced = solver_->advance(context);
    if (advanced) done_ = advanced->step;
    if (pace_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pace_));
    return advanced;
  }
  [[nodiscard]] std::vector<CatalogEntry> catalog() const override { return solver_->catalog(); }
  void fill(FrameBuilder& builder) const override { solver_->fill(builder); }
  void save(CheckpointWriter& writer) const override { solver_->save(writer); }
  /// The solver's checkpoint counts its steps under "step".
  void load(CheckpointReader& reader) override {
    done_ = reader.value<Index>("step");
    solver_->load(reader);
  }
  [[nodiscard]] Status finish(RunContext& context) override { return solver_->finish(context); }

 private:
  [[nodiscard]] Status provoke(Index now) const {
    if (kind_ == "none" || now != at_) return {};
    if (kind_ == "bug") throw std::logic_error("a fault was asked for");
    if (kind_ == "memory") throw std::bad_alloc();
    if (kind_ == "crash") std::raise(SIGSEGV);
    if (kind_ == "chatter") std::puts("a library that prints to stdout"), std::fflush(stdout);
    if (kind_ == "stuck") std::this_thread::sleep_for(std::chrono::seconds(60));
    if (kind_ == "chatter" || kind_ == "stuck") return {};
    const ErrorCode code = kind_ == "divergence" ? ErrorCode::not_converged
                           : kind_ == "remote"   ? ErrorCode::remote
                                                 : ErrorCode::file;
    return make_error(code, fmt::format("{} at step {}, as asked for", kind_, now), "Set /parameters/fault to none.");
  }

  std::unique_ptr<Solver> solver_;
  std::string kind_ = "none";
  Index at_ = 0, done_ = 0;
  double pace_ = 0;
};

/// Of one solver in a program.
[[nodiscard]] inline const SolverInfo& with_faults(const SolverInfo& solver) {
  static const SolverInfo plain = solver;
  static const std::string schema = [] {
    Json json = read_json(plain.schema);
    json["properties"]["parameters"]["properties"].update(read_json(R"({
      "pace": {"type": "number", "machine": true, "unit": "s", "minimum": 0, "maximum": 10, "default": 0, "advanced": true,
               "title": "Pace", "description": "Waiting time a step, to watch a quick run"},
      "fault": {"type": "string", "machine": true,
                "enum": ["none", "bug", "divergence", "memory", "remote", "file", "crash", "chatter", "stuck"],
                "default": "none", "advanced": true, "title": "Fault",
                "description": "A failure to provoke, for trying out how a run ends"},
      "fault_step": {"type": "integer", "machine": true, "minimum": 0, "default": 5, "advanced": true,
                     "title": "Step of the fault", "description": "0 provokes it while preparing"},
      "fault_rank": {"type": "integer", "machine": true, "minimum": -1, "default": -1, "advanced": true,
                     "title": "Rank of the fault", "description": "-1: all ranks"}})"));
    return json.dump();
  }();
  static const SolverInfo faulty = [] {
    SolverInfo out = plain;
    out.schema = schema;
    out.make = [] { return std::unique_ptr<Solver>(std::make_unique<Faulty>(plain.make())); };
    // Asked for by its full name only: what a row that fails looks like.
    out.verify = [](const TestRun& run, const VerifySink& sink) {
      if (run.only == "observed beyond all orders") sink({run.only, 2, "1", 100, true, "nothing"});
      return plain.verify(run, sink);
    };
    return out;
  }();
  return faulty;
}

}  // namespace conoid::test
