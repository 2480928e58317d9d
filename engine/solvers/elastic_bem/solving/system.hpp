// SPDX-License-Identifier: BSD-3-Clause
// The boundary element equations H u = G t at one frequency: mixed conditions, many load cases, one factorisation.
//
// Columns of given displacements are exchanged against those of the tractions there, scaled by −μ*/ℓ so that the matrix stays
// well scaled (the unknown is t ℓ/μ*, ℓ: between the lengths of the elements and of the whole). All load cases are one block of right-hand sides.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/progress.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/symmetry.hpp"

namespace conoid::elastic_bem {

using Complex3 = std::array<Complex, 3>;

/// What is given on the elements of one boundary condition, component by component.
struct Condition {
  std::string name;
  std::array<bool, 3> displacement{false, false, false};  ///< true: displacement given, traction unknown
};

/// Given values of one load case; empty vectors mean zero everywhere.
struct LoadValues {
  std::vector<Complex3> traction;      ///< a traction node, where its traction is given, Pa
  std::vector<Complex3> displacement;  ///< a displacement node, where its displacement is given, m
  /// Of a field that comes to the interfaces of one region from its medium: what this region's values lack there. Nothing elsewhere.
  std::vector<Complex3> incident_traction, incident_displacement;
  std::size_t incident_region = 0;
};

/// Rows of one of several regions: its own surface, whose nodes and tractions are those from `first_…` on of the whole one.
struct RegionRows {
  const Surface* surface = nullptr;
  Index first_node = 0, first_traction = 0;
  double stiffness = 1;  ///< |μ*|, Pa
  double weight = 1;     ///< errors of its compressed matrix are to be so many times smaller; set_regions()
};

/// What the equations of a region are made of at one frequency.
template <class Real>
struct RegionMedium {
  Harmonic harmonic;
  const FarRules<Real>* rules = nullptr;
  std::span<const std::array<double, 9>> diagonal;
};

/// All boundary values of one load case.
struct BoundaryValues {
  std::vector<Complex3> displacement, traction;
};

enum class Method { mixed, direct, gmres, compressed };
enum class Chief { automatic, on, off };

struct SolveOptions {
  Method method = Method::mixed;
  double tolerance = 1e-10;  ///< of the relative residual
  /// Whether somebody asked for this tolerance. Else iterations of compressed matrices end where the error of these is the larger one.
  bool tolerance_asked = false;
  double compression = 1e-4;  ///< relative error of far blocks, for compressed
  Chief chief = Chief::automatic;
  int chief_points = 20;
  int chief_seed = 1;
  bool deterministic = false;  ///< the same bits for any number of threads
  /// A device may factorise with products of ten bits (dense::Rounding), where corrections reach the tolerance by such factors.
  bool ten_bits = true;
  Accuracy accuracy;
  /// That solve together, with compressed matrices only: solve() is collective then, and what it returns alike on all; null: one does.
  Communicator* ranks = nullptr;
  int sharing = 1;  ///< so many ranks, for bytes()
};

/// What of a solution a device does: nothing; the factorisation, of columns that come from the host and go back; factors and triangular
/// solves; all of it, with the matrix.
enum class SolutionPlace { processors, through, factors, whole };

struct SolveFacts {
  double residual = 0;        ///< largest relative residual of a load case
  double residual_asked = 0;  ///< what it was to be at most; 0: not told
  double rcond =
      0;  ///< reciprocal condition estimate; 0: not computed (gmres); of compressed matrices no more than a bound from above
  int iterations = 0;  ///< corrections or steps of iterations
  double chief_detector =
      0;  ///< ‖interior equations‖ of the plain solution over that of a solution of the same size; ≪ 1 is good
  int chief_rows = 0;
  double seconds_pairs = 0, seconds_singular = 0, seconds_solve = 0;
  double seconds_factors = 0;  ///< of seconds_solve: the factorisation
  double seconds_library = 0;  ///< of that: the LU on a device alone, by the device's clock
  bool ten_bits = false;       ///< factors are those of such products
  SolutionPlace place = SolutionPlace::processors;
  AssemblyWork work;
  Bytes compressed = 0;          ///< of compressed matrices with their preconditioner; 0: dense
  double compression_rank = 0;   ///< mean of the far blocks
  double compression_error = 0;  ///< of the far blocks together, sampled, relative, Frobenius
};

class FarField;
struct DeviceRoom;  // device_solution.hpp

/// What solve() took from the system, kept for the next frequency: taking new pages costs as much as filling them does.
struct SolveMemory {
  BigArray<std::byte> matrix, known, factors;
  std::shared_ptr<PanelStore> panels;  ///< of devices that assemble
  std::shared_ptr<DeviceRoom> device;  ///< of the one that solves
};

class BoundarySystem {
 public:
  /// Fails where two conditions that both give a displacement meet at a node.
  [[nodiscard]] static Result<BoundarySystem> make(const Surface& surface, std::vector<Condition> conditions);

