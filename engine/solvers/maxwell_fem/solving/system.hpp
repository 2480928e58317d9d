// SPDX-License-Identifier: BSD-3-Clause
// The interior problem at one frequency: the finite element matrix with the Cauchy condition on S, its factors, sources,
// and the two thin operators between unknowns and surfaces.
//
// Weak form, outward normal n, unknown E, wave number k:
//   ∫ μ⁻¹ ∇×W·∇×E − k² ∫ ε W·E + jk ∮_S W_t·E_t + Σ (jk/η_s) ∮ W_t·E_t = −∮_S W·Ψ + sources
// with Ψ = n×∇×E + jk n×n×E on S. Vectors on surfaces are kept in two numbers a point,
//   Ψ± = Ψ_1 ± j Ψ_2 along (t1, t2),  scaled so that the Euclidean norm is the norm of L²(S);
//   F∓ = w (J ± k M) along (t1', t2'), J = n'×∇×E, M = −n'×E, w the quadrature weight:
// in them the radiation from S' to S splits into two independent halves (kernels/radiation.hpp).
#pragma once

#include "engine/core/error.hpp"
#include "engine/linalg/sparse_direct.hpp"
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/discretization/elements.hpp"
#include "engine/solvers/maxwell_fem/discretization/incident.hpp"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace conoid::maxwell_fem {

/// total: unknown is E everywhere. scattered: E − E_inc everywhere. mixed: total inside S', scattered between S' and S.
enum class FieldForm : std::uint8_t { total, scattered, mixed };

class System {
 public:
  /// `media[r]` is the material of tetrahedra of region r; media[0] is vacuum. `domain` must outlive the system.
  System(const Domain& domain, std::vector<Medium> media, double k, FieldForm form, int threads);

  [[nodiscard]] SymmetricMatrix matrix() const;
  /// The stop of `options` is heard here and in all that follows: a call then returns an error of code stopped, or leaves its
  /// output unfinished where it returns nothing. `stopped` is asked in its place, but by factorisations, where it is given; by
  /// several threads.
  [[nodiscard]] Status factor(const DirectOptions& options, Stopped stopped = {});
  [[nodiscard]] const DirectFacts& facts() const { return direct_->facts(); }
  [[nodiscard]] SparseDirect& direct() { return *direct_; }
  /// All ranks of DirectOptions::ranks solve together, each with a part of the factors.
  [[nodiscard]] bool shares_factors() const { return direct_->facts().ranks > 1; }

  [[nodiscard]] const Domain& domain() const { return *domain_; }
  [[nodiscard]] double k() const { return k_; }
  [[nodiscard]] const Medium& medium(int region) const { return media_[static_cast<std::size_t>(region)]; }
  [[nodiscard]] FieldForm form() const { return form_; }
  [[nodiscard]] Index unknowns() const { return domain_->space.unknowns(); }            ///< PEC included
  [[nodiscard]] Index outer_length() const { return 2 * domain_->outer.size(); }        ///< numbers of a column ψ
  [[nodiscard]] Index currents_length() const { return 4 * domain_->currents.size(); }  ///< numbers of a column F

  /// ψ of the incident wave: what the first solve gets in the total form. Columns.
  void incident(std::span<const Incident> waves, std::span<Complex> psi) const;
  /// u = K⁻¹(−B ψ), columns of all unknowns (zero on PEC).
  [[nodiscard]] Status respond(std::span<const Complex> psi, Index count, std::span<Complex> u);
  /// u = K⁻¹(sources of the waves) with the values on PEC: zero in the total form.
  [[nodiscard]] Status respond_to_sources(std::span<const Incident> waves, std::span<Complex> u);
  /// What dipoles `seen` do in the scattered field of column `u` that `lit` caused (scattered form): Σ p·E − m·H, V A. No field is taken at their
  /// places: of −jkη times it, ℓ(W) the sources that a field W in the place of E_inc has in materials and on surfaces, and a(·,·) the form of this
  /// problem, ℓ_seen(E) + ℓ_seen(E_inc) + (a(W, E) − ℓ_lit(W) − ∮ E_inc·n×∇×E_seen on PEC) remain, with any W that has E_seen's trace on PEC. As E is
  /// found by Galerkin's method its error is of twice the order of E's.
  [[nodiscard]] Result<Complex> reaction(const Incident& seen, const Incident& lit, std::span<const Complex> u);
  /// Mixed form: takes the incident field off the unknowns on S', which then are those of the scattered field outside of it.
  [[nodiscard]] Status take_incident_off(const Incident& wave, std::span<Complex> u);
  /// Currents of the field u (needs factor()). `waves` (mixed form): takes the incident field off u on S'; empty: does not.
  [[nodiscard]] Status currents(std::span<const Complex> u, Index count, std::span<const Incident> waves,
                                std::span<Complex> f);

