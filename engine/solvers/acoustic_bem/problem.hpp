// SPDX-License-Identifier: BSD-3-Clause
// A case in the solver's own terms, and what is wrong with it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/drive.hpp"
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"
#include "engine/solvers/acoustic_bem/stepping/head_related.hpp"
#include "engine/solvers/plane_setting.hpp"
#include "engine/solvers/reading.hpp"
#include "engine/team/offer.hpp"

namespace conoid::acoustic_bem {

/// Target strength seen from where plane waves come, around the body.
struct MonostaticSetting {
  int normal = 2;                     ///< axis of the plane in which directions lie
  Index count = 0;                    ///< in the full turn
  std::vector<double> frequencies{};  ///< Hz; empty: none is asked for
  /// Unit, towards the k-th place that waves come from.
  [[nodiscard]] Vec3 toward(Index k) const;
};

struct Settings {
  Form form;
  bool gamma_given = false;
  bool form_given = false;
  double courant = 0.4;  ///< 0: the time step was given
  double end_time = 0;   ///< 0: chosen
  Index steps = 0;       ///< 0: from the end time
  int grouped = 8;
  Ordering ordering = Ordering::hilbert;
  bool gradients = false;
  int rim_layers = usual_rim_layers;
  AssemblyOptions assembly;
  double compression = 0;   ///< relative error of what far clusters send one another; 0: matrices are whole
  CompressedCount counted;  ///< once completed, of compressed matrices
  [[nodiscard]] bool compressed() const { return compression > 0; }
  bool single_precision = false;
  int ranks = 1;                  ///< that share the slices, and the rows of receivers and planes
  std::filesystem::path scratch;  ///< folder for what outgrows it; empty: that of temporary files