  /// The surface and the conditions are their own images in the planes across these axes: solve() parts the equations by their parities,
  /// where it factorises them, and compresses rows of one of all images where there is one region. Of several each is its own image; called after
  /// set_regions(). Fails where they are not (symmetry.hpp).
  [[nodiscard]] Status set_symmetry(std::span<const int> axes);
  [[nodiscard]] const std::vector<Parity>& parities() const { return parities_; }  ///< empty: no planes
  /// Of so many mirror images compressed matrices keep the rows of one.
  [[nodiscard]] std::size_t compressed_images() const { return std::max<std::size_t>(1, mirrors_.size()); }
  /// The surface is that of several regions (regions.hpp): each has rows of its own, and nodes that are `partner` of each other share a
  /// displacement and, up to its sign, a traction. Their conditions give nothing.
  /// Closed regions that are stiffer than what is around them, as |μ*| has it, get that ratio as their weight, up to where quadrature is what
  /// limits them.
  void set_regions(std::vector<RegionRows> regions, std::vector<Index> partner);
  [[nodiscard]] bool several() const { return regions_.size() > 1; }
  [[nodiscard]] std::span<const RegionRows> regions() const { return regions_; }  ///< one at least
  [[nodiscard]] double heaviest() const;                                          ///< the largest weight of them
  /// The node on the other side of its interface; −1: it is on none.
  [[nodiscard]] Index partner(Index node) const {
    return partner_.empty() ? -1 : partner_[static_cast<std::size_t>(node)];
  }

  /// Whether component c of a traction node is unknown.
  [[nodiscard]] bool traction_unknown(Index traction_node, std::size_t c) const {
    return unknown_traction_[static_cast<std::size_t>(surface_->traction_node[static_cast<std::size_t>(traction_node)])]
                            [c] == traction_node;
  }
  [[nodiscard]] const Surface& surface() const { return *surface_; }
  [[nodiscard]] const std::vector<Condition>& conditions() const { return conditions_; }
  /// Bytes that solve() holds at its peak for so many known columns and wave numbers (of S waves) up to this one.
  [[nodiscard]] Bytes bytes(Index known_columns, const SolveOptions& options, bool single, double wave_number) const;
  [[nodiscard]] Index known_columns(const std::vector<LoadValues>& cases) const;

  /// Assembles, factorises, solves. `diagonal` from static_diagonal(); `rules` for at least this wave number; `memory`: grown
  /// where too small, used by one call at a time; null: taken and given back; `far`: what lies beyond the mesh, also put into the
  /// displacements where the mesh fades out. A device of the team solves, where its memory holds the factors, and assembles into a matrix
  /// of its own where it holds that, too (device_solution.hpp). Errors: stopped, singular system, loads of a free body at rest that are not in
  /// equilibrium, residual above 1e-3 (not_converged).
  template <class Real>
  [[nodiscard]] Result<std::vector<BoundaryValues>> solve(
      Team& team, const Harmonic& harmonic, const FarRules<Real>& rules,
      std::span<const std::array<double, 9>> diagonal, const std::vector<LoadValues>& cases,
      const SolveOptions& options, SolveFacts& facts, Progress& progress, std::stop_token stop = {},
      SolveMemory* memory = nullptr, const FarField* far = nullptr) const;
  /// The same of several regions, in their order; what lies beyond the mesh belongs to the first one, whose μ* scales unknown
  /// tractions.
  template <class Real>
  [[nodiscard]] Result<std::vector<BoundaryValues>> solve(Team& team, std::span<const RegionMedium<Real>> media,
                                                          const std::vector<LoadValues>& cases,
                                                          const SolveOptions& options, SolveFacts& facts,
                                                          Progress& progress, std::stop_token stop = {},
                                                          SolveMemory* memory = nullptr,
                                                          const FarField* far = nullptr) const;

 private:
  struct Known {
    bool traction;
    Index node;
    std::size_t component;
  };
  template <class Real>
  class Solution;  ///< one call of solve(): its steps
  [[nodiscard]] std::vector<Known> known_list(const std::vector<LoadValues>& cases) const;

  const Surface* surface_ = nullptr;
  std::vector<Condition> conditions_;
  std::vector<std::array<Index, 3>>
      unknown_traction_;  ///< a displacement node: the traction node that is unknown, −1: u is
  /// Of the matrix: the row of component d at a node. Those of a region follow each other.
  [[nodiscard]] Index row_of(const RegionRows& region, Index node, Index d) const;

  std::vector<Parity> parities_;
  std::vector<Mirror> mirrors_;      ///< of one region; empty of several
  std::vector<Index> parity_rows_;   ///< of several regions with planes: the row of each unknown's node and component
  std::vector<RegionRows> regions_;  ///< one at least
  std::vector<Index> partner_;       ///< a displacement node, −1: it is on no interface; empty: there are none
};

/// Random points inside one hollow; fewer or none where it is narrow.
[[nodiscard]] std::vector<Vec3> hollow_points(const Surface& surface, int component, int count, int seed);
/// Of the sphere about the middle of a component that holds all of it.
[[nodiscard]] double hollow_radius(const Surface& surface, int component);
/// Random points inside the hollows of closed components, well inside and off planes of symmetry (H. A. Schenck, J. Acoust.
/// Soc. Am. 44 (1968) 41).
[[nodiscard]] std::vector<Vec3> chief_points(const Surface& surface, int count, int seed);
/// Below this wave number (of S waves) no fictitious frequency exists: the fixed body inside the circumscribed sphere has its
/// first eigenfrequency at k_S R ≥ 3.3 for every ν, and eigenvalues fall as bodies grow. Infinity without hollows.
[[nodiscard]] double safe_wave_number(const Surface& surface);

}  // namespace conoid::elastic_bem
