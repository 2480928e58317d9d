// SPDX-License-Identifier: BSD-3-Clause
// Diffusion of heat in a rod by differences, explicit or implicit: the sixth solver of the tests.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <thread>

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/team/loop_phase.hpp"
#include "engine/team/team.hpp"
#include "implicit.hpp"

namespace conoid::heat_rod {

extern const std::string_view parameters_schema;

namespace {

struct Rod {
  double length = 1;
  double diffusivity = 1;
  double amplitude = 1;
  double fourier = 0.4;
  bool implicit = false;
  std::vector<double> u, next;

  void start(Index cells) {
    u.assign(static_cast<std::size_t>(cells) + 1, 0.0);
    next = u;
    for (std::size_t i = 1; i + 1 < u.size(); ++i)
      u[i] = amplitude * std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(cells));
  }
  /// u_i + F (u_{i-1} − 2 u_i + u_{i+1}) for the inner points i = item + 1.
  void step(Team& team) {
    LoopPhase update("update", static_cast<Index>(u.size()) - 2, 4096, [this](Interval items) {
      for (auto i = static_cast<std::size_t>(items.begin) + 1; i <= static_cast<std::size_t>(items.end); ++i)
        next[i] = u[i] + fourier * (u[i - 1] - 2 * u[i] + u[i + 1]);
    });
    team.run(update);
    u.swap(next);
  }
  [[nodiscard]] double cells() const { return static_cast<double>(u.size() - 1); }
  [[nodiscard]] double h() const { return length / cells(); }
  [[nodiscard]] double dt() const { return fourier * h() * h() / diffusivity; }
  // Functions of the point: the factor of time is computed once.
  [[nodiscard]] auto exact(double t) const {
    const double k = std::numbers::pi / length;
    return [step = k * h(), factor = amplitude * std::exp(-diffusivity * k * k * t)](std::size_t i) {
      return factor * std::sin(step * static_cast<double>(i));
    };
  }
  [[nodiscard]] auto discrete(Index n) const {
    const double s = std::sin(std::numbers::pi / (2 * cells()));
    const double growth = implicit ? 1 / (1 + 4 * fourier * s * s) : 1 - 4 * fourier * s * s;
    return [factor = amplitude * std::pow(growth, static_cast<double>(n)), n = cells()](std::size_t i) {
      return factor * std::sin(std::numbers::pi * static_cast<double>(i) / n);
    };
  }
  template <class F>
  [[nodiscard]] double relative_error(const F& reference) const {
    double worst = 0;
    double scale = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double wanted = reference(i);
      worst = std::max(worst, std::abs(u[i] - wanted));
      scale = std::max(scale, std::abs(wanted));
    }
    return scale > 0 ? worst / scale : worst;
  }
};

