// SPDX-License-Identifier: BSD-3-Clause
// The corner force by matrices on a device, as Dong et al. have it (§3.1.1), for comparison with the factorised kernels of runs: their
// kernels 1 from the stress on, 2 in the variants 2.1 to 2.4 and by a library's batched product, 3, 5 and 6.
#pragma once

#include "engine/linalg/device_solve.hpp"
#include "engine/solvers/hydro_fem/cuda/corner_arguments.hpp"
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"

#include <memory>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// Calls queue work on the stream of `zones`, whose stress must be there (DeviceZones::update), and come back. From one thread; failures of
/// the device are thrown.
class DeviceCorner {
 public:
  enum class Product { global, whole, blocked, padded, library };  ///< 2.1, 2.2, 2.3, 2.4, cublasDgemmStridedBatched
  /// Takes device memory for A_z (padded) and F_z of all zones.
  DeviceCorner(Operator& op, DeviceZones& zones);

  /// Why a product cannot be had here; empty: it can.
  [[nodiscard]] std::string lacks(Product product) const;
  void matrices(bool padded);      ///< A_z; padded for Product::padded alone
  void multiply(Product product);  ///< F_z = A_z B^T of the A_z that lie there
  void times_one();
  void transposed_times(Backend::Ref velocity);
  void energy_inverse();

  /// Floating-point operations of a product over all zones, and bytes that it has to move: A_z and F_z once.
  [[nodiscard]] double operations() const;
  [[nodiscard]] double bytes() const;
  [[nodiscard]] const CornerArguments& sizes() const { return arguments_.plain; }

  // Of all zones, as the arguments have them; these wait.
  [[nodiscard]] std::vector<double> matrix() const { return fetched(A_); }
  [[nodiscard]] std::vector<double> corner_forces() const { return fetched(F_); }
  [[nodiscard]] std::vector<double> forces() const { return fetched(force_); }
  [[nodiscard]] std::vector<double> energy_rates() const { return fetched(de_); }

 private:
  [[nodiscard]] std::vector<double> fetched(const DeviceBuffer<double>& from) const;
  [[nodiscard]] DeviceBuffer<double> put(const std::vector<double>& values, const char* label) const;
  [[nodiscard]] LaunchShape shape(int items, Bytes shared = 0) const;
  [[nodiscard]] Bytes whole_bytes() const;
  [[nodiscard]] bool constant() const { return sizes().points * sizes().padded <= constant_basis; }

  DeviceZones& zones_;
  int columns_ = 8;  ///< that a thread keeps
  ConstantCornerArguments arguments_{};
  DeviceBuffer<double> grad_, value_, basis_, A_, F_, force_, power_, de_;
  std::shared_ptr<dense::DeviceLibrary> library_;
  std::string library_missing_;
};

}  // namespace conoid::hydro_fem
