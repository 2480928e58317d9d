// SPDX-License-Identifier: BSD-3-Clause
// Constant and layered media.
#include "engine/models/velocity.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conoid {
namespace {

class Constant final : public Velocity {
 public:
  explicit Constant(double speed) : speed_(speed) {}
  void row(double, double, double, double, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), speed_);
  }
  void values(double, double, std::span<const double>, const std::array<bool, 3>&,
              std::span<double> out) const override {
    std::fill(out.begin(), out.end(), speed_);
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override { return {speed_, speed_}; }
  [[nodiscard]] bool constant() const override { return true; }

 private:
  double speed_;
};

class Layered final : public Velocity {
 public:
  Layered(int axis, int sign, double surface, std::vector<Layer> layers)
      : axis_(axis), sign_(sign), surface_(surface), layers_(std::move(layers)) {}

  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    if (axis_ != 2) {
      std::fill(out.begin(), out.end(), at(sign_ * ((axis_ == 0 ? x : y) - surface_)));
      return;
    }
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = at(sign_ * (z0 + static_cast<double>(k) * dz - surface_));
  }

  [[nodiscard]] Along along(std::size_t axis) const override {
    if (static_cast<int>(axis) != axis_) return {};
    Along out;
    for (const Layer& l : layers_) out.curved |= l.gradient != 0;
    out.varies = out.curved || layers_.size() > 1;
    return out;
  }
  void jumps(std::size_t axis, double lower, double upper, std::vector<double>& out) const override {
    if (static_cast<int>(axis) != axis_) return;
    for (std::size_t i = 1; i < layers_.size(); ++i)
      if (const double at = surface_ + sign_ * layers_[i].top; at > lower && at < upper) out.push_back(at);
  }
  void values(double x, double y, std::span<const double> z, const std::array<bool, 3>&,
              std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = at(sign_ * ((axis_ == 0 ? x : axis_ == 1 ? y : z[k]) - surface_));
  }

  [[nodiscard]] SpeedRange range(const Vec3& lower, const Vec3& upper) const override {
    const auto a = static_cast<std::size_t>(axis_);
    double first = sign_ * (lower[a] - surface_), last = sign_ * (upper[a] - surface_);
    if (first > last) std::swap(first, last);
    SpeedRange r{std::numeric_limits<double>::infinity(), 0};
    const auto take = [&r](double c) {
      r.lowest = std::min(r.lowest, c);
      r.highest = std::max(r.highest, c);
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {  // c is linear inside a layer: its ends bound it
      const double top = i == 0 ? first : std::max(first, layers_[i].top);
      const double bottom = i + 1 < layers_.size() ? std::min(last, layers_[i + 1].top) : last;
      if (top > bottom) continue;
      take(speed(layers_[i], top));
      take(speed(layers_[i], bottom));
    }
    return r;
  }

 private:
  static double speed(const Layer& layer, double depth) {
    return layer.speed + layer.gradient * std::max(0.0, depth - layer.top);
  }
  [[nodiscard]] double at(double depth) const {
    const Layer* layer = layers_.data();
    for (const Layer& l : layers_)
      if (depth >= l.top) layer = &l;
    return speed(*layer, depth);
  }

  int axis_, sign_;
  double surface_;
  std::vector<Layer> layers_;
};

}  // namespace

std::shared_ptr<const Velocity> constant_velocity(double speed) {
  return std::make_shared<Constant>(speed);
}

std::shared_ptr<const Velocity> layered_velocity(int axis, int sign, double surface, std::vector<Layer> layers) {
  verify(!layers.empty(), "a layered medium has a layer");
  return std::make_shared<Layered>(axis, sign, surface, std::move(layers));
}

namespace {

class ScaledVelocity final : public Velocity {
 public:
  ScaledVelocity(std::shared_ptr<const Velocity> of, double factor) : of_(std::move(of)), factor_(factor) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    of_->row(x, y, z0, dz, out);
    for (double& c : out) c *= factor_;
  }
  [[nodiscard]] SpeedRange range(const Vec3& lower, const Vec3& upper) const override {
    const SpeedRange range = of_->range(lower, upper);
    return {factor_ * range.lowest, factor_ * range.highest};
  }
  [[nodiscard]] bool constant() const override { return of_->constant(); }
  [[nodiscard]] bool bounds(Vec3& lower, Vec3& upper) const override { return of_->bounds(lower, upper); }
  [[nodiscard]] Bytes bytes() const override { return of_->bytes(); }
  [[nodiscard]] Along along(std::size_t axis) const override { return of_->along(axis); }
  void jumps(std::size_t axis, double lower, double upper, std::vector<double>& out) const override {
    of_->jumps(axis, lower, upper, out);
  }
  void values(double x, double y, std::span<const double> z, const std::array<bool, 3>& stepped,
              std::span<double> out) const override {
    of_->values(x, y, z, stepped, out);
    for (double& c : out) c *= factor_;
  }

 private:
  std::shared_ptr<const Velocity> of_;
  double factor_;
};

}  // namespace

std::shared_ptr<const Velocity> scaled_velocity(std::shared_ptr<const Velocity> of, double factor) {
  return std::make_shared<ScaledVelocity>(std::move(of), factor);
}

}  // namespace conoid
