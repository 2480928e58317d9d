// SPDX-License-Identifier: BSD-3-Clause
// The solver's face to the session: checks, estimate, groups of steps, tables, frames, checkpoints.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/stepping/engine.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::acoustic_bem {

[[nodiscard]] const SolverInfo& solver_info();

class AcousticBem final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Status prepare(RunContext& context) override;
  [[nodiscard]] Result<Advanced> advance(RunContext& context) override;
  [[nodiscard]] std::vector<CatalogEntry> catalog() const override;
  void fill(FrameBuilder& builder) const override;
  void save(CheckpointWriter& writer) const override;
  void load(CheckpointReader& reader) override;
  [[nodiscard]] Status finish(RunContext& context) override;

 private:
  struct Plane {
    PlaneSetting setting;
    std::size_t first = 0, count = 0;  ///< among the points of all planes
  };

  /// The case as it is kept, for this offer.
  [[nodiscard]] Reading<Problem>& read(const Case& input, const Mesh& mesh, const Offer& offer) const;
  /// Moves receivers and points of planes off the faces on which they lie, and notes those inside bodies.
  void place_points(RunContext& context);
  [[nodiscard]] Status make_drive(RunContext& context);
  /// Spectra at zero, of surface, receivers and planes.
  void start_spectra();
  [[nodiscard]] Status look_at_growth();
  /// Groups of steps an advance(), by what is asked of frames (`output` of the case).
  void choose_bundle();
  /// What a device that had the assembly to itself has made, for estimates to come.
  void keep_device_pace(const RunContext& context) const;
  /// Sizes of the matrices, in the log and in results.
  void tell_matrices(RunContext& context) const;
  void illuminate(Team& team, Index n, Index run, std::span<double> l);
  void append_receivers(RunContext& context);
  void append_power(RunContext& context, Index n, std::span<const double> a);
  /// What a frame shows on the planes, of the last step.
  void look_at_planes(Team& team);
  /// Insertion losses on the planes from the surface's spectra, once the run is at its end. Collective.
  void find_plane_losses(RunContext& context);
  /// Σ_n u_inc e^{iωt_n} of a run at a point, over all steps.
  [[nodiscard]] std::complex<double> incident_at(std::size_t run, const Vec3& x, double frequency) const;
  void head_tables();
  void write_target_strength(RunContext& context) const;
  void write_pattern(RunContext& context) const;
  void write_radiated(RunContext& context) const;
  /// `late`: of the peak, what the surface has as the run ends.
  void warn_of_cut(double late) const;
  /// `until`: what is added to the definition.
  [[nodiscard]] static TableInfo radiation_table(const char* id, const char* title, const char* until);
  /// A row of it, from the surface's spectrum; motions over so many steps.
  [[nodiscard]] std::vector<double> radiation_at(double f, std::span<const std::complex<double>> a, Index steps) const;
  /// Σ_n lⁿ e^{iωnΔt} of each run at some frequencies.
  [[nodiscard]] std::vector<RunningSpectrum> lit_spectra(RunContext& context, const std::vector<double>& frequencies);
  /// The surface at those frequencies of its spectra that are not solved yet, until a stop is asked for. Collective.
  [[nodiscard]] Status solve_surface_spectra(RunContext& context);
  [[nodiscard]] bool surface_is_solved() const;
  /// Of the march: whole groups.
  [[nodiscard]] Index marched_steps() const;
  /// With one more where the spectra of the surface are solved.
  [[nodiscard]] Index steps_done() const;
  [[nodiscard]] Advanced standing() const;
  /// Collective: rank 0 writes.
  [[nodiscard]] Status write_spectra(RunContext& context);
  /// Responses of the ears to sources in all directions: levels, files. Collective: rank 0 writes.
  [[nodiscard]] Status write_head_related(RunContext& context);
  [[nodiscard]] Status write_head_files(RunContext& context, std::span<const std::complex<double>> responses) const;
  [[nodiscard]] std::vector<std::complex<double>> spectra_of_waves(std::size_t run, double frequency) const;
  /// Of a run, of all that the surface sends, with motions where they act.
  [[nodiscard]] std::complex<double> far_amplitude(std::size_t run, std::size_t spectrum, double frequency,
                                                   const Vec3& toward) const;
  /// Of a thread for one amplitude, about.
  [[nodiscard]] double far_field_seconds() const;
  /// Target strength over incidence. Collective: rank 0 writes.
  [[nodiscard]] Status write_monostatic(RunContext& context);
  void tell_monostatic(RunContext& context, const std::vector<std::vector<double>>& levels) const;
  void write_directivity(RunContext& context) const;
  /// Far fields that a run has at a frequency of the maps.
  struct FarColumn {
    std::size_t run, spectrum;
    double frequency;
    std::complex<double> pulse;  ///< pulse_spectrum()
  };
  /// One a run and map, whose columns are added to `t`.
  [[nodiscard]] std::vector<FarColumn> far_columns(TableInfo& t) const;
  void write_receiver_spectra(RunContext& context) const;
  [[nodiscard]] std::complex<double> pulse_spectrum(std::size_t run, double frequency) const;
  /// The same of each wave of a run.
  [[nodiscard]] std::vector<std::complex<double>> wave_spectra(std::size_t run, double frequency) const;
  [[nodiscard]] std::string suffix(std::size_t run) const;
  /// What definitions of the far field add where there is a ground.
  [[nodiscard]] const char* below_ground() const;

  mutable KeptReading<Problem> reading_;  ///< from check() to prepare()
  Settings settings_;
  Communicator* cluster_ = nullptr;
  std::shared_ptr<const Mesh> mesh_;
  Surface surface_;
  std::unique_ptr<Engine> engine_;
  std::vector<RightHandSide> rhs_;
  std::vector<std::vector<double>> lit_;  ///< of a group, [run][step][unknown]
  Drive drive_;
  Drive::Points driven_receivers_, driven_planes_;
  double energy_ = 0;  ///< given to the fluid by moving faces so far, J
  std::vector<Plane> planes_;
  std::vector<Vec3> plane_points_;
  std::vector<char> plane_inside_;  ///< of each of these points: inside a body or behind the ground
  Index bundle_ = 1;                ///< groups an advance()
  double loudest_ = 0;              ///< incident pressure at the surface, Pa
  double peak_ = 0, last_ = 0;      ///< largest |a| so far, and of the last group
  double ringing_ = 0;              ///< largest |a| of the last group, of a room without the mean over its walls
  double driven_ = 0;               ///< the largest of these while anything that was sent still arrives

  // Spectra: of the surface at frequencies and maps, of receivers (scattered and incident) at the maps.
  std::vector<RunningSpectrum> surface_spectra_;  ///< a run; frequencies, then maps
  std::vector<std::vector<std::complex<double>>>
      solved_surface_;  ///< of run 0, over the pulse; once the run is at its end
  std::vector<RunningSpectrum> receiver_scattered_, receiver_incident_;
  std::vector<std::vector<double>> group_;  ///< the surface's values of the steps of a group, [run][step, unknown]
  std::vector<std::vector<float>>
      plane_loss_;                 ///< insertion loss of run 0 at each map, dB; none before the run is at its end
  std::vector<double> plane_now_;  ///< total pressure of run 0 on the planes, last step

  TableInfo receivers_table_;
  std::vector<std::vector<double>> exact_u_;  ///< [receiver][step] scattered, exact sphere
  std::vector<double> error_sums_;            ///< |difference|², |exact|² a receiver
  MeshGeometry geometry_;
};

/// Radius of the ball of equal volume: what flat faces of a ball stand for.
[[nodiscard]] double ball_radius(const Surface& surface);

}  // namespace conoid::acoustic_bem
