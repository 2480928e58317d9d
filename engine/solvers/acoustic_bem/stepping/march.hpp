// SPDX-License-Identifier: BSD-3-Clause
// Marching on in time: a^n = M_0⁻¹ (l^n − Σ_{k ≥ 1} M_k a^{n−k}).
//
// n_g steps are grouped (Bramas et al. 2015, §3.3): the summation stage takes all values known when the group begins into
// account for all its steps at once; the radiation stage adds, step by step, what the steps of the same group send to one
// another through M_1 … M_{n_g−1}, which are sparse.
//
// Of several ranks each sums over its own slices; one sum over the ranks, in their order, joins a group. All ranks then take the same
// steps from the same sums, with M_0 … M_{n_g−1} whole on each: nothing else is told.
//
// Of compressed matrices the slices are those of near clusters; what far ones send goes by way of skeletons, whose past values are
// weighted sums of those of the unknowns, or of the skeletons of halves, and whose sums are shared out by the same weights (skeletons.hpp). Far row-vectors begin behind the steps of a group.
//
// A team with a device has it take the steps of a group, where M_0 is symmetric (device_steps.hpp): the host waits for its sums, and then for
// all steps of the group at once. Meanwhile it finds the right-hand sides of the next group, which need no values.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/stepping/far_summation.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/solvers/acoustic_bem/stepping/summation.hpp"

namespace conoid::acoustic_bem {

struct MarchOptions {
  int steps = 8;                     ///< n_g
  Index runs = 1;                    ///< excitations on the same matrices
  Index reach = 0;                   ///< steps back that others (receivers) need beyond K_max
  bool conjugate_gradients = false;  ///< for M_0 instead of the sparse Cholesky factors
  KernelLevel level = KernelLevel::avx512;
  Communicator* cluster = nullptr;  ///< the ranks that share the slices, if there are several
  Team* team = nullptr;             ///< whose threads look for M_1 … M_{n_g−1} among the slices; null: the caller's
};

/// M_0 y = s. Sparse Cholesky (Eigen SimplicialLLT with AMD), or conjugate gradients with Jacobi scaling to 1e-13, of the same bits on any
/// number of threads; where M_0 is not symmetric (walls that differ), sparse LU factors or stabilised biconjugate gradients.
class InstantSolver {
 public:
  InstantSolver(const SparseMatrix& M0, bool conjugate_gradients);
  ~InstantSolver();
  InstantSolver(InstantSolver&&) noexcept;
  /// False when M_0 is not positive definite, or singular where it is not symmetric.
  [[nodiscard]] bool ok() const;
  [[nodiscard]] bool symmetric() const;  ///< M_0 is
  /// `threads`: of the gradients at most.
  void solve(std::span<const double> s, std::span<double> y, int threads = 1);
  [[nodiscard]] Index factor_nonzeros() const;
  [[nodiscard]] Index iterations() const;  ///< of the last solution, 0 for Cholesky

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Seconds spent in each stage so far.
struct MarchTimes {
  double summation = 0, radiation = 0, solution = 0, illumination = 0;
  double on_device = 0;  ///< radiation and solution there, copies and waiting for them included
  Bytes to_devices = 0;  ///< of slices that did not stay there
};

template <class Real>
class March {
 public:
  /// Throws Failure(invalid_input) if M_0 is not positive definite. With several ranks, collective as advance().
  March(Matrices<Real> matrices, MarchOptions options);

  /// l(n, run, out): the right-hand side of step n. Each is asked for once, by ascending n and then run, up to a group ahead of what advance() solves.
  using Illumination = std::function<void(Index, Index, std::span<double>)>;
  /// Takes n_g steps. `each(n)` is called as soon as step n is solved; current() is then a^n.
  void advance(Team& team, const Illumination& l, const std::function<void(Index)>& each = {});

