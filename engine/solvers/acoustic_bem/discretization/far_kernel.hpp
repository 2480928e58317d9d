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
// and what a face does beside its pressure now (S_k − S_{k−1})/Δ, S_k of DC, with α = γ = 0 beside N; soft
// faces send S_k/Δ alone, and what a wall remembers (skeletons.hpp) is sent by S_{k−1}/Δ. α and γ are those of the place that is tested. Of filled bodies (filled_tiles.hpp) rows and columns of densities have s e^{−iθ/2} G, those of one of each s² ∂_{n_x} G
// and −s² ∂_{n_y} G, in each fluid with its own R/Δ. These are sums of e^{iθR/Δ} (iθ)^p times even functions of θ and reals that hang on the places. Of each such term the row-vector of
// `columns` numbers that has it is found by least squares: within the band to a third of the error, and small from one and a half times
// its end up to half the sampling rate, so that far clusters do not feed what no pulse holds. (1 − z)^p is taken out first, so that
// derivatives of constants and of straight lines vanish exactly; what constants and straight lines give besides is met exactly, too.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

  /// `highest`: wave number of the band's end, 1/m; `error` relative. Form N, NC or DC; `soft`: points on soft faces are there as well. Of filled
  /// bodies `highest` is that of the slower fluid.
  FarKernel(const Form& form, double highest, double error, bool soft = false,
            const std::optional<Filling>& filling = {});

  /// M_first … M_{first + columns − 1} of a test at x and a trial at y. `inside`: through the fluid of the body. From any thread.
  Index row_vector(const SkeletonPoint& x, const SkeletonPoint& y, std::array<double, columns>& out,
                   bool inside = false) const;
  /// The same of what the wall at y remembers.
  Index remembered(const SkeletonPoint& x, const SkeletonPoint& y, std::array<double, columns>& out) const;

 private:
  static constexpr std::size_t terms = 5, places = 512;
  using Term = std::array<double, columns>;
  using Table = std::vector<std::array<Term, terms>>;  ///< by the part of a step, from none to a whole one
  using Factors = std::array<double, terms>;           ///< of the terms
  /// `kind` 0: of ∂∂G and of two steps of ∂G; 1: of ∂G and of two steps of G; 2: of G in the mean over a step.
  [[nodiscard]] static Table table(int kind, double band, double error);
  void add_admittance(const SkeletonPoint& x, const Vec3& r, double now, Factors& c) const;
  [[nodiscard]] Factors soft_factors(const SkeletonPoint& x, const Vec3& r) const;
  /// Of ∂_n p and of p times Δ in what is tested at x.
  [[nodiscard]] double alpha_at(const SkeletonPoint& x) const { return x.plain ? 0 : alpha_; }
  [[nodiscard]] double gamma_at(const SkeletonPoint& x) const { return x.plain ? 0 : gamma_; }
  Index through_fluid(const SkeletonPoint& x, const SkeletonPoint& y, bool inside,
                      std::array<double, columns>& out) const;
  /// `delay` in steps: R/Δ, and by how much all terms come later.
  Index put(const Table& table, std::size_t used, double delay, const Factors& c,
            std::array<double, columns>& out) const;
  Form form_;
  double alpha_ = 0, gamma_ = 0;  ///< of ∂_n p, the latter times Δ
  Table rigid_, soft_, single_;   ///< of what rigid faces do, of ∂_n p, and of densities to one another
  std::optional<Filling> filling_;
};

}  // namespace conoid::acoustic_bem