class HeatRod final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh*, const Offer&) const override {
    std::vector<Diagnostic> out;
    const Values fourier = input["parameters"]["fourier"];
    if (fourier.number() > 0.5 && input["parameters"]["scheme"].text() == "explicit")
      out.push_back(input.error_at(
          fourier, fmt::format("{} is above the limit of stability 0.5", fourier.number()),
          "Lower it, or the rod will oscillate and grow without bound; or choose the scheme \"implicit\"."));
    return out;
  }

  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh*, const Offer&) const override {
    Estimate out;
    const auto points = static_cast<Bytes>(input["rod"]["cells"].integer() + 1);
    const bool implicit = input["parameters"]["scheme"].text() == "implicit";  // and r, z, p, q
    out.host_memory = (implicit ? 6 : 2) * points * sizeof(double);
    out.disk = points * (sizeof(double) + 20 * sizeof(float));
    out.steps = input["parameters"]["steps"].integer();
    out.details = {{"rod", fmt::format("{} points", points)}};
    return out;
  }

  [[nodiscard]] Status prepare(RunContext& context) override {
    const Values rod = context.input["rod"];
    const Values parameters = context.input["parameters"];
    rod_.length = rod["length"].number();
    rod_.diffusivity = rod["diffusivity"].number();
    rod_.amplitude = rod["temperature"].number();
    rod_.fourier = parameters["fourier"].number();
    steps_ = parameters["steps"].integer();
    pace_ = parameters["pace"].number();
    fault_ = parameters["fault"].text();
    fault_step_ = parameters["fault_step"].integer();
    const Index rank = parameters["fault_rank"].integer();
    if (rank >= 0 && rank != context.cluster.rank()) fault_ = "none";
    if (Status failed = provoke(0); !failed) return failed;
    rod_.start(rod["cells"].integer());
    rod_.implicit = parameters["scheme"].text() == "implicit";
    if (rod_.implicit) implicit_ = std::make_unique<Implicit>(rod["cells"].integer(), rod_.fourier, context.cluster);
    table_ = &context.results.table(
        {"heat",
         "Heat in the rod",
         {{"t", "s", "Time"}, {"mean", "K", "Mean"}, {"peak", "K", "Peak"}, {"peak_exact", "K", "Exact"}},
         ChartForm::lines,
         AxisScale::linear,
         AxisScale::linear,
         "mean = (1/L) ∫ u dx; peak = max |u|",
         {"peak_exact"}});
    record();
    return {};
  }

  [[nodiscard]] Result<Advanced> advance(RunContext& context) override {
    if (Status failed = provoke(step_ + 1); !failed) return failed.error();
    if (implicit_) {
      const Index iterations = implicit_->step(context.team, rod_.u);
      if (iterations < 0)
        return make_error(ErrorCode::not_converged, fmt::format("step {} has no solution", step_ + 1));
      iterations_ += iterations;
    } else if (context.cluster.leads()) {
      rod_.step(context.team);
    }
    ++step_;
    if (pace_ > 0) std::this_thread::sleep_for(std::chrono::duration<double>(pace_));
    record();
    context.progress.computed(rod_.cells(), "cells");
    return Advanced{step_ >= steps_, step_, steps_, time()};
  }

  [[nodiscard]] std::vector<CatalogEntry> catalog() const override { return {{"rod", temperature()}}; }

  void fill(FrameBuilder& builder) const override {
    builder.at(step_, time(), FrameAxis::time);
    if (!builder.wants_part("rod") || !builder.wants("temperature")) return;
    FramePart& part = builder.part(
        "rod", ImageGeometry{{static_cast<Index>(rod_.u.size()), 1, 1}, {0, 0, 0}, {rod_.h(), rod_.h(), rod_.h()}});
    part.fields.push_back(make_field(temperature(), std::vector<float>(rod_.u.begin(), rod_.u.end())));
  }

  void save(CheckpointWriter& writer) const override {
    writer.value("step", step_);
    writer.value("iterations", iterations_);
    writer.shared("u", std::span<const double>(rod_.u));
  }
  void load(CheckpointReader& reader) override {
    step_ = reader.value<Index>("step");
    if (implicit_) iterations_ = reader.value<Index>("iterations");
    rod_.u = reader.all<double>("u");
    rod_.next.assign(rod_.u.size(), 0.0);
  }

  [[nodiscard]] Status finish(RunContext& context) override {
    const double t = time();
    context.results.number("steps", static_cast<double>(step_), "1");
    context.results.number("error", rod_.relative_error(rod_.exact(t)), "1");
    if (implicit_) context.results.number("iterations", static_cast<double>(iterations_), "1");
    context.results.number("rounding", rod_.relative_error(rod_.discrete(step_)), "1");
    return {};
  }

 private:
  [[nodiscard]] static FieldInfo temperature() {
    return {"temperature", "K", FieldKind::magnitude, Association::point, 1, false, "Temperature"};
  }
  [[nodiscard]] double time() const { return rod_.dt() * static_cast<double>(step_); }

  void record() {
    double sum = 0;
    double peak = 0;
    for (const double v : rod_.u) sum += v, peak = std::max(peak, std::abs(v));
    const double k = std::numbers::pi / rod_.length;
    table_->append({time(), sum / rod_.cells(), peak, rod_.amplitude * std::exp(-rod_.diffusivity * k * k * time())});
  }

  [[nodiscard]] Status provoke(Index step) const {
    if (fault_ == "none" || step != fault_step_) return {};
    if (fault_ == "bug") throw std::logic_error("a fault was asked for");
    if (fault_ == "memory") throw std::bad_alloc();
    if (fault_ == "crash") std::raise(SIGSEGV);
    if (fault_ == "chatter") std::puts("a library that prints to stdout"), std::fflush(stdout);
    if (fault_ == "stuck") std::this_thread::sleep_for(std::chrono::seconds(60));
    if (fault_ == "chatter" || fault_ == "stuck") return {};
    const ErrorCode code = fault_ == "divergence" ? ErrorCode::not_converged
                           : fault_ == "remote"   ? ErrorCode::remote
                                                  : ErrorCode::file;
    return make_error(code, fmt::format("{} at step {}, as asked for", fault_, step), "Set /parameters/fault to none.");
  }

  Rod rod_;
  std::unique_ptr<Implicit> implicit_;  ///< null: explicit steps
  Index iterations_ = 0;
  Index step_ = 0;
  Index steps_ = 0;
  double pace_ = 0;
  std::string fault_;
  Index fault_step_ = 0;
  Table* table_ = nullptr;
};

