// SPDX-License-Identifier: BSD-3-Clause
// Barycentric weights and the choice of samples.
#include "engine/solvers/maxwell_fem/solving/rational.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

namespace {

/// The vector that a Hermitian matrix shrinks most, by inverse iteration: of several such ones any will do.
std::vector<Complex> smallest_vector(std::vector<Complex> g, std::size_t m) {
  double trace = 0;
  for (std::size_t i = 0; i < m; ++i) trace += g[i * m + i].real();
  for (std::size_t i = 0; i < m; ++i) g[i * m + i] += 1e-15 * trace + 1e-300;
  // L Lᴴ.
  for (std::size_t c = 0; c < m; ++c) {
    for (std::size_t k = 0; k < c; ++k) g[c * m + c] -= std::norm(g[c * m + k]);
    const double pivot = std::sqrt(std::max(g[c * m + c].real(), 1e-16 * trace));
    g[c * m + c] = pivot;
    for (std::size_t r = c + 1; r < m; ++r) {
      for (std::size_t k = 0; k < c; ++k) g[r * m + c] -= g[r * m + k] * std::conj(g[c * m + k]);
      g[r * m + c] /= pivot;
    }
  }
  std::vector<Complex> v(m);
  for (std::size_t i = 0; i < m; ++i) v[i] = std::polar(1.0, 1.3 * static_cast<double>(i));
  for (int step = 0; step < 8; ++step) {
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t k = 0; k < r; ++k) v[r] -= g[r * m + k] * v[k];
      v[r] /= g[r * m + r];
    }
    for (std::size_t r = m; r-- > 0;) {
      for (std::size_t k = r + 1; k < m; ++k) v[r] -= std::conj(g[k * m + r]) * v[k];
      v[r] /= g[r * m + r];
    }
    double size = 0;
    for (const Complex& z : v) size += std::norm(z);
    for (Complex& z : v) z /= std::sqrt(size);
  }
  return v;
}

/// 1/largest value of each component, or of a tenth of the largest of all, whose errors it has; 0 of those that are as good as zero.
std::vector<double> scales(std::span<const SweepSample> samples, double ignored) {
  constexpr double least = 0.1;
  std::vector<double> out(samples[0].y.size(), 0);
  for (const SweepSample& s : samples)
    for (std::size_t c = 0; c < out.size(); ++c) out[c] = std::max(out[c], std::abs(s.y[c]));
  const double most = *std::max_element(out.begin(), out.end());
  for (double& v : out) v = v > ignored * most && v > 0 ? 1 / std::max(v, least * most) : 0;
  return out;
}

}  // namespace

std::vector<Complex> RationalFit::weights(std::span<const SweepSample> samples, const std::vector<std::size_t>& support,
                                          const std::vector<double>& scale) const {
  const std::size_t m = support.size();
  std::vector<Complex> gram(m * m), row(m);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::find(support.begin(), support.end(), i) != support.end()) continue;
    for (std::size_t c = 0; c < scale.size(); ++c) {
      if (scale[c] == 0) continue;
      for (std::size_t j = 0; j < m; ++j)
        row[j] = scale[c] * (samples[i].y[c] - samples[support[j]].y[c]) / (samples[i].x - samples[support[j]].x);
      for (std::size_t a = 0; a < m; ++a)
        for (std::size_t b = 0; b < m; ++b) gram[a * m + b] += std::conj(row[a]) * row[b];
    }
  }
  return smallest_vector(std::move(gram), m);
}

RationalFit::RationalFit(std::span<const SweepSample> samples, double tolerance, double ignored) {
  const std::vector<double> scale = scales(samples, ignored);
  std::vector<std::size_t> support;
  std::size_t worst = samples.size() / 2;
  for (;;) {
    support.push_back(worst);
    x_.push_back(samples[worst].x);
    y_.push_back(samples[worst].y);
    w_ = support.size() < samples.size() ? weights(samples, support, scale) : w_;
    double most = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (std::find(support.begin(), support.end(), i) != support.end()) continue;
      const std::vector<Complex> here = at(samples[i].x);
      for (std::size_t c = 0; c < scale.size(); ++c)
        if (const double miss = scale[c] * std::abs(here[c] - samples[i].y[c]); miss > most) {
          most = miss;
          worst = i;
        }
    }
    // With one sample less than all in the support the last one still says what the weights are.
    if (most <= tolerance || support.size() + 1 >= samples.size()) break;
  }
  if (w_.size() != x_.size()) w_.assign(x_.size(), 1);  // a single sample
}

std::vector<Complex> RationalFit::at(double x) const {
  std::vector<Complex> out(y_[0].size(), 0);
  Complex below = 0;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    if (x == x_[j]) return y_[j];
    const Complex share = w_[j] / (x - x_[j]);
    below += share;
    for (std::size_t c = 0; c < out.size(); ++c) out[c] += share * y_[j][c];
  }
  for (Complex& z : out) z /= below;
  return out;
}

Complex RationalFit::at(double x, std::size_t component) const {
  Complex above = 0, below = 0;
  for (std::size_t j = 0; j < x_.size(); ++j) {
    if (x == x_[j]) return y_[j][component];
    const Complex share = w_[j] / (x - x_[j]);
    below += share;
    above += share * y_[j][component];
  }
  return above / below;
}

SweepPlan plan_sweep(std::span<const double> grid, std::span<const SweepSample> samples, std::size_t newest,
                     double tolerance, std::size_t wanted) {
  SweepPlan out;
  const RationalFit now(samples, 0.05 * tolerance), before(samples.first(samples.size() - newest), 0.05 * tolerance);
  const std::vector<double> scale = scales(samples, 1e-3);
  constexpr double floor = 0.0316;  // 30 dB below the largest
  std::vector<double> change(grid.size(), 0);
  for (std::size_t g = 0; g < grid.size(); ++g) {
    const std::vector<Complex> a = now.at(grid[g]), b = before.at(grid[g]);
    for (std::size_t c = 0; c < scale.size(); ++c)
      if (scale[c] > 0)
        change[g] = std::max(change[g], std::abs(a[c] - b[c]) / std::max(std::abs(a[c]), floor / scale[c]));
    out.error = std::max(out.error, change[g]);
  }
  // The largest change; where nothing changes any more, the middle of the widest gap. No two on the same hill.
  std::vector<double> taken;
  for (const SweepSample& s : samples) taken.push_back(s.x);
  const double width = grid.back() - grid.front();
  while (out.next.size() < wanted) {
    std::size_t best = grid.size();
    double most = -1;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      double gap = width;
      for (double x : taken) gap = std::min(gap, std::abs(grid[g] - x));
      if (!(gap > 0)) continue;
      const bool apart = out.next.empty() || gap > 0.25 * width / static_cast<double>(taken.size());
      // Next to a sample there is little to learn.
      const double far = std::min(1.0, gap * 10 * static_cast<double>(taken.size()) / width);
      const double worth = (out.error > tolerance && apart ? far * change[g] : 0) + 1e-9 * gap / width;
      if (worth > most) {
        most = worth;
        best = g;
      }
    }
    if (best == grid.size()) break;
    out.next.push_back(best);
    taken.push_back(grid[best]);
  }
  return out;
}

}  // namespace conoid::maxwell_fem
