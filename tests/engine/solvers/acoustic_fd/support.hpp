// SPDX-License-Identifier: BSD-3-Clause
// What the tests of acoustic-fd share: a problem with everything switched on, checkpoints in memory, bit comparison.
#pragma once

#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/memory_checkpoint.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace conoid::acoustic_fd::testing {

/// A case read, with its nodes where nothing is wrong with it.
inline Setup with_nodes(const Case& input, std::vector<Diagnostic>& diagnostics) {
  Setup setup = read_setup(input, diagnostics);
  if (!has_errors(diagnostics)) make_nodes(setup, input, diagnostics);
  return setup;
}

/// An odd little box: layers, a sponge, a free surface, a rigid wall, two sources and three receivers between nodes.
inline Problem busy_problem(int order, std::array<Index, 3> points, bool equal, bool varying, bool double_precision) {
  Problem p;
  p.grid.points = points;
  p.grid.spacing = equal ? Vec3{2, 2, 2} : Vec3{2, 2.5, 1.75};
  p.grid.origin = {-3, 5, 11};
  p.order = order;
  p.double_precision = double_precision;
  p.velocity = varying ? layered_velocity(2, -1, p.grid.upper(2), {{0, 1400, 3}, {9, 1800, 0}, {17, 2100, -2}})
                       : constant_velocity(1500);
  p.speed = p.velocity->range(p.grid.origin, {p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)});
  p.faces[0].kind = FaceKind::rigid;
  p.faces[1].width = 5;
  p.faces[2].width = 4;
  p.faces[3].kind = FaceKind::free_surface;
  p.faces[4].width = 6;
  p.faces[5].kind = FaceKind::free_surface;
  p.dt = 0.9 * largest_time_step(stencil_of_order(order), p.grid.spacing, p.speed.highest);
  p.steps = 40;
  const auto inside = [&](double fx, double fy, double fz) {
    const Vec3 f{fx, fy, fz};
    Vec3 x;
    for (std::size_t a = 0; a < 3; ++a) x[a] = p.grid.origin[a] + f[a] * (p.grid.upper(a) - p.grid.origin[a]);
    return x;
  };
  const double f = 0.02 / p.dt;
  p.sources.push_back({inside(0.31, 0.57, 0.83), std::make_shared<Ricker>(f, 0.3 / f, 3.0)});
  p.sources.push_back({inside(0.52, 0.49, 0.44), std::make_shared<Ricker>(1.3 * f, 0.2 / f, -2.0)});
  p.receivers = {{"A", inside(0.11, 0.92, 0.5)}, {"B", inside(0.5, 0.5, 0.5)}, {"C", inside(0.77, 0.31, 0.97)}};
  return p;
}

/// A density that varies along every axis, up to `contrast` times, from one node to the next too: waves of `nodes` over (1, 0.7, 1.3) each way.
class RoughDensity final : public Velocity {
 public:
  RoughDensity(double lowest, double contrast, double length) : lowest_(lowest), contrast_(contrast), length_(length) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      const double z = z0 + static_cast<double>(k) * dz;
      const double wave =
          std::sin(x / length_) * std::cos(0.7 * y / length_) + std::sin(1.3 * z / length_ + 0.4 * x / length_);
      out[k] = lowest_ * std::pow(contrast_, 0.25 * (2 + wave));
    }
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override { return {lowest_, lowest_ * contrast_}; }

 private:
  double lowest_, contrast_, length_;
};

/// Matched layers in place of the sponges.
inline void make_matched(Problem& p) {
  for (Face& face : p.faces)
    if (face.kind == FaceKind::sponge) face.kind = FaceKind::matched;
}

/// A whole field as bits.
struct Everything {
  std::vector<float> field;
  std::vector<double> traces;
  Energy energy;
  friend bool operator==(const Everything& a, const Everything& b) {
    return a.field.size() == b.field.size() && a.traces.size() == b.traces.size() &&
           std::memcmp(a.field.data(), b.field.data(), a.field.size() * sizeof(float)) == 0 &&
           std::memcmp(a.traces.data(), b.traces.data(), a.traces.size() * sizeof(double)) == 0 &&
           std::memcmp(&a.energy, &b.energy, sizeof(Energy)) == 0;
  }
};

/// Marches on by `steps`, keeping what there is to see; the field is gathered on all ranks.
inline Everything march_on(March& march, const Problem& p, Index steps, Team& team, Communicator& cluster) {
  Everything out;
  std::vector<double> parts(march.parts()), traces(p.receivers.size());
  for (Index k = 0; k < steps; ++k) {
    march.step(team, cluster);
    march.sample(parts);
    cluster.sum(std::span(parts));
    march.join_traces(parts, traces);
    out.traces.insert(out.traces.end(), traces.begin(), traces.end());
  }
  out.energy = march.energy(team, cluster);
  March::Cut all;
  all.count = p.grid.points;
  march.read(all, out.field);
  out.field = cluster.gather_values<float>(out.field);
  return out;
}

using conoid::test::MemoryCheckpoint;

/// The host flushes subnormal numbers, a device does not: in few steps nothing above one part in 10^30 of the largest value.
inline bool nearly(const Everything& a, const Everything& b) {
  double most = 0, worst = 0;
  for (std::size_t i = 0; i < b.field.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(b.field[i])));
    worst = std::max(worst, std::abs(static_cast<double>(a.field[i]) - static_cast<double>(b.field[i])));
  }
  for (std::size_t i = 0; i < b.traces.size(); ++i) worst = std::max(worst, std::abs(a.traces[i] - b.traces[i]));
  return a.field.size() == b.field.size() && a.traces.size() == b.traces.size() && most > 1e-6 &&
         worst <= 1e-30 * most && a.energy.kinetic == b.energy.kinetic && a.energy.potential == b.energy.potential;
}

}  // namespace conoid::acoustic_fd::testing
