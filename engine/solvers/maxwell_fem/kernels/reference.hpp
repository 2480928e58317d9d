// SPDX-License-Identifier: BSD-3-Clause
// The radiation from S' to S by its formulas, and the three loops of the paper over plain Cartesian fields: the truth that the
// fast kernels are compared with, and the baseline of the benchmark.
//
// Formulas: G a = g [(1 − j/kR − 1/(kR)²) a + (−1 + 3j/kR + 3/(kR)²) ê(ê·a)], ∇g×a = −(jk + 1/R) g ê×a,
//   E = G J − ∇g×M,  ∇×E = −k² G M + ∇g×J.
#pragma once

#include "engine/core/types.hpp"

#include <array>
#include <complex>
#include <vector>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;
using Complex3 = std::array<Complex, 3>;

/// What couples a point of S' to a point of S: the symmetric G (xx, yy, zz, xy, xz, yz) and the vector ∇g.
struct Coupling {
  std::array<Complex, 6> g;
  Complex3 gradient;
};
[[nodiscard]] Coupling coupling(const Vec3& x, const Vec3& from, double k);

/// C+ and C− (kernels/radiation.hpp) of a current along `tangent` at `from`, seen at x with the frame (t1, t2).
struct Halves {
  Complex plus, minus;
};
[[nodiscard]] Halves halves(const Vec3& x, const Vec3& t1, const Vec3& t2, const Vec3& from, const Vec3& tangent,
                            double k);

/// Arrays of the paper: six numbers (E or J, then ∇×E or M) a sample point and right-hand side, right-hand sides next to
/// each other: value[((element · samples + sample) · rhs + r) · 6 + component].
struct PaperArrays {
  Index elements = 0, samples = 0, rhs = 0;
  std::vector<Vec3> points;
  std::vector<Complex> values;
  [[nodiscard]] Complex* at(Index point, Index r) { return values.data() + (point * rhs + r) * 6; }
  [[nodiscard]] const Complex* at(Index point, Index r) const { return values.data() + (point * rhs + r) * 6; }
};

enum class PaperLoop : std::uint8_t { inner_surface, outer_surface, right_hand_sides };  ///< omp_S', omp_S, omp_rhs

/// rad_fields of the elements [begin, end) of S from all currents. inner_surface keeps a private copy of rad_fields a thread
/// and adds them up in parallel.
void paper_loops(PaperLoop which, const PaperArrays& currents, PaperArrays& rad_fields, Interval elements, double k,
                 int threads);

}  // namespace conoid::maxwell_fem
