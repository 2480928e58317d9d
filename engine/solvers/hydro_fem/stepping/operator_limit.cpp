// SPDX-License-Identifier: BSD-3-Clause
// Single points of a state: why a zone allows no longer step, and where a table was left.
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/stepping/operator_ranks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/core.h>

namespace conoid::hydro_fem {

struct Operator::Local {
  reference::Point p;
  Vec3 x{};
  double energy = 0;
};

Operator::Local Operator::local(const reference::ZoneTables& tables, const State& state, Index batch, Index lane,
                                Index q) const {
  const int dim = space_.dim;
  const Index W = kernels_.lanes, zone = lane_zone_[u(batch * W + lane)];
  const auto QQ = static_cast<Index>(data_.zone_points);
  const reference::Spot spot = reference::spot_of(tables, space_, state.x.data(), zone, static_cast<int>(q));
  double weight = 1;
  for (Index d = 0, rest = q; d < dim; ++d, rest /= tables_.q) weight *= tables_.rule.weights[u(rest % tables_.q)];
  Local out;
  out.x = spot.x;
  for (int j = 0; j < tables.energies; ++j)
    out.energy += tables.phi(static_cast<int>(q), j) * state.e[u(zone * tables.energies + j)];
  reference::Point& p = out.p;
  p.dim = dim;
  p.J = spot.J;
  p.dv = reference::spot_of(tables, space_, state.v.data(), zone, static_cast<int>(q)).J;
  // Made anew, as of zones of other ranks it is not kept.
  p.J0inv = reference::inverse3(dim, reference::spot_of(tables, space_, space_.x0.data(), zone, static_cast<int>(q)).J);
  p.rho = data_.mass[(batch * QQ + q) * W + lane] /
          (weight * reference::determinant(dim, spot.J) * reference::measure(turns_, spot.x[u(dim - 1)]));
  p.smooth = data_.smooth;
  p.share = reference::viscosity_share(data_, &space_.map[u(zone * space_.zone_nodes)], state.v.data());
  batch_material_[u(batch)]->evaluate({&p.rho, 1}, {&out.energy, 1}, {&p.p, 1}, {&p.c, 1});
  if (data_.burn != nullptr) {
    const double* burn = data_.burn + (batch * QQ + q) * 2 * W + lane;
    p.p *= std::clamp((data_.time - burn[0]) * burn[W], 0.0, 1.0);
  }
  return out;
}

Operator::Limit Operator::limit(const State& state) const {
  if (!ranks_) return limit_in(state, limiting_batch_);
  const bool mine = ranks_->own_step == ranks_->step;
  const Index batch = std::min(batch_count_ - 1, first_of_ranks(mine ? limiting_batch_ : batch_count_));
  const Index zone = lane_zone_[u(batch * kernels_.lanes)];
  return told_by(ranks_->rank_of_zone[u(zone)], owns(zone) ? limit_in(state, batch) : Limit{});
}

Operator::Limit Operator::limit_in(const State& state, Index batch) const {
  const int dim = space_.dim;
  const Index W = kernels_.lanes;
  const auto QQ = static_cast<Index>(data_.zone_points);
  const reference::ZoneTables tables(tables_, dim);
  reference::Point worst;
  reference::Stress stress;
  Limit out{lane_zone_[u(batch * W)], {}};
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < W * QQ; ++i) {
    const Index zone = lane_zone_[u(batch * W + i / QQ)];
    const Local at = local(tables, state, batch, i / QQ, i % QQ);
    const double det = reference::determinant(dim, at.p.J);
    if (!(det > 0))
      return {zone, fmt::format("it is tangled: its Jacobian is {:.3g} at ({:.5g}, {:.5g}, {:.5g})", det, at.x[0],
                                at.x[1], at.x[2])};
    const reference::Stress here = reference::stress_at(at.p, data_.viscosity, data_.vorticity_switch, tables_.k);
    if (here.step >= least) continue;
    least = here.step;
    worst = at.p;
    stress = here;
    out.zone = zone;
  }
  std::array<double, 9> moved{};  // J J0^-1
  for (int i = 0; i < dim; ++i)
    for (int j = 0; j < dim; ++j)
      for (int m = 0; m < dim; ++m) moved[u(i * dim + j)] += worst.J[u(i * dim + m)] * worst.J0inv[u(m * dim + j)];
  const double thin = reference::smallest_stretch(dim, moved);
  if (thin < 0.1)
    out.reason = fmt::format("it is squeezed to {:.2g} of its thickness at the start", thin);
  else if (stress.viscous_rate > stress.sound_rate)
    out.reason = fmt::format("its artificial viscosity has grown to {:.3g} Pa s", stress.viscosity);
  else
    out.reason = fmt::format("its speed of sound has grown to {:.3g} m/s", worst.c);
  return out;
}

Index Operator::outside() const {
  if (outside_.empty()) return 0;
  const Index own =
      std::accumulate(outside_.begin() + own_batches_.begin, outside_.begin() + own_batches_.end, Index{0});
  return ranks_ ? outside_of_ranks(own) : own;
}

Operator::Limit Operator::first_outside(const State& state) const {
  const Index W = kernels_.lanes;
  const auto QQ = static_cast<Index>(data_.zone_points);
  const reference::ZoneTables tables(tables_, space_.dim);
  Limit out;
  Index found = batch_count_;
  for (Index batch = own_batches_.begin; batch < own_batches_.end && found == batch_count_; ++batch)
    for (Index i = 0; i < W * QQ && outside_[u(batch)] > 0; ++i) {
      const Local at = local(tables, state, batch, i / QQ, i % QQ);
      const std::string beyond = batch_material_[u(batch)]->beyond(at.p.rho, at.energy);
      if (beyond.empty()) continue;
      out = {lane_zone_[u(batch * W + i / QQ)],
             fmt::format("at ({:.5g}, {:.5g}, {:.5g}) {}", at.x[0], at.x[1], at.x[2], beyond)};
      found = batch;
      break;
    }
  if (!ranks_) return out;
  found = first_of_ranks(found);
  return found == batch_count_ ? Limit{} : told_by(ranks_->rank_of_zone[u(lane_zone_[u(found * W)])], out);
}

}  // namespace conoid::hydro_fem