Rod marched(Index cells, double fourier, Index steps, Team& team) {
  Rod rod;
  rod.fourier = fourier;
  rod.start(cells);
  for (Index n = 0; n < steps; ++n) rod.step(team);
  return rod;
}

Status verify(const TestRun& run, const VerifySink& sink) {
  Team team({{"cpu", run.threads, 1}});
  run.doing("discrete solution");
  const Rod odd = marched(37, 0.47, 301, team);
  sink({"discrete solution, 301 steps", odd.relative_error(odd.discrete(301)), "1", 1e-12, false,
        "exact eigenvector of the scheme"});
  for (const auto& [fourier, order] : {std::pair{0.4, 2.0}, std::pair{1.0 / 6.0, 4.0}}) {
    run.doing(fmt::format("order at F = {:.3f}", fourier));
    double before = 0;
    double observed = 0;
    for (const Index cells : {16, 32}) {
      const Index steps = cells * cells / 4;
      const Rod rod = marched(cells, fourier, steps, team);
      const double t = rod.dt() * static_cast<double>(steps);
      const double error = rod.relative_error(rod.exact(t));
      observed = std::log2(before / error);
      before = error;
    }
    sink({fmt::format("observed order, F = {:.3f}", fourier), observed, "1", order - 0.05, true,
          "exact exponential decay"});
  }
  run.doing("implicit");
  const auto alone = single_rank();
  Rod soft;
  soft.implicit = true;
  soft.fourier = 30;
  soft.start(1000);
  Implicit implicit(1000, soft.fourier, *alone);
  for (Index n = 0; n < 40; ++n) (void)implicit.step(team, soft.u);
  sink({"discrete solution, 40 implicit steps", soft.relative_error(soft.discrete(40)), "1", 1e-11, false,
        "exact eigenvector of the scheme"});
  // Asked for by its full name only: what a row that fails looks like.
  const std::string_view beyond = "observed beyond all orders";
  if (run.only == beyond) sink({std::string(beyond), 2, "1", 100, true, "nothing"});
  return {};
}

Status bench(const TestRun& run, const BenchSink& sink) {
  Team team({{"cpu", run.threads, 1}});
  Rod rod;
  rod.start(1 << 20);
  const int steps = run.quick ? 50 : 500;
  const auto start = std::chrono::steady_clock::now();
  for (int n = 0; n < steps; ++n) rod.step(team);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  sink({"update, 2^20 cells", rod.cells() * steps / seconds * 1e-9, "Gcells/s", 0, 0, "", "bandwidth"});
  return {};
}

}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"heat-rod",
                               "Heat in a rod",
                               "Diffusion of heat in a thin rod with cold ends.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<HeatRod>()); },
                               verify,
                               bench};
  return info;
}

}  // namespace conoid::heat_rod
