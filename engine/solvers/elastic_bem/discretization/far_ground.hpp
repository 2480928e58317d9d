// SPDX-License-Identifier: BSD-3-Clause
// The ground beyond a mesh that ends: what the missing free surface would add.
//
// Loads and foundations near the middle of flat ground push it away as the forces do that they exert, spread over few places:
//   u(x) ≈ Σ_k G(x − y_k) F_k,  F_k = ∫ t dS − ρω² ∫ u dV over the elements of place k and the pit above them,
// with G of surface_loads.hpp (Betti's theorem for the pit filled with ground that moves with its wall). This is put in where the mesh's own displacement fades out (Surface::window) and on rings beyond the
// rim:  c u + ∫ w t* u dS + Σ_k F_k ∫ (1 − w) t* G(x − y_k) dS = ∫ u* t dS.
// The F_k are those of the solution, so that the columns of tractions change and nothing is iterated. At low frequency, where
// fading alone leaves an error of the order a/R (a: size of the loads, R: reach of the ground), one of the order (a/R)² is left.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/surface_loads.hpp"

namespace conoid::elastic_bem {

using Complex3 = std::array<Complex, 3>;

/// What does not depend on the frequency.
class FarGround {
 public:
  /// Null, with the reason in `why`, for surfaces whose far ground is not known: not open, several open pieces, a rim that is not
  /// level, enclosing cells of the user's, nothing that loads it. `farthest`: of the points asked for later, from the middle. `plan`: only
  /// whether it can be made, displacements cannot be asked for.
  [[nodiscard]] static std::unique_ptr<FarGround> make(const Surface& surface, const SurfaceOptions& options,
                                                       const Medium& medium, double highest_omega, double farthest,
                                                       int threads, std::string& why, bool plan = false);

  /// Places of forces: elements of one condition near each other.
  struct Place {
    std::array<Vec3, 4> at{};  ///< a quarter of the force each: mean and second moments of the place's area
    double radius = 0;
  };
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const std::vector<Index>& place_of() const { return place_of_; }      ///< a traction node; −1: none
  [[nodiscard]] const std::vector<Index>& node_place() const { return node_place_; }  ///< a node; −1: none
  [[nodiscard]] const std::vector<double>& volume() const {
    return volume_;
  }  ///< of the columns above a node's part of a pit
  [[nodiscard]] const std::vector<double>& weight() const { return weight_; }  ///< ∫ N dS of a traction node
  [[nodiscard]] double level() const { return level_; }                        ///< of the rim along −down
  [[nodiscard]] const Vec3& down() const { return down_; }
  /// u at a point of the surface for a unit force along j at a place.
  [[nodiscard]] Matrix3 displacement(const Harmonic& h, const Vec3& x, std::size_t place) const;
  /// Rings beyond the rim, as a surface of their own that carries displacements only; its window falls to 0 at their end.
  [[nodiscard]] Surface rings(const Harmonic& h) const;
  [[nodiscard]] bool on_level(const Vec3& x) const;    ///< a point of the plane of the rim, up to round-off
  [[nodiscard]] bool beyond_rim(const Vec3& x) const;  ///< a point of that plane outside the rim

 private:
  /// Middle, level and reach of the surface's rim; why it cannot be that of flat ground, or null.
  [[nodiscard]] const char* take_rim(const Surface& s, const SurfaceOptions& options);
  /// The area that each traction node stands for, and the volume above each node.
  void weigh(const Surface& s);
  /// Where tractions lie: cells of the box around each condition. Why they cannot be seen from afar, or null.
  [[nodiscard]] const char* make_places(const Surface& s, const Harmonic& highest);
  [[nodiscard]] Matrix3 point_force(const Harmonic& h, const Vec3& x, const Vec3& from, double radius) const;
  [[nodiscard]] std::vector<double> radii(const Harmonic& h) const;  ///< over those of the rim, from 1
  struct Side {
    Vec3 a, middle, b;
  };
  std::vector<Side> rim_;
  Vec3 centre_{}, down_{};
  double level_ = 0, reach_ = 0;  ///< mean distance of the rim from its centre
  std::vector<Place> places_;
  std::vector<Index> place_of_;
  std::vector<double> weight_, volume_;
  std::vector<Index> node_place_;
  std::unique_ptr<SurfaceLoads> loads_;
};

/// The same at one frequency, for BoundarySystem::solve() and for points of the ground. Phases "far ground" (pairs of points and rings,
/// also by the devices of the team), "far ground near pairs", "far ground sums" (products with the forces) and "far ground responses"
/// (displacements of the surface under the places' forces). `panels`: as assemble_pairs() takes them.
class FarField {
 public:
  FarField(const FarGround& ground, const Surface& surface, const Accuracy& accuracy, const Harmonic& h, Team& team,
           bool deterministic, std::stop_token stop = {}, PanelStore* panels = nullptr);
  [[nodiscard]] const FarGround& ground() const { return *ground_; }
  [[nodiscard]] Index columns() const { return 3 * static_cast<Index>(ground_->places().size()); }
  /// (1 − w) G at the nodes of the mesh, 3m × columns, component-major: value (d m + n, 3 place + component).
  [[nodiscard]] const std::vector<Complex>& faded() const { return faded_; }
  /// −∫ t* G over the rings at the nodes, likewise.
  [[nodiscard]] const std::vector<Complex>& beyond() const { return beyond_; }
  /// The same at other points off the rings.
  [[nodiscard]] std::vector<Complex> beyond_rows(Team& team, std::span<const Vec3> points, bool deterministic,
                                                 std::stop_token stop, PanelStore* panels = nullptr) const;
  [[nodiscard]] double inertia() const { return h_.rho * h_.omega * h_.omega; }
  /// F_k of boundary values.
  [[nodiscard]] std::vector<Complex3> forces(const std::vector<Complex3>& traction,
                                             const std::vector<Complex3>& displacement) const;
  /// Σ G F_k at a point of the surface.
  [[nodiscard]] Complex3 displacement(const std::vector<Complex3>& forces, const Vec3& x) const;
  /// −Σ_k ∫ t* G F_k over the rings at points off them: out[case][point].
  [[nodiscard]] std::vector<std::vector<Complex3>> beyond_at(Team& team, std::span<const Vec3> points,
                                                             const std::vector<std::vector<Complex3>>& forces,
                                                             bool deterministic, std::stop_token stop = {},
                                                             PanelStore* panels = nullptr) const;
  [[nodiscard]] const Surface& rings() const { return rings_; }
  /// Displacements of the rings' nodes under forces.
  [[nodiscard]] std::vector<Complex3> on_rings(const std::vector<Complex3>& forces) const;

 private:
  const FarGround* ground_;
  Harmonic h_;
  Accuracy accuracy_;
  Surface rings_;
  std::unique_ptr<FarRules<double>> rules_;
  std::vector<Matrix3> at_rings_;  ///< ring node, place
  std::vector<Complex> faded_, beyond_;
};

}  // namespace conoid::elastic_bem
