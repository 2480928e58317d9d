// SPDX-License-Identifier: BSD-3-Clause
// Values over frequency from few of them: rational functions with common poles (Y. Nakatsukasa, O. Sète, L. N. Trefethen, SIAM J. Sci.
// Comput. 40 (2018) A1494, all components with the same weights: P. Lietaert et al., IMA J. Numer. Anal. 42 (2022) 1087).
//
//   r(x) = Σ w_j y_j/(x − x_j) / Σ w_j/(x − x_j)
// over the support points x_j, chosen one by one where r misses most; w minimises Σ |Σ_j w_j (y(x_i) − y_j)/(x_i − x_j)|² over the
// other samples. Resonances are poles that all components share, so that a few samples on their flanks show them.
#pragma once

#include <complex>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

/// A sample: x, and as many values as all others have.
struct SweepSample {
  double x = 0;
  std::vector<std::complex<double>> y;
};

class RationalFit {
 public:
  /// Misses no sample by more than `tolerance` of its component's largest value, if the samples allow that; components below `ignored` of
  /// the largest one count as zeros. At least one sample; x all different.
  explicit RationalFit(std::span<const SweepSample> samples, double tolerance, double ignored = 1e-3);
  /// All components at x, which may be a sample.
  [[nodiscard]] std::vector<std::complex<double>> at(double x) const;
  /// A component there.
  [[nodiscard]] std::complex<double> at(double x, std::size_t component) const;
  [[nodiscard]] std::size_t support() const { return x_.size(); }

 private:
  [[nodiscard]] std::vector<std::complex<double>> weights(std::span<const SweepSample> samples,
                                                          const std::vector<std::size_t>& support,
                                                          const std::vector<double>& scale) const;
  std::vector<double> x_;
  std::vector<std::vector<std::complex<double>>> y_;
  std::vector<std::complex<double>> w_;
};

/// Where to sample next, and how far one is.
struct SweepPlan {
  std::vector<std::size_t> next;  ///< of the grid; empty: nothing is left
  double error = 0;  ///< largest relative change of a component by the newest samples, levels below −30 dB apart
};
/// `newest`: so many of the samples came last. `wanted`: how many to name, by the error and apart from each other.
[[nodiscard]] SweepPlan plan_sweep(std::span<const double> grid, std::span<const SweepSample> samples,
                                   std::size_t newest, double tolerance, std::size_t wanted);

}  // namespace conoid::maxwell_fem
