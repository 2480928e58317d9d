// SPDX-License-Identifier: BSD-3-Clause
// What elements of the next order would change in the far field: an error bar from the factors that are there.
//
// V1: the space of the system, of order p; V2: what order p + 1 adds to it, on the same mesh. With A the symmetric form of the whole
// problem (interior and radiation) and e_w the change of the field of the wave w in V1 + V2, the far field seen where the wave v comes
// from, along its polarisation, changes by
//   4π δF_v(w) = A(e_v, e_w),
// since F is, but for a constant, A(E_v, E_w) (n×∇×E_s = T E_s on S with T symmetric, by reciprocity), and the Galerkin solution is
// orthogonal to V1. The residual of a solution vanishes on V1, so with r_w the residual on V2
//   4π δF_v(w) = r_vᵀ S⁻¹ r_w,   S = K22 − K21 K11⁻¹ K12.
// K11 is the factored matrix; S is applied, not made, and solved with conjugate gradients for complex symmetric matrices (H. A. van der
// Vorst, J. B. M. Melissen, IEEE Trans. Magn. 26 (1990) 706) with the blocks of K22 of each edge, face and cell. What radiates of the
// change meets the condition of first order on S instead of the radiation. Where S is small
// against the wave (half its longest side below 0.2/k) functions of V2 on S are left out for p = 2: fields are smooth there, and of gradients that
// condition leaves jk where the radiation leaves k², so that bars grew with the third power of the wavelength (a ball of ka = 0.02 and 0.002, off by
// 0.009 dB, was told 0.87 and 39). Elements of order 1 are indeed off so far there, and are told so.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include <complex>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

inline constexpr int most_added = 25;
/// The functions of order p + 1 beside those of order p (nedelec()), on the reference cell; corners sorted. p = 1: 14, those of order
/// 2. p = 2: on the edges i<j ∇(λ_i λ_j (λ_i − λ_j)), on the faces i<j<k ∇(λ_i λ_j λ_k), (λ_i − λ_j) λ_k N_ij, (λ_i − λ_k) λ_j N_ik,
/// (λ_j − λ_k) λ_k N_ij, inside λ_2 λ_3 N_01, λ_1 λ_3 N_02, λ_1 λ_2 N_03.
struct AddedValues {
  int count = 0;
  std::array<Vec3, most_added> value{}, curl{};
};
[[nodiscard]] AddedValues added_functions(int order, const Vec3& reference);

/// |δF| of the wave Σ mix_w (first waves of the changes), seen from anywhere: the root of the mean square over all v. A single pair may be small
/// by chance.
[[nodiscard]] double change_elsewhere(std::span<const Complex> changes, Index waves, std::span<const Complex> mix);

class NextOrder {
 public:
  /// Of a factored system in the total form; it must outlive this. `stopped` is heard in all that follows.
  NextOrder(System& system, int threads, Stopped stopped = {});
  /// Memory of it with the residuals of so many waves.
  [[nodiscard]] static Bytes bytes(const Domain& domain, Index waves);

  /// Residuals of solutions: fields u (columns of all unknowns) for the data psi on S.
  void add(std::span<const Complex> u, std::span<const Complex> psi, Index count);
  [[nodiscard]] Index waves() const { return waves_; }
  /// δF of all pairs, [v][w], for 1 V/m. Errors: those of the solves, code stopped.
  [[nodiscard]] Result<std::vector<Complex>> changes();
  [[nodiscard]] Index iterations() const { return iterations_; }
  [[nodiscard]] double residual() const { return residual_; }  ///< the largest that is left, relative
  /// Whether the changes had settled, to 3 %, when the steps ended.
  [[nodiscard]] bool settled() const { return settled_; }

 private:
  struct Block {  ///< of an edge, a face or a cell: rows first … first + size − 1, inverse of its part of K22
    Index first = 0;
    int size = 0;
    std::array<Complex, 16> inverse{};
  };
  void number();
  void assemble();
  void invert_blocks();
  [[nodiscard]] std::array<Index, most_added> rows_of(Index tet) const;
  [[nodiscard]] Status apply(std::span<const Complex> x, Index count, std::span<Complex> y);
  void precondition(std::span<const Complex> r, std::span<Complex> z) const;

  System* system_;
  int threads_;
  Stopped stopped_;
  int own_, added_, on_face_;  ///< functions of a cell, of V1 and V2, and of V2 on a face alone
  Index rows_ = 0, waves_ = 0, iterations_ = 0;
  double residual_ = 0;
  bool settled_ = false;
  std::vector<Index> edge_row_, face_row_, cell_row_;  ///< −1 on conductors
  std::vector<Block> blocks_;
  std::vector<Complex> k21_,
      k22_;  ///< double: in thin elements masses are round-off of single curls; of each cell: added × own; rows of the upper triangle
  std::vector<Complex> residuals_;  ///< columns
};

}  // namespace conoid::maxwell_fem
