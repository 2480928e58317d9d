// SPDX-License-Identifier: BSD-3-Clause
// Image sums.
#include "engine/solvers/acoustic_fd/discretization/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::acoustic_fd {

std::vector<std::pair<double, int>> axis_images(double source, double receiver, double lower, double upper,
                                                int lower_sign, int upper_sign, double reach) {
  std::vector<std::pair<double, int>> out{{source, 1}};
  // Follow the two chains of reflections that start at either face; both faces in turn, until out of reach.
  for (int first = 0; first < 2; ++first) {
    double x = source;
    int sign = 1;
    for (int n = 0; n < 100000; ++n) {
      const bool at_lower = (n % 2 == 0) == (first == 0);
      const int face = at_lower ? lower_sign : upper_sign;
      if (face == 0) break;
      x = 2 * (at_lower ? lower : upper) - x;
      sign *= face;
      if (std::abs(x - receiver) > reach) break;
      out.emplace_back(x, sign);
    }
  }
  return out;
}

ExactTrace::ExactTrace(const Problem& problem, const Vec3& position, double duration, std::size_t most_images)
    : problem_(&problem) {
  if (!problem.velocity || !problem.velocity->constant() || (problem.density && !problem.density->constant()) ||
      problem.initial.kind != Initial::Kind::none || problem.has_walls() || !problem.relaxations.empty() ||
      !std::all_of(problem.sources.begin(), problem.sources.end(),
                   [](const Source& s) { return s.is_point() && !s.is_dipole(); }))
    return;
  const double c = problem.speed.highest;
  for (std::size_t n = 0; n < problem.sources.size(); ++n) {
    std::array<std::vector<std::pair<double, int>>, 3> axis;
    for (std::size_t a = 0; a < 3; ++a)
      if (problem.grid.points[a] == 1)
        axis[a] = {{position[a], 1}};
      else
        axis[a] =
            axis_images(problem.sources[n].position[a], position[a], problem.grid.origin[a], problem.grid.upper(a),
                        problem.faces[2 * a].image_sign(), problem.faces[2 * a + 1].image_sign(), c * duration);
    if (images_.size() + axis[0].size() * axis[1].size() * axis[2].size() > 8 * most_images) return;
    for (const auto& [x, sx] : axis[0])
      for (const auto& [y, sy] : axis[1])
        for (const auto& [z, sz] : axis[2]) {
          const double r = std::hypot(x - position[0], y - position[1], z - position[2]);
          if (r > c * duration) continue;
          if (r <= 0) return;  // the receiver sits on the source
          images_.push_back({r / c, sx * sy * sz / (problem.grid.flat() ? 1.0 : 4 * std::numbers::pi * r), n});
        }
  }
  usable_ = images_.size() <= most_images && !problem.sources.empty();
}

double line_source(const Signal& signal, double delay, double t) {
  if (t <= delay) return 0;
  // After its end the signal gives nothing; the integrand is even at u = 0 and smooth, where the rule of trapezoids converges fast.
  const double rest = t - signal.end(), low = rest > delay ? std::acosh(rest / delay) : 0, high = std::acosh(t / delay);
  const double fastest = std::max(signal.highest_frequency(), 1 / (signal.end() - signal.begin()));
  const auto count = static_cast<Index>(std::ceil((high - low) * t * fastest * 16)) + 16;
  const double du = (high - low) / static_cast<double>(count);
  double sum = 0;
  for (Index i = 0; i <= count; ++i) {
    const double u = low + static_cast<double>(i) * du;
    sum += (i == 0 || i == count ? 0.5 : 1.0) * signal.at(t - delay * std::cosh(u));
  }
  return sum * du / (2 * std::numbers::pi);
}

double ExactTrace::at(double t) const {
  double p = 0;
  if (problem_->grid.flat()) {
    for (const Image& image : images_)
      p += image.gain * line_source(*problem_->sources[image.source].signal, image.delay, t);
    return p;
  }
  for (const Image& image : images_)
    if (t >= image.delay) p += image.gain * problem_->sources[image.source].signal->at(t - image.delay);
  return p;
}

}  // namespace conoid::acoustic_fd
