// SPDX-License-Identifier: BSD-3-Clause
// Scattered pressure at points off the surface, from the past surface values, by the same row-vectors as the march.
//
// Gauss points y_q with the surface values interpolated by cubics in time: more accurate than the trial functions
// themselves, whose hats leave a sawtooth. The cubic needs two later steps, so receivers lag `receiver_lag` steps behind.
// Triangles nearer to a receiver than the mesh width are integrated shell by shell in closed form instead.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"

namespace conoid {
class Team;
}

namespace conoid::acoustic_bem {

constexpr Index receiver_lag = 2;

/// Highest column that a receiver's row-vectors reach: what the history must hold, less the group.
[[nodiscard]] Index receiver_columns(const Surface& surface, const Form& form, const std::vector<Vec3>& points);

/// What points receive from faces with a given ∂_n p, the same over each face but for a weight a triangle: at column + columns · point
/// the factor on the weights' common σ, `column` steps earlier (receiver_lag counted in, as in Receivers). `columns` as
/// receiver_columns() says.
[[nodiscard]] std::vector<double> received_of_motion(const Surface& surface, const Form& form,
                                                     const std::vector<Vec3>& points, std::span<const double> weights,
                                                     Index columns, Team& team, int quadrature = 7);

template <class Real>
class Receivers {
 public:
  /// `quadrature` points a triangle (7 by default). While it computes, a thread takes some 4 MB beside the result.
  Receivers(const Surface& surface, const Form& form, const std::vector<Vec3>& points, int steps, Team& team,
            int quadrature = 7);
  /// After a group of n_g steps up to the history's step S: out[run][g][receiver] is the scattered pressure at time
  /// (S − n_g + 1 + g − receiver_lag) Δt.
  /// `memory`: what walls remember, a series of each memory column and run, where some depend on frequency.
  void evaluate(Team& team, std::span<const History<Real>> runs, std::vector<double>& out,
                std::span<const History<Real>> memory = {});
  /// Scattered û of each receiver from the surface's â = Σ aⁿ e^{iωnΔt}, as evaluate() would find over all times, over Δt: one pass over the
  /// row-vectors, panels of points side by side.
  /// `memory`: the same sums of what walls remember.
  [[nodiscard]] std::vector<std::complex<double>> transformed(Team& team, double omega, double dt,
                                                              std::span<const std::complex<double>> a,
                                                              std::span<const std::complex<double>> memory) const;
  [[nodiscard]] Index count() const { return matrix_.rows(); }
  [[nodiscard]] Bytes bytes() const { return matrix_.bytes({0, matrix_.count()}) + walls_.bytes({0, walls_.count()}); }

 private:
  Slices<Real> matrix_, walls_;  ///< walls_: of memory columns
  std::unique_ptr<Summation<Real>> summation_, of_walls_;
  int steps_;
};

extern template class Receivers<float>;
extern template class Receivers<double>;

}  // namespace conoid::acoustic_bem
