// SPDX-License-Identifier: BSD-3-Clause
// Interpolation inside zones, the inverse of their curved maps, and cells for pictures.
#include "engine/solvers/hydro_fem/output_view.hpp"

#include "engine/mesh/mesh.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conoid::hydro_fem {
namespace {

/// Calls f(node, value weight, derivative weights) for the nodes of a zone that count at a place.
template <class F>
void over_nodes(const View::Place& at, int dim, int n, const F& f) {
  constexpr double one = 1, zero = 0;
  const int ny = dim > 1 ? n : 1, nz = dim > 2 ? n : 1;
  for (int k = 0; k < nz; ++k) {
    const double bz = dim > 2 ? at.b[2][u(k)] : one, gz = dim > 2 ? at.g[2][u(k)] : zero;
    if (bz == 0 && gz == 0) continue;
    for (int j = 0; j < ny; ++j) {
      const double by = dim > 1 ? at.b[1][u(j)] : one, gy = dim > 1 ? at.g[1][u(j)] : zero;
      const double v = bz * by, dy = bz * gy, dz = gz * by;
      if (v == 0 && dy == 0 && dz == 0) continue;
      for (int i = 0; i < n; ++i) {
        const double bx = at.b[0][u(i)], gx = at.g[0][u(i)];
        f((k * ny + j) * n + i, v * bx, std::array<double, 3>{v * gx, dy * bx, dz * bx});
      }
    }
  }
}

/// Σ over a tensor field with m values a direction.
template <class F>
double tensor_sum(const std::array<std::vector<double>, 3>& rows, int dim, int m, const F& value) {
  double sum = 0;
  const int my = dim > 1 ? m : 1, mz = dim > 2 ? m : 1;
  for (int k = 0; k < mz; ++k)
    for (int j = 0; j < my; ++j) {
      const double w = (dim > 1 ? rows[1][u(j)] : 1) * (dim > 2 ? rows[2][u(k)] : 1);
      for (int i = 0; i < m; ++i) sum += w * rows[0][u(i)] * value((k * my + j) * m + i);
    }
  return sum;
}

}  // namespace

View::View(const Operator& op, const Setup& setup) : op_(op), setup_(setup), workers_(op.threads()) {
  const Space& s = op.space();
  lane_of_zone_.resize(u(s.zones));
  const std::vector<Index>& lanes = op.lane_zones();
  for (std::size_t i = lanes.size(); i-- > 0;)  // the first of those that repeat a zone
    if (op.owns(lanes[i])) lane_of_zone_[u(lanes[i])] = static_cast<int>(i);
  for (Index zone = 0; zone < s.zones; ++zone)
    if (op.owns(zone)) zones_.push_back(zone);
  const auto& nodes = op.tables().h1_nodes;
  for (int i = 0; i < s.zone_nodes; ++i) {
    Vec3 xi{};
    for (int d = 0, rest = i; d < s.dim; ++d, rest /= s.k + 1) xi[u(d)] = nodes[u(rest % (s.k + 1))];
    node_places_.push_back(place(0, xi));
  }
}

/// r0^turns at a mass point.
double View::turned(Index zone, int q) const {
  const Tables& t = op_.tables();
  const Space& s = op_.space();
  const Index* map = &s.map[u(zone * s.zone_nodes)];
  const double* radii = &s.x0[u((s.dim - 1) * s.nodes)];
  double radius = 0;
  for (int j = 0; j < s.zone_nodes; ++j)
    radius += t.B(q % t.q, j % t.h1) * (s.dim > 1 ? t.B(q / t.q, j / t.h1) : 1) * radii[map[j]];
  return reference::measure(op_.data().turns, radius);
}

double View::mass(Index zone, int q) const {
  const Index lanes = op_.kernels().lanes, at = lane_of_zone_[u(zone)];
  return op_.data().mass[(at / lanes * op_.data().zone_points + q) * lanes + at % lanes];
}

