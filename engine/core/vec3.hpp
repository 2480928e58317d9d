// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on Vec3, for geometry code.
#pragma once

#include "engine/core/types.hpp"

#include <cmath>

namespace conoid::vec {

inline Vec3 add(const Vec3& a, const Vec3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 sub(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 scale(double s, const Vec3& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline Vec3 axpy(double s, const Vec3& a, const Vec3& b) {
  return {s * a[0] + b[0], s * a[1] + b[1], s * a[2] + b[2]};
}
inline double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline double distance(const Vec3& a, const Vec3& b) {
  return norm(sub(a, b));
}
/// Zero stays zero.
inline Vec3 unit(const Vec3& a) {
  const double n = norm(a);
  return n > 0 ? scale(1 / n, a) : a;
}
/// Volume of the parallelepiped of a, b, c.
inline double triple(const Vec3& a, const Vec3& b, const Vec3& c) {
  return dot(a, cross(b, c));
}

/// A sum that keeps its digits over millions of equal terms (A. Neumaier, Z. Angew. Math. Mech. 54 (1974) 39).
class Sum {
 public:
  void operator+=(double x) {
    const double t = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

}  // namespace conoid::vec
