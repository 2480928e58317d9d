// SPDX-License-Identifier: BSD-3-Clause
// Far fields for other programs, and images from echoes.
#pragma once

#include "engine/solvers/maxwell_fem/problem.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"

#include <span>
#include <string>
#include <vector>

namespace conoid::maxwell_fem {

/// A grid of directions of one wave at one frequency, theta fastest.
struct FfeBlock {
  std::string configuration;  ///< the wave
  std::string request;        ///< the cut
  double frequency = 0;       ///< Hz
  std::size_t thetas = 1, phis = 1;
  std::vector<Direction> directions;
  std::vector<FarAmplitude> far;
  double radiated = 0;  ///< W, of antennas: directivities in dBi stand in place of cross sections
};
/// The text of a .ffe file (FEKO's far fields, format 3): degrees, r E exp(+jkr) in volts (echoes: for 1 V/m), cross sections in m².
[[nodiscard]] std::string ffe_text(std::span<const FfeBlock> blocks);

/// The square of an image, and after which lengths images repeat: what lies beyond half of them from the origin is folded in.
struct IsarFrame {
  Vec3 down{}, across{};                    ///< towards the radar in the middle of the sweep; where its angle grows
  double range_width = 0, cross_width = 0;  ///< m
};
/// `frequencies` and the angles of `sweep` equally spaced, at least two unlike each.
[[nodiscard]] IsarFrame isar_frame(std::span<const double> frequencies, const Cut& sweep);

/// An image of a body by its echoes over frequency and direction, focused exactly at each place x = u down + v across of a square:
/// |Σ w F e^{−2jk r̂·x}|/Σ w, Hann windows w in both. A point scatterer appears where it stands; two are told apart beyond c/B in range
/// and λ/Φ across (Φ the angle of the sweep), twice what unweighted sums would give.
struct IsarImage : IsarFrame {
  std::vector<double> at;     ///< places along both sides, m
  std::vector<double> level;  ///< [across][down], dB over 1 m: 20 lg |F|
};
/// `frequencies` and the angles of `sweep` equally spaced, at least two each; echo: [frequency][angle]. `width`: side of the square in m;
/// 0: the smaller of both widths.
[[nodiscard]] IsarImage isar_image(std::span<const double> frequencies, const Cut& sweep, std::span<const Complex> echo,
                                   double width, int points);

}  // namespace conoid::maxwell_fem