/// ρ0 |J0| at the mass points of a zone.
std::vector<double> View::densities(Index zone) const {
  const ZoneData& z = op_.data();
  const Tables& t = op_.tables();
  std::vector<double> out(u(z.zone_points));
  for (int q = 0; q < z.zone_points; ++q) {
    double& m = out[u(q)] = mass(zone, q);
    for (int d = 0, rest = q; d < z.dim; ++d, rest /= t.q) m /= t.rule.weights[u(rest % t.q)];
    if (z.turns > 0) m /= turned(zone, q);  // so that the quotient stays regular towards the axis
  }
  return out;
}

View::Place View::place(Index zone, const Vec3& xi) const {
  const Tables& t = op_.tables();
  Place out;
  out.zone = zone;
  out.xi = xi;
  for (int d = 0; d < op_.space().dim; ++d) {
    const std::vector<double> at{xi[u(d)]};
    out.b[u(d)] = lagrange(t.h1_nodes, at).a;
    out.g[u(d)] = lagrange_derivative(t.h1_nodes, at).a;
    out.l[u(d)] = lagrange(t.l2_nodes, at).a;
    out.q[u(d)] = lagrange(t.rule.points, at).a;
  }
  return out;
}

PointValues View::at(const State& state, const Place& at, bool with_viscosity) const {
  const std::vector<double> points = densities(at.zone);
  return evaluate(state, at.zone, at,
                  tensor_sum(at.q, op_.space().dim, op_.tables().q, [&](int i) { return points[u(i)]; }),
                  with_viscosity);
}

std::vector<View::Spot> View::find(const State& state, std::span<const Searched> points) const {
  std::vector<Spot> out(points.size());
  const auto nowhere = static_cast<double>(op_.space().zones);
  std::vector<double> first(points.size(), nowhere);
  workers_.for_each({0, static_cast<Index>(points.size())}, 4, [&](Interval some, int) {
    for (Index i = some.begin; i < some.end; ++i)
      if (const auto place = locate(state, *points[u(i)].boxes, points[u(i)].position)) {
        out[u(i)] = {place->zone, place->xi};
        first[u(i)] = static_cast<double>(place->zone);
      }
  });
  if (const auto share = op_.share()) share->cluster->minimum(std::span(first));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i].zone = first[i] < nowhere ? static_cast<Index>(first[i]) : Index{-1};
  return out;
}

std::vector<PointValues> View::at(const State& state, std::span<const Spot> spots) const {
  std::vector<Index> mine;
  for (std::size_t i = 0; i < spots.size(); ++i)
    if (spots[i].zone >= 0 && op_.owns(spots[i].zone)) mine.push_back(static_cast<Index>(i));
  std::vector<PointValues> here(mine.size());
  workers_.for_each({0, static_cast<Index>(mine.size())}, 16, [&](Interval some, int) {
    for (Index i = some.begin; i < some.end; ++i) {
      const Spot& spot = spots[u(mine[u(i)])];
      here[u(i)] = at(state, place(spot.zone, spot.xi), false);
      here[u(i)].found = true;
    }
  });
  const auto share = op_.share();
  if (share) here = share->cluster->gather_values<PointValues>(here);
  if (!leads()) return {};
  // Rank by rank, and of each in the order of the spots.
  std::vector<PointValues> out(spots.size());
  auto next = here.begin();
  for (int r = 0; r < (share ? share->cluster->size() : 1); ++r)
    for (std::size_t i = 0; i < spots.size(); ++i)
      if (spots[i].zone >= 0 && (!share || share->rank_of_zone[u(spots[i].zone)] == r)) out[i] = *next++;
  return out;
}

