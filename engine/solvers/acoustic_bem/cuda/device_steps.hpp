// SPDX-License-Identifier: BSD-3-Clause
// Radiation stage and solution of a group of steps on one device: a launch a group, without the host in between.
//
// M_0 is symmetric positive definite here (no soft or absorbing groups beside a pressure); it is solved by conjugate gradients to 1e-13 in
// double precision, as InstantSolver does. Sums are taken in one order: the same device gives the same bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/team/balancer.hpp"
#include "engine/team/device.hpp"

namespace conoid::acoustic_bem {

/// M_k of one k, rows compressed.
template <class Real>
struct NearMatrix {
  std::vector<Index> begin;  ///< rows + 1
  std::vector<std::int32_t> column;
  std::vector<Real> value;
};

template <class Real>
class DeviceSteps {
 public:
  /// Bytes of the device that it takes for matrices and vectors.
  [[nodiscard]] static Bytes needed(const SparseMatrix& M0, std::span<const NearMatrix<Real>> near, Index runs);
  /// `near`: M_1 … M_{n_g−1}. Throws Failure(resources) if the device has no room. On several ranks (`cluster`, null: one) all make
  /// theirs at a time, and sums are cut alike on unlike devices, so that all find the same bits.
  DeviceSteps(const Device& device, const SparseMatrix& M0, std::span<const NearMatrix<Real>> near, Index runs,
              Communicator* cluster = nullptr);
  ~DeviceSteps();
  DeviceSteps(const DeviceSteps&) = delete;
  DeviceSteps& operator=(const DeviceSteps&) = delete;

  /// Memory of the host that copies reach without a detour: [run][g][row], right-hand sides without what came before the group.
  [[nodiscard]] std::span<double> right();
  /// Has the device solve all steps of the group, and comes back at once; right() stays as it is, and result() is of no use, until finish().
  void start();
  /// Waits for it. False where some step did not converge: the result is of no use.
  [[nodiscard]] bool finish();
  [[nodiscard]] std::span<const double> result() const;  ///< a[run][g][row]
  [[nodiscard]] Index iterations() const;                ///< of the slowest step so far
  [[nodiscard]] double kernel_seconds() const;           ///< of the device's clock, in the last group
  /// What the last group took at most: every step as many iterations as the slowest.
  [[nodiscard]] Work work() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class DeviceSteps<float>;
extern template class DeviceSteps<double>;

}  // namespace conoid::acoustic_bem
