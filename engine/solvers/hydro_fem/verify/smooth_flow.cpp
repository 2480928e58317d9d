// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/verify/smooth_flow.hpp"

#include "engine/solvers/hydro_fem/discretization/exact.hpp"
#include "engine/solvers/hydro_fem/hydro_fem.hpp"
#include "engine/solvers/hydro_fem/output_view.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include <fmt/core.h>

namespace conoid::hydro_fem {

using flows::Flow;

Setup flows::standing_wave(int k, Index n, double amplitude) {
  Setup s;
  s.k = k;
  s.mesh = box_zones(1, {line(0, 1, n), {}, {}});
  s.materials = {stiffened_gas(1.4)};
  s.density = [](const Vec3&, int) { return 1.0; };
  s.energy = [](const Vec3&, int) { return 1 / (1.4 * 0.4); };  // c = 1
  s.velocity = [amplitude](const Vec3& x, int) { return Vec3{amplitude * std::sin(std::numbers::pi * x[0]), 0, 0}; };
  s.boundaries.resize(2);
  s.mass_tolerance = 1e-13;
  return s;
}

double tube_error(Flow& flow, double t, double y) {
  const View view(flow.op(), flow.setup());
  const ShockTube exact({1, 0, 1}, 1.4, {0.125, 0, 0.1}, 1.4);
  const auto boxes = view.boxes(flow.state());
  double sum = 0;
  constexpr int n = 2000;
  for (int i = 0; i < n; ++i) {
    const double x = (i + 0.5) / n;
    const auto place = view.locate(flow.state(), boxes, {x, y, 0});
    verify(place.has_value(), "the tube is filled");
    sum += std::abs(view.at(flow.state(), *place, false).density - exact.at((x - 0.5) / t).density) / n;
  }
  return sum;
}

double noh_error(Flow& flow, int dim, double density) {
  flow.run();
  const View view(flow.op(), flow.setup());
  const auto boxes = view.boxes(flow.state());
  double sum = 0;
  constexpr int points = 60;
  for (int i = 0; i < points; ++i) {
    const double r = 0.08 + 0.07 * (i + 0.5) / points, angle = dim > 1 ? 0.3 : 0;
    const auto place = view.locate(flow.state(), boxes, {r * std::cos(angle), r * std::sin(angle), 0});
    verify(place.has_value(), "the plateau is filled");
    sum += view.at(flow.state(), *place, false).density / points;
  }
  return std::abs(sum / density - 1);
}

namespace {

/// Both ways of the viscosity on a set-up: everywhere, and where flow is not smooth.
template <class Error>
std::array<double, 2> both_ways(const TestRun& run, const Setup& of, double end, const Error& error) {
  std::array<double, 2> out{};
  for (const bool vanishes : {false, true}) {
    Setup s = of;
    s.viscosity_vanishes = vanishes;
    s.mass_tolerance = 1e-12;
    const MarchOptions options = flows::usual_march(end, s, Integrator::rk2_average);
    Flow flow(std::move(s), options, run.workers(1));
    out[vanishes] = error(flow);
  }
  return out;
}

/// The velocities that are left of waves of opposite sign after a period, half their difference: what grows with the square of the amplitude
/// falls out, so that it can be large enough for rounding, some 1e-14 of the speed of sound, not to be seen beside it. Relative, in L2.
double standing_wave_error(const TestRun& run, int k, Index n) {
  static constexpr double amplitude = 1e-5;  // its square is left of what is not linear
  constexpr int points = 40;                 // a zone
  std::array<PagedVector, 2> ends;
  double sum = 0;
  for (const std::size_t sign : {0, 1}) {
    Setup s = flows::standing_wave(k, n, sign == 0 ? amplitude : -amplitude);
    s.viscosity_vanishes = true;
    const MarchOptions options = flows::usual_march(2, s, Integrator::rk4);
    Flow flow(std::move(s), options, run.workers(1));
    flow.run();
    ends[sign] = flow.state().v;
    if (sign == 0) continue;
    const View view(flow.op(), flow.setup());
    State left = flow.op().initial();
    for (std::size_t i = 0; i < left.v.size(); ++i) left.v[i] = 0.5 * (ends[0][i] - ends[1][i]);
    for (Index zone = 0; zone < n; ++zone)
      for (int q = 0; q < points; ++q) {
        const PointValues at = view.at(left, view.place(zone, {(q + 0.5) / points, 0, 0}), false);
        const double off = at.velocity[0] / amplitude - std::sin(std::numbers::pi * at.position[0]);
        sum += 2 * off * off / static_cast<double>(n * points);
      }
  }
  return std::sqrt(sum);
}

void standing_waves(const TestRun& run, const VerifySink& sink) {
  for (const auto& [k, n, limit] : {std::tuple{2, Index{24}, 3e-4}, {3, Index{6}, 4e-5}, {4, Index{6}, 1e-6}}) {
    const std::string name = fmt::format("inviscid in smooth flow, standing wave Q{}-Q{}, {} zones", k, k - 1, n);
    run.doing(name);
    const double coarse = standing_wave_error(run, k, n / 2), fine = standing_wave_error(run, k, n);
    sink({name + ": L2 of velocity off after a period, relative", fine, "1", limit, false,
          "linear sound, exact; viscosity everywhere: 0.05, 0.13, 0.10"});
    sink({name + ": observed order", std::log2(coarse / fine), "1", k + 0.8, true,
          "k + 1, that of interpolation; asked of the scheme is k"});
  }
}

void shocks(const TestRun& run, const VerifySink& sink) {
  const auto row = [&](const std::string& what, const std::array<double, 2>& off, double slack) {
    sink({"inviscid in smooth flow, " + what, off[1], "1", slack * off[0], false,
          "exact; limit: as far off as with viscosity everywhere"});
  };
  run.doing("inviscid in smooth flow, shocks");
  const auto tube = [](Flow& flow) {
    flow.run();
    return tube_error(flow, 0.2);
  };
  for (const int k : {2, 3})
    row(fmt::format("Sod Q{}-Q{}, 100 zones: L1 error of density", k, k - 1),
        both_ways(run, flows::sod(k, 100), 0.2, tube), 1);
  row("Noh 1D Q2-Q1, 50 zones: plateau density, relative difference",
      both_ways(run, flows::noh(1, 2, 50), 0.6, [](Flow& flow) { return noh_error(flow, 1, 4); }), 1.1);
  const auto blast = [](Flow& flow) {
    flow.run();
    const View view(flow.op(), flow.setup());
    return blast_errors(flow.op(), view, flow.state(), flow.setup(), 0.8, 1.4, 1, 2, 1).density_l2;
  };
  row("Sedov 2D Q2-Q1, 16×16 on 1.2: L2 error of density",
      both_ways(run, flows::sedov(2, 2, 16, 1.2, 0.25), 0.8, blast), 1);
}

}  // namespace

void verify_smooth_flow(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("inviscid")) return;
  standing_waves(run, sink);
  shocks(run, sink);
}

}  // namespace conoid::hydro_fem
