// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/vector product (Bramas et al. 2015, §3.3): one panel of row-vectors of many slices, n_g steps at once.
//
//   sum_g(i) += Σ_d v_ij[d] a_j^{n+g−(start+d)},  g = 0 … n_g−1,
//
// with one vector of past values a slice for all n_g steps; values not known yet are zeros in it. Plain structs and
// function pointers only: bodies are compiled once an instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/solvers/acoustic_bem/discretization/slices.hpp"

namespace conoid::acoustic_bem {

/// A panel of one slice and the past of its unknown.
template <class Real>
struct PanelView {
  const RowGroup* groups = nullptr;
  const std::uint16_t* start = nullptr;
  const std::uint8_t* row = nullptr;
  const Real* values = nullptr;  ///< 64-byte aligned
  std::size_t stored = 0;        ///< how many
  /// past[−k] = a^{n−k}, past[g] = a^{n+g}; readable from −(last + past_margin) to n_g + past_margin.
  const Real* past = nullptr;
  std::uint16_t rows = 0;             ///< row-vectors that are not empty
  std::uint16_t first = 0, last = 0;  ///< columns
  std::size_t sums = 0;               ///< where its rows begin in the accumulators, in Reals
};
constexpr Index past_margin = 32;

template <class Real>
struct SummationKernel {
  int steps = 1;  ///< n_g
  /// Adds `count` panels, each to its own sums[panel_rows][n_g] at PanelView::sums, 64-byte aligned.
  void (*add)(const PanelView<Real>* panels, std::size_t count, Real* sums) = nullptr;
};

/// n_g as the kernels have it.
constexpr int grouped_steps[] = {1, 2, 4, 8, 16, 32};

enum class KernelLevel { reference, avx2, avx512 };
/// The best level at most `level` that this processor has. `steps` is one of grouped_steps.
template <class Real>
[[nodiscard]] const SummationKernel<Real>& summation_kernel(int steps, KernelLevel level = KernelLevel::avx512);
[[nodiscard]] KernelLevel best_level(KernelLevel level = KernelLevel::avx512);

/// Tables of one instruction set, one entry a value of grouped_steps.
template <class Real>
struct SummationTable {
  SummationKernel<Real> kernel[6];
};

}  // namespace conoid::acoustic_bem
