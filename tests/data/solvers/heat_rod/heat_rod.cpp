// SPDX-License-Identifier: BSD-3-Clause
// Diffusion of heat in a rod by differences, explicit or implicit: the sixth solver of the tests.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include <fmt/core.h>

#include "engine/cluster/communicator.hpp"
#include "engine/solvers/solver.hpp"
#include "faults.hpp"
#include "implicit.hpp"
#include "rod.hpp"

namespace conoid::heat_rod {

extern const std::string_view parameters_schema;

namespace {

bool is_implicit(const Case& input) {
  return input["parameters"]["scheme"].text() == "implicit";
}

/// Foreseen and computed with the same: windows have what the rod itself leaves of the memory.
Layout layout_of(const Case& input, const Offer& offer) {
  const Index cells = input["rod"]["cells"].integer();
  const Bytes rod = 2 * static_cast<Bytes>(cells + 1) * sizeof(double);
  return {cells, offer.place, offer.host.value - std::min(offer.host.value, rod), choose_team(offer, {}, 0)};
}

/// By phase, who computes it.
constexpr std::array<Capability, 2> capabilities{
    {{"update"}, {"conjugate gradients", true, true, true, "disk and device"}}};

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

  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh*, const Offer& offer) const override {
    Estimate out;
    const Index cells = input["rod"]["cells"].integer();
    const auto points = static_cast<Bytes>(cells + 1);
    out.host_memory = 2 * points * sizeof(double);
    out.disk = points * (sizeof(double) + 20 * sizeof(float));
    out.steps = input["parameters"]["steps"].integer();
    out.details = {{"rod", fmt::format("{} points", points)}};
    if (!is_implicit(input)) {
      out.use = {0, "explicit steps are computed by processors"};
      return out;
    }
    const Layout layout = layout_of(input, offer);
    layout.windows.add_to(out, "vectors of the iterations", choose_team(offer, out.use, 0).devices().size());
    if (out.device_memory > 0) out.device_memory += layout.beside();
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
    const Index faulty = parameters["fault_rank"].integer();
    if (faulty < 0 || faulty == context.cluster.rank())
      faults_ = {parameters["fault"].text(), parameters["fault_step"].integer()};
    if (Status failed = faults_.provoke(0); !failed) return failed;
    rod_.start(rod["cells"].integer());
    rod_.implicit = is_implicit(context.input);
    if (rod_.implicit)
      implicit_ = std::make_unique<Implicit>(layout_of(context.input, context.offer), rod_.fourier, context.cluster,
                                             context.results.folder());
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
    if (Status failed = faults_.provoke(step_ + 1); !failed) return failed.error();
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
    context.results.number("steps", static_cast<double>(step_), "1");
    context.results.number("error", rod_.relative_error(rod_.exact(time())), "1");
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
    double sum = 0, peak = 0;
    for (const double v : rod_.u) sum += v, peak = std::max(peak, std::abs(v));
    table_->append({time(), sum / rod_.cells(), peak, rod_.exact(time())});
  }

  Rod rod_;
  std::unique_ptr<Implicit> implicit_;  ///< null: explicit steps
  Index iterations_ = 0;
  Index step_ = 0;
  Index steps_ = 0;
  double pace_ = 0;
  Faults faults_;
  Table* table_ = nullptr;
};

}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"heat-rod",
                               "Heat in a rod",
                               "Diffusion of heat in a thin rod with cold ends.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<HeatRod>()); },
                               verify,
                               bench,
                               nullptr,
                               capabilities};
  return info;
}

}  // namespace conoid::heat_rod