PointValues View::evaluate(const State& state, Index zone, const Place& at, double mass, bool with_viscosity) const {
  const Space& s = op_.space();
  const Tables& t = op_.tables();
  const ZoneData& z = op_.data();
  const int n = s.dim;
  const Index* map = &s.map[u(zone * s.zone_nodes)];
  PointValues out;
  reference::Point p;
  p.dim = n;
  p.turns = z.turns;
  std::array<double, 9> J0{};
  double r0 = 0;
  Vec3 start{};
  over_nodes(at, n, s.k + 1, [&](int i, double w, const std::array<double, 3>& d) {
    for (int c = 0; c < n; ++c) {
      const Index at_node = c * s.nodes + map[i];
      const double x = state.x[u(at_node)], v = state.v[u(at_node)], x0 = s.x0[u(at_node)];
      out.position[u(c)] += w * x;
      out.velocity[u(c)] += w * v;
      for (int m = 0; m < n; ++m) {
        p.J[u(c * n + m)] += d[u(m)] * x;
        p.dv[u(c * n + m)] += d[u(m)] * v;
        J0[u(c * n + m)] += d[u(m)] * x0;
      }
      if (c == n - 1) r0 += w * x0;
      start[u(c)] += w * x0;
    }
  });
  out.energy = tensor_sum(at.l, n, t.l2, [&](int j) { return state.e[u(zone * z.zone_energies + j)]; });
  // ρ0 |J0| is a polynomial known at the mass points; ρ = ρ0 |J0| r0 / (|J| r). On the axis both radii vanish, and their
  // derivatives across it take their place.
  double r_now = 1, r_then = 1;
  if (z.turns > 0) {
    r_now = out.position[u(n - 1)];
    r_then = r0;
    const std::size_t first = u((n - 1) * n), last = u(n * n - 1);
    const double across = std::abs(p.J[first]) + std::abs(p.J[last]);
    if (r_now < 1e-9 * across) {
      const std::size_t steeper = std::abs(p.J[last]) >= std::abs(p.J[first]) ? last : first;
      r_now = p.J[steeper];
      r_then = J0[steeper];
    }
  }
  const double det = reference::determinant(n, p.J);
  out.density = det > 0 ? mass / det * reference::measure(z.turns, r_then / r_now) : 0;
  if (!(out.density > 0)) return out;
  double sound = 0;
  const EquationOfState& material = *setup_.materials[u(setup_.mesh.region[u(zone)])];
  material.evaluate(std::span(&out.density, 1), std::span(&out.energy, 1), std::span(&out.pressure, 1),
                    std::span(&sound, 1));
  if (const int region = setup_.mesh.region[u(zone)]; setup_.burn.burns(region))
    out.pressure *= setup_.burn.burnt(start, reference::determinant(n, J0), n, s.k, region, time_);
  if (with_viscosity && z.viscosity) {
    p.rho = out.density;
    p.p = out.pressure;
    p.c = sound;
    p.smooth = z.smooth;
    p.share = reference::viscosity_share(z, &s.map[u(zone * s.zone_nodes)], state.v.data());
    p.J0inv = reference::inverse3(n, J0);
    out.viscosity = reference::stress_at(p, true, z.vorticity_switch, s.k).viscosity;
  }
  return out;
}

double View::volume(const State& state, const Place& place) const {
  const Space& s = op_.space();
  const Index* map = &s.map[u(place.zone * s.zone_nodes)];
  std::array<double, 9> J{};
  double radius = 0;
  over_nodes(place, s.dim, s.k + 1, [&](int i, double w, const std::array<double, 3>& d) {
    for (int c = 0; c < s.dim; ++c) {
      const double x = state.x[u(c * s.nodes + map[i])];
      if (c == s.dim - 1) radius += w * x;
      for (int m = 0; m < s.dim; ++m) J[u(c * s.dim + m)] += d[u(m)] * x;
    }
  });
  return reference::determinant(s.dim, J) * reference::measure(op_.data().turns, radius);
}

View::Boxes View::boxes(const State& state) const {
  const Space& s = op_.space();
  const int n = s.dim;
  Boxes out{std::vector<double>(u(2 * n) * zones_.size()), zones_};
  workers_.for_each({0, static_cast<Index>(zones_.size())}, 512, [&](Interval some, int) {
    for (Index i = some.begin; i < some.end; ++i)
      for (int d = 0; d < n; ++d) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (int node = 0; node < s.zone_nodes; ++node) {
          const double x = state.x[u(d * s.nodes + s.map[u(zones_[u(i)] * s.zone_nodes + node)])];
          low = std::min(low, x);
          high = std::max(high, x);
        }
        // Nodes of a curved side do not bound it exactly.
        const double slack = 0.1 * (high - low) + 1e-12 * std::abs(high);
        out.range[u(2 * (i * n + d))] = low - slack;
        out.range[u(2 * (i * n + d) + 1)] = high + slack;
      }
  });
  return out;
}

