// SPDX-License-Identifier: BSD-3-Clause
// Equations whose matrix has few diagonals, with exchanges of rows: those of layers, which know only their neighbours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

/// n rows, each with `beside` columns on either side of its diagonal at most.
class BandedSystem {
 public:
  BandedSystem(std::size_t n, std::size_t beside)
      : n_(n), beside_(beside), width_(3 * beside + 1), a_(n * width_), b_(n) {}
  [[nodiscard]] std::size_t size() const { return n_; }
  Complex& at(std::size_t row, std::size_t column) { return a_[row * width_ + column + beside_ - row]; }
  Complex& right(std::size_t row) { return b_[row]; }

  /// Gauss's elimination, once: matrix and right-hand side are used up. Empty where a pivot is below `least`; with `through` such pivots
  /// become `least`, so that the answer is large along what the matrix takes to nothing (inverse iteration).
  [[nodiscard]] std::vector<Complex> solve(double least, bool through = false) {
    for (std::size_t k = 0; k < n_; ++k) {
      const std::size_t below = std::min(n_, k + beside_ + 1), right = std::min(n_, k + 2 * beside_ + 1);
      std::size_t p = k;
      for (std::size_t i = k + 1; i < below; ++i)
        if (std::norm(at(i, k)) > std::norm(at(p, k))) p = i;
      if (!(std::abs(at(p, k)) > least)) {
        if (!through) return {};
        at(p, k) = least;
      }
      for (std::size_t j = k; j < right && p != k; ++j) std::swap(at(k, j), at(p, j));
      std::swap(b_[k], b_[p]);
      for (std::size_t i = k + 1; i < below; ++i) {
        const Complex f = at(i, k) / at(k, k);
        if (f == Complex(0)) continue;
        for (std::size_t j = k; j < right; ++j) at(i, j) -= f * at(k, j);
        b_[i] -= f * b_[k];
      }
    }
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t j = k + 1; j < std::min(n_, k + 2 * beside_ + 1); ++j) b_[k] -= at(k, j) * b_[j];
      b_[k] /= at(k, k);
    }
    return b_;
  }

 private:
  std::size_t n_, beside_, width_;
  std::vector<Complex> a_, b_;
};

}  // namespace conoid::elastic_bem