  Conditions conditions;      ///< groups, ground, side of the fluid
  bool screen = false;        ///< sheets with fluid on both sides
  bool curved_faces = false;  ///< the mesh's corners lie on a curved surface: see curved_faces.hpp
  double density = 1.2;       ///< of the fluid, kg/m³
  Index memory_columns = 0;   ///< of walls that depend on frequency, once the surface is there
  /// Columns between what comes straight and from the ground, or through the faster fluid and the slower one, on average, once completed.
  double image_gap = 0;
  std::vector<Motion> motions;  ///< delays in t0, as below
  /// Onsets not set yet; delays in t0. Motions act with the last: with all waves, or alone where waves are separate or none.
  std::vector<Excitation> runs;
  std::vector<std::string> receiver_names;
  std::vector<Vec3> receivers;
  std::vector<PlaneSetting> planes;
  std::vector<double> frequencies;      ///< Hz: target strength
  std::vector<double> spectra;          ///< Hz: complex pressure at the receivers, solved for
  std::vector<double> surface_spectra;  ///< Hz: complex values on the surface, solved for
  std::vector<double> maps;             ///< Hz
  HeadSetting head;
  MonostaticSetting monostatic;
  double directivity_step = 0;  ///< degrees; 0: none
  [[nodiscard]] std::size_t solved_frequencies() const {
    return spectra.size() + surface_spectra.size() + head.frequencies.size() * head.ears.size() +
           monostatic.frequencies.size();
  }
  /// The lower speed of sound of all fluids, m/s: waves are shortest there, and Δt goes by it.
  [[nodiscard]] double slowest() const { return conditions.filling ? std::min(form.c, conditions.filling->c) : form.c; }
  /// cΔt of the slower fluid, m.
  [[nodiscard]] double shortest_delta() const { return slowest() * form.dt; }
  double lit = 0;  ///< s: when all waves have passed the surface and the receivers and all motions are over
  std::vector<Vec3> directions;  ///< unit, towards the observer
  int pattern_normal = -1;       ///< axis, −1: none
  Index pattern_count = 0;
  bool exact_sphere = false;
};

/// Reads the case. Errors (a pulse file, a zero direction) go to `out`.
[[nodiscard]] Settings read_settings(const Case& input, std::vector<Diagnostic>& out);

/// A point where the incident pressure has no bound: a millionth of an edge from a point source.
[[nodiscard]] bool lies_in_source(const Settings& settings, const Surface& surface, const Vec3& x);
/// The corners of a plane, some of them twice.
[[nodiscard]] std::vector<Vec3> corners_of(const PlaneSetting& plane);
/// Whether the exact answer of the case, if it asks for one, has signals and echoes: it knows one plane wave along +z.
[[nodiscard]] bool exact_wave(const Settings& settings);

/// The surface of a mesh under a case's conditions.
[[nodiscard]] Result<Surface> surface_for(const Settings& settings, const Mesh& mesh);

/// Completes what depends on the surface: time step, γ, onsets, number of steps.
void complete(Settings& settings, const Surface& surface);

/// Skeletons as the case asks for them, once completed.
[[nodiscard]] SkeletonOptions skeleton_options(const Settings& settings, const Surface& surface);

/// Adds the image below the ground to every wave, once all onsets are set.
void add_image_waves(Settings& settings);
/// The highest frequency of all pulses, Hz.
[[nodiscard]] double highest_frequency(const Settings& settings);

/// A case on its surface.
struct Problem {
  Settings settings;  ///< completed
  Surface surface;
  std::string geometry;  ///< what the surface hangs on beside the mesh
};
/// Reads the case, looks whether the mesh is closed and oriented, and makes the surface; no problem where there are errors. The surface is
/// taken from `before`, an earlier problem on the same mesh (may be null), where nothing that it hangs on is another.
[[nodiscard]] Reading<Problem> read_problem(const Case& input, const Mesh& mesh, Problem* before = nullptr);
/// Time step against h, pulse against h, memory, places. Cheap.
[[nodiscard]] std::vector<Diagnostic> check_problem(const Case& input, const Problem& problem, const Offer& offer);

/// Mean length of a row-vector on a mesh of even triangles (measured on spheres: 2.24/(cΔt/h) + 3, and over a ground the way from
/// what comes straight to what its image sends). `courant`: that of the slower fluid, here and below.
[[nodiscard]] double expected_length(const Settings& settings, double courant);
/// Memory of the matrices and planes, of one rank.
[[nodiscard]] Bytes expected_memory(const Settings& settings, Index unknowns, double courant);
/// Memory of past values, which reach `columns` steps back, and of the near part of the matrices.
[[nodiscard]] Bytes march_memory(const Settings& settings, Index unknowns, double courant, Index columns);

/// What lies where when the values of the matrices may outgrow the budget and are then streamed from the disk.
struct MemoryPlan {
  Bytes budget = 0;
  Bytes own = 0;        ///< the program, its libraries, the mesh: what it held before the matrices
  Bytes in_memory = 0;  ///< needed to keep everything in memory
  Bytes fixed =
      0;  ///< that stays in memory in any case: structure, planes, and extents and tiles or what the march needs
  Bytes tiles = 0;         ///< of all threads while they assemble
  Bytes values = 0;        ///< of the matrices
  Bytes summed_there = 0;  ///< of them that devices sum: far clusters of compressed matrices are left to processors
  Bytes windows = 0;       ///< memory that is left for windows when streaming
  Bytes least = 0;         ///< smallest budget with which streaming works
  int ranks = 1;           ///< all figures are those of one rank
  int threads = 1;         ///< that assemble: those wished for, or as many as the budget has room for
  [[nodiscard]] bool streams() const { return in_memory > budget; }
  [[nodiscard]] bool possible() const { return !streams() || budget >= least; }
  /// Read from the disk each time the matrices are gone through.
  [[nodiscard]] Bytes read_each_time() const { return streams() && values > windows ? values - windows : 0; }
};
/// Of a thread while it assembles: two blocks in double precision, and what its heap keeps (measured).
[[nodiscard]] inline Bytes tile_memory(Index unknowns) {
  return unknowns < 2048 ? 12'000'000 : 110'000'000;
}
/// `own` as in MemoryPlan; it counts in every sum. Of the `threads` wished for, fewer assemble where the scratch of all of them does
/// not fit the budget; a plan that is not possible is that of a single thread.
[[nodiscard]] MemoryPlan plan_memory(const Settings& settings, Index unknowns, double courant, Bytes budget,
                                     int threads, Bytes own);
/// For check and log, where a plan takes fewer threads than wished for.
[[nodiscard]] std::string text_of_fewer_threads(const MemoryPlan& plan, int threads, Index unknowns);
/// Of a plan that is not possible on several ranks.
[[nodiscard]] Error too_little_on_ranks(const MemoryPlan& plan);
inline constexpr std::string_view hint_of_fewer_threads =
    "Raise compute.memory.host for a faster assembly; the march has all threads.";
/// Seconds that the march waits for the disk if it gives `disk_rate` bytes a second.
inline constexpr double disk_rate = 1e9;
[[nodiscard]] double streaming_seconds(const Settings& settings, const MemoryPlan& plan);
/// Seconds on so many cores, from rates measured on one core of a server: 0.41 µs a shell evaluation at cΔt = 0.4 h, 4 GB/s of
/// matrix values; 0.06 µs a point of the receivers and planes and point of quadrature, and 10 GB/s of their row-vectors; 1.7 µs a
/// triangle and direction of the far field.
struct ExpectedTime {
  double assembly = 0;
  double points = 0;                                     ///< row-vectors of receivers and planes, before the march
  double march = 0;                                      ///< and of it:
  double summation = 0, illumination = 0, stepwise = 0;  ///< stepwise: radiation and solution, which do not divide
  double finish = 0;                                     ///< far field
  [[nodiscard]] double sum() const { return assembly + points + march + finish; }
};
[[nodiscard]] ExpectedTime expected_time(const Settings& settings, const Surface& surface, int cores);
/// What there is to do, whoever does it, on a rank.
struct ExpectedWork {
  double evaluations = 0;  ///< of shell moments, as long as those at cΔt = 0.4 h
  double bytes = 0;        ///< of matrix values and rows of points that are gone through, in all passes
  double passes = 0;       ///< of the matrices
  double steps = 0;        ///< times excitations
  /// Of these what far clusters of compressed matrices make, which processors do.
  double far_evaluations = 0, far_bytes = 0;
};
/// Of a processor's thread: seconds of an evaluation, bytes of sums a second.
constexpr double evaluation_seconds = 0.41e-6, summed_bytes = 4e9;
[[nodiscard]] ExpectedWork expected_work(const Settings& settings, const Surface& surface);
/// Tiles of the assembly on one rank, about.
[[nodiscard]] double tile_count(Index unknowns);

}  // namespace conoid::acoustic_bem
