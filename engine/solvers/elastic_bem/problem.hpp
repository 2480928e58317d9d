// SPDX-License-Identifier: BSD-3-Clause
// A case as the solver needs it: medium, surface, conditions, foundations, load cases, frequencies, observers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/solvers/elastic_bem/discretization/regions.hpp"
#include "engine/solvers/elastic_bem/discretization/sites.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"
#include "engine/solvers/elastic_bem/solving/foundation.hpp"
#include "engine/solvers/elastic_bem/solving/time_histories.hpp"
#include "engine/solvers/plane_setting.hpp"
#include "engine/solvers/reading.hpp"
#include "engine/team/offer.hpp"

namespace conoid::elastic_bem {

enum class LoadKind { traction, pressure, force, moving, displacement, machine, wave, point };

struct Load {
  LoadKind kind = LoadKind::traction;
  std::string name;
  int condition = -1;  ///< of its group
  Vec3 value{};
  double pressure = 0;
  Vec3 at{};  ///< of a force in the medium
  Vec3 velocity{};
  double own_omega = 0;
  std::size_t foundation = 0;
  std::array<double, 6> wrench{};
  bool rotating = false;
  WaveSetting wave;
  std::size_t region = 0;  ///< of a field from the medium: where it comes from
};

struct LineSetting {
  std::string name;
  Vec3 from{}, to{};
  Index count = 2;
  [[nodiscard]] std::vector<Vec3> positions() const;
};

/// One surface with its equations; there is a second one where insertion loss compares with the ground without trenches.
struct Scene {
  std::shared_ptr<const Mesh> mesh;
  std::unique_ptr<Surface> surface;
  std::optional<BoundarySystem> system;
  std::vector<Region> regions;  ///< of which the surface is joined; empty: it bounds one medium
};

/// A further region as the case names it.
struct RegionNames {
  std::string name;
  Medium medium;
  std::string domain;
  std::vector<std::string> surfaces, interfaces;  ///< groups
};

/// A medium with its surface: one of a scene's regions, or all of it.
struct RegionView {
  const Surface* surface = nullptr;
  const Medium* medium = nullptr;
  const SurfaceOptions* options = nullptr;
  Index first_node = 0, first_traction = 0, first_element = 0;
};

/// Where an observer is, and in which region.
struct Whereabouts {
  Place place = Place::outside;
  std::size_t region = 0;
};

/// What the loads' amplitudes are over time.
enum class SignalKind { factor, displacement, velocity, acceleration };
struct Signal {
  SignalKind kind = SignalKind::factor;
  TimeTable table;
  FrequencySteps steps;
  double damping = 0.05;  ///< of the oscillators of response spectra
};

struct Problem {
  Medium medium;  ///< of the first region
  SurfaceOptions surface_options;
  std::vector<RegionNames> regions;  ///< beside the first one
  std::optional<SoilProfile>
      profile;  ///< layered ground without a mesh: only what carries a condition has elements, nothing under forces and waves alone
  double level_of_profile = 0;  ///< up · x of its surface
  std::vector<Condition> conditions;
  Scene scene;
  std::optional<Scene> bare;
  std::vector<Foundation> foundations;
  std::optional<AddedStiffness> structure;  ///< on them
  std::vector<Load> loads;
  std::vector<double> frequencies;  ///< Hz
  SolveOptions solve;
  bool automatic = false;     ///< compressed equations where they pay
  int groups = 1;             ///< of ranks, each of which computes frequencies of its own; plan_solution()
  std::vector<int> symmetry;  ///< axes across planes of symmetry
  bool single = false;
  bool sum_everywhere = false;
  std::vector<std::string> receiver_names;
  std::vector<Vec3> receivers;
  std::vector<LineSetting> lines;
  std::vector<PlaneSetting> planes;
  bool stresses = false, third_octaves = false;
  double level_reference = 5e-8;
  std::string exact = "none";
  std::optional<Signal> signal;

