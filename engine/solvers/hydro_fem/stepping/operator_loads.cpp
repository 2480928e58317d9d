// SPDX-License-Identifier: BSD-3-Clause
// Loads from outside: pressure on boundaries, energy fed in per volume.
#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"

#include <algorithm>

namespace conoid::hydro_fem {
namespace {

/// A boundary's once, as a formula is slower than a side.
std::vector<double> pressures_in(const std::vector<BoundaryCondition>& boundaries, const StageTime& when) {
  std::vector<double> out;
  out.reserve(boundaries.size());
  for (const BoundaryCondition& bc : boundaries) out.push_back(bc.presses() ? bc.pressure_in(when) : 0);
  return out;
}

}  // namespace

double BoundaryCondition::pressure_in(const StageTime& when) const {
  if (bent && when.step > 0)
    if (const auto mean = bent(when.begin, when.begin + when.step)) return *mean;
  return at(when.t);
}

double Operator::wall_acceleration(const DrivenWall& wall, const StageTime& when) const {
  if (!(when.step > 0)) return 0;
  const BoundaryCondition& bc = boundaries_[u(wall.boundary)];
  const double start = bc.at(when.begin);
  double sum = 0;
  if (when.half != 0) sum += when.half * (bc.at(when.begin + 0.5 * when.step) - start);
  if (when.whole != 0) sum += when.whole * (bc.at(when.begin + when.step) - start);
  return sum / when.step;
}

void Operator::weigh_driven_walls() {
  for (DrivenWall& wall : driven_) multiply_mass(wall.velocity, space_.dim, wall.momentum);
}

void Operator::add_boundary_pressure(const PagedVector& position, const StageTime& when, PagedVector& rhs) const {
  const int dim = space_.dim;
  const Tables& t = tables_;
  const std::vector<double> pressures = pressures_in(boundaries_, when);
  for (const Index number : pressed_faces_) {
    const ZoneMesh::Face& face = mesh_.faces[u(number)];
    const double pressure = pressures[u(face.boundary)];
    const int axis = face.side / 2;
    const double outward = face.side % 2 ? 1 : -1;
    const Index* map = &space_.map[u(face.zone * space_.zone_nodes)];
    // Nodes of the face in tensor order.
    std::vector<Index> nodes;
    for (int local = 0; local < space_.zone_nodes; ++local) {
      int rest = local;
      for (int d = 0; d < axis; ++d) rest /= t.h1;
      if (rest % t.h1 == (face.side % 2 ? t.k : 0)) nodes.push_back(map[local]);
    }
    if (dim == 1) {
      rhs[u(nodes[0])] -= pressure * outward * reference::measure(turns_, position[u(nodes[0])]);
      continue;
    }
    const int points = dim == 2 ? t.q : t.q * t.q;
    for (int q = 0; q < points; ++q) {
      Vec3 a{};
      Vec3 b{};
      double radius = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int i0 = static_cast<int>(i) % t.h1;
        const int i1 = static_cast<int>(i) / t.h1;
        const double B0 = t.B(q % t.q, i0);
        const double G0 = t.G(q % t.q, i0);
        const double B1 = dim == 3 ? t.B(q / t.q, i1) : 1;
        const double G1 = dim == 3 ? t.G(q / t.q, i1) : 0;
        for (int d = 0; d < dim; ++d) {
          const double x = position[u(d * space_.nodes + nodes[i])];
          a[u(d)] += G0 * B1 * x;
          b[u(d)] += B0 * G1 * x;
        }
        radius += B0 * B1 * position[u(space_.nodes + nodes[i])];
      }
      // Area vector; the tangents follow the axes in ascending order, which gives +axis for axes 0 and 2, -axis for 1.
      Vec3 n{};
      double sign = outward;
      if (dim == 2) {
        n = {a[1], -a[0], 0};
        if (axis == 1) sign = -sign;
      } else {
        n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
        if (axis == 1) sign = -sign;
      }
      double w = t.rule.weights[u(q % t.q)];
      if (dim == 3) w *= t.rule.weights[u(q / t.q)];
      if (turns_ > 0) w *= radius;
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        double phi = t.B(q % t.q, static_cast<int>(i) % t.h1);
        if (dim == 3) phi *= t.B(q / t.q, static_cast<int>(i) / t.h1);
        for (int d = 0; d < dim; ++d) rhs[u(d * space_.nodes + nodes[i])] -= pressure * sign * w * phi * n[u(d)];
      }
    }
  }
}

