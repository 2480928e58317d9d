// SPDX-License-Identifier: BSD-3-Clause
// Setting up the operator: batches of zones, masses, constraints, the energy of a point.
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/solvers/hydro_fem/stepping/operator_ranks.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/core.h>

namespace conoid::hydro_fem {
namespace {

double density_at_point(const Setup& setup, const Vec3& x, int region) {
  const double density = setup.density(x, region);
  if (!(density > 0) || !std::isfinite(density))
    throw Failure(make_error(ErrorCode::invalid_input,
                             fmt::format("the density is {} at ({:.6g}, {:.6g}, {:.6g})", density, x[0], x[1], x[2]),
                             "Give every region a density above zero."));
  return density;
}

double distance_to_point(const Setup& setup, const ZoneMesh& mesh, Index vertex) {
  double d2 = 0;
  for (int d = 0; d < mesh.dim; ++d) {
    const double delta = mesh.vertices[u(vertex * mesh.dim + d)] - setup.point[u(d)];
    d2 += delta * delta;
  }
  return std::sqrt(d2);
}

/// As far from a point as rounding puts vertices that are as near.
double slack_of(const ZoneMesh& mesh) {
  double slack = 0;
  for (const double x : mesh.vertices) slack = std::max(slack, 1e-12 * std::abs(x));
  return slack;
}

}  // namespace

double share_across(const BoundaryCondition& piston, const SidePlane& side) {
  const Vec3 &a = piston.normal, &n = side.normal;
  return (a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / std::hypot(a[0], a[1], a[2]);
}

/// Zeros. Of what is large the system gives pages as they are first written, so that the zones of other ranks take none.
double* Operator::allocate(Index count) {
  constexpr std::size_t alignment = 64;
  const std::size_t bytes = u(std::max<Index>(count, 1)) * sizeof(double);
  std::size_t room = bytes + alignment;
  blocks_.emplace_back().resize(room / sizeof(double));
  void* at = blocks_.back().data();
  return static_cast<double*>(std::align(alignment, bytes, at, room));
}

Operator::Operator(const Setup& setup, const ZoneKernels& kernels, Team& team, Communicator* cluster)
    : mesh_(setup.mesh.without_places()), tables_(setup.k), space_(setup.mesh, setup.k), kernels_(kernels), team_(team),
      workers_(team.threads()), materials_(setup.materials), boundaries_(setup.boundaries), gravity_(setup.gravity),
      afterburn_(setup.afterburn), turns_(setup.turns), mass_tolerance_(setup.mass_tolerance),
      mass_iterations_(setup.mass_iterations), solve_width_(workers_.threads()) {
  if (setup.energy_source)
    for (int i = 0; i < workers_.threads(); ++i) energy_sources_.push_back(setup.energy_source());
  number_batches(setup.mesh);
  constexpr Index chunks = 64, side = 16;
  node_grain_ = std::clamp<Index>((space_.nodes / chunks + side - 1) / side * side, 64, largest_node_grain);
  batch_grain_ = std::clamp<Index>(batch_count_ / chunks, 1, 8);
  own_batches_ = {0, batch_count_};
  own_nodes_ = {0, space_.nodes};
  batch_sums_.assign(u((batch_count_ + batch_grain_ - 1) / batch_grain_), 0);
  set_sizes();
  if (cluster != nullptr && cluster->size() > 1) share_among(*cluster);
  map_batches();
  list_pressed_faces();
  const std::vector<Index> hot = zones_at_point(setup);
  const std::vector<Interval> looked_at = batches_looked_at(hot);
  drop_far(looked_at);
  allocate_points(setup);
  start_velocities(setup);
  set_masses(setup, hot, looked_at);
  set_burn(setup);
  set_constraints(setup);
  deposit_point_energy(setup, hot);
  for (PagedVector* field : {&rhs_, &y_, &p_}) field->resize(initial_.v.size());
  gravity_weights();
  weigh_driven_walls();
  drop_of_others();
}

void Operator::set_sizes() {
  const int dim = space_.dim;
  auto pow_dim = [&](int n) { return static_cast<int>(std::lround(std::pow(n, dim))); };
  data_.tables = &tables_;
  data_.dim = dim;
  data_.turns = turns_;
  data_.nodes = space_.nodes;
  data_.zone_nodes = space_.zone_nodes;
  data_.zone_energies = pow_dim(tables_.l2);
  data_.zone_points = pow_dim(tables_.q);
}

/// What the kernels read and write at the points of zones, as far as it is made in a step.
void Operator::allocate_points(const Setup& setup) {
  const int dim = space_.dim;
  data_.batch_map = batch_map_.data();
  data_.lane_zone = lane_zone_.data();
  data_.material = batch_material_.data();
  data_.viscosity = setup.viscosity;
  data_.vorticity_switch = setup.vorticity_switch;
  if (setup.viscosity_vanishes) data_.smooth = Smoothness::of_order(setup.k);
  const Index W = kernels_.lanes;
  const Index points = batch_count_ * data_.zone_points * W;
  data_.S = allocate(points * dim * dim);
  if (turns_ > 0) data_.hoop = allocate(points);
  data_.node_terms = allocate(batch_count_ * dim * space_.zone_nodes * W);
  batch_step_.assign(u(batch_count_), 0);
  if (std::any_of(materials_.begin(), materials_.end(), [](const auto& m) { return m->limited(); })) {
    outside_.assign(u(batch_count_), 0);
    data_.outside = outside_.data();
  }
  if (!setup.corner_matrices) return;
  corner_ = std::make_unique<CornerTables>(tables_, dim);
  data_.corner = corner_.get();
  data_.F = allocate(batch_count_ * dim * space_.zone_nodes * data_.zone_energies * W);
  power_ = allocate(batch_count_ * data_.zone_energies * W);
}

void Operator::start_velocities(const Setup& setup) {
  const int dim = space_.dim;
  for (PagedVector* field : {&initial_.x, &initial_.v}) field->resize(space_.x0.size());
  initial_.e.resize(u(space_.zones * data_.zone_energies));
  over_nodes([&](Interval nodes) {
    for (int d = 0; d < dim; ++d)
      std::copy_n(space_.x0.begin() + d * space_.nodes + nodes.begin, nodes.size(),
                  initial_.x.begin() + d * space_.nodes + nodes.begin);
  });
  if (!setup.velocity) return;
  // A node between regions takes the velocity of the last of them.
  const auto region_of = [&](Index node) {
    int last = -1;
    for (Index m = space_.meet_begin[u(node)]; m < space_.meet_begin[u(node + 1)]; ++m)
      last = std::max(last, mesh_.region[u(space_.meet[u(m)] / space_.zone_nodes)]);
    return last;
  };
  look_on_all_ranks([&] {
    for (Index i = 0; i < space_.nodes; ++i) {
      if (!holds(i)) continue;
      Vec3 p{};
      for (int d = 0; d < dim; ++d) p[u(d)] = space_.x0[u(d * space_.nodes + i)];
      const Vec3 value = setup.velocity(p, region_of(i));
      for (int d = 0; d < dim; ++d) {
        if (!std::isfinite(value[u(d)]))
          throw Failure(make_error(ErrorCode::invalid_input,
                                   fmt::format("the velocity is ({}, {}, {}) at ({:.6g}, {:.6g}, {:.6g})", value[0],
                                               value[1], value[2], p[0], p[1], p[2]),
                                   "Look at what its formula becomes at that point."));
        initial_.v[u(d * space_.nodes + i)] = value[u(d)];
      }
    }
  });
}

void Operator::number_batches(const ZoneMesh& mesh) {
  // Zones of one material stand together; unused lanes repeat the last zone and are read but never summed. Batches follow
  // their first zones, as nodes do, so that the parts of a thread among both lie in one place of the mesh.
  const Index W = kernels_.lanes;
  std::map<int, std::vector<Index>> by_region;
  for (Index z = 0; z < space_.zones; ++z) by_region[mesh.region[u(z)]].push_back(z);
  std::vector<std::span<const Index>> batches;
  for (const auto& [region, zones] : by_region)
    for (std::size_t i = 0; i < zones.size(); i += u(W))
      batches.push_back(std::span(zones).subspan(i, std::min(u(W), zones.size() - i)));
  std::sort(batches.begin(), batches.end(), [](const auto& a, const auto& b) { return a.front() < b.front(); });
  for (const auto& zones : batches) {
    for (Index l = 0; l < W; ++l) {
      lane_zone_.push_back(zones[std::min(u(l), zones.size() - 1)]);
    }
    batch_material_.push_back(materials_.at(u(mesh.region[u(zones.front())])).get());
    ++batch_count_;
  }
  verify(space_.nodes * space_.dim < (Index{1} << 31), "a rank holds fewer than 2^31 velocity unknowns");
  verify(batch_count_ * space_.dim * space_.zone_nodes * W < (Index{1} << 31),
         "a rank holds fewer than 2^31 node terms");
}

/// Nodes of the zones of own batches, and what meets at nodes that this rank holds.
void Operator::map_batches() {
  const Index W = kernels_.lanes, nodes = space_.zone_nodes;
  batch_map_.resize(u(batch_count_ * nodes * W));
  for (Index b = own_batches_.begin; b < own_batches_.end; ++b)
    for (Index i = 0; i < nodes; ++i)
      for (Index l = 0; l < W; ++l)
        batch_map_[u((b * nodes + i) * W + l)] = static_cast<int>(space_.map[u(lane_zone_[u(b * W + l)] * nodes + i)]);
  std::vector<Index> place(u(space_.zones));  // batch × W + lane
  for (std::size_t i = lane_zone_.size(); i-- > 0;) place[u(lane_zone_[i])] = static_cast<Index>(i);
  meet_place_.resize(space_.meet.size());
  over_nodes([&](Interval some) {
    for (Index m = space_.meet_begin[u(some.begin)]; m < space_.meet_begin[u(some.end)]; ++m) {
      const Index at = place[u(space_.meet[u(m)] / nodes)], local = space_.meet[u(m)] % nodes;
      meet_place_[u(m)] = static_cast<int>((at / W * space_.dim * nodes + local) * W + at % W);
    }
  });
  if (ranks_) find_inner_batches();
}

void Operator::list_pressed_faces() {
  for (std::size_t i = 0; i < mesh_.faces.size(); ++i)
    if (boundaries_[u(mesh_.faces[i].boundary)].presses() && meets_held_nodes(mesh_.faces[i].zone))
      pressed_faces_.push_back(static_cast<Index>(i));
}

/// Of what all zones were numbered by, a rank keeps what it looks at: the nodes of its own zones, of those that meet at its nodes or have a
/// side on the boundary, and what meets at its nodes. `looked_at`: batches.
void Operator::drop_far(std::span<const Interval> looked_at) {
  if (!ranks_) return;
  std::vector<Interval> zones, nodes, meetings, begins;
  std::vector<char> needed(u(space_.nodes), 0);
  const auto keep = [&](Index zone) {
    zones.push_back({zone * space_.zone_nodes, (zone + 1) * space_.zone_nodes});
    for (Index i = zones.back().begin; i < zones.back().end; ++i) needed[u(space_.map[u(i)])] = 1;
  };
  for (const Interval& some : looked_at)
    for (Index i = some.begin * kernels_.lanes; i < some.end * kernels_.lanes; ++i) keep(lane_zone_[u(i)]);
  for (const ZoneMesh::Face& face : mesh_.faces) keep(face.zone);
  for (Index node = 0, end = 0; node < space_.nodes; node = end) {
    for (end = node + 1; end < space_.nodes && needed[u(end)] == needed[u(node)];) ++end;
    for (int d = 0; needed[u(node)] != 0 && d < space_.dim; ++d)
      nodes.push_back({d * space_.nodes + node, d * space_.nodes + end});
  }
  std::vector<Interval> held = ghosts_;
  held.push_back(own_nodes_);
  for (const Interval& some : held) {
    meetings.push_back({space_.meet_begin[u(some.begin)], space_.meet_begin[u(some.end)]});
    begins.push_back({some.begin, some.end + 1});
  }
  keep_entries(space_.meet, std::move(meetings));
  keep_entries(space_.meet_begin, std::move(begins));
  keep_entries(space_.map, std::move(zones));
  keep_entries(space_.x0, std::move(nodes));
}

/// What has only been looked at as everything was made.
void Operator::drop_of_others() {
  if (!ranks_) return;
  std::vector<Interval> zones;
  for (Index i = own_batches_.begin * kernels_.lanes; i < own_batches_.end * kernels_.lanes; ++i)
    zones.push_back({lane_zone_[u(i)] * space_.zone_nodes, (lane_zone_[u(i)] + 1) * space_.zone_nodes});
  keep_entries(space_.map, std::move(zones));
  keep_entries(space_.x0, ranks_->of_nodes);
}

struct Operator::ZoneMass {
  Index batch = 0, lane = 0, zone = 0;
  bool counts = true;             ///< not the repetition of an unused lane
  bool own = true;                ///< of this rank: what is made of it is kept
  bool weighed = true;            ///< its energy weights are kept
  double* mass = nullptr;         ///< [point][W] of its batch
  std::span<double> rho;          ///< at the L2 nodes
  std::vector<double> at_points;  ///< densities, where they are taken there
  std::span<double> Me;
  double least = 0, most = 0;  ///< of ρ0 |J0|
};

/// ρ0 and e0 interpolated at the L2 nodes of a zone.
void Operator::start_densities(const Setup& setup, const Matrix& at_energies, ZoneMass& of) {
  const int dim = space_.dim, EE = data_.zone_energies, region = mesh_.region[u(of.zone)];
  const Index* map = &space_.map[u(of.zone * space_.zone_nodes)];
  for (int j = 0; j < EE; ++j) {
    Vec3 p{};
    for (int i = 0; i < space_.zone_nodes; ++i)
      for (int d = 0; d < dim; ++d) p[u(d)] += at_energies(j, i) * space_.x0[u(d * space_.nodes + map[i])];
    of.rho[u(j)] = density_at_point(setup, p, region);
    const double e = setup.energy ? setup.energy(p, region) : 0;
    if (!std::isfinite(e))
      throw Failure(
          make_error(ErrorCode::invalid_input,
                     fmt::format("the specific energy is {} at ({:.6g}, {:.6g}, {:.6g})", e, p[0], p[1], p[2]),
                     "Look at the pressure given there, and at what its formula becomes at that point."));
    if (of.own) initial_.e[u(of.zone * EE + j)] = e;
  }
}

/// Masses at the points of a zone, its energy mass, and J0^-1 where it is kept.
void Operator::weigh_points(const Setup& setup, const reference::ZoneTables& tables, const std::vector<double>& weights,
                            ZoneMass& of, double* J0inv) {
  const int dim = space_.dim, QQ = data_.zone_points, EE = data_.zone_energies;
  const Index W = kernels_.lanes, b = of.batch, l = of.lane;
  of.least = std::numeric_limits<double>::infinity();
  of.most = 0;
  std::fill(of.Me.begin(), of.Me.end(), 0.0);
  if (setup.at_points) of.at_points = densities_at_points(setup, tables, of.zone, weights);
  for (int q = 0; q < QQ; ++q) {
    const reference::Spot spot = reference::spot_of(tables, space_, space_.x0.data(), of.zone, q);
    const auto& J = spot.J;
    const double det = reference::determinant(dim, J);
    if (!(det > 0))
      throw Failure(make_error(ErrorCode::invalid_input,
                               fmt::format("zone {} is tangled: its Jacobian is {:.3g} at ({:.4g}, {:.4g}, {:.4g})",
                                           of.zone, det, spot.x[0], spot.x[1], spot.x[2]),
                               "Check the order of the zone's corners and the curvature of its sides."));
    double rho_q = 0;
    for (int j = 0; j < EE; ++j) rho_q += tables.phi(q, j) * of.rho[u(j)];
    if (setup.at_points) rho_q = of.at_points[u(q)];
    if (!(rho_q > 0))
      throw Failure(make_error(
          ErrorCode::invalid_input,
          fmt::format("the density in zone {} varies so much that between the places where it is given its polynomial "
                      "is {:.3g} at ({:.6g}, {:.6g}, {:.6g})",
                      of.zone, rho_q, spot.x[0], spot.x[1], spot.x[2]),
          "Let zones end where the density jumps (a region each side), or take smaller zones or a lower order."));
    const double m0 = det * rho_q * reference::measure(turns_, spot.x[u(dim - 1)]);
    const double m = weights[u(q)] * m0;
    of.least = std::min(of.least, m0);
    of.most = std::max(of.most, m0);
    of.mass[q * W + l] = m;
    if (of.own) {
      const auto inv = reference::inverse3(dim, J);
      for (int i = 0; i < dim * dim; ++i) J0inv[((b * QQ + q) * dim * dim + i) * W + l] = inv[u(i)];
    }
    for (int i = 0; i < EE; ++i) {
      const double Li = m * tables.phi(q, i);
      if (of.counts && of.weighed) energy_weights_[u(of.zone * EE + i)] += Li;
      for (int j = 0; j < EE; ++j) of.Me[u(i * EE + j)] += Li * tables.phi(q, j);
    }
  }
}

/// Batches of zones that this rank looks at as it is set up: its own, those that meet at its nodes, and those that a point energy heats.
std::vector<Interval> Operator::batches_looked_at(const std::vector<Index>& hot) const {
  const Index W = kernels_.lanes;
  std::vector<Interval> out;
  for (Index b = 0; b < batch_count_; ++b) {
    bool needed = !ranks_ || (b >= own_batches_.begin && b < own_batches_.end);
    for (Index l = 0; l < W && !needed; ++l) {
      const Index zone = lane_zone_[u(b * W + l)];
      needed = meets_held_nodes(zone) || std::binary_search(hot.begin(), hot.end(), zone);
    }
    if (!needed) continue;
    if (!out.empty() && out.back().end == b)
      ++out.back().end;
    else
      out.push_back({b, b + 1});
  }
  return out;
}

/// Every rank looks at the zones that it needs; what is wrong with one is told by all of them.
void Operator::set_masses(const Setup& setup, const std::vector<Index>& hot, std::span<const Interval> looked_at) {
  const int dim = space_.dim;
  const Tables& t = tables_;
  const reference::ZoneTables tables(t, dim);
  const Index W = kernels_.lanes;
  const int QQ = data_.zone_points;
  const int EE = data_.zone_energies;
  double* mass = allocate(batch_count_ * QQ * W);
  double* J0inv = allocate(batch_count_ * QQ * dim * dim * W);
  double* Meinv = allocate(batch_count_ * EE * EE * W);
  double* uniform = allocate(batch_count_ * W);
  data_.mass = mass;
  data_.J0inv = J0inv;
  data_.Meinv = Meinv;
  data_.uniform = uniform;
  energy_weights_.resize(u(space_.zones * EE));
  const Matrix l2_from_h1 = lagrange(t.h1_nodes, t.l2_nodes);
  Matrix at_energies{EE, space_.zone_nodes, std::vector<double>(u(Index{EE} * space_.zone_nodes))};
  for (int j = 0; j < EE; ++j)
    for (int i = 0; i < space_.zone_nodes; ++i) {
      double w = 1;
      for (int d = 0, a = j, b = i; d < dim; ++d, a /= t.l2, b /= t.h1) w *= l2_from_h1(a % t.l2, b % t.h1);
      at_energies(j, i) = w;
    }
  std::vector<double> weights(u(QQ), 1);  // of the points
  for (int q = 0; q < QQ; ++q)
    for (int d = 0, rest = q; d < dim; ++d, rest /= t.q) weights[u(q)] *= t.rule.weights[u(rest % t.q)];

  PagedVector densities;  // at the L2 nodes of each lane
  densities.resize(u(batch_count_ * W * EE));
  PagedVector diagonals;  // of the zones' masses, [batch][node][W]
  diagonals.resize(u(batch_count_ * space_.zone_nodes * W));
  const auto zone_of = [&](Index b, Index l) {
    ZoneMass of;
    of.batch = b;
    of.lane = l;
    of.zone = lane_zone_[u(b * W + l)];
    of.counts = l == 0 || of.zone != lane_zone_[u(b * W + l - 1)];
    of.own = b >= own_batches_.begin && b < own_batches_.end;
    of.weighed = of.own || std::binary_search(hot.begin(), hot.end(), of.zone);
    of.rho = std::span(densities).subspan(u((b * W + l) * EE), u(EE));
    return of;
  };
  look_on_all_ranks([&] {
    for (const Interval& some : looked_at)
      for (Index i = some.begin * W; i < some.end * W; ++i) {
        ZoneMass of = zone_of(i / W, i % W);
        start_densities(setup, at_energies, of);
      }
  });
  const bool project = (turns_ > 0 || setup.at_points) && setup.energy;
  const auto weigh = [&](Interval batches, int) {
    std::vector<double> Me(u(EE * EE)), elsewhere(u(QQ * W));  // masses of zones of other ranks
    for (Index b = batches.begin; b < batches.end; ++b) {
      const bool own = b >= own_batches_.begin && b < own_batches_.end;
      double* const here = own ? mass + b * QQ * W : elsewhere.data();
      for (Index l = 0; l < W; ++l) {
        ZoneMass of = zone_of(b, l);
        of.Me = Me;
        of.mass = here;
        weigh_points(setup, tables, weights, of, J0inv);
        if (of.most - of.least <= round_off(of.zone) * of.most) uniform[b * W + l] = 0.5 * (of.least + of.most);
        if (!own) continue;
        const Matrix inv = inverse(Matrix{EE, EE, Me});
        for (int i = 0; i < EE * EE; ++i) Meinv[(b * EE * EE + i) * W + l] = inv.a[u(i)];
        if (project && of.counts) project_energy(setup, tables, inv, of);
      }
      add_diagonal(tables, b, here, diagonals);
    }
  };
  look_on_all_ranks([&] {
    for (const Interval& some : looked_at) {
      // What the case gives by formulas is asked for by one thread.
      if (setup.at_points || project)
        weigh(some, 0);
      else
        workers_.for_each(some, 16, weigh);
    }
  });
  count_uniform(uniform);
  set_widths();
  set_heft(diagonals);
  set_diagonal(diagonals);
}

/// How far |J0| of a zone with straight sides may differ from point to point for nothing but its coordinates' digits. A derivative is a sum
/// of coordinates with weights of at most 2 k² in all (Markov's inequality) and one more power for what interpolation adds: of a zone
/// that is small beside its distance from the origin each direction is off by ε |x| over its extent.
double Operator::round_off(Index zone) const {
  const double weights = 2.0 * (tables_.k + 1) * (tables_.k + 1);
  double sum = 0;
  for (int d = 0; d < space_.dim; ++d) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int i = 0; i < space_.zone_nodes; ++i) {
      const double x = space_.x0[u(d * space_.nodes + space_.map[u(zone * space_.zone_nodes + i)])];
      least = std::min(least, x);
      most = std::max(most, x);
    }
    sum += std::max(std::abs(least), std::abs(most)) / (most - least);
  }
  return std::clamp(weights * std::numeric_limits<double>::epsilon() * sum, 1e-13, 1e-10);
}

