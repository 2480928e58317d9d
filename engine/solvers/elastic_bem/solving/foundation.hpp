// SPDX-License-Identifier: BSD-3-Clause
// Rigid foundations: unit motions as load cases, 6 × 6 impedance, compliance, and their motion with mass.
//
// Motion d = (Δ, θ) about the reference point: u = Δ + θ × (x − x0). Impedance K: force and moment that move the soil, F = K d.
// With mass matrix M about the reference point and load P: (K − ω² M) d = P.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/field.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"

namespace conoid::elastic_bem {

enum class Contact { welded, smooth, tangential };  ///< all three, only normal, only tangential displacements given

/// A foundation whose sections move as those of a straight beam (beam.hpp): a pile. Section properties times moduli, masses a length.
struct Beam {
  Vec3 head{}, along{};  ///< the foundation's reference point; a unit vector to the tip
  double length = 0;
  int elements = 10;
  double axial = 0, bending = 0, twisting = 0;  ///< E A in N, E I and G J in N m²
  double shearing = 0;                          ///< G κ A in N; 0: sections stay normal to the axis
  double mass = 0, turning = 0, spin = 0;       ///< ρ A in kg/m, ρ I and ρ J in kg m
  double damping = 0;                           ///< hysteretic, of the stiffness
};

struct Foundation {
  std::string name;
  int condition = 0;
  Contact contact = Contact::welded;
  Vec3 reference{};
  double mass = 0;
  Vec3 centre_of_mass{};         ///< relative to the reference point
  Vec3 inertia{};                ///< about axes through the centre of mass, kg m²
  Vec3 products{};               ///< of inertia about them, ∫ x y dm, ∫ y z dm, ∫ z x dm
  std::array<double, 6> load{};  ///< force and moment about the reference point
  std::optional<Beam> beam;      ///< it bends below the reference point, its head; empty: it is rigid
  /// That move on their own, six motions each.
  [[nodiscard]] std::size_t nodes() const { return beam ? static_cast<std::size_t>(beam->elements) + 1 : 1; }
};
/// Of all nodes of all foundations.
[[nodiscard]] std::size_t node_motions(const std::vector<Foundation>& foundations);

/// Motions of a foundation, as tables name them.
inline constexpr std::array<const char*, 6> motion_names{"x", "y", "z", "rx", "ry", "rz"};

/// "x", or "slab x" where there are several foundations: motion k of 6F.
[[nodiscard]] std::string motion_name(const std::vector<Foundation>& foundations, std::size_t k);
/// Of force over motion, by how many of the two turn.
[[nodiscard]] constexpr const char* stiffness_unit(std::size_t i, std::size_t j) {
  return i % 6 < 3 && j % 6 < 3 ? "N/m" : i % 6 >= 3 && j % 6 >= 3 ? "N*m" : "N";
}

/// Dynamic stiffness of what stands on the foundations, or holds them: forces over motions of their reference points, 6F × 6F (row-major) at
/// ascending frequencies, straight lines between them. A single one holds at all frequencies.
struct AddedStiffness {
  std::vector<double> frequencies;  ///< Hz
  std::vector<std::vector<Complex>> values;
  [[nodiscard]] std::vector<Complex> at(double frequency) const;
};

using Matrix6 = std::array<std::array<Complex, 6>, 6>;

/// The six unit motions of each node as load cases, in the order of d.
[[nodiscard]] std::vector<LoadValues> unit_motions(const BoundarySystem& system, const Foundation& foundation);
/// 6F × 6F impedance of all foundations from their 6F solutions (row-major).
[[nodiscard]] std::vector<Complex> impedance(const Surface& surface, const std::vector<Foundation>& foundations,
                                             std::span<const BoundaryValues> motions);
/// Adds the incident field, so that scattered becomes total: at the nodes and tractions from `first_…` on, those of the surface.
void add_incident(const Surface& surface, const IncidentField& field, BoundaryValues& values,
                  std::size_t first_node = 0, std::size_t first_traction = 0);
/// Force and moment (6F) of held foundations on the ground: of the tractions of the whole field. Below the surface the incident field
/// has its own part in them; null: there is none.
[[nodiscard]] std::vector<Complex> held_forces(const Surface& surface, const std::vector<Foundation>& foundations,
                                               BoundaryValues scattered, const IncidentField* incident);
/// Inverse of a square matrix of order n (row-major); rows and columns that are zero (motions that a smooth contact does not
/// resist) stay zero.
[[nodiscard]] std::vector<Complex> inverse_where_stiff(std::vector<Complex> k, std::size_t n);
/// Motions of all foundations under a load case with reactions `fixed` (6F, of the held foundations) and loads `p` (6F); `added`: a stiffness besides
/// the ground's `k`, empty: none.
[[nodiscard]] std::vector<Complex> motions(const std::vector<Foundation>& foundations, const std::vector<Complex>& k,
                                           double omega, const std::vector<Complex>& fixed,
                                           const std::vector<Complex>& p, const std::vector<Complex>& added = {});

}  // namespace conoid::elastic_bem