std::vector<double> Operator::heat(double from, double to) const {
  std::vector<double> out;
  for (const Afterburn& region : afterburn_) out.push_back(region.power(from, to));
  return out;
}

void Operator::add_heat(const std::vector<double>& heat, PagedVector& de) const {
  if (std::all_of(heat.begin(), heat.end(), [](double power) { return power == 0; })) return;
  const Index W = kernels_.lanes, energies = data_.zone_energies;
  workers_.for_each(own_batches_, batch_grain_, [&](Interval batches, int) {
    for (Index i = batches.begin * W; i < batches.end * W; ++i) {
      const Index zone = lane_zone_[u(i)];
      if (i % W > 0 && zone == lane_zone_[u(i - 1)]) continue;  // an unused lane
      const double power = heat[u(mesh_.region[u(zone)])];
      for (Index j = zone * energies; j < (zone + 1) * energies; ++j) de[u(j)] += power;
    }
  });
}

void Operator::add_energy_source(const State& state, double time, PagedVector& de) const {
  // ∫ source φ_j (r) over the moved zone, then the inverse block.
  const int dim = space_.dim;
  const Tables& t = tables_;
  const Index W = kernels_.lanes;
  const int EE = data_.zone_energies;
  const int QQ = data_.zone_points;
  workers_.for_each(own_batches_, 1, [&](Interval batches, int thread) {
    const EnergySource& source = energy_sources_[u(thread)];
    std::vector<double> load(u(EE));
    for (Index b = batches.begin; b < batches.end; ++b)
      for (Index l = 0; l < W; ++l) {
        const Index zone = lane_zone_[u(b * W + l)];
        if (l > 0 && zone == lane_zone_[u(b * W + l - 1)]) continue;
        const Index* map = &space_.map[u(zone * space_.zone_nodes)];
        std::fill(load.begin(), load.end(), 0.0);
        for (int q = 0; q < QQ; ++q) {
          Vec3 p{};
          double J[9] = {};
          double w = 1;
          std::array<int, 3> at{};
          int rest = q;
          for (int d = 0; d < dim; ++d) {
            at[u(d)] = rest % t.q;
            rest /= t.q;
            w *= t.rule.weights[u(at[u(d)])];
          }
          for (int i = 0; i < space_.zone_nodes; ++i) {
            double value = 1;
            double grad[3] = {1, 1, 1};
            int r = i;
            for (int d = 0; d < dim; ++d) {
              const int node = r % t.h1;
              r /= t.h1;
              value *= t.B(at[u(d)], node);
              for (int m = 0; m < dim; ++m) grad[m] *= m == d ? t.G(at[u(d)], node) : t.B(at[u(d)], node);
            }
            for (int d = 0; d < dim; ++d) {
              const double x = state.x[u(d * space_.nodes + map[i])];
              p[u(d)] += value * x;
              for (int m = 0; m < dim; ++m) J[d * dim + m] += grad[m] * x;
            }
          }
          double det = J[0];
          if (dim == 2) det = J[0] * J[3] - J[1] * J[2];
          if (dim == 3)
            det = J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
                  J[2] * (J[3] * J[7] - J[4] * J[6]);
          const double f = w * det * reference::measure(turns_, p[u(dim - 1)]) * source(p, time, mesh_.region[u(zone)]);
          for (int j = 0; j < EE; ++j) {
            double phi = 1;
            int rj = j;
            for (int d = 0; d < dim; ++d) {
              phi *= t.L(at[u(d)], rj % t.l2);
              rj /= t.l2;
            }
            load[u(j)] += f * phi;
          }
        }
        for (int i = 0; i < EE; ++i) {
          double s = 0;
          for (int j = 0; j < EE; ++j) s += data_.Meinv[(b * EE * EE + i * EE + j) * W + l] * load[u(j)];
          de[u(zone * EE + i)] += s;
        }
      }
  });
}

}  // namespace conoid::hydro_fem
