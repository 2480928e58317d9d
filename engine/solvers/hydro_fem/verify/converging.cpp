// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/verify/converging.hpp"

#include "engine/solvers/hydro_fem/output_view.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace conoid::hydro_fem {

using flows::Flow;

Setup converging_shock(int turns, Index n) {
  Setup s;
  s.k = 2;
  s.turns = turns;
  s.mesh = box_zones(1, {flows::line(0, 1, n), {}, {}});
  s.materials = {stiffened_gas(1.4)};
  s.density = [](const Vec3&, int) { return 1.0; };
  s.energy = [](const Vec3&, int) { return 1e-6; };
  s.boundaries.resize(2);
  s.boundaries[1].kind = BoundaryCondition::Kind::pressure;
  s.boundaries[1].value = 1;
  s.mass_tolerance = 1e-10;
  return s;
}

double similarity_exponent(std::span<const ShockPlace> places) {
  // The straight line of least squares through logarithms for a t_c: its slope, and how far off it is.
  const auto fit = [&](double focus) {
    double x1 = 0, y1 = 0, xx = 0, xy = 0, yy = 0;
    for (const ShockPlace& p : places) {
      const double x = std::log(focus - p.time), y = std::log(p.radius);
      x1 += x, y1 += y, xx += x * x, xy += x * y, yy += y * y;
    }
    const auto m = static_cast<double>(places.size());
    const double slope = (m * xy - x1 * y1) / (m * xx - x1 * x1);
    return std::pair{slope, yy - y1 * y1 / m - slope * (xy - x1 * y1 / m)};
  };
  const double last = places.back().time, span = last - places.front().time;
  double best = std::numeric_limits<double>::infinity(), out = 0;
  for (int i = 1; i <= 4000; ++i)
    if (const auto [slope, off] = fit(last + span * i / 4000); off < best) {
      best = off;
      out = slope;
    }
  return out;
}

namespace {

/// The innermost place where density passes the middle between that of cold gas and that behind a strong shock.
double shock_radius(const View& view, const State& state, Index zones) {
  constexpr double middle = 3.5;
  for (Index z = 0; z < zones; ++z) {
    const PointValues inner = view.at(state, view.place(z, {0, 0, 0}), false),
                      outer = view.at(state, view.place(z, {1, 0, 0}), false);
    if (outer.density <= middle) continue;
    const double share = inner.density < middle ? (middle - inner.density) / (outer.density - inner.density) : 0;
    return inner.position[0] + share * (outer.position[0] - inner.position[0]);
  }
  return 0;
}

}  // namespace

void verify_converging(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("converging shock")) return;
  constexpr double inner = 0.03, outer = 0.15;
  for (const auto& [turns, exact] : {std::pair{2, 0.717174}, {1, 0.835323}}) {
    const std::string name =
        std::string("converging shock, ") + (turns == 2 ? "spherical" : "cylindrical") + ", Q2-Q1, 400 zones";
    run.doing(name);
    constexpr Index zones = 400;
    const Setup s = converging_shock(turns, zones);
    Flow flow(s, flows::usual_march(2, s, Integrator::rk2_average), run.workers(1));
    const View view(flow.op(), flow.setup());
    std::vector<ShockPlace> places;
    while (flow.march().step()) {
      const double radius = shock_radius(view, flow.state(), zones);
      if (radius > 0 && radius < inner) break;
      if (radius > 0 && radius < outer && (places.empty() || radius < 0.98 * places.back().radius))
        places.push_back({flow.march().time(), radius});
    }
    sink({name + ": similarity exponent between radii 0.15 and 0.03, relative difference",
          std::abs(similarity_exponent(places) / exact - 1), "1", 0.01, false,
          "Guderley 1942; gamma 1.4: 0.717174, 0.835323 (Lazarus 1981)"});
  }
}

}  // namespace conoid::hydro_fem
