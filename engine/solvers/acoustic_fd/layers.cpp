// SPDX-License-Identifier: BSD-3-Clause
// Profiles of the absorbing layers.
#include "engine/solvers/acoustic_fd/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {

std::vector<double> sponge_profile(const Problem& problem, std::size_t axis) {
  const Index n = problem.grid.points[axis];
  std::vector<double> sigma(static_cast<std::size_t>(n), 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    const Face& face = problem.faces[2 * axis + side];
    if (face.kind != FaceKind::sponge || face.width <= 0) continue;
    // p_tt + b p_t with b = b_max d²: a wave loses exp(−∫ b/(2c) dx) each way, together exp(−b_max W/(3c)).
    const double width = static_cast<double>(face.width);
    const double b_max = 3 * problem.speed.highest * face.attenuation * std::log(10.0) / 20 /
                         (width * problem.grid.spacing[axis]);
    for (Index i = 0; i < std::min(n, face.width); ++i) {
      const double d = (width - static_cast<double>(i)) / width;
      sigma[static_cast<std::size_t>(side == 0 ? i : n - 1 - i)] += 0.5 * problem.dt * b_max * d * d;
    }
  }
  return sigma;
}

MatchedLayer matched_layer(const Problem& problem, std::size_t axis) {
  MatchedLayer out;
  const Index n = problem.grid.points[axis];
  const double hx = problem.grid.spacing[0], h = problem.grid.spacing[axis], dt = problem.dt;
  for (auto& f : out.factor) f.assign(static_cast<std::size_t>(n), 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    const Face& face = problem.faces[2 * axis + side];
    if (face.kind != FaceKind::matched || face.width <= 0) continue;
    const Index nodes = std::min(n, face.width);
    (side == 0 ? out.low : out.high) = nodes;
    const double width = static_cast<double>(face.width) * h;
    const double power = problem.order < 6 ? 2.5 : 3;
    // By its width: 10⁻³ at the safe one, less in wider layers, which discretise it better.
    const double wide = static_cast<double>(face.width) / static_cast<double>(safe_matched_width(problem.order));
    const double echo = face.echo > 0 ? face.echo : std::pow(10.0, -3 * std::clamp(wide, 1.0, 3.0));
    const double d0 = -0.5 * (power + 1) * problem.speed.highest * std::log(echo) / width;
    // The shift keeps the layer from ringing at low frequency; it belongs well below the band of the sources.
    const double alpha = face.shift > 0 ? 2 * std::numbers::pi * face.shift
                                        : 0.05 * problem.speed.highest / (h * static_cast<double>(nodes));
    for (Index i = 0; i < nodes; ++i) {
      const double depth = static_cast<double>(nodes - i) / static_cast<double>(nodes);
      const double d = d0 * std::pow(depth, power);
      const double slope = (side == 0 ? -power : power) * d0 * std::pow(depth, power - 1) / width;
      const double beta = alpha + d, E = std::exp(-beta * dt), G = -std::expm1(-beta * dt) / beta;
      const double f = hx * hx / (h * h), g = hx * hx / h;
      const auto at = static_cast<std::size_t>(side == 0 ? i : n - 1 - i);
      out.factor[0][at] = E;
      out.factor[1][at] = G;
      out.factor[2][at] = -G * slope * d * d * g;
      out.factor[3][at] = G * d * d * f;
      out.factor[4][at] = G * 2 * d * slope * g;
      out.factor[5][at] = -G * 2 * d * f;
      out.factor[6][at] = -G * slope * g;
    }
  }
  return out;
}

}  // namespace conoid::acoustic_fd
