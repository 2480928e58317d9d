// SPDX-License-Identifier: BSD-3-Clause
// Faces that move with a given normal velocity: what they send into the equations and to points, and the power they radiate.
//
// On such faces σ = ∂_n p = −ρ ∂_t v is known (walls.hpp), v = w f(t), w the direction's normal component a face. Tested over a
// step its mean σⁿ = −ρ (f(t_n) − f(t_{n−1}))/Δt is exact, and the right-hand side gets −Σ_k E_k σ^{n−k}, E_k the columns S_k of
// tile.hpp summed over the faces with their weights: one row of K_max numbers an unknown and motion. Both sides of a screen move
// together: σ has no jump there, and E_0 is the test functions' integral alone.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"

namespace conoid::acoustic_bem {

/// The velocity of one group: pulse in m/s, m/s along `direction` of the wall.
struct Motion {
  std::string name;
  std::size_t wall = 0;  ///< among the conditions' walls
  Pulse pulse;
  double t0 = 0;  ///< s
  [[nodiscard]] double velocity(double t) const { return pulse.value(t - t0); }
};

class Drive {
 public:
  Drive() = default;
  /// Computes E_k. Collective on several ranks, each with a share of the rows. Throws Failure after a stop.
  /// `screen`: both sides of the faces are in the fluid. `density`: of the fluid, kg/m³.
  Drive(const Surface& surface, const Form& form, const AssemblyOptions& options, std::vector<Motion> motions,
        bool screen, double density, Team& team, Communicator* cluster, const std::stop_token& stop);
  [[nodiscard]] bool empty() const { return motions_.empty(); }
  [[nodiscard]] const std::vector<Motion>& motions() const { return motions_; }

  /// l^n −= Σ_k E_k σ^{n−k}.
  void add_to(Index n, std::span<double> l) const;

  /// Row-vectors of points; see received_of_motion().
  struct Points {
    Index count = 0, columns = 0;
    std::vector<std::vector<double>> factors;  ///< [motion]
  };
  [[nodiscard]] Points points(const Surface& surface, const std::vector<Vec3>& places, Team& team) const;
  /// out[point] += what comes from the motions at time t_n.
  void add_at(const Points& points, Index n, std::span<double> out) const;

  /// out[point] += Σ_n of the same e^{iωnΔt} over all times.
  void add_transformed(const Points& points, double omega, std::span<std::complex<double>> out) const;
  /// Steps over which σ acts on the unknowns.
  [[nodiscard]] Index columns() const { return columns_; }

  /// Of one motion with a velocity of transform 1: Σ_n l^n e^{iωnΔt} of what it sends into the equations, over that of its samples; what it
  /// sends by itself to a point off the surface, Pa s/m; and ∫ w dS, m².
  [[nodiscard]] std::vector<std::complex<double>> response_of(std::size_t motion, double omega) const;
  [[nodiscard]] std::complex<double> near_field(const Surface& surface, std::size_t motion, double frequency,
                                                const Vec3& x) const;
  [[nodiscard]] double volume(std::size_t motion) const;

  /// ∫ p v dS over the moving faces at t_n, W: the power that they give to the fluid. `a`: the unknowns then.
  [[nodiscard]] double power(Index n, std::span<const double> a) const;
  /// Transforms: velocity of a motion as sampled at t_0 … t_steps, ∫ p̂ v̂* dS, ∫ |v̂|² dS and the motions' far field.
  [[nodiscard]] std::complex<double> velocity(std::size_t motion, double frequency, Index steps) const;
  [[nodiscard]] std::complex<double> work(std::span<const std::complex<double>> a, double frequency, Index steps) const;
  [[nodiscard]] double square(double frequency, Index steps) const;
  [[nodiscard]] std::complex<double> far_field(const Surface& surface, double frequency, Index steps,
                                               const Vec3& direction) const;
  [[nodiscard]] double density() const { return density_; }

 private:
  [[nodiscard]] double sigma(std::size_t motion, Index n) const;

  Form form_;
  double density_ = 1;
  Index unknowns_ = 0, columns_ = 0;
  bool screen_ = false;
  std::vector<Motion> motions_;
  std::vector<std::vector<double>> weights_;   ///< [motion][triangle]: w
  std::vector<double> areas_;                  ///< of the triangles
  std::vector<std::vector<double>> response_;  ///< [motion][k · unknowns + i]
  std::vector<std::vector<double>> pressing_;  ///< [motion][i]: ∫ w λ_i dS over pressures
};

}  // namespace conoid::acoustic_bem
