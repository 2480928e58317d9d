// SPDX-License-Identifier: BSD-3-Clause
// Places, shares and delays of the elements of an array.
#include "engine/solvers/acoustic_fd/discretization/source_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"

namespace conoid::acoustic_fd {
namespace {

double taper(Taper kind, Index n, Index count) {
  if (count == 1 || kind == Taper::uniform) return 1;
  const double pi = std::numbers::pi, all = static_cast<double>(count), at = static_cast<double>(n);
  if (kind == Taper::hann) return std::pow(std::sin(pi * (at + 0.5) / all), 2);
  return 0.54 - 0.46 * std::cos(2 * pi * at / (all - 1));
}

void from_zero(std::vector<ArrayElement>& elements) {
  if (elements.empty()) return;
  const double least = std::min_element(elements.begin(), elements.end(), [](const auto& a, const auto& b) {
                         return a.delay < b.delay;
                       })->delay;
  for (ArrayElement& element : elements) element.delay -= least;
}

}  // namespace

std::vector<ArrayElement> array_elements(const Vec3& centre, const ArrayShape& shape) {
  std::vector<ArrayElement> out;
  double sum = 0;
  const auto middle = [](Index n, Index count) { return static_cast<double>(2 * n - (count - 1)) / 2; };
  for (Index row = 0; row < shape.rows; ++row)
    for (Index n = 0; n < shape.elements; ++n) {
      ArrayElement element;
      const double along = middle(n, shape.elements) * shape.pitch, beside = middle(row, shape.rows) * shape.row_pitch;
      element.position = vec::axpy(beside, shape.across, vec::axpy(along, shape.direction, centre));
      element.share = taper(shape.taper, n, shape.elements) * taper(shape.taper, row, shape.rows);
      sum += element.share;
      out.push_back(element);
    }
  for (ArrayElement& element : out) element.share /= sum;
  return out;
}

void steer(std::vector<ArrayElement>& elements, const Vec3& d, double speed) {
  for (ArrayElement& element : elements) element.delay = vec::dot(element.position, d) / speed;
  from_zero(elements);
}

void focus(std::vector<ArrayElement>& elements, const Vec3& at, double speed) {
  for (ArrayElement& element : elements) element.delay = -vec::distance(at, element.position) / speed;
  from_zero(elements);
}

}  // namespace conoid::acoustic_fd