/// The tensor form serves a batch only where it holds in all of its zones.
void Operator::count_uniform(double* uniform) {
  const Index W = kernels_.lanes;
  for (Index b = own_batches_.begin; b < own_batches_.end; ++b)
    if (std::any_of(uniform + b * W, uniform + (b + 1) * W, [](double m) { return !(m > 0); }))
      std::fill(uniform + b * W, uniform + (b + 1) * W, 0.0);
    else
      ++uniform_batches_;
  if (ranks_) uniform_batches_ = ranks_->cluster->sum(uniform_batches_);
}

/// Diagonals of a batch's masses.
void Operator::add_diagonal(const reference::ZoneTables& tables, Index b, const double* mass,
                            PagedVector& diagonals) const {
  const Index W = kernels_.lanes;
  for (int i = 0; i < space_.zone_nodes; ++i)
    for (int q = 0; q < data_.zone_points; ++q) {
      const double w = tables.w(q, i);
      for (Index l = 0; l < W; ++l) diagonals[u((b * space_.zone_nodes + i) * W + l)] += mass[q * W + l] * w * w;
    }
}

/// The inverse of the diagonal of M_v.
void Operator::set_diagonal(const PagedVector& diagonals) {
  const Index W = kernels_.lanes;
  diagonal_.resize(u(space_.nodes));
  over_nodes([&](Interval nodes) {
    for (Index node = nodes.begin; node < nodes.end; ++node) {
      double sum = 0;
      for (Index m = space_.meet_begin[u(node)]; m < space_.meet_begin[u(node + 1)]; ++m) {
        const Index place = meet_place_[u(m)];
        const Index batch = place / (space_.dim * space_.zone_nodes * W);
        sum += diagonals[u(place - batch * (space_.dim - 1) * space_.zone_nodes * W)];
      }
      diagonal_[u(node)] = 1 / sum;
    }
  });
}

