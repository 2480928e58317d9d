// SPDX-License-Identifier: BSD-3-Clause
// The radiation operator on one device: what it needs of one frequency stays there, currents come and ψ goes with each application.
//
// fused: coefficients and sums in one go, up to eight right-hand sides at a time; the operator is never stored.
// products: panels of rows of the operator are made on the device, near blocks in them, and multiplied with all right-hand sides at
// once (cuBLAS; engine/linalg/device_solve.hpp); two panels take turns, so that one is made while the other one is multiplied.
// Currents go up in blocks of columns behind the products of the first panel, and ψ of a panel comes back while the next ones are multiplied
// (device_passage.hpp).
// Both give the same sums as the processors up to round-off. Where the device cannot hold all columns they go in groups.
#pragma once

#include "engine/solvers/maxwell_fem/cuda/device_passage.hpp"
#include "engine/solvers/maxwell_fem/discretization/patch.hpp"
#include "engine/solvers/maxwell_fem/kernels/radiation.hpp"
#include "engine/team/device.hpp"

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace conoid::maxwell_fem {

/// C+ and C− differences of one point of S and one face of S': [point of the face][along t1', t2'].
struct NearBlock {
  Index face = 0;
  std::array<std::array<Complex, 2>, face_points> plus, minus;
};

/// automatic: fused up to so many right-hand sides as it is faster for, products for more where there is a library for them.
enum class DeviceForm : std::uint8_t { automatic, fused, products };

/// What the operator is made of; must outlive DeviceRadiation.
struct RadiationParts {
  const PointArrays& to;
  const PointArrays& from;
  std::span<const double> scale;  ///< of each point of S: √(w/2)
  std::span<const Index> near_start;
  std::span<const NearBlock> near;
  double k = 0;
};

struct DeviceRadiationFacts {
  bool fits = true;       ///< false: nothing was done
  bool products = false;  ///< the form
  double kernel_seconds =
      0;  ///< of the device's clock, from when the first right-hand sides are there to the last kernel
  double product_seconds =
      0;  ///< of the products alone; they overlap with the making of panels, and the first ones with copies
  double seconds = 0;  ///< in all
  Bytes copied = 0;    ///< to the device and back
  Index groups = 0, panels = 0;
  Bytes least = 0, given = 0;  ///< what one column needs, and what there was
};

/// Flops of a pair of points as the kernels do them: coefficients, and of each right-hand side.
inline constexpr double device_pair_flops = 185, device_column_flops = 32;
/// Right-hand sides up to which the fused form is taken.
inline constexpr Index most_fused_columns = 16;

class DeviceRadiation {
 public:
  /// `host`, `threads` and `piece` as DevicePassage has them, by which currents and ψ pass.
  DeviceRadiation(Device device, const RadiationParts& parts, CpuWorker host = CpuWorker(1), int threads = 0,
                  std::size_t piece = DevicePassage::usual_piece);
  ~DeviceRadiation();
  DeviceRadiation(const DeviceRadiation&) = delete;
  DeviceRadiation& operator=(const DeviceRadiation&) = delete;

  /// Rows of the points of S in `points` for all columns of f: psi as Radiation::apply has it, other rows are left alone. `budget`: bytes
  /// of the device that may be taken beside those that this object holds, asked for where memory is taken anew. After a stop psi is not whole. Throws Failure (resources)
  /// when the device fails; memory that is refused is no failure: `fits` tells.
  [[nodiscard]] DeviceRadiationFacts apply(std::span<const Complex> f, Index count, std::span<Complex> psi,
                                           Interval points, DeviceForm form,
                                           const std::function<Bytes(Bytes held)>& budget,
                                           const std::stop_token& stop = {});
  /// Why there are no products on this device; empty if there are.
  [[nodiscard]] const std::string& no_products() const { return no_products_; }

 private:
  struct Memory;
  bool prepare(Index rows, Index count, bool products, const std::function<Bytes(Bytes held)>& budget,
               DeviceRadiationFacts& facts);
  /// Some columns: `f` of these alone, `psi` from the first of them on.
  void fused(Interval points, std::span<const Complex> f, Index count, std::span<Complex> psi,
             DeviceRadiationFacts& facts, const std::stop_token& stop);
  void products(Interval points, std::span<const Complex> f, Index count, std::span<Complex> psi,
                DeviceRadiationFacts& facts, const std::stop_token& stop);
  [[nodiscard]] Interval panel(Interval points, Index turn) const;
  void make_panel(Interval points, Index turn);
  void multiply_panel(Interval points, Index count, Index turn, Interval columns);
  void multiply_first(Interval points, std::span<const Complex> f, Index count, const std::stop_token& stop);
  void bring_panel(Interval points, Index count, Index turn, std::span<Complex> psi);
  void open_products();

  Device device_;
  RadiationParts parts_;
  std::string no_products_;
  std::unique_ptr<Memory> memory_;
};

/// Bytes of a device that an application takes where it has them; with less it goes on in groups of columns and smaller panels. `outer`,
/// `currents`: points of S and S'.
[[nodiscard]] double device_radiation_bytes(double outer, double currents, double near_blocks, double columns);

/// The part of the operator that a panel is, of a device with memory enough.
[[nodiscard]] double device_panel_share(double outer, double currents);

/// Columns that a device takes at once, of so many, with `memory` bytes; 0: not one. As DeviceRadiation chooses them.
[[nodiscard]] double device_columns(double outer, double currents, double near_blocks, double columns, bool products,
                                    double memory);

/// The paper's loops on a device, `currents` and `fields` as kernels/reference.hpp has them; of `elements` of S. `pairs`: the innermost
/// loop alone runs on the device (cuda_rhs), else a thread takes an element of S (cuda_S). Throws Failure (resources). Seconds of the
/// device's clock.
struct PaperArrays;
double paper_loops_on_device(const Device& device, bool pairs, const PaperArrays& currents, PaperArrays& fields,
                             Interval elements, double k);

}  // namespace conoid::maxwell_fem
