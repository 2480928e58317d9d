// SPDX-License-Identifier: BSD-3-Clause
// The four boundary integral forms and their parameters.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/kernels/shell_lanes.hpp"

namespace conoid::acoustic_bem {

/// N: rigid, hypersingular. NC: N combined with the time derivative of the double-layer identity (closed bodies).
/// D: sound-soft, single layer. DC: combined with the adjoint double layer (closed bodies).
enum class FormName : std::uint8_t { N, NC, D, DC };

struct Form {
  FormName name = FormName::NC;
  double c = 343;    ///< m/s
  double dt = 1e-5;  ///< s
  double alpha = 1;  ///< interior absorbing condition ∂_n v + (α/c) ∂_t v + γ v = 0
  double gamma = 0;  ///< 1/m

  [[nodiscard]] double delta() const { return c * dt; }
  [[nodiscard]] bool rigid() const { return name == FormName::N || name == FormName::NC; }
  [[nodiscard]] bool combined() const { return name == FormName::NC || name == FormName::DC; }
  [[nodiscard]] double alpha_plus() const { return alpha + 0.5 * gamma * delta(); }
  [[nodiscard]] double alpha_minus() const { return -alpha + 0.5 * gamma * delta(); }
  /// Rigid forms: N at the same steps, for what is tested where nothing is to be combined (Surface::plain).
  [[nodiscard]] Form plain() const {
    Form out = *this;
    if (rigid()) out.name = FormName::N;
    return out;
  }
  /// Coefficients lie at t_n (rigid: hats) or at t_{n−1/2} (soft: indicators of (t_{n−1}, t_n)).
  [[nodiscard]] double time_of(Index n) const { return (static_cast<double>(n) - (rigid() ? 0.0 : 0.5)) * dt; }
  [[nodiscard]] LaneForm lanes() const {
    const LaneKind kind = name == FormName::N    ? LaneKind::rigid
                          : name == FormName::NC ? LaneKind::rigid_combined
                          : name == FormName::D  ? LaneKind::soft
                                                 : LaneKind::soft_combined;
    return {kind, delta(), alpha_plus(), alpha_minus()};
  }
  /// The form in which a density ∂_n p stands beside this rigid one.
  [[nodiscard]] LaneForm sigma_lanes() const {
    const bool all = combined();
    return {LaneKind::soft_combined, delta(), all ? alpha_plus() : 0, all ? alpha_minus() : 0};
  }
  /// M_m … M_{m+reach} receive shell m.
  [[nodiscard]] int reach() const { return lane_reach(lanes().kind); }
};

[[nodiscard]] constexpr std::string_view name_of(FormName f) {
  return f == FormName::N ? "N" : f == FormName::NC ? "NC" : f == FormName::D ? "D" : "DC";
}

}  // namespace conoid::acoustic_bem