/// ZoneData::heft, from the diagonals of the zones' masses ([batch][node][W]).
void Operator::set_heft(const PagedVector& diagonals) {
  if (uniform_batches_ == static_cast<double>(batch_count_)) return;
  const Index W = kernels_.lanes, NN = space_.zone_nodes;
  std::vector<double> product(u(NN), 1);
  for (Index i = 0; i < NN; ++i)
    for (Index d = 0, rest = i; d < space_.dim; ++d, rest /= tables_.h1)
      product[u(i)] *= tables_.M(static_cast<int>(rest % tables_.h1), static_cast<int>(rest % tables_.h1));
  double* heft = allocate(batch_count_ * NN * W);
  workers_.for_each(own_batches_, batch_grain_, [&](Interval batches, int) {
    for (Index b = batches.begin; b < batches.end; ++b) {
      if (data_.uniform[b * W] > 0) continue;
      for (Index i = b * NN * W; i < (b + 1) * NN * W; ++i)
        heft[i] = std::sqrt(diagonals[u(i)] / product[u(i / W % NN)]);
    }
  });
  data_.heft = heft;
}

/// Densities at the points of a zone for values that jump or fall steeply in it, drawn to their mean, which keeps the mass, as far as it
/// takes to leave none further than a factor of two from it. Where ρ varies more, as a power of the distance in the middle of a blast,
/// no e of the energies' order has the even pressure that ρ e has, and what is too low in the thin corner lets it be squeezed flat.
std::vector<double> Operator::densities_at_points(const Setup& setup, const reference::ZoneTables& tables, Index zone,
                                                  const std::vector<double>& weights) const {
  constexpr double most_apart = 2;
  std::vector<double> out(weights.size());
  double volume = 0, mass = 0;
  for (std::size_t q = 0; q < out.size(); ++q) {
    const reference::Spot spot = reference::spot_of(tables, space_, space_.x0.data(), zone, static_cast<int>(q));
    out[q] = density_at_point(setup, spot.x, mesh_.region[u(zone)]);
    const double share = weights[q] * std::max(0.0, reference::determinant(space_.dim, spot.J)) *
                         reference::measure(turns_, spot.x[u(space_.dim - 1)]);
    volume += share;
    mass += share * out[q];
  }
  if (!(volume > 0)) return out;  // tangled, which is found next
  const double mean = mass / volume;
  const auto [low, high] = std::minmax_element(out.begin(), out.end());
  const double kept = std::min({1.0, (1 - 1 / most_apart) * mean / std::max(mean - *low, 1e-300),
                                (most_apart - 1) * mean / std::max(*high - mean, 1e-300)});
  for (double& density : out) density = mean + kept * (density - mean);
  return out;
}

