// SPDX-License-Identifier: BSD-3-Clause
// Profiles of the absorbing layers.
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {
namespace {

/// The profiles of a matched layer; see layers.hpp for what they mean and where they come from. Lengths in nodes, rates in c/h.
struct Profile {
  double rate, power, inner, outer, beyond, damped_from, stretched_from;  ///< β, a, b, p, e, j_δ, j_γ

  /// γ and d/κ, and how they grow with the depth, `j` nodes deep in a layer of `nodes`.
  struct Values {
    double stretch, damping, stretch_slope, damping_slope;
  };
  [[nodiscard]] Values at(double j, double nodes, double least) const {
    const double length = nodes + beyond;
    const double xi = std::clamp((j - stretched_from) / length, 0.0, 1.0),
                 eta = std::clamp((j - damped_from) / length, 0.0, 1.0);
    const double rest = 1 - std::pow(eta, inner);
    return {1 - std::pow(xi, power), (rate - least) * (1 - std::pow(rest, outer)),
            -power * std::pow(xi, power - 1) / length,
            (rate - least) * outer * std::pow(rest, outer - 1) * inner * std::pow(eta, inner - 1) / length};
  }
};

/// Layers of `thin_nodes` and of `wide_nodes`; between them in proportion, beyond by the nearer one.
struct ProfilePair {
  double thin_nodes;
  Profile thin;
  double wide_nodes;
  Profile wide;
};
constexpr ProfilePair order_2{9,
                              {0.2827, 2.6037, 1.4853, 5.1894, 0.7875, 0.6085, 0.1423},
                              16,
                              {0.2702, 2.9562, 2.0278, 5.4944, 0.3969, 0.4685, 0.4836}};
constexpr ProfilePair order_4{10,
                              {0.2932, 1.3375, 1.3835, 3.8831, 0.6945, 0.3166, 0.8962},
                              20,
                              {0.2948, 1.6411, 1.8464, 4.2196, 1.2051, 0.2339, 0.8711}};
constexpr ProfilePair above{9,
                            {0.2740, 1.2306, 1.4707, 5.4244, 0.6866, 0.3206, 0.9801},
                            18,
                            {0.2675, 1.8266, 2.2597, 8.2889, 0.5851, 0.1344, 0.8093}};

Profile profile_of(int order, double nodes) {
  const ProfilePair& pair = order == 2 ? order_2 : order == 4 ? order_4 : above;
  const double t = std::clamp((nodes - pair.thin_nodes) / (pair.wide_nodes - pair.thin_nodes), 0.0, 1.0);
  const auto between = [&](double Profile::*value) { return std::lerp(pair.thin.*value, pair.wide.*value, t); };
  return {between(&Profile::rate),          between(&Profile::power),  between(&Profile::inner),
          between(&Profile::outer),         between(&Profile::beyond), between(&Profile::damped_from),
          between(&Profile::stretched_from)};
}

}  // namespace

std::vector<double> sponge_profile(const Problem& problem, std::size_t axis) {
  const Index n = problem.grid.points[axis];
  // What attenuation damps everywhere stands in the profile of x.
  std::vector<double> sigma(static_cast<std::size_t>(n),
                            axis == 0 ? relaxation_damping(problem.relaxations, problem.dt) : 0.0);
  for (std::size_t side = 0; side < 2; ++side) {
    const Face& face = problem.faces[2 * axis + side];
    if (face.kind == FaceKind::impedance) {  // walls.hpp
      // c_U² p_x = −c_U²/(ζ c) p_t: the fluid's own ρ c is that of the case, also where attenuation makes it stiffer at high frequency.
      const double stiff = problem.stiffening, c = face.speed > 0 ? face.speed : problem.speed.highest / stiff;
      sigma[static_cast<std::size_t>(side == 0 ? 0 : n - 1)] +=
          stiff * stiff * c * problem.dt / (face.zeta * problem.grid.spacing[axis]);
      continue;
    }
    if (face.kind != FaceKind::sponge || face.width <= 0) continue;
    // p_tt + b p_t with b = b_max d²: a wave loses exp(−∫ b/(2c) dx) each way, together exp(−b_max W/(3c)).
    const double width = static_cast<double>(face.width);
    const double b_max =
        3 * problem.speed.highest * face.attenuation * std::log(10.0) / 20 / (width * problem.grid.spacing[axis]);
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
    const auto depth = static_cast<double>(nodes);
    const double unit = problem.speed.highest / h;  // of rates
    Profile profile = profile_of(problem.order, depth);
    if (face.echo > 0) {  // of a perfect layer, far above β: exp(−2 ∫ κ d/κ dx/c)
      double loss = 0;
      for (Index j = 1; j <= nodes; ++j) {
        const Profile::Values v = profile.at(static_cast<double>(j), depth, 0);
        loss += 2 * v.damping / v.stretch;
      }
      profile.rate *= -std::log(face.echo) / loss;
    }
    const double least =
        std::min(face.shift > 0 ? 2 * std::numbers::pi * face.shift / unit : 0.03 / depth, 0.5 * profile.rate);
    const double beta = profile.rate * unit * dt, E = std::exp(-beta), G = -std::expm1(-beta) / profile.rate;
    const double f = hx * hx / (h * h), g = side == 0 ? -f : f;  // the depth grows downwards at the lower face
    for (Index i = 0; i < nodes; ++i) {
      const auto j = static_cast<double>(nodes - i);
      const Profile::Values v = profile.at(j, depth, least);
      // Factors of u'' and u': without R, with R (negative) and with R².
      double f0, g0, f1, g1, f2, g2;
      if (problem.order == 2) {
        const Profile::Values inner = profile.at(j - 0.5, depth, least), outer = profile.at(j + 0.5, depth, least);
        const auto mean = [](double a, double b) { return 0.5 * (a + b); };
        const double in = v.stretch * inner.stretch, on = v.stretch * outer.stretch;
        const double in1 = in * (v.damping + inner.damping), on1 = on * (v.damping + outer.damping);
        const double in2 = in * v.damping * inner.damping, on2 = on * v.damping * outer.damping;
        f0 = mean(in, on) - 1;
        g0 = on - in;
        f1 = mean(in1, on1);
        g1 = on1 - in1;
        f2 = mean(in2, on2);
        g2 = on2 - in2;
      } else {
        const double delta = v.stretch * v.damping, slope = v.stretch_slope * v.damping + v.stretch * v.damping_slope;
        f0 = v.stretch * v.stretch - 1;
        g0 = v.stretch * v.stretch_slope;
        f1 = 2 * v.stretch * delta;
        g1 = v.stretch * slope + v.stretch_slope * delta;
        f2 = delta * delta;
        g2 = delta * slope;
      }
      const auto at = static_cast<std::size_t>(side == 0 ? i : n - 1 - i);
      out.factor[0][at] = E;
      out.factor[1][at] = 0.25 * G * G * f2 * f;
      out.factor[2][at] = 0.25 * G * G * g2 * g;
      out.factor[3][at] = -0.5 * G * f1 * f;
      out.factor[4][at] = -0.5 * G * g1 * g;
      out.factor[5][at] = f0 * f;
      out.factor[6][at] = g0 * g;
    }
  }
  return out;
}

}  // namespace conoid::acoustic_fd
