// SPDX-License-Identifier: BSD-3-Clause
// Row-vectors between two points that lie apart, for signals that are limited in band: what compressed matrices hold of far clusters.
//
// In the band a march with M_k is an integral operator times what hats and means over steps do to a wave. With θ = ω Δt, z = e^{iθ},
// s = sin(θ/2)/(θ/2), R = |x − y|, Δ = cΔt and e^{−iωt}, tests at x (normal n_x) and trials at y (n_y) have
//
//   N:   Σ M_k z^k = −Δ s³ e^{iθ/2} ∂_{n_x} ∂_{n_y} G
//   NC:  the same − (α⁺ + α⁻ z) s² ∂_{n_y} G
//   DC:  Σ M_k z^k = (α⁺ + α⁻ z) s e^{−iθ/2} G + Δ s² ∂_{n_x} G,         G = e^{ikR}/(4πR),
//
// which are sums of e^{iθR/Δ} (iθ)^p times even functions of θ and reals that hang on the places. Of each such term the row-vector of
// `columns` numbers that has it is found by least squares: within the band to a third of the error, and small from one and a half times
// its end up to half the sampling rate, so that far clusters do not feed what no pulse holds. (1 − z)^p is taken out first, so that
// derivatives of constants and of straight lines vanish exactly.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_blocks.hpp"
#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

namespace conoid::acoustic_bem {

class FarKernel {
 public:
  static constexpr Index columns = far_columns;
  /// Gap between points, in steps, from which on row-vectors begin behind `grouped` steps.
  static constexpr double least_gap(int grouped) {
    constexpr int half = columns / 2;
    return grouped + half - 1;
  }

  /// `highest`: wave number of the band's end, 1/m; `error` relative. Form N, NC or DC.
  FarKernel(const Form& form, double highest, double error);

  /// M_first … M_{first + columns − 1} of a test at x and a trial at y. From any thread.
  Index row_vector(const SkeletonPoint& x, const SkeletonPoint& y, std::array<double, columns>& out) const;

 private:
  static constexpr std::size_t terms = 5, places = 512;
  using Term = std::array<double, columns>;
  Form form_;
  double shift_ = 0;                            ///< steps by which all terms come later than R/Δ
  std::vector<std::array<Term, terms>> table_;  ///< by the part of a step, from none to a whole one
};

}  // namespace conoid::acoustic_bem