/// M_e e = ∫ ρ e0 φ instead of e0 at the L2 nodes: Gauss points interpolate as the projection does where the weight of the
/// integrals is constant, and beside the axis, where it is r, they do not; the force there hangs on the highest mode of e.
void Operator::project_energy(const Setup& setup, const reference::ZoneTables& tables, const Matrix& Meinv,
                              const ZoneMass& of) {
  const Index W = kernels_.lanes, zone = of.zone;
  const int EE = data_.zone_energies, QQ = data_.zone_points;
  std::vector<double> load(u(EE), 0), projected(u(EE), 0);
  double least = std::numeric_limits<double>::infinity();
  for (int q = 0; q < QQ; ++q) {
    const reference::Spot spot = reference::spot_of(tables, space_, space_.x0.data(), zone, q);
    const Vec3& x = spot.x;
    const double mass = of.mass[q * W + of.lane];
    double e = setup.energy(x, mesh_.region[u(zone)]);
    if (!std::isfinite(e)) return;
    if (setup.at_points) {
      // Energy is kept by volume: of the mass given there, which may not be what the point has.
      double given = setup.density(x, mesh_.region[u(zone)]) * reference::determinant(space_.dim, spot.J) *
                     reference::measure(turns_, x[u(space_.dim - 1)]);
      for (int d = 0, rest = q; d < space_.dim; ++d, rest /= tables_.q)
        given *= tables_.rule.weights[u(rest % tables_.q)];
      if (setup.velocity) {
        // What the velocity of the nodes has less of kinetic energy than that at the points is heat, as behind a shock.
        const Vec3 there = setup.velocity(x, mesh_.region[u(zone)]),
                   here = reference::spot_of(tables, space_, initial_.v.data(), zone, q).x;
        for (int d = 0; d < space_.dim; ++d)
          e += 0.5 * (there[u(d)] * there[u(d)] - mass / given * here[u(d)] * here[u(d)]);
      }
      e *= given / mass;
    }
    least = std::min(least, e);
    for (int i = 0; i < EE; ++i) load[u(i)] += mass * tables.phi(q, i) * e;
  }
  for (int i = 0; i < EE; ++i)
    for (int j = 0; j < EE; ++j) projected[u(i)] += Meinv(i, j) * load[u(j)];
  // Beside a jump inside the zone it may swing below anything given: then the values at the nodes stay.
  for (int q = 0; q < QQ; ++q) {
    double e = 0;
    for (int j = 0; j < EE; ++j) e += tables.phi(q, j) * projected[u(j)];
    if (!(e < 0 && (least >= 0 || setup.at_points))) continue;
    if (!setup.at_points || !(std::accumulate(load.begin(), load.end(), 0.0) >= 0)) return;
    // The mean keeps the energy.
    const double mass =
        std::accumulate(energy_weights_.begin() + zone * EE, energy_weights_.begin() + (zone + 1) * EE, 0.0);
    std::fill(projected.begin(), projected.end(), std::accumulate(load.begin(), load.end(), 0.0) / mass);
    break;
  }
  std::copy(projected.begin(), projected.end(), initial_.e.begin() + zone * EE);
}