View::Boxes View::along(const Boxes& boxes, const Vec3& from, const Vec3& to) const {
  const int n = op_.space().dim;
  const std::size_t size = u(2 * n);
  Boxes out;
  for (std::size_t at = 0; at < boxes.range.size(); at += size) {
    const double* range = &boxes.range[at];
    double begin = 0, end = 1;  // of the part of the line between the planes
    for (int d = 0; d < n; ++d) {
      const double a = from[u(d)], step = to[u(d)] - a;
      const double slack = 1e-12 * (std::abs(a) + std::abs(step));  // for the digits of places on the line
      const double low = range[2 * d] - slack - a, high = range[2 * d + 1] + slack - a;
      if (step == 0) {
        if (low > 0 || high < 0) end = -1;
        continue;
      }
      begin = std::max(begin, std::min(low / step, high / step));
      end = std::min(end, std::max(low / step, high / step));
    }
    if (begin > end) continue;
    out.zones.push_back(boxes.zones[at / size]);
    out.range.insert(out.range.end(), range, range + size);
  }
  return out;
}

std::optional<View::Place> View::locate(const State& state, const Boxes& boxes, const Vec3& position) const {
  const Space& s = op_.space();
  const int n = s.dim;
  const auto count = static_cast<Index>(boxes.range.size()) / (2 * n);
  for (Index i = 0; i < count; ++i) {
    const double* range = &boxes.range[u(2 * i * n)];
    const Index zone = boxes.zones[u(i)];
    bool near = true;
    double size = 0;
    for (int d = 0; d < n && near; ++d) {
      near = position[u(d)] >= range[2 * d] && position[u(d)] <= range[2 * d + 1];
      size = std::max(size, range[2 * d + 1] - range[2 * d]);
    }
    if (!near) continue;
    const Index* map = &s.map[u(zone * s.zone_nodes)];
    Vec3 xi{0.5, 0.5, 0.5};
    for (int turn = 0; turn < 30; ++turn) {
      const Place here = place(zone, xi);
      Vec3 x{};
      std::array<double, 9> J{};
      over_nodes(here, n, s.k + 1, [&](int node, double w, const std::array<double, 3>& d) {
        for (int c = 0; c < n; ++c) {
          const double value = state.x[u(c * s.nodes + map[node])];
          x[u(c)] += w * value;
          for (int m = 0; m < n; ++m) J[u(c * n + m)] += d[u(m)] * value;
        }
      });
      if (!(std::abs(reference::determinant(n, J)) > 0)) break;
      const auto inv = reference::inverse3(n, J);
      double off = 0;
      for (int c = 0; c < n; ++c) off = std::max(off, std::abs(position[u(c)] - x[u(c)]));
      if (off <= 1e-11 * size) {
        bool inside = true;
        for (int d = 0; d < n; ++d) inside = inside && xi[u(d)] >= -1e-8 && xi[u(d)] <= 1 + 1e-8;
        if (!inside) break;
        for (int d = 0; d < n; ++d) xi[u(d)] = std::clamp(xi[u(d)], 0.0, 1.0);
        return place(zone, xi);
      }
      for (int d = 0; d < n; ++d) {
        double step = 0;
        for (int c = 0; c < n; ++c) step += inv[u(d * n + c)] * (position[u(c)] - x[u(c)]);
        xi[u(d)] = std::clamp(xi[u(d)] + std::clamp(step, -0.5, 0.5), -0.2, 1.2);
      }
    }
  }
  return std::nullopt;
}

int View::cuts(Index points_limit) const {
  const Space& s = op_.space();
  int sub = s.k;
  const auto points = [&](int c) {
    Index all = s.zones;
    for (int d = 0; d < s.dim; ++d) all *= c + 1;
    return all;
  };
  while (points_limit > 0 && sub > 1 && points(sub) > points_limit) --sub;
  return sub;
}

std::vector<int> View::kept_nodes(int sub) const {
  std::vector<int> out;
  for (int i = 0; i <= sub; ++i) out.push_back((i * op_.space().k + sub / 2) / sub);
  return out;
}

