// SPDX-License-Identifier: BSD-3-Clause
// Why a zone allows no longer step: said when the step has collapsed.
#include "engine/solvers/hydro_fem/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/operator.hpp"

#include <algorithm>
#include <limits>

#include <fmt/core.h>

namespace conoid::hydro_fem {

Operator::Limit Operator::limit(const State& state) const {
  const int dim = space_.dim;
  const Index W = kernels_.lanes, batch = limiting_batch_;
  const reference::ZoneTables tables(tables_, dim);
  const auto QQ = static_cast<Index>(tables.points);
  reference::Point worst;
  reference::Stress stress;
  Limit out{lane_zone_[u(batch * W)], {}};
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < W * QQ; ++i) {
    const Index lane = i / QQ, q = i % QQ, zone = lane_zone_[u(batch * W + lane)];
    const reference::Spot spot = reference::spot_of(tables, space_, state.x.data(), zone, static_cast<int>(q));
    const double det = reference::determinant(dim, spot.J);
    if (!(det > 0))
      return {zone, fmt::format("it is tangled: its Jacobian is {:.3g} at ({:.5g}, {:.5g}, {:.5g})", det, spot.x[0],
                                spot.x[1], spot.x[2])};
    double weight = 1, energy = 0;
    for (Index d = 0, rest = q; d < dim; ++d, rest /= tables_.q) weight *= tables_.rule.weights[u(rest % tables_.q)];
    for (int j = 0; j < tables.energies; ++j)
      energy += tables.phi(static_cast<int>(q), j) * state.e[u(zone * tables.energies + j)];
    reference::Point p;
    p.dim = dim;
    p.J = spot.J;
    p.dv = reference::spot_of(tables, space_, state.v.data(), zone, static_cast<int>(q)).J;
    for (int m = 0; m < dim * dim; ++m) p.J0inv[u(m)] = data_.J0inv[((batch * QQ + q) * dim * dim + m) * W + lane];
    p.rho = data_.mass[(batch * QQ + q) * W + lane] / (weight * det * (axisymmetric_ ? spot.x[1] : 1));
    batch_material_[u(batch)]->evaluate({&p.rho, 1}, {&energy, 1}, {&p.p, 1}, {&p.c, 1});
    const reference::Stress here =
        reference::stress_at(p, data_.viscosity, data_.vorticity_switch, data_.h0, tables_.k);
    if (here.step >= least) continue;
    least = here.step;
    worst = p;
    stress = here;
    out.zone = zone;
  }
  std::array<double, 9> moved{};  // J J0^-1
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      for (int m = 0; m < dim; ++m) moved[u(i * dim + j)] += worst.J[u(i * dim + m)] * worst.J0inv[u(m * dim + j)];
  const double thin = reference::smallest_stretch(dim, moved);
  const double h = reference::smallest_stretch(dim, worst.J) / tables_.k;
  if (thin < 0.1)
    out.reason = fmt::format("it is squeezed to {:.2g} of its thickness at the start", thin);
  else if (2.5 * stress.viscosity / (worst.rho * h) > worst.c)
    out.reason = fmt::format("its artificial viscosity has grown to {:.3g} Pa s", stress.viscosity);
  else
    out.reason = fmt::format("its speed of sound has grown to {:.3g} m/s", worst.c);
  return out;
}

}  // namespace conoid::hydro_fem