void Operator::set_widths() {
  // Zones nearer to cubes, whichever way they are turned, than a ten-billionth count as cubes.
  const int dim = space_.dim, size = dim * dim;
  const Index W = kernels_.lanes, points = data_.zone_points;
  cubes_.assign(u(batch_count_), 1);
  data_.cubes = cubes_.data();
  const auto cube_at = [&](Index b, Index q, Index l) {  // J0^-T J0^-1 is a multiple of I
    const double* J0inv = data_.J0inv + (b * points + q) * size * W + l;
    double first = 0;
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int m = 0; m < dim; ++m) sum += J0inv[(m * dim + i) * W] * J0inv[(m * dim + j) * W];
        if (i == 0) first = sum;
        if (!(std::abs(sum - (i == j ? first : 0)) <= 2e-10 * first)) return false;
      }
    return true;
  };
  workers_.for_each(own_batches_, batch_grain_, [&](Interval some, int) {
    for (Index b = some.begin; b < some.end; ++b)
      for (Index i = 0; i < points * W && cubes_[u(b)]; ++i) cubes_[u(b)] = cube_at(b, i / W, i % W);
  });
  if (std::all_of(cubes_.begin(), cubes_.end(), [](char cube) { return cube != 0; })) return;
  double* all = allocate(batch_count_ * points * size * W);
  workers_.for_each(own_batches_, batch_grain_, [&](Interval some, int) {
    for (Index b = some.begin; b < some.end; ++b)
      for (Index i = 0; i < points * W && !cubes_[u(b)]; ++i) {
        const Index at = (b * points + i / W) * size * W + i % W;
        std::array<double, 9> J0inv{};
        for (int m = 0; m < size; ++m) J0inv[u(m)] = data_.J0inv[at + m * W];
        const auto B = reference::widths(dim, J0inv);
        for (int m = 0; m < size; ++m) all[at + m * W] = B[u(m)];
      }
  });
  data_.widths = all;
}