  [[nodiscard]] Index step() const { return histories_.front().step(); }
  [[nodiscard]] int grouped() const { return options_.steps; }
  [[nodiscard]] Index unknowns() const { return matrices_.slices.rows(); }
  [[nodiscard]] std::span<const double> current(Index run) const { return current_[static_cast<std::size_t>(run)]; }
  [[nodiscard]] const Matrices<Real>& matrices() const { return matrices_; }
  [[nodiscard]] std::span<const History<Real>> histories() const { return histories_; }
  [[nodiscard]] std::vector<History<Real>>& histories() { return histories_; }
  /// What walls remember, a series a column of Matrices::memory_columns; without columns where no wall depends on frequency.
  [[nodiscard]] std::span<const History<Real>> memory_histories() const { return memory_histories_; }
  [[nodiscard]] std::vector<History<Real>>& memory_histories() { return memory_histories_; }
  /// The state of their poles [run][column, pole].
  [[nodiscard]] std::vector<std::vector<std::complex<double>>>& poles() { return poles_; }
  [[nodiscard]] const std::vector<std::vector<std::complex<double>>>& poles() const { return poles_; }
  [[nodiscard]] Index columns() const { return columns_; }  ///< K_max
  [[nodiscard]] const MarchTimes& times() const { return times_; }
  [[nodiscard]] const InstantSolver& instant() const { return instant_; }
  [[nodiscard]] InstantSolver& instant() { return instant_; }
  void restore_current();  ///< after the histories were loaded

 private:
  /// M_1 … M_{n_g−1} of slices, those of all ranks.
  [[nodiscard]] std::vector<NearMatrix<Real>> gathered_near(const Slices<Real>& slices);
  void join_near(std::vector<NearMatrix<Real>>& near);
  /// Brings what walls remember to step g of the group: `now` and `before` are the values of that step and of the one before.
  void remember(std::size_t g, std::size_t run, const double* now, const double* before);
  /// A device of the team that takes the steps, if there is one.
  void choose_device(Team& team);
  /// The steps of a group one after the other. `right`: all right-hand sides without what came before the group, where they are known.
  void solve_steps(Team& team, const Illumination& l, const std::function<void(Index)>& each,
                   std::span<const double> right);
  /// All at once. False: the device could not, and here are the right-hand sides.
  [[nodiscard]] bool solve_steps_on_device(Team& team, const Illumination& l, const std::function<void(Index)>& each,
                                           std::vector<double>& given_up);
  void illuminate(const Illumination& l, std::size_t g, std::size_t run);
  /// The right-hand sides of the group after this one.
  void look_ahead(const Illumination& l);
  void prepare_far(Index reach);
  /// Calls each(cluster) for those of a level that have a skeleton, by the team; so many series are to pass through their weights.
  void for_skeletons(Team& team, Index level, double series, const std::function<void(Index)>& each);
  /// Adds what far clusters sent to the sums of the group.
  void add_far(Team& team);
  template <int steps>
  void spread_far(Team& team);
  /// Past values of the skeletons from those of the unknowns, `steps` of them that end with the newest one set, `ahead` of the histories' step.
  void gather_far(Team& team, Index steps, Index ahead);
  void gather_remembered(Index level, Index cluster, Index steps, Index ahead);

  Matrices<Real> matrices_;
  MarchOptions options_;
  Communicator* cluster_ = nullptr;  ///< null: a single rank
  Index columns_ = 0;
  std::vector<NearMatrix<Real>> near_;  ///< M_1 … M_{n_g−1}
  InstantSolver instant_;
  std::vector<History<Real>> histories_;
  std::vector<std::vector<double>> current_;
  Summation<Real> summation_;
  std::vector<double> sums_, rhs_, past_steps_;
  // Of walls that depend on frequency.
  std::unique_ptr<Summation<Real>> memory_summation_;
  std::vector<NearMatrix<Real>> near_memory_;
  std::vector<History<Real>> memory_histories_;
  std::vector<std::size_t> first_pole_;  ///< of each column, and the end
  std::vector<std::vector<std::complex<double>>> poles_;
  std::vector<double> memory_sums_, past_memory_;
  // Of compressed matrices.
  std::unique_ptr<FarSummation<Real>> far_summation_;
  std::vector<History<Real>> far_histories_;
  std::vector<double> far_sums_;  ///< [run][point][g]
  bool far_restored_ = true;      ///< false: the past of the skeletons is to be made of that of the unknowns
  bool first_lit_ = false;        ///< rhs_ holds the first right-hand side of the group already
  bool lit_ahead_ = false;        ///< ahead_ holds all of them
  std::vector<double> ahead_;     ///< [run][g][row]
  std::unique_ptr<DeviceSteps<Real>> device_steps_;
  Team* chosen_of_ = nullptr;  ///< the team that device_steps_ was chosen from
  MarchTimes times_;
};

extern template class March<float>;
extern template class March<double>;

}  // namespace conoid::acoustic_bem
