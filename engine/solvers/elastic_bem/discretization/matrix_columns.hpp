// SPDX-License-Identifier: BSD-3-Clause
// What is done to whole columns of a matrix after its pairs: fading towards the rim of the ground, the far field, further equations, motions
// of a free body. Targets name the columns.
#pragma once

#include <complex>
#include <vector>

#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/cuda/pair_arguments.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// Calls body(column, scale, is a traction, node, component) for every column that the targets name.
template <class Real, class Body>
void each_column(const Targets<Real>& targets, const Body& body) {
  for (const bool traction : {false, true}) {
    const auto& list = traction ? targets.g : targets.h;
    for (std::size_t k = 0; k < list.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d)
        if (list[k][d].column != nullptr) body(list[k][d].column, list[k][d].scale, traction, k, d);
  }
}

/// The kernel fades towards the rim: columns of displacements times the window, the free term (½ on the plane nodes that it touches) not.
template <class Real>
void fade_columns(const Surface& s, const Targets<Real>& targets, Index rows, bool own_rows) {
  const Index m = s.node_count();
  each_column(targets,
              [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
                if (traction || !(s.window[k] < 1)) return;
                const Real w = static_cast<Real>(s.window[k]);
                for (Index i = 0; i < rows; ++i) column[i] *= w;
                if (own_rows) column[static_cast<Index>(d) * m + static_cast<Index>(k)] += factor * ((1 - w) / 2);
              });
}

/// What a unit force of each place adds to the equations of the ground, `own` of them: H (1 − w) G over the mesh's own elements, less
/// `beyond`. multiply(x, columns, y) with the matrix whose columns begin at `a`, `rows` apart, n of them; the ground's nodes and rows are the
/// first ones.
template <class Real, class Multiply>
std::vector<std::complex<Real>> far_columns(const FarField& far, const std::vector<Complex>& beyond,
                                            const Targets<Real>& targets, const std::complex<Real>* a, Index rows,
                                            Index n, Index own, bool own_rows, const Multiply& multiply) {
  using C = std::complex<Real>;
  const Index columns = far.columns(), m = n / 3, nodes = static_cast<Index>(targets.h.size());
  std::vector<C> x(static_cast<std::size_t>(n * columns)), all(static_cast<std::size_t>(rows * columns)),
      y(static_cast<std::size_t>(own * columns));
  for (Index k = 0; k < nodes; ++k)
    for (Index d = 0; d < 3; ++d) {
      const Index i = d * m + k;
      if (targets.h[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)].column != a + i * rows)
        continue;  // given displacements are what they are
      for (Index c = 0; c < columns; ++c)
        x[static_cast<std::size_t>(c * n + i)] =
            C(far.faded()[static_cast<std::size_t>(c * 3 * nodes + d * nodes + k)]);
    }
  multiply(x.data(), columns, all.data());
  for (Index c = 0; c < columns; ++c)
    for (Index i = 0; i < own; ++i) {
      const auto at = static_cast<std::size_t>(c * own + i);
      y[at] = all[static_cast<std::size_t>(c * rows + i)] - C(beyond[at]);
      if (own_rows) y[at] -= x[static_cast<std::size_t>(c * n + i / nodes * m + i % nodes)] * Real(0.5);
    }
  return y;
}