 private:
  struct OuterFace {
    std::array<Index, 8> rows;  ///< free numbers, −1 on PEC
    int count;
    std::array<std::array<std::array<double, 2>, face_points>, 8> value;  ///< times √(w/2)
  };
  struct CurrentFace {
    std::array<Index, 8> unknowns;
    int count;
    std::array<std::array<std::array<double, 2>, face_points>, 8> value;  ///< times the quadrature weight
  };
  struct Projection {  ///< L² projection of tangential fields onto the traces on a patch
    const Patch* patch = nullptr;
    std::vector<Index> unknowns;  ///< that have a trace there
    std::vector<Index> row;       ///< of each unknown of the space, −1
    std::unique_ptr<SparseDirect> direct;
  };

  [[nodiscard]] Status make_projection(const Patch& patch, Projection& out) const;
  /// Values of the unknowns of `p` that represent the tangential part of E_inc.
  [[nodiscard]] Status project(Projection& p, std::span<const Incident> waves, std::vector<Complex>& values) const;
  /// Sources of all unknowns, those on PEC too.
  void add_surface_source(const Patch& patch, const Incident& wave, double curl_factor, Complex field_factor,
                          std::span<Complex> b) const;
  void add_volume_source(const Incident& wave, std::span<Complex> b) const;
  /// All of the scattered form's.
  void add_sources(const Incident& wave, std::span<Complex> b) const;
  [[nodiscard]] Complex admittance(const ImpedancePatch& patch) const;  ///< jkη/η_s, 1/m
  [[nodiscard]] bool is_sheet(const Patch& patch, Index face) const;    ///< elements on both sides
  /// Sources of `seen` tried with the field of `lit` itself, as far as `reaction` needs them.
  [[nodiscard]] Complex sources_between(const Incident& seen, const Incident& lit) const;
  /// K x on tetrahedra of the list and on impedances with unknowns of the lift: visits (row, column, entry), each entry of both halves.
  template <class Visit>
  void for_lift(const std::vector<Index>& tets, const Visit& visit) const;
  /// B −= K_(tets of the list) X over free rows, columns.
  void subtract_product(const std::vector<Index>& tets, std::span<const Complex> x, Index count,
                        std::span<Complex> b) const;
  [[nodiscard]] bool stopped() const { return stopped_ && stopped_(); }
  [[nodiscard]] Status make_flux();
  [[nodiscard]] ElementMatrix element(Index tet) const;
  [[nodiscard]] Status solve_free(std::vector<Complex>& b, Index count, std::span<Complex> u);

  const Domain* domain_;
  std::vector<Medium> media_;
  double k_;
  FieldForm form_;
  int threads_;
  std::stop_token stop_;  ///< of factorisations
  Stopped stopped_;
  Elements elements_;
  std::vector<OuterFace> outer_faces_;
  std::vector<CurrentFace> current_faces_;
  std::unique_ptr<SparseDirect> direct_;
  std::vector<Complex> right_sides_;  ///< of respond(); kept, since pages from the system take long
  /// J on S' from the weak form: ∮ W·J = ∫_out (∇×W·∇×E − k² W·E), out: the tetrahedra between S' and S. Functionals of J
  /// converge twice as fast as those of the pointwise curl.
  Projection flux_;
  std::vector<Index> flux_start_{0};  ///< rows of the right-hand side above, by numbers of flux_
  std::vector<Index> flux_columns_;
  std::vector<Complex> flux_values_;
  Projection lift_;               ///< onto PEC (scattered) or S' (mixed)
  std::vector<Index> lift_tets_;  ///< tetrahedra through which the lift acts
};

}  // namespace conoid::maxwell_fem
