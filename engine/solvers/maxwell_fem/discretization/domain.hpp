// SPDX-License-Identifier: BSD-3-Clause
// The domain between the body and S: which faces are S, S', conductors; which tetrahedra hold which material.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/maxwell_fem/discretization/impedance.hpp"
#include "engine/solvers/maxwell_fem/discretization/patch.hpp"
#include "engine/solvers/maxwell_fem/discretization/space.hpp"

#include <map>
#include <string>
#include <vector>

namespace conoid::maxwell_fem {

enum class BoundaryKind : std::uint8_t { pec, pmc, impedance, outer, currents };

/// What a named group of faces is.
struct Boundary {
  BoundaryKind kind = BoundaryKind::pec;
  Complex surface_impedance = 0;  ///< ohms; impedance only
  ImpedanceLaw law = {};          ///< over frequency; empty: the constant above
  [[nodiscard]] Complex impedance(double frequency) const { return law ? law(frequency) : surface_impedance; }
};

struct DomainOptions {
  int order = 2;
  std::map<std::string, Boundary> boundaries;  ///< by group of triangles
  std::map<std::string, int> regions;          ///< by group of tetrahedra: index of the material, > 0; else vacuum, 0
  /// Faces of the outside that belong to no group: PEC (true) or an error.
  bool ungrouped_is_pec = false;
  /// Where S' lies when no group says so: so many layers of tetrahedra off the body, fewer if it would touch S.
  int layers_off = 1;
};

struct ImpedancePatch {
  Patch patch;
  Complex surface_impedance;  ///< of the frequency that is computed
  ImpedanceLaw law;
};

struct Domain {
  Space space;
  Patch outer;                             ///< S, normals out of the domain
  Patch currents;                          ///< S', normals towards S, seen from the tetrahedra outside of it
  Patch conductor;                         ///< PEC faces, normals out of the domain (into the metal)
  Patch magnetic;                          ///< PMC faces, the same
  std::vector<ImpedancePatch> impedances;  ///< the same
  std::vector<Index> free_number;          ///< of each unknown: its row, −1 on PEC
  Index free_unknowns = 0;
  bool currents_on_conductor = false;  ///< S' is the PEC surface: no magnetic currents
  std::vector<bool> outside;           ///< of each tetrahedron: between S' and S
  double distance = 0;                 ///< least distance between points of S' and S, m
  double volume_edge = 0;              ///< longest edge of any tetrahedron, m
};

/// Sorts faces and tetrahedra. `mesh` must outlive the domain. Errors: a missing or empty group, S open, inside the mesh or
/// touching the body, S' not around the body, outside faces without a group, material at S; code stopped where
/// `stopped` says so.
[[nodiscard]] Result<Domain> make_domain(const Mesh& mesh, const DomainOptions& options, const Stopped& stopped = {});

}  // namespace conoid::maxwell_fem