/// fade_columns() and put_far() of a matrix on the device, whose columns these are.
template <class Real>
std::vector<FinishedColumn<Real>> finished_columns(const Surface& s, const FarField* far,
                                                   const Targets<Real>& targets) {
  const Index m = s.node_count();
  std::vector<FinishedColumn<Real>> out;
  each_column(targets,
              [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
                FinishedColumn<Real> one;
                one.column = reinterpret_cast<Real*>(column);
                if (!traction && s.window[k] < 1) {
                  one.window = static_cast<Real>(s.window[k]);
                  const std::complex<Real> more = factor * ((1 - one.window) / 2);
                  one.diagonal_re = more.real();
                  one.diagonal_im = more.imag();
                  one.row = static_cast<long long>(d) * m + static_cast<long long>(k);
                }
                if (far != nullptr) {
                  const FarGround& ground = far->ground();
                  const Index place = traction ? ground.place_of()[k] : ground.node_place()[k];
                  const double share = traction ? ground.weight()[k] : far->inertia() * ground.volume()[k];
                  if (place >= 0 && share != 0) {
                    const std::complex<Real> weight = -factor * static_cast<Real>(share);
                    one.from = static_cast<int>(3 * place) + static_cast<int>(d);
                    one.weight_re = weight.real();
                    one.weight_im = weight.imag();
                  }
                }
                if (one.row >= 0 || one.from >= 0) out.push_back(one);
              });
  return out;
}

template <class Real>
void put_far(const FarField& far, const Targets<Real>& targets, const std::vector<std::complex<Real>>& more,
             Index rows) {
  const FarGround& ground = far.ground();
  each_column(targets,
              [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
                const Index place = traction ? ground.place_of()[k] : ground.node_place()[k];
                const double share = traction ? ground.weight()[k] : far.inertia() * ground.volume()[k];
                if (place < 0 || share == 0) return;
                const std::complex<Real>* from = more.data() + (3 * place + static_cast<Index>(d)) * rows;
                const std::complex<Real> weight = -factor * static_cast<Real>(share);
                for (Index i = 0; i < rows; ++i) column[i] += weight * from[i];
              });
}

/// One equation more, in the rows that the mode names.
template <class Real>
void put_mode(const WeakMode& mode, const Targets<Real>& targets, Index rows, const CpuWorker& threads) {
  struct Column {
    std::complex<Real>* at;
    Complex value;
  };
  std::vector<Column> columns;
  each_column(
      targets, [&](std::complex<Real>* column, std::complex<Real> factor, bool traction, std::size_t k, std::size_t d) {
        columns.push_back(
            {column, traction ? -Complex(factor) * mode.traction[k][d] : Complex(factor) * mode.displacement[k][d]});
      });
  double whole = 0;
  if (!mode.replaced.empty())
    for (std::size_t i = 0; i < mode.rows.size(); ++i) whole += mode.rows[i] * mode.replaced[i];
  threads.for_each({0, static_cast<Index>(columns.size())}, 16, [&](Interval some, int) {
    for (Index c = some.begin; c < some.end; ++c) {
      const auto& [at, value] = columns[static_cast<std::size_t>(c)];
      Complex put = value;
      if (whole != 0) {
        Complex sum = 0;
        for (Index i = 0; i < rows; ++i) sum += mode.replaced[static_cast<std::size_t>(i)] * Complex(at[i]);
        put -= sum / whole;
      }
      for (Index i = 0; i < rows; ++i) at[i] += std::complex<Real>(put * mode.rows[static_cast<std::size_t>(i)]);
    }
  });
}

/// H r of the motions of a free body, displacements that are unknown only: given ones are zero in them.
template <class Real>
std::vector<std::complex<Real>> rigid_columns(const FreeMotions& free, const Targets<Real>& targets, const Surface& s,
                                              const std::complex<Real>* a, Index n, int threads) {
  using C = std::complex<Real>;
  const auto q = static_cast<Index>(free.motions.size());
  std::vector<C> x(static_cast<std::size_t>(n * q)), y(x.size());
  for (std::size_t k = 0; k < targets.h.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      const auto i = static_cast<std::size_t>(static_cast<Index>(d) * s.node_count()) + k;
      if (targets.h[k][d].column != a + static_cast<Index>(i) * n) continue;
      for (Index c = 0; c < q; ++c)
        x[static_cast<std::size_t>(c * n) + i] = C(free.at(static_cast<std::size_t>(c), s.nodes[k])[d]);
    }
  dense::multiply<C>(a, n, n, x.data(), q, C(0), y.data(), threads);
  return y;
}

}  // namespace conoid::elastic_bem