const View::Topology& View::topology(int sub) const {
  for (const auto& [cuts, known] : topologies_)
    if (cuts == sub) return known;
  const Space& s = op_.space();
  const int n = sub + 1, dim = s.dim;
  const int ny = dim > 1 ? n : 1, nz = dim > 2 ? n : 1;
  const int cy = dim > 1 ? sub : 1, cz = dim > 2 ? sub : 1;
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  const auto shape = dim == 1 ? CellShape::line2 : dim == 2 ? CellShape::quad4 : CellShape::hex8;
  for (Index zone = 0; zone < s.zones; ++zone) {
    const Index first = zone * n * ny * nz;
    for (int k = 0; k < cz; ++k)
      for (int j = 0; j < cy; ++j)
        for (int i = 0; i < sub; ++i) {
          const auto node = [&](int a, int b, int c) {
            connectivity->push_back(first + ((k + c) * ny + j + b) * n + i + a);
          };
          node(0, 0, 0);
          node(1, 0, 0);
          if (dim > 1) {
            node(1, 1, 0);
            node(0, 1, 0);
          }
          if (dim > 2) {
            node(0, 0, 1);
            node(1, 0, 1);
            node(1, 1, 1);
            node(0, 1, 1);
          }
          offsets->push_back(static_cast<Index>(connectivity->size()));
          types->push_back(static_cast<std::uint8_t>(shape));
        }
  }
  topologies_.emplace_back(sub, Topology{connectivity, offsets, types});
  return topologies_.back().second;
}

Index View::zone_points(int sub) const {
  Index out = 1;
  for (int d = 0; d < op_.space().dim; ++d) out *= sub + 1;
  return out;
}

/// Of the nodes of a zone those that are points of pictures.
std::vector<int> View::shown_nodes(int sub) const {
  const auto kept = kept_nodes(sub);
  std::vector<int> out;
  for (Index i = 0; i < zone_points(sub); ++i) {
    int local = 0, stride = 1;
    Index rest = i;
    for (int d = 0; d < op_.space().dim; ++d, rest /= sub + 1, stride *= op_.space().k + 1)
      local += stride * kept[u(rest % (sub + 1))];
    out.push_back(local);
  }
  return out;
}

MeshGeometry View::geometry(const State& state, int sub) const {
  const Space& s = op_.space();
  const std::vector<int> shown = shown_nodes(sub);
  auto points = std::make_shared<std::vector<double>>(
      op_.zones_on_leader<double>({0, s.zones}, 3 * static_cast<Index>(shown.size()), [&](Index zone, double* out) {
        for (const int local : shown) {
          const Index node = s.map[u(zone * s.zone_nodes + local)];
          for (int d = 0; d < 3; ++d) *out++ = d < s.dim ? state.x[u(d * s.nodes + node)] : 0.0;
        }
      }));
  if (!leads()) return {points, {}, {}, {}};
  const Topology& t = topology(sub);
  return {points, t.connectivity, t.offsets, t.types};
}

void View::values(const State& state, int sub, bool with_viscosity, Index numbers,
                  const std::function<void(const PointValues&, float*)>& pack,
                  const std::function<void(Index, const float*)>& take) const {
  const Space& s = op_.space();
  const std::vector<int> shown = shown_nodes(sub);
  const auto each = static_cast<Index>(shown.size());
  op_.gather_zones(
      {0, s.zones}, u(each * numbers) * sizeof(float),
      [&](Index zone, std::byte* to) {
        const std::vector<double> points = densities(zone);
        auto* out = reinterpret_cast<float*>(to);
        for (const int node : shown) {
          const Place& place = node_places_[u(node)];
          const double density = tensor_sum(place.q, s.dim, op_.tables().q, [&](int q) { return points[u(q)]; });
          pack(evaluate(state, zone, place, density, with_viscosity), out);
          out += numbers;
        }
      },
      [&](Index zone, const std::byte* from) {
        const auto* values = reinterpret_cast<const float*>(from);
        for (Index i = 0; i < each; ++i) take(zone * each + i, values + i * numbers);
      });
}

}  // namespace conoid::hydro_fem