  /// Some medium has hysteretic damping.
  [[nodiscard]] bool damped() const;
  /// Ranks share the matrices of a frequency. Their sums have an order of their own, so that deterministic runs have none.
  [[nodiscard]] bool shared() const { return solve.method == Method::compressed && !solve.deterministic && !profile; }
  /// Of the S waves of the slowest medium.
  [[nodiscard]] double highest_wave_number() const;
  [[nodiscard]] std::vector<RegionView> regions_of(const Scene& scene) const;
  [[nodiscard]] const Medium& medium_of(std::size_t region) const {
    return region == 0 ? medium : regions[region - 1].medium;
  }
  /// As places_of(); a point on an interface is in the first of its regions.
  [[nodiscard]] std::vector<Whereabouts> whereabouts(const Scene& scene, std::span<const Vec3> points) const;
  [[nodiscard]] Index planned_columns(const Scene& scene) const;
  /// Receivers, points of lines and of planes, in this order.
  [[nodiscard]] std::vector<Vec3> observers() const;
  /// No two of elements, observers and forces are further apart along the surface; 0 for waves alone, which ask for no distance.
  [[nodiscard]] double farthest_apart() const;
  /// Of a point below the level of the elements on a profile; 0 on it, up to round-off.
  [[nodiscard]] double depth_on_profile(const Vec3& x) const;
  /// Numbers of points by this depth.
  [[nodiscard]] std::map<double, std::vector<std::size_t>> by_depth_on_profile(std::span<const Vec3> points) const;
};

/// Reads, meshes, checks; no problem where there are errors.
[[nodiscard]] Reading<Problem> read_problem(const Case& input, const Mesh* mesh);
/// What hangs on what a run may take: the order of sums, dense or compressed matrices, how many ranks share these, and whether there is memory
/// for them.
void plan_solution(Problem& problem, const Case& input, const Offer& offer, std::vector<Diagnostic>& out);

/// "4 ranks, one each at a time", "4 ranks in 2 groups, 2 share the matrices of one".
[[nodiscard]] std::string ranks_text(const Problem& problem, int ranks);

/// Whether compressed matrices are what there is memory for, or take less than half the time of dense ones by the estimate. Where devices
/// are lent, or planes of symmetry part the equations, only the memory counts.
[[nodiscard]] bool compression_pays(const Problem& problem, const Offer& offer);

/// Tractions of a force that runs over the elements of a condition: ∫ F e^{iω0 t} δ(x − v t) e^{-iωt} dt = F/v e^{-i(ω − ω0) x/v},
/// spread over their width.
[[nodiscard]] std::vector<Complex3> moving_traction(const Surface& surface, int condition, const Vec3& force,
                                                    const Vec3& velocity, double omega);
/// Given values of a load at one frequency; of a wave those of its scattered field.
[[nodiscard]] LoadValues load_values(const Problem& problem, const Scene& scene, const Load& load,
                                     const Harmonic& harmonic);
/// Whether a load is a field that comes from the medium: the surface scatters it.
[[nodiscard]] inline bool is_incident(const Load& load) {
  return load.kind == LoadKind::wave || load.kind == LoadKind::point;
}
/// Marks the tractions (of all of the scene's) at whose nodes such a load gives values: all but those of flat ground that its field leaves free of
/// traction, and those of interfaces, whose values are not given.
void mark_scattering(const Problem& problem, const Scene& scene, const Load& load, std::vector<char>& given);
/// The level (up · x) of the ground over a force in the medium where it is flat and has no layers, so that the force's field is that of a
/// half-space: its end (a rim, if any) is level, the force lies below it, and nothing of the ground rises above it by half the force's depth.
[[nodiscard]] std::optional<double> flat_ground_over(const Problem& problem, const Load& load);
/// A wave in the ground of a profile.
[[nodiscard]] WaveSetting wave_on_profile(const Problem& problem, const Load& load);
/// The field of such a load for this problem (waves: that of a half-space when the domain is ground; forces: where
/// flat_ground_over() has a level).
[[nodiscard]] Result<IncidentField> incident_field(const Problem& problem, const Load& load, const Harmonic& harmonic);

}  // namespace conoid::elastic_bem
