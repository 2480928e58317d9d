// SPDX-License-Identifier: BSD-3-Clause
// The medium: c(x, y, z) from a constant, from layers or from a file of samples.
#pragma once

#include "engine/core/types.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace conoid {

struct SpeedRange {
  double lowest = 0;
  double highest = 0;
};

/// Immutable and thread-safe once made.
class Velocity {
 public:
  virtual ~Velocity() = default;
  /// c in m/s at (x, y, z0 + k dz), k = 0 … out.size()−1.
  virtual void row(double x, double y, double z0, double dz, std::span<double> out) const = 0;
  /// Bounds of c inside the box (they may be wider than what the grid's nodes meet).
  [[nodiscard]] virtual SpeedRange range(const Vec3& lower, const Vec3& upper) const = 0;
  [[nodiscard]] virtual bool constant() const { return false; }
  /// The box where the model is given; outside it the nearest value holds. False: everywhere.
  [[nodiscard]] virtual bool bounds(Vec3& lower, Vec3& upper) const { return (void)lower, (void)upper, false; }
  /// Memory it holds.
  [[nodiscard]] virtual Bytes bytes() const { return 0; }

  // What means over the cells of a grid ask (cell_means.hpp).

  /// How it varies along an axis. Samples lie at origin + i spacing, i = 0 … count − 1.
  struct Along {
    bool varies = false;
    bool curved = false;  ///< it also varies between its jumps
    double spacing = 0;   ///< 0: known everywhere
    double origin = 0;
    Index count = 1;
    bool operator==(const Along&) const = default;
  };
  [[nodiscard]] virtual Along along(std::size_t axis) const { return (void)axis, Along{}; }
  /// Appends where it jumps between `lower` and `upper` along an axis; samples that hold for cells of their own jump half-way.
  virtual void jumps(std::size_t axis, double lower, double upper, std::vector<double>& out) const {
    (void)axis, (void)lower, (void)upper, (void)out;
  }
  /// As row(), at any z. Along axes that are `stepped` each sample holds for a cell of its own.
  virtual void values(double x, double y, std::span<const double> z, const std::array<bool, 3>& stepped,
                      std::span<double> out) const {
    static_cast<void>(stepped);
    for (std::size_t k = 0; k < out.size(); ++k) row(x, y, z[k], 0, out.subspan(k, 1));
  }
};

[[nodiscard]] std::shared_ptr<const Velocity> constant_velocity(double speed);

/// Another one times a factor.
[[nodiscard]] std::shared_ptr<const Velocity> scaled_velocity(std::shared_ptr<const Velocity> of, double factor);

/// Depth grows from `surface` along `axis` in the direction `sign`. Layer i reaches from its top to the next top; above
/// the first top the first layer holds. Inside a layer c = speed + gradient (depth − top).
struct Layer {
  double top = 0;
  double speed = 0;
  double gradient = 0;
};
[[nodiscard]] std::shared_ptr<const Velocity> layered_velocity(int axis, int sign, double surface,
                                                               std::vector<Layer> layers);

}  // namespace conoid
