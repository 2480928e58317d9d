// SPDX-License-Identifier: BSD-3-Clause
// Passes of conjugate gradients over blocks of a system whose rows reach a few unknowns to either side: the same functions on processors
// and, being constexpr, in kernels (cuda/band_kernel.hpp). solvers/band_system.hpp keeps the vectors and calls them.
//
// What A and the preconditioner M do says a plain struct, which goes to kernels by value:
//
//     struct Equation {
//       static constexpr int block = 64, reach = 1;               // unknowns of a block; how far a row of A reaches, at most a block
//       constexpr double row(const BandVector<reach>& v, int i) const;            // (A v)_i
//       constexpr void solve_block(const double* r, double* z, int count) const;  // z = M⁻¹ r of one block, which no other block enters
//     };
#pragma once

#include "engine/linalg/gradient_pass.hpp"

namespace conoid {

/// A vector at the unknowns of a window, and the values that stand beside it (zeros beyond the ends of the system).
template <int reach>
struct BandVector {
  const double* at;
  int count;
  const double *before, *behind;  ///< `reach` of each
  /// −reach ≤ i < count + reach
  constexpr double operator[](int i) const { return i < 0 ? before[reach + i] : i < count ? at[i] : behind[i - count]; }
};

/// Of one window: its vectors, and where its results go. It holds whole blocks, but for the last of the system.
template <class Equation>
struct BandWindow {
  static constexpr int reach = Equation::reach;
  Equation equation;
  GradientPass pass;
  int count;                            ///< unknowns
  double factor;                        ///< α or β
  double before[reach], behind[reach];  ///< beside the window: of the first guess at the start, of p in the product
  double *x, *r, *z, *p, *q;
  double* values;       ///< the first guess at the start, x when it is collected
  const double* right;  ///< b, read at the start
  double* sums;         ///< one a block
  double* ends;         ///< of p: the first `reach` values, then the last
};

constexpr double block_dot(const double* v, const double* w, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; ++i) sum += v[i] * w[i];
  return sum;
}

template <class Equation>
constexpr void run_block(const BandWindow<Equation>& a, int block) {
  constexpr int reach = Equation::reach;
  static_assert(reach <= Equation::block);
  const int begin = block * Equation::block,
            end = begin + Equation::block < a.count ? begin + Equation::block : a.count;
  const auto precondition = [&] {
    a.equation.solve_block(a.r + begin, a.z + begin, end - begin);
    a.sums[block] = block_dot(a.r, a.z, begin, end);
  };
  switch (a.pass) {
    case GradientPass::start: {
      const BandVector<reach> guess{a.values, a.count, a.before, a.behind};
      for (int i = begin; i < end; ++i)
        a.x[i] = a.values[i], a.r[i] = a.right[i] - a.equation.row(guess, i), a.q[i] = 0;
      precondition();
      for (int i = begin; i < end; ++i) a.p[i] = a.z[i];
      break;
    }
    case GradientPass::product: {
      const BandVector<reach> p{a.p, a.count, a.before, a.behind};
      for (int i = begin; i < end; ++i) a.q[i] = a.equation.row(p, i);
      a.sums[block] = block_dot(a.p, a.q, begin, end);
      break;
    }
    case GradientPass::update:
      for (int i = begin; i < end; ++i) a.x[i] += a.factor * a.p[i], a.r[i] -= a.factor * a.q[i];
      precondition();
      break;
    case GradientPass::direction:
      for (int i = begin; i < end; ++i) a.p[i] = a.z[i] + a.factor * a.p[i];
      break;
    case GradientPass::collect:
      for (int i = begin; i < end; ++i) a.values[i] = a.x[i];
  }
  if (a.pass != GradientPass::start && a.pass != GradientPass::direction) return;
  for (int k = 0; k < reach; ++k) {
    if (begin == 0) a.ends[k] = k < a.count ? a.p[k] : 0;
    // Of fewer unknowns nobody reads the last ones: they are those of the system.
    if (end == a.count && a.count >= reach) a.ends[reach + k] = a.p[end - reach + k];
  }
}

}  // namespace conoid