void Operator::set_burn(const Setup& setup) {
  if (!setup.burn.any()) return;
  const reference::ZoneTables tables(tables_, space_.dim);
  const Index W = kernels_.lanes, points = data_.zone_points;
  double* burn = allocate(batch_count_ * points * 2 * W);
  workers_.for_each(own_batches_, batch_grain_, [&](Interval some, int) {
    for (Index b = some.begin; b < some.end; ++b)
      for (Index i = 0; i < points * W; ++i) {
        const Index zone = lane_zone_[u(b * W + i % W)];
        const reference::Spot spot =
            reference::spot_of(tables, space_, space_.x0.data(), zone, static_cast<int>(i / W));
        const int region = mesh_.region[u(zone)];
        double* at = burn + (b * points + i / W) * 2 * W + i % W;
        at[0] = setup.burn.arrival(spot.x, region);
        at[W] = setup.burn.rate(reference::determinant(space_.dim, spot.J), space_.dim, tables_.k, region);
      }
  });
  data_.burn = burn;
}

void Operator::set_constraints(const Setup& setup) {
  const int dim = space_.dim;
  const Tables& t = tables_;
  struct Wall {
    Vec3 normal;
    double speed;  // v·n on it at the start
    int driven;    // number of its driven wall, or -1
    double share;  // of the speed of that, across the side
  };
  std::vector<int> driven(setup.boundaries.size(), -1);
  for (std::size_t b = 0; b < setup.boundaries.size(); ++b)
    if (setup.boundaries[b].driven()) {
      driven[b] = static_cast<int>(driven_.size());
      driven_.push_back({static_cast<int>(b), {}, {}});
      driven_.back().velocity.resize(initial_.v.size());
    }
  std::map<Index, std::vector<Wall>> walls;
  for (const auto& face : mesh_.faces) {
    const BoundaryCondition& bc = setup.boundaries.at(u(face.boundary));
    if (bc.kind != BoundaryCondition::Kind::wall && bc.kind != BoundaryCondition::Kind::piston) continue;
    const int axis = face.side / 2;
    const int end = face.side % 2 ? t.k : 0;
    const SidePlane plane = side_plane(setup.mesh, face);
    if (plane.off > flat_side)
      throw Failure(make_error(
          ErrorCode::invalid_input,
          fmt::format("boundary '{}' is curved at ({:.5g}, {:.5g}, {:.5g}): v·n = 0 holds along planes only",
                      mesh_.boundary_names.at(u(face.boundary)), plane.middle[0], plane.middle[1], plane.middle[2]),
          "Let it be free or under pressure, or give it straight sides."));
    Vec3 n = bc.normal == Vec3{} ? plane.normal : bc.normal;
    const double length = std::hypot(n[0], n[1], n[2]) * (bc.normal == Vec3{} ? -1 : 1);  // own normals point inwards
    for (double& c : n) c /= length;
    double share = 1;
    if (bc.normal != Vec3{}) {
      // The wall is the side, whatever way it is pushed.
      share = share_across(bc, plane);
      if (std::abs(share) < 1 - 1e-12)
        n = plane.normal;
      else
        share = 1;
    }
    const double speed = bc.kind == BoundaryCondition::Kind::piston ? share * bc.at(0) : 0;
    for (int local = 0; local < space_.zone_nodes; ++local) {
      int rest = local;
      for (int d = 0; d < axis; ++d) rest /= t.h1;
      if (rest % t.h1 != end) continue;
      const Index node = space_.map[u(face.zone * space_.zone_nodes + local)];
      if (!holds(node)) continue;
      walls[node].push_back({n, speed, driven[u(face.boundary)], share});
    }
  }
  for (const auto& [at, list] : walls) {
    const Index node = at;
    // Projector onto what the walls through this node leave free, by Gram–Schmidt; the start velocity is corrected along
    // each new direction, which leaves the walls before it satisfied.
    std::vector<Vec3> basis;
    const auto dot = [](const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    for (const Wall& wall : list) {
      Vec3 b = wall.normal;
      for (const Vec3& known : basis) {
        const double along = dot(b, known);
        for (int i = 0; i < 3; ++i) b[u(i)] -= along * known[u(i)];
      }
      const double left = std::sqrt(dot(b, b));
      if (left < 1e-6) continue;
      for (double& c : b) c /= left;
      const auto correct = [&](PagedVector& field, double speed) {
        Vec3 v{};
        for (int d = 0; d < dim; ++d) v[u(d)] = field[u(d * space_.nodes + node)];
        const double missing = (speed - dot(v, wall.normal)) / dot(b, wall.normal);
        for (int d = 0; d < dim; ++d) field[u(d * space_.nodes + node)] += missing * b[u(d)];
      };
      correct(initial_.v, wall.speed);
      for (std::size_t i = 0; i < driven_.size(); ++i)
        correct(driven_[i].velocity, wall.driven == static_cast<int>(i) ? wall.share : 0);
      basis.push_back(b);
    }
    Constraint c{node, {}};
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j) {
        double value = i == j ? 1 : 0;
        for (const Vec3& b : basis) value -= b[u(i)] * b[u(j)];
        c.projector[u(i * dim + j)] = std::abs(value) < 1e-15 ? 0 : value;
      }
    constraints_.push_back(c);
  }
}

