// SPDX-License-Identifier: BSD-3-Clause
// A case in the solver's own terms, and what is wrong with it: read once, with its mesh, for check, estimate and run.
#pragma once

#include "engine/case/case.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/discretization/media.hpp"
#include "engine/solvers/maxwell_fem/mesh/body.hpp"
#include "engine/solvers/maxwell_fem/mesh/foreseen.hpp"
#include "engine/solvers/maxwell_fem/mesh/grading.hpp"
#include "engine/solvers/maxwell_fem/mesh/shells.hpp"
#include "engine/solvers/maxwell_fem/plan_radiation.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/truncation.hpp"
#include "engine/solvers/plane_setting.hpp"
#include "engine/solvers/reading.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace conoid::maxwell_fem {

struct CountedFactors;

/// Angles that run in a plane.
struct Cut {
  std::string name;
  std::string file;  ///< the name as a part of a file's, different from those of the other cuts
  bool phi_runs = false;
  double fixed = 0;
  std::vector<double> angles;
  [[nodiscard]] Direction direction(std::size_t a) const {
    return phi_runs ? Direction{fixed, angles[a]} : Direction{angles[a], fixed};
  }
};

struct SphereSetting {
  double radius = 1, coat = 0;  ///< coat: thickness, 0: none
  int core_material = 0, coat_material = 0;
  int divisions = 4, coat_layers = 1, layers = 2;
  bool curved = true;
};

/// A sweep of which only some frequencies are computed.
struct FastSweep {
  double accuracy = 0.1;  ///< dB
  Index most = 30;        ///< frequencies computed
};

/// Frequencies [first, last] of Problem::frequencies that share one mesh.
struct Band {
  std::size_t first = 0, last = 0;
};

/// The mesh that is computed on, with its spaces.
struct Meshed {
  std::shared_ptr<const Mesh> mesh;  ///< null: the case's own
  std::shared_ptr<Domain> domain;    ///< on that mesh
};

/// What was made of a case's mesh when it was read (look_at_mesh()), and of its first band when it was estimated. It refers to the case's mesh
/// by value only, but for `domain`, which Space::lies_in() tells where that mesh is.
struct MeshFacts {
  bool known = false;
  bool bare = false;                              ///< the program puts S around it
  std::shared_ptr<const Mesh> skin;               ///< bare solids: their surface
  BodyMeasure body;                               ///< bare ones
  double radius = 0;                              ///< half the diagonal of the box around it, m
  double tets = 0, outer_faces = 0;               ///< of a mesh with S of its own
  EdgesFound edges;                               ///< of conductors in it, which get layers
  SurfaceCounts counts;                           ///< bare ones
  std::shared_ptr<Domain> domain;                 ///< of a mesh with S of its own, as it was given
  std::optional<Meshed> first;                    ///< the first band's
  std::shared_ptr<const CountedFactors> counted;  ///< of the first band's
  /// The text of the case that these follow from: all of them, the first band's mesh, its factors. An edit elsewhere leaves them as they are.
  std::string from, first_from, counted_from;
};

struct Problem {
  std::vector<double> frequencies;  ///< Hz, ascending
  std::optional<FastSweep> fast;
  Direction incidence;
  bool vertical = true, horizontal = true;
  std::optional<Cut> monostatic;
  std::vector<Dipole> dipoles;  ///< in place of plane waves, all at once
  std::vector<Cut> cuts;
  DomainOptions domain;  ///< boundaries and regions by group
  std::vector<std::string> material_names{"vacuum"};
  std::vector<MaterialLaw> laws;  ///< [0]: vacuum
  std::optional<SphereSetting> sphere;
  std::optional<MeshRequest> geometry;  ///< the case's mesh section, where gmsh makes the mesh of its file
  Boundary body;                        ///< of a surface mesh
  int body_material = 0;                ///< > 0: it is filled
  double distance = 0.15;               ///< wavelengths; never more than 0.8 of the body's size
  int layers = 0;                       ///< rows of elements up to S around a surface mesh; 0: by the wavelength
  FieldForm form = FieldForm::total;
  TruncationOptions truncation;
  bool compress = true;
  double compress_tolerance = 1e-4;
  DirectOptions direct;
  double sphere_step = 0;
  std::vector<PlaneSetting> planes;
  bool range_profile = false, exact = false;
  bool amplitudes = true, ffe = false;  ///< tables and files of all complex amplitudes
  bool isar = false;
  double isar_width = 0;  ///< m; 0: as wide as it is unambiguous
  int isar_points = 128;
  bool reciprocity = true;  ///< solve one wave more where there is a single one
  GradingOptions edges;     ///< layers at rims and sharp edges of conductors
  bool error_bar = false;   ///< what the next order would change
  bool volume = false;      ///< frames with the field in the elements, which hide the body
  Bytes memory = 0;         ///< budget, as it was offered
  MeshFacts mesh;

  [[nodiscard]] std::vector<Medium> media(double frequency) const;
  /// Waves of the case at one frequency: [direction][polarisation]; or its dipoles, as one.
  [[nodiscard]] std::vector<Incident> waves(double frequency) const;
  [[nodiscard]] bool radiates() const { return !dipoles.empty(); }
  [[nodiscard]] std::vector<Direction> incidences() const;
  [[nodiscard]] int polarisations() const { return static_cast<int>(vertical) + static_cast<int>(horizontal); }
  [[nodiscard]] bool is_horizontal(Index wave) const { return !vertical || (horizontal && wave % 2 == 1); }
};

/// The case alone, without its mesh.
[[nodiscard]] Problem read_case(const Case& input, std::vector<Diagnostic>& out);
/// Case and mesh (null: a built-in sphere), and what is wrong with them beyond the schema. Of `before`, a problem on the same mesh, what the
/// mesh came to is taken over where nothing that it follows from has changed.
[[nodiscard]] Reading<Problem> read_problem(const Case& input, const Mesh* mesh, const Problem* before = nullptr);
/// What does not go with this memory.
[[nodiscard]] std::vector<Diagnostic> check_memory(const Case& input, const Problem& problem, Bytes memory);

/// Steps of a far-field sphere from pole to pole, no longer than `step` rad: they divide 180 degrees, so that the sphere is whole. 0: none.
[[nodiscard]] int steps_to_the_pole(double step);

/// `truncation.loop`; what is no loop of its own is automatic.
[[nodiscard]] RadiationLoop loop_named(std::string_view name);

/// What the radiation of `columns` right-hand sides of one frequency amounts to, surfaces without points.
[[nodiscard]] RadiationWork radiation_work(const Problem& problem, double columns);

/// Unknowns of a mesh before it is made into a space: about 6.4 a tetrahedron for order 2, 1.2 for order 1.
[[nodiscard]] Index expected_unknowns(const Problem& problem);
/// Rows of elements of a layer around a conductor, whose factors are smaller than those of a solid; 0: a solid.
[[nodiscard]] int thin_rows(const Problem& problem);
/// Of the process at its fullest, without a compressed radiation operator. `columns`: right-hand sides that are solved; `points` of S;
/// `ranks`: that share the factors.
[[nodiscard]] Bytes expected_memory(const Problem& problem, Index unknowns, int rows, double columns, double points,
                                    double budget, int ranks = 1);

}  // namespace conoid::maxwell_fem
