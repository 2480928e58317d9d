// SPDX-License-Identifier: BSD-3-Clause
// Integrals of u* and t* over a set of quadrature points, several collocation points or several quadrature points at once.
//
// The same meaning as fundamental.cpp (the readable reference). Plain structs and function pointers only: the bodies are
// compiled once an instruction set, and nothing inline may be shared between those objects.
#pragma once

#include <complex>
#include <cstddef>

#include "engine/solvers/elastic_bem/kernels/fundamental.hpp"

namespace conoid::elastic_bem {

inline constexpr int lane_terms = 24;   ///< of the series
inline constexpr int lane_values = 30;  ///< a node: 6 complex of u* (xx xy xz yy yz zz), 9 complex of t* (row-major)
inline constexpr int lane_u = 0, lane_t = 12;

/// Constants of one frequency. u* comes out without the factor 1/(4πμ*), t* without 1/4π.
template <class Real>
struct LaneMedium {
  int damped = 0;
  Real kS[2], kP[2];     ///< re, im
  Real iS[2], iP[2];     ///< 1/(i k)
  Real kappa2, kappa2L;  ///< κ², κ² L
  Real L;
  Real scale;                     ///< |k_S|; the series run in y = |k_S| r
  Real series[5][2][lane_terms];  ///< r ψ, r χ, r² A, r² B, r² C; re, im
  Real fixed[5];                  ///< their static parts
};
template <class Real>
[[nodiscard]] LaneMedium<Real> lane_medium(const Harmonic& h);

/// Quadrature points: n is the unit normal times the weight, w the weight (Jacobian included); `shape` holds the field
/// functions, entry (node, point) at node·stride + point.
template <class Real>
struct LanePoints {
  int count = 0, nodes = 1;
  std::size_t stride = 0;
  const Real *x = nullptr, *y = nullptr, *z = nullptr, *nx = nullptr, *ny = nullptr, *nz = nullptr, *w = nullptr;
  const Real* shape = nullptr;
};

/// Where a complex value of a block goes.
template <class Real>
struct LanePut {
  std::size_t value = 0;  ///< its real part's number in the block; the imaginary part follows
  std::complex<Real> scale{};
  std::complex<Real>* column = nullptr;
};
/// Added to what is there; written over it; the same past the caches where the address allows (followed by fence()).
enum class PutMode { add, set, stream };

template <class Real>
struct LaneKernels {
  int lanes = 1;
  /// One block of `lanes` collocation points (x, y, z) against all quadrature points: out[(node·30 + value)·lanes + lane].
  void (*far)(const LaneMedium<Real>&, const LanePoints<Real>&, const Real* x, const Real* y, const Real* z, Part part,
              bool with_u, Real* out) = nullptr;
  /// One collocation point `at` (null: in the origin) against quadrature points whose arrays are padded to a multiple of
  /// `lanes` (padding: w = 0, n = 0, r > 0): out[node·30 + value]. Without u* its values come out as zeros.
  void (*near)(const LaneMedium<Real>&, const LanePoints<Real>&, const Real* at, Part part, bool with_u,
               Real* out) = nullptr;
  /// column[row + k] += scale · value for `lanes` rows k of every entry.
  void (*put)(const Real* block, const LanePut<Real>* entries, std::size_t count, std::ptrdiff_t row,
              PutMode mode) = nullptr;
  /// Orders streamed values before what this thread tells others.
  void (*fence)() = nullptr;
  /// Independent multiply-adds, enough chains to hide their latency: flops done in `rounds` rounds, for rates.
  double (*multiply_adds)(long rounds, Real* keep) = nullptr;
};

/// Flops of one far evaluation in closed form, undamped, a constant element: additions and multiplications of the kernel
/// as written (geometry 29, radial functions 171, t* 111, u* 41); without u* also ψ (17) falls away.
inline constexpr double flops_a_point = 352, flops_a_point_t = 294;

/// Chosen by what the processor has; `widest` > 0: at most so many bytes a register (16, 32, 64), for tests.
template <class Real>
[[nodiscard]] const LaneKernels<Real>& lane_kernels(int widest = 0);

}  // namespace conoid::elastic_bem
