// SPDX-License-Identifier: BSD-3-Clause
// One pass of conjugate gradients over a block of 64 points: the same functions on processors and, being constexpr, in the kernel.
#pragma once

namespace conoid::heat_rod {

constexpr int block_points = 64;
enum class Pass : int { start, product, update, direction, collect };

/// Of one window: vectors at its points.
struct WindowArguments {
  double fourier;               ///< A: 1 + 2F on the diagonal, −F beside it
  double pivots[block_points];  ///< of the factors of a block: all blocks have the same matrix
  Pass pass;
  int points;
  double factor;          ///< α or β
  double before, behind;  ///< what stands beside the window: of x at the start, of p in the product
  double *x, *r, *z, *p, *q;
  double* values;  ///< x, given at the start and taken at the end
  double* sums;    ///< one a block
  double* ends;    ///< first and last of p
};

constexpr double times(const WindowArguments& a, const double* v, int i) {
  const double left = i > 0 ? v[i - 1] : a.before, right = i + 1 < a.points ? v[i + 1] : a.behind;
  return (1 + 2 * a.fourier) * v[i] - a.fourier * (left + right);
}

constexpr double dot(const double* v, const double* w, int begin, int end) {
  double sum = 0;
  for (int i = begin; i < end; ++i) sum += v[i] * w[i];
  return sum;
}

/// M is A without what couples blocks: forward and back along one block (Thomas), then the block's part of r·z.
constexpr double precondition(const WindowArguments& a, int begin, int end) {
  for (int i = begin; i < end; ++i)
    a.z[i] = a.r[i] + (i > begin ? a.fourier / a.pivots[i - begin - 1] * a.z[i - 1] : 0);
  for (int i = end - 1; i >= begin; --i)
    a.z[i] = (a.z[i] + (i + 1 < end ? a.fourier * a.z[i + 1] : 0)) / a.pivots[i - begin];
  return dot(a.r, a.z, begin, end);
}

constexpr void run_block(const WindowArguments& a, int block) {
  const int begin = block * block_points, end = begin + block_points < a.points ? begin + block_points : a.points;
  switch (a.pass) {
    case Pass::start:
      for (int i = begin; i < end; ++i) a.x[i] = a.values[i], a.r[i] = a.values[i] - times(a, a.values, i), a.q[i] = 0;
      a.sums[block] = precondition(a, begin, end);
      for (int i = begin; i < end; ++i) a.p[i] = a.z[i];
      break;
    case Pass::product:
      for (int i = begin; i < end; ++i) a.q[i] = times(a, a.p, i);
      a.sums[block] = dot(a.p, a.q, begin, end);
      break;
    case Pass::update:
      for (int i = begin; i < end; ++i) a.x[i] += a.factor * a.p[i], a.r[i] -= a.factor * a.q[i];
      a.sums[block] = precondition(a, begin, end);
      break;
    case Pass::direction:
      for (int i = begin; i < end; ++i) a.p[i] = a.z[i] + a.factor * a.p[i];
      break;
    case Pass::collect:
      for (int i = begin; i < end; ++i) a.values[i] = a.x[i];
  }
  if (a.pass != Pass::start && a.pass != Pass::direction) return;
  if (begin == 0) a.ends[0] = a.p[0];
  if (end == a.points) a.ends[1] = a.p[end - 1];
}

}  // namespace conoid::heat_rod
