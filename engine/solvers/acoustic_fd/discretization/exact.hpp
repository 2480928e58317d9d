// SPDX-License-Identifier: BSD-3-Clause
// Exact traces in a homogeneous medium: point sources and their images behind plane faces.
//
// Full space: p = s(t − r/c) / (4π r). A free or rigid face adds the image source with sign −1 or +1; two opposite
// faces add the lattice of repeated images (Allen & Berkley, J. Acoust. Soc. Am. 65, 1979, 943-950). Sponges count as
// open space. In two dimensions the sources are lines.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

#include <array>
#include <vector>

namespace conoid::acoustic_fd {

/// The exact pressure at one point as a sum over images. Immutable.
class ExactTrace {
 public:
  /// Images whose wave arrives by `duration`. `usable()` is false when speed or density vary, there is an initial field or
  /// more than `most_images` would be needed.
  ExactTrace(const Problem& problem, const Vec3& position, double duration, std::size_t most_images = 4000);
  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] double at(double t) const;

 private:
  struct Image {
    double delay, gain;
    std::size_t source;
  };
  const Problem* problem_;
  std::vector<Image> images_;
  bool usable_ = false;
};

/// Pressure of a line source of strength s a length after Hadamard, 1/(2π) ∫ s(t − delay cosh u) du; delay = r/c > 0.
[[nodiscard]] double line_source(const Signal& signal, double delay, double t);

/// Positions and signs of a coordinate's images between two faces, farthest `reach` away from `receiver`.
[[nodiscard]] std::vector<std::pair<double, int>> axis_images(double source, double receiver, double lower,
                                                              double upper, int lower_sign, int upper_sign,
                                                              double reach);

}  // namespace conoid::acoustic_fd
