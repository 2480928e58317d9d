// SPDX-License-Identifier: BSD-3-Clause
// Matrices, march and receivers of one run, in single or double precision behind one face.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/io/checkpoint.hpp"
#include "engine/solvers/acoustic_bem/problem.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"

namespace conoid::acoustic_bem {

/// Numbers for the log and the summary.
struct EngineFacts {
  Index unknowns = 0, nonzeros = 0, longest = 0, columns = 0, factor_nonzeros = 0;
  double skew = 0, assembly_seconds = 0;  ///< of all threads
  double assembly_wall = 0;
  std::uint64_t evaluations = 0;
  double pairs = 0;  ///< that have a row-vector: all, or those of near clusters and of skeletons in far ones
  // Of compressed matrices; 0: they are whole.
  Index clusters = 0, skeleton = 0;  ///< and unknowns of all skeletons
  double far_error = 0;              ///< of far blocks, as some say that were computed whole
  Bytes bytes = 0;                   ///< of all ranks
  Bytes largest_rank_bytes = 0;      ///< the most that one rank holds
  int assembly_threads = 0;          ///< as many as the memory budget had room for
  [[nodiscard]] double average() const { return static_cast<double>(nonzeros) / pairs; }
};

class Engine {
 public:
  virtual ~Engine() = default;
  /// One group of n_g steps; `each(n)` after each solved step.
  virtual void advance(Team& team, const std::function<void(Index, Index, std::span<double>)>& l,
                       const std::function<void(Index)>& each) = 0;
  [[nodiscard]] virtual Index step() const = 0;
  [[nodiscard]] virtual std::span<const double> current(Index run) const = 0;
  /// Scattered pressure of the group just taken, `receiver_lag` steps behind: out[run][g][point].
  virtual void receivers(Team& team, std::vector<double>& out) = 0;
  virtual void planes(Team& team, std::vector<double>& out) = 0;
  /// At one frequency, rad/s: Σ û e^{iωnΔt} of each run's scattered pressure at the receivers over all times, from that of its
  /// right-hand sides; and, to `a` if given, that of its unknowns. Returns the most iterations of a run, 0: not converged.
  [[nodiscard]] virtual Index spectrum(Team& team, double omega, std::span<const std::vector<std::complex<double>>> l,
                                       std::vector<std::vector<std::complex<double>>>& a,
                                       std::vector<std::vector<std::complex<double>>>& received) = 0;
  /// Σ û e^{iωnΔt} of the scattered pressure at the points of the planes over all times, from the same sum of a run's unknowns: what they have sent, as if
  /// all of it had arrived.
  [[nodiscard]] virtual std::vector<std::complex<double>> planes_at(Team& team, double omega,
                                                                    std::span<const std::complex<double>> a) = 0;
  [[nodiscard]] virtual const EngineFacts& facts() const = 0;
  [[nodiscard]] virtual MarchTimes times() const = 0;
  /// Windows moved so far, if the matrices' values lie on the disk.
  [[nodiscard]] virtual std::optional<WindowStatistics> streaming() const = 0;
  virtual void save(CheckpointWriter& writer) const = 0;
  virtual void load(CheckpointReader& reader) = 0;
};

/// Assembles; with several ranks each holds its share of the slices and of the receivers' and planes' rows, all calls are collective,
/// and receivers(), planes() and the facts are those of all ranks, on all. `planes` are the points of all planes one after the other. Error: stopped, or out of the memory budget.
[[nodiscard]] Result<std::unique_ptr<Engine>> make_engine(const Settings& settings, const Surface& surface,
                                                          const std::vector<Vec3>& plane_points, Bytes budget,
                                                          Team& team, Communicator& cluster, Progress& progress,
                                                          const std::stop_token& stop);

}  // namespace conoid::acoustic_bem
