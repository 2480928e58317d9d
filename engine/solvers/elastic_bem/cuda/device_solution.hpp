// SPDX-License-Identifier: BSD-3-Clause
// One system of equations on one device: its matrix, where that fits, and its factors.
//
// *Whole*: far pairs are assembled into the matrix of the device; near and singular pairs, which processors work out meanwhile, are added as
// single values. The matrix never visits the host. *Factors*: the matrix is the host's, what is factorised is copied to the device. *Through*:
// the device holds some columns of the factors at a time, which are the host's as the matrix is; processors solve by them. In all
// the right-hand sides are one block, and residuals are formed on the host where the matrix is there, else on the device in the matrix's own
// precision.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "engine/linalg/device_blocks.hpp"
#include "engine/linalg/device_solve.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"
#include "engine/team/device_worker.hpp"

namespace conoid::elastic_bem {

/// What a device keeps of a solution for the next frequency. Used by one thread at a time.
struct DeviceRoom {
  int worker = -1;  ///< of the team
  std::shared_ptr<dense::DeviceLibrary> library;
  Stream stream;
  DeviceBuffer<std::byte> matrix, known, factors;
  PanelMemory panels;
  Bytes others = 0;  ///< of panels that phases hold there
  bool told_absent = false, told_place = false;
  bool too_coarse = false;  ///< corrections by factors of ten bits did not end where they should: not tried again
  [[nodiscard]] Bytes held() const { return matrix.size() + known.size() + factors.size() + 2 * panels.size; }
};

/// From here on factors of ten bits pay.
[[nodiscard]] Index least_ten_bits(const DeviceInfo& device);

/// Bytes of a device for n unknowns with so many known columns: values of `entry` bytes, those of factors of `factor_entry`; elements of at
/// most `nodes` nodes. Of `through`: the least.
[[nodiscard]] Bytes device_bytes(const DeviceInfo& device, SolutionPlace place, Index n, Index known, Bytes entry,
                                 Bytes factor_entry, Index nodes);

template <class Real>
class DeviceSolution {
 public:
  using C = std::complex<Real>;
  /// Takes memory on the device of the team that has most of it; null, with a line in the log, where processors solve: no device,
  /// libraries that are absent, too little memory. `may_be_whole`: the matrix could be made on the device.
  [[nodiscard]] static std::unique_ptr<DeviceSolution> make(Team& team, DeviceRoom& room, PanelStore& panels, Index n,
                                                            Index known, Bytes factor_entry, Index nodes,
                                                            bool may_be_whole);
  [[nodiscard]] SolutionPlace place() const { return place_; }
  [[nodiscard]] int worker() const { return worker_.index(); }  ///< of the team
  [[nodiscard]] bool whole() const { return place_ == SolutionPlace::whole; }
  /// Columns of the unknown and of the known values; addresses of the device, if whole().
  [[nodiscard]] C* matrix() const { return reinterpret_cast<C*>(room_.matrix.data()); }
  [[nodiscard]] C* known() const { return reinterpret_cast<C*>(room_.known.data()); }

  /// Far pairs by the device into the columns of `targets`, near and singular ones by the processors of the team. Seconds of the singular
  /// ones, which are part of the whole, in `singular`.
  [[nodiscard]] AssemblyWork assemble(const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy,
                                      const Harmonic& harmonic, std::span<const std::array<double, 9>> diagonal,
                                      const Targets<Real>& targets, std::stop_token stop, double& singular);
  /// y = A x for `columns` vectors of the host, A the whole matrix (n × n) or that of the known values (n × cols).
  void multiply(const C* a, Index cols, const C* x, Index columns, C* y);
  /// What FinishedColumn says, of columns of the device; `more`: columns of n values.
  void finish(std::span<const FinishedColumn<Real>> columns, std::span<const C> more);
  /// The matrix to the host.
  void bring_home(std::span<C> to);

  /// Factors of type F: of the whole matrix, or of `from`. Errors: singular; resources where the device has no memory for them.
  template <class F>
  [[nodiscard]] Status factorise(const C* from, dense::Rounding rounding);
  /// Of `through`: overwrites a matrix of the host by its factors. Errors as above, and stopped.
  template <class F>
  [[nodiscard]] Result<dense::Lu<F>> factorise_through(F* matrix, dense::Rounding rounding, const Stopped& stopped);
  /// Whether a factorisation may try products of ten bits.
  [[nodiscard]] bool may_round() const {
    return !room_.too_coarse && room_.library->has_ten_bits() && n_ >= least_ten_bits(worker_.device().info());
  }
  void is_too_coarse() { room_.too_coarse = true; }
  /// Overwrites right-hand sides of the host.
  template <class F>
  void solve(F* rhs, Index columns);
  [[nodiscard]] double reciprocal_condition();
  /// What the library's LU took of the last factorise(), by the device's clock.
  [[nodiscard]] double library_seconds() const {
    return double_ ? double_->library_seconds() : single_ ? single_->library_seconds() : 0;
  }

 private:
  DeviceSolution(Team& team, DeviceWorker& worker, DeviceRoom& room, PanelStore& panels, Index n, SolutionPlace place)
      : team_(team), worker_(worker), room_(room), panels_(panels), n_(n), place_(place) {}
  template <class F>
  [[nodiscard]] std::optional<dense::DeviceLu<F>>& lu();
  [[nodiscard]] Bytes budget() const;
  void add(const Patches<Real>& patches);
  Team& team_;
  DeviceWorker& worker_;
  DeviceRoom& room_;
  PanelStore& panels_;
  Index n_;
  SolutionPlace place_;
  std::optional<dense::DeviceLu<std::complex<float>>> single_;
  std::optional<dense::DeviceLu<std::complex<double>>> double_;
};

extern template class DeviceSolution<float>;
extern template class DeviceSolution<double>;

}  // namespace conoid::elastic_bem
