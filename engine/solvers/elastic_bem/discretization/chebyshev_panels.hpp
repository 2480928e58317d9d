// SPDX-License-Identifier: BSD-3-Clause
// Functions of one variable by Chebyshev's polynomials on panels: each panel is interpolated at the zeros of T_degree, and summed by
// Clenshaw's recurrence (C. W. Clenshaw, Math. Tables Aids Comput. 9 (1955) 118).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

namespace conoid::elastic_bem {

/// N functions. First value(panel, q) is set to theirs at place(panel, q) for all q < degree, from any threads, then fit() is called once;
/// at() is thread-safe after it.
template <std::size_t N>
class ChebyshevPanels {
 public:
  static constexpr std::size_t degree = 12;
  using Values = std::array<double, N>;

  /// Ends of the panels, ascending; a single one: no panels, and at() is not to be called.
  explicit ChebyshevPanels(std::vector<double> ends) : ends_(std::move(ends)), coefficients_(ends_.size() - 1) {}

  [[nodiscard]] const std::vector<double>& ends() const { return ends_; }
  [[nodiscard]] std::size_t count() const { return coefficients_.size(); }
  [[nodiscard]] double place(std::size_t panel, std::size_t q) const {
    const double x = std::cos(std::numbers::pi * (static_cast<double>(q) + 0.5) / static_cast<double>(degree));
    return 0.5 * ((1 - x) * ends_[panel] + (1 + x) * ends_[panel + 1]);
  }
  [[nodiscard]] Values& value(std::size_t panel, std::size_t q) { return coefficients_[panel][q]; }

  void fit() {
    for (auto& values : coefficients_) {
      std::array<Values, degree> sums{};
      for (std::size_t m = 0; m < degree; ++m)
        for (std::size_t q = 0; q < degree; ++q) {
          const double w = (m == 0 ? 1.0 : 2.0) / static_cast<double>(degree) *
                           std::cos(std::numbers::pi * static_cast<double>(m) * (static_cast<double>(q) + 0.5) /
                                    static_cast<double>(degree));
          for (std::size_t c = 0; c < N; ++c) sums[m][c] += w * values[q][c];
        }
      values = sums;
    }
  }

  /// Beyond the panels: the first's or the last's value at its end.
  [[nodiscard]] Values at(double r) const {
    const auto after = std::upper_bound(ends_.begin() + 1, ends_.end() - 1, r);
    const auto panel = static_cast<std::size_t>(after - ends_.begin()) - 1;
    const double low = ends_[panel], high = ends_[panel + 1],
                 x = std::clamp((2 * r - low - high) / (high - low), -1.0, 1.0);
    const auto& c = coefficients_[panel];
    Values one{}, two{};
    for (std::size_t m = degree; m-- > 1;)
      for (std::size_t k = 0; k < N; ++k) {
        const double next = c[m][k] + 2 * x * one[k] - two[k];
        two[k] = one[k];
        one[k] = next;
      }
    for (std::size_t k = 0; k < N; ++k) one[k] = c[0][k] + x * one[k] - two[k];
    return one;
  }

 private:
  std::vector<double> ends_;
  std::vector<std::array<Values, degree>> coefficients_;  ///< until fit(): values
};

}  // namespace conoid::elastic_bem