/// Zones with a vertex at the point of a point energy, ascending; none without one.
std::vector<Index> Operator::zones_at_point(const Setup& setup) const {
  std::vector<Index> out;
  if (setup.point_energy <= 0) return out;
  const int dim = space_.dim, corners = 1 << dim;
  double best = std::numeric_limits<double>::infinity();
  for (const Index v : setup.mesh.zones) best = std::min(best, distance_to_point(setup, setup.mesh, v));
  best += slack_of(setup.mesh);
  for (Index zone = 0; zone < space_.zones; ++zone)
    for (int c = 0; c < corners; ++c)
      if (distance_to_point(setup, setup.mesh, setup.mesh.zones[u(zone * corners + c)]) <= best) {
        out.push_back(zone);
        break;
      }
  return out;
}

void Operator::deposit_point_energy(const Setup& setup, const std::vector<Index>& hot_zones) {
  if (hot_zones.empty()) return;
  const int dim = space_.dim, corners = 1 << dim;
  const Index EE = data_.zone_energies;
  double best = std::numeric_limits<double>::infinity();
  for (const Index zone : hot_zones)
    for (int c = 0; c < corners; ++c)
      best = std::min(best, distance_to_point(setup, setup.mesh, setup.mesh.zones[u(zone * corners + c)]));
  best += slack_of(setup.mesh);
  std::vector<double> hot(hot_zones.size() * u(EE), 0);
  for (std::size_t n = 0; n < hot_zones.size(); ++n)
    for (int c = 0; c < corners; ++c) {
      if (distance_to_point(setup, setup.mesh, setup.mesh.zones[u(hot_zones[n] * corners + c)]) > best) continue;
      for (int j = 0; j < EE; ++j) {
        double w = 1;
        int rest = j;
        for (int d = 0; d < dim; ++d) {
          const double xi = tables_.l2_nodes[u(rest % tables_.l2)];
          rest /= tables_.l2;
          w *= std::pow((c >> d & 1) ? xi : 1 - xi, tables_.k - 1);
        }
        hot[n * u(EE) + u(j)] += w;
      }
    }
  // Scaled so that ∫ ρ e dV is the energy given.
  const auto place = [&](std::size_t i) { return u(hot_zones[i / u(EE)] * EE) + i % u(EE); };
  double sum = 0;
  for (std::size_t i = 0; i < hot.size(); ++i) sum += energy_weights_[place(i)] * hot[i];
  const double factor = setup.point_energy / sum;
  for (std::size_t i = 0; i < hot.size(); ++i)
    if (owns(hot_zones[i / u(EE)])) initial_.e[place(i)] += factor * hot[i];
}

void Operator::gravity_weights() {
  if (gravity_ == Vec3{}) return;
  // ρ g tested against the basis is M_v times the constant field g; the same weights give potential energy.
  PagedVector g;
  g.resize(initial_.v.size());
  over_nodes([&](Interval nodes) {
    for (int d = 0; d < space_.dim; ++d)
      std::fill_n(g.begin() + d * space_.nodes + nodes.begin, nodes.size(), gravity_[u(d)]);
  });
  multiply_mass(g, space_.dim, weight_);
}

double Operator::total_mass() const {
  verify(!ranks_, "asked of an operator of one rank");
  double sum = 0;
  const Index W = kernels_.lanes;
  for (Index b = 0; b < batch_count_; ++b)
    for (Index l = 0; l < W; ++l) {
      if (l > 0 && lane_zone_[u(b * W + l)] == lane_zone_[u(b * W + l - 1)]) continue;
      for (int q = 0; q < data_.zone_points; ++q) sum += data_.mass[(b * data_.zone_points + q) * W + l];
    }
  return sum;
}

}  // namespace conoid::hydro_fem
