// SPDX-License-Identifier: BSD-3-Clause
// Diffusion of heat in a rod by differences, explicit or implicit: the sixth solver of the tests.
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/numerics/largest_error.hpp"
#include "engine/solvers/band_system.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/team/loop_phase.hpp"
#include "step.hpp"
#include "tests/support/provoked_faults.hpp"

namespace conoid::heat_rod {

extern const std::string_view parameters_schema;
Status verify(const TestRun& run, const VerifySink& sink);
Status bench(const TestRun& run, const BenchSink& sink);

namespace {

constexpr std::array<Capability, 2> capabilities{
    {{"update"}, {"conjugate gradients", true, true, true, "disk and device"}}};

/// The same when it is foreseen and when it is computed: windows have what the rod itself leaves of the memory.
BandLayout layout_of(Index cells, const Offer& offer) {
  const Bytes rod = 2 * static_cast<Bytes>(cells + 1) * sizeof(double);
  return BandLayout::of<ImplicitStep>(cells - 1, offer.place, offer.host.value - std::min(offer.host.value, rod),
                                      choose_team(offer, {}, 0));
}

class HeatRod final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh*, const Offer&) const override {
    const Values fourier = input["parameters"]["fourier"];
    if (fourier.number() <= 0.5 || input["parameters"]["scheme"].text() == "implicit") return {};
    return {input.error_at(
        fourier, fmt::format("{} is above the limit of stability 0.5", fourier.number()),
        "Lower it, or the rod will oscillate and grow without bound; or choose the scheme \"implicit\".")};
  }

  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh*, const Offer& offer) const override {
    Estimate out;
    const Index cells = input["rod"]["cells"].integer();
    const auto points = static_cast<Bytes>(cells + 1);
    out.host_memory = 2 * points * sizeof(double);
    out.disk = points * (sizeof(double) + 20 * sizeof(float));
    out.steps = input["parameters"]["steps"].integer();
    out.details = {{"rod", fmt::format("{} points", points)}};
    if (input["parameters"]["scheme"].text() == "implicit")
      layout_of(cells, offer).add_to(out, "vectors of the iterations");
    else
      out.use = {0, "explicit steps are computed by processors"};
    return out;
  }

  [[nodiscard]] Status prepare(RunContext& context) override {
    const Values rod = context.input["rod"], parameters = context.input["parameters"];
    const Index cells = rod["cells"].integer();
    length_ = rod["length"].number(), h_ = length_ / static_cast<double>(cells);
    diffusivity_ = rod["diffusivity"].number(), amplitude_ = rod["temperature"].number();
    fourier_ = parameters["fourier"].number(), steps_ = parameters["steps"].integer();
    u_.assign(static_cast<std::size_t>(cells) + 1, 0.0);
    for (Index i = 1; i < cells; ++i) u_[static_cast<std::size_t>(i)] = amplitude_ * half_sine(i);
    next_ = u_;
    if (parameters["scheme"].text() == "implicit")
      system_ = std::make_unique<BandSystem<ImplicitStep>>(layout_of(cells, context.offer), ImplicitStep(fourier_),
                                                           "heat-rod/step", context.cluster, context.results.folder());
    table_ = &context.results.table(
        {.id = "heat",
         .title = "Heat in the rod",
         .columns = {{"t", "s", "Time"}, {"mean", "K", "Mean"}, {"peak", "K", "Peak"}, {"peak_exact", "K", "Exact"}},
         .definition = "mean = (1/L) ∫ u dx; peak = max |u|",
         .exact = {"peak_exact"}});
    record();
    return {};
  }

  [[nodiscard]] Result<Advanced> advance(RunContext& context) override {
    if (system_) {
      const std::span<double> inner = std::span(u_).subspan(1, u_.size() - 2);
      const ConjugateEnd end = system_->solve(context.team, inner, inner, 1e-30, 10 * std::ssize(inner) + 100);
      if (!end.converged)
        return make_error(ErrorCode::not_converged, fmt::format("step {} has no solution", step_ + 1));
      iterations_ += end.iterations;
    } else if (context.cluster.leads()) {
      LoopPhase update("update", std::ssize(u_) - 2, 4096, [this](Interval items) {  // item 0 is the inner point 1
        for (auto i = static_cast<std::size_t>(items.begin) + 1; i <= static_cast<std::size_t>(items.end); ++i)
          next_[i] = u_[i] + fourier_ * (u_[i - 1] - 2 * u_[i] + u_[i + 1]);
      });
      context.team.run(update);
      u_.swap(next_);
    }
    ++step_;
    record();
    context.progress.computed(cells(), "cells");
    return Advanced{step_ >= steps_, step_, steps_, time()};
  }

  [[nodiscard]] std::vector<CatalogEntry> catalog() const override { return {{"rod", temperature_}}; }

  void fill(FrameBuilder& builder) const override {
    builder.at(step_, time(), FrameAxis::time);
    if (!builder.wants_part("rod") || !builder.wants("temperature")) return;
    const ImageGeometry line{{std::ssize(u_), 1, 1}, {0, 0, 0}, {h_, h_, h_}};
    builder.part("rod", line).fields = {make_field(temperature_, {u_.begin(), u_.end()})};
  }

  void save(CheckpointWriter& writer) const override {
    writer.value("step", step_);
    writer.value("iterations", iterations_);
    writer.shared("u", std::span<const double>(u_));
  }
  void load(CheckpointReader& reader) override {
    step_ = reader.value<Index>("step");
    if (system_) iterations_ = reader.value<Index>("iterations");
    u_ = reader.all<double>("u");
  }

  [[nodiscard]] Status finish(RunContext& context) override {
    context.results.number("steps", static_cast<double>(step_), "1");
    context.results.number("error", error_against(exact()), "1");
    if (system_) context.results.number("iterations", static_cast<double>(iterations_), "1");
    context.results.number("rounding", error_against(discrete()), "1");
    return {};
  }

 private:
  [[nodiscard]] double cells() const { return static_cast<double>(u_.size() - 1); }
  [[nodiscard]] double time() const { return fourier_ * h_ * h_ / diffusivity_ * static_cast<double>(step_); }
  [[nodiscard]] double half_sine(Index i) const {
    return std::sin(std::numbers::pi * static_cast<double>(i) / cells());
  }
  // Height of the half sine now: exactly, and by the scheme.
  [[nodiscard]] double exact() const {
    const double k = std::numbers::pi / length_;
    return amplitude_ * std::exp(-diffusivity_ * k * k * time());
  }
  [[nodiscard]] double discrete() const {
    const double s = std::sin(std::numbers::pi / (2 * cells())), f = 4 * fourier_ * s * s;
    return amplitude_ * std::pow(system_ ? 1 / (1 + f) : 1 - f, static_cast<double>(step_));
  }
  [[nodiscard]] double error_against(double height) const {
    return largest_relative_error<double>(u_, [&](Index i) { return height * half_sine(i); });
  }
  void record() {
    double sum = 0, peak = 0;
    for (const double v : u_) sum += v, peak = std::max(peak, std::abs(v));
    table_->append({time(), sum / cells(), peak, exact()});
  }

  const FieldInfo temperature_{"temperature", "K", FieldKind::magnitude, Association::point, 1, false, "Temperature"};
  double length_ = 1, h_ = 1, diffusivity_ = 1, amplitude_ = 1, fourier_ = 0.4;
  std::vector<double> u_, next_;
  std::unique_ptr<BandSystem<ImplicitStep>> system_;  ///< null: explicit steps
  Index step_ = 0, steps_ = 0, iterations_ = 0;
  Table* table_ = nullptr;
};

}  // namespace

const SolverInfo& solver_info() {
  return test::with_faults({.id = "heat-rod",
                            .title = "Heat in a rod",
                            .summary = "Diffusion of heat in a thin rod with cold ends.",
                            .schema = parameters_schema,
                            .make = [] { return std::unique_ptr<Solver>(std::make_unique<HeatRod>()); },
                            .verify = verify,
                            .bench = bench,
                            .capabilities = capabilities});
}

}  // namespace conoid::heat_rod
