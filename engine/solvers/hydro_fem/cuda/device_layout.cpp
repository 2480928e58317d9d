// SPDX-License-Identifier: BSD-3-Clause
// Lays zones and nodes of a part out on a device.
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "engine/solvers/hydro_fem/discretization/index.hpp"

namespace conoid::hydro_fem {

// A rank without zones has arrays without anything in them.
DeviceBuffer<double> DeviceZones::doubles(const std::vector<double>& from, const char* label) {
  auto out = device_.allocate<double>(std::max<std::size_t>(1, from.size()), label);
  if (from.empty()) stream_.zero(out);
  stream_.to_device(out, std::span<const double>(from));
  stream_.synchronize();  // the source may go
  return out;
}
DeviceBuffer<int> DeviceZones::integers(const std::vector<int>& from, const char* label) {
  auto out = device_.allocate<int>(std::max<std::size_t>(1, from.size()), label);
  if (from.empty()) stream_.zero(out);
  stream_.to_device(out, std::span<const int>(from));
  stream_.synchronize();
  return out;
}

DeviceBuffer<double> DeviceZones::room(Index count, const char* label) const {
  return device_.allocate<double>(u(std::max<Index>(1, count)), label);
}
/// From lanes [batch][…][W] to [zone][…]: `inner` values a point or zone go before the points if `points` > 1.
std::vector<double> DeviceZones::from_lanes(const double* lanes, Index points, Index inner) const {
  std::vector<double> out(u(zones_ * points * inner));
  const Index W = op_.kernels().lanes;
  const CpuWorker workers(op_.threads());
  workers.for_each({0, op_.batches()}, 8, [&](Interval batches, int) {
    for (Index b = batches.begin; b < batches.end; ++b)
      for (Index l = 0; l < W; ++l) {
        const Index lane_zone = op_.lane_zones()[u(b * W + l)];
        if (l > 0 && lane_zone == op_.lane_zones()[u(b * W + l - 1)]) continue;  // an unused lane
        const Index zone = part_.zone_here(lane_zone);
        if (zone < 0) continue;
        for (Index q = 0; q < points; ++q)
          for (Index i = 0; i < inner; ++i)
            out[u((zone * inner + i) * points + q)] = lanes[((b * points + q) * inner + i) * W + l];
      }
  });
  return out;
}

void DeviceZones::lay_out_zones() {
  const ZoneData& z = op_.data();
  zones_arguments_ = {};
  lay_out_tables();
  ZoneArguments& a = zones_arguments_;
  a.k = k_;
  a.turns = z.turns;
  a.viscosity = z.viscosity ? 1 : 0;
  a.vorticity_switch = z.vorticity_switch ? 1 : 0;
  a.rough_from = z.smooth.rough_from;
  a.rough_to = z.smooth.rough_to;
  a.steep_from = z.smooth.steep_from;
  a.steep_to = z.smooth.steep_to;
  a.zones = static_cast<int>(zones_);
  a.nodes = nodes_;
  map_ = integers(part_.map, "nodes of zones");
  a.map = map_.data();
  lay_out_points();
  lay_out_cubes();
  lay_out_materials();
  const Index QQ = z.zone_points;
  if (z.burn != nullptr) {
    burn_ = doubles(from_lanes(z.burn, QQ, 2), "burn");
    a.burn = burn_.data();
  }
  S_ = room(zones_ * dim_ * dim_ * QQ, "stress");
  a.S = S_.data();
  if (z.turns > 0) {
    hoop_ = room(zones_ * QQ, "hoop stress");
    a.hoop = hoop_.data();
  }
  terms_ = room(dim_ * (zones_ * z.zone_nodes + part_.received), "terms of nodes");
  a.terms = terms_.data();
  stream_.synchronize();
}

void DeviceZones::lay_out_tables() {
  const Tables& t = op_.tables();
  std::vector<double> tables;
  for (const auto* m : {&t.B.a, &t.G.a, &t.L.a, &t.M.a, &t.C.a, &t.rule.weights, &t.P.a})
    tables.insert(tables.end(), m->begin(), m->end());
  verify(static_cast<int>(tables.size()) == table_layout(k_).end, "tables of an order lie as the kernels read them");
  if (k_ <= largest_own_order) std::copy(tables.begin(), tables.end(), zones_arguments_.own);
  tables_ = doubles(tables, "tables");
  zones_arguments_.tables = tables_.data();
}

/// What stays at the quadrature points, and the masses of zones.
void DeviceZones::lay_out_points() {
  const ZoneData& z = op_.data();
  const Index QQ = z.zone_points, EE = z.zone_energies, DD = dim_ * dim_;
  ZoneArguments& a = zones_arguments_;
  mass_points_ = doubles(from_lanes(z.mass, QQ, 1), "mass at points");
  a.mass = mass_points_.data();
  J0inv_ = doubles(from_lanes(z.J0inv, QQ, DD), "inverse Jacobians of the start");
  a.J0inv = J0inv_.data();
  Meinv_ = doubles(from_lanes(z.Meinv, 1, EE * EE), "energy masses");
  a.Meinv = Meinv_.data();
  // Of a batch that is not uniform throughout no zone is; the processors' lanes are as strict.
  const std::vector<double> uniform = from_lanes(z.uniform, 1, 1);
  uniform_ = doubles(uniform, "uniform zones");
  a.uniform = uniform_.data();
  if (z.heft != nullptr) {
    heft_ = doubles(from_lanes(z.heft, z.zone_nodes, 1), "hefts of nodes in zones");
    a.heft = heft_.data();
  }
  for (Index zone = 0; zone < zones_; ++zone) lists_[uniform[u(zone)] > 0 ? 0 : 1].push_back(static_cast<int>(zone));
}

/// Which zones are cubes at the start, and the widths of those that are not.
void DeviceZones::lay_out_cubes() {
  const ZoneData& z = op_.data();
  const Index W = op_.kernels().lanes;
  std::vector<double> cube(u(op_.batches() * W));
  for (Index batch = 0; batch < op_.batches(); ++batch)
    std::fill_n(cube.begin() + batch * W, W, z.cubes[batch] != 0 ? 1.0 : 0.0);
  std::vector<unsigned char> cubes;
  for (const double c : from_lanes(cube.data(), 1, 1)) cubes.push_back(c > 0 ? 1 : 0);
  cubes_ = device_.allocate<unsigned char>(std::max<std::size_t>(1, cubes.size()), "cubes");
  stream_.to_device(cubes_, std::span<const unsigned char>(cubes));
  stream_.synchronize();
  zones_arguments_.cubes = cubes_.data();
  if (z.widths == nullptr || !z.viscosity) return;
  widths_ = doubles(from_lanes(z.widths, z.zone_points, dim_ * dim_), "widths");
  zones_arguments_.widths = widths_.data();
}

void DeviceZones::lay_out_materials() {
  ZoneArguments& a = zones_arguments_;
  std::vector<MaterialArguments> materials;
  std::vector<double> values;
  for (const auto& material : op_.materials()) {
    const auto flat = material->flat();
    verify(flat.has_value(), "a device gets materials that it can evaluate");
    MaterialArguments m{};
    m.limited = material->limited() ? 1 : 0;
    limited_ = limited_ || material->limited();
    m.gamma = flat->gamma;
    m.p_infinity = flat->p_infinity;
    if (const EosTable* table = flat->table) {
      m.kind = 1;
      m.densities = static_cast<int>(table->density.size());
      m.energies = static_cast<int>(table->energy.size());
      m.at = static_cast<long long>(values.size());
      for (const auto* part : {&table->density, &table->energy, &table->pressure, &table->sound_speed})
        values.insert(values.end(), part->begin(), part->end());
    }
    if (const Jwl* j = flat->jwl) {
      m.kind = 2;
      m.at = static_cast<long long>(values.size());
      values.insert(values.end(), {j->density, j->A, j->B, j->R1, j->R2});
    }
    materials.push_back(m);
  }
  if (values.empty()) values.push_back(0);
  material_tables_ = doubles(values, "tables of states");
  a.material_tables = material_tables_.data();
  materials_ = device_.allocate<MaterialArguments>(materials.size(), "materials");
  stream_.to_device(materials_, std::span<const MaterialArguments>(materials));
  stream_.synchronize();
  a.materials = materials_.data();
  std::vector<int> material_of;
  for (const Index zone : part_.zones) material_of.push_back(op_.mesh().region[u(zone)]);
  material_of_ = integers(material_of, "materials of zones");
  a.material = material_of_.data();
}

void DeviceZones::lay_out_nodes() {
  NodeArguments& n = node_arguments_;
  n = {};
  n.nodes = nodes_;
  meet_begin_ = integers(part_.meet_begin, "meeting nodes");
  n.meet_begin = meet_begin_.data();
  place_ = integers(part_.place, "places of terms");
  n.place = place_.data();
  std::vector<int> constraint(u(nodes_), -1);
  std::vector<double> projectors;
  for (const auto& c : op_.constraints()) {
    const Index node = part_.node_here(c.node);
    if (node < 0) continue;
    constraint[u(node)] = static_cast<int>(projectors.size()) / (dim_ * dim_);
    projectors.insert(projectors.end(), c.projector.begin(), c.projector.begin() + dim_ * dim_);
  }
  if (projectors.empty()) projectors.push_back(0);
  constraint_ = integers(constraint, "walls of nodes");
  projectors_ = doubles(projectors, "projectors");
  n.constraint = constraint_.data();
  n.projector = projectors_.data();
  diagonal_ = doubles(part_.at_nodes(op_.inverse_diagonal()), "diagonal of the mass");
  n.diagonal = diagonal_.data();
  n.terms = terms_.data();
  energy_weights_ = doubles(part_.at_zones(op_.energy_weights(), op_.data().zone_energies), "energy weights");
  if (!op_.body_force().empty()) body_force_ = doubles(part_.at_nodes(op_.body_force()), "body force");
  y_ = room(nodes_ * dim_, "residual");
  p_ = room(nodes_ * dim_, "direction");
  n.y = y_.data();
  n.p = p_.data();
  dot_partial_ = device_.allocate<double>(most_device_blocks, "sums of products");
}

void DeviceZones::lay_out_walls() {
  for (std::size_t i = 0; i < op_.driven_walls().size(); ++i) {
    const Operator::DrivenWall& wall = op_.driven_walls()[i];
    walls_.push_back({i, doubles(part_.at_nodes(wall.velocity), "driven wall"),
                      doubles(part_.at_nodes(wall.momentum), "momentum of a driven wall")});
  }
  if (!walls_.empty()) pushed_ = room(nodes_ * dim_, "loads of driven walls");
}

void DeviceZones::lay_out_heat() {
  const Index energies = op_.data().zone_energies;
  for (std::size_t region = 0; region < op_.afterburn().size(); ++region) {
    if (!(op_.afterburn()[region].energy > 0)) continue;
    std::vector<double> ones(u(zones_ * energies), 0);
    for (Index zone = 0; zone < zones_; ++zone)
      if (u(op_.mesh().region[u(part_.zones[u(zone)])]) == region)
        std::fill_n(ones.begin() + zone * energies, energies, 1.0);
    heated_.push_back({region, doubles(ones, "zones that burn on")});
  }
}

/// The sides of this part's zones that are under pressure, and at which nodes their terms meet.
DeviceZones::Sides DeviceZones::pressed_sides() {
  const Space& s = op_.space();
  Sides out;
  std::map<int, std::vector<int>> meets;  // places of terms at each loaded node
  for (int d = 1; d < dim_; ++d) out.nodes *= k_ + 1;
  for (const auto& face : op_.mesh().faces) {
    const BoundaryCondition& bc = op_.boundaries()[u(face.boundary)];
    const Index zone = part_.zone_here(face.zone);
    if (!bc.presses() || zone < 0) continue;
    const int axis = face.side / 2, side = static_cast<int>(out.sign.size());
    // The tangents' normal points along axes 0 and 2 and against axis 1.
    out.sign.push_back((face.side % 2 != 0 ? 1 : -1) * (dim_ > 1 && axis == 1 ? -1 : 1));
    const auto known = std::find(pressing_.begin(), pressing_.end(), face.boundary);
    out.boundary.push_back(static_cast<int>(known - pressing_.begin()));
    if (known == pressing_.end()) pressing_.push_back(face.boundary);
    int at = 0;
    for (int local = 0; local < s.zone_nodes; ++local) {
      int rest = local;
      for (int d = 0; d < axis; ++d) rest /= k_ + 1;
      if (rest % (k_ + 1) != (face.side % 2 != 0 ? k_ : 0)) continue;
      const auto place = static_cast<int>(zone * s.zone_nodes + local);
      out.node.push_back(part_.map[u(place)]);
      // Nodes of a part get their loads with the terms of its zones, as other parts do that meet there.
      meets[part_.shared ? place : out.node.back()].push_back(side * dim_ * out.nodes + at++);
    }
  }
  out.begin.push_back(0);
  for (const auto& [at, places] : meets) {
    out.loaded.push_back(at);
    out.place.insert(out.place.end(), places.begin(), places.end());
    out.begin.push_back(static_cast<int>(out.place.size()));
  }
  return out;
}

void DeviceZones::lay_out_pressure() {
  const Sides sides = pressed_sides();
  pressed_ = static_cast<Index>(sides.sign.size());
  const DeviceBuffer<double>& steady = walls_.empty() ? body_force_ : pushed_;
  const double* const pushing = steady.empty() ? nullptr : steady.data();
  if (pressed_ == 0) {
    node_arguments_.extra = pushing;
    return;
  }
  host_pressures_ = device_.pinned<double>(pressing_.size());
  for (std::size_t i = 0; i < pressing_.size(); ++i) host_pressures_[i] = op_.boundaries()[u(pressing_[i])].at(0);
  pressures_ = device_.allocate<double>(pressing_.size(), "pressures");
  stream_.to_device(pressures_, std::span<const double>(host_pressures_.span()));
  PressureArguments& p = pressure_;
  p = {};
  p.dim = dim_;
  p.k = k_;
  p.turns = op_.data().turns;
  p.sides = static_cast<int>(pressed_);
  p.side_nodes = sides.nodes;
  p.side_points = dim_ == 1 ? 1 : dim_ == 2 ? 2 * k_ : 4 * k_ * k_;
  p.loaded = static_cast<int>(sides.loaded.size());
  p.nodes = nodes_;
  p.tables = tables_.data();
  side_node_ = integers(sides.node, "nodes of sides");
  side_sign_ = doubles(sides.sign, "signs of sides");
  side_boundary_ = integers(sides.boundary, "boundaries of sides");
  loaded_ = integers(sides.loaded, "loaded nodes");
  loaded_begin_ = integers(sides.begin, "loads of nodes");
  loaded_place_ = integers(sides.place, "places of loads");
  side_terms_ = device_.allocate<double>(u(pressed_ * dim_ * sides.nodes), "terms of sides");
  if (!part_.shared) {
    std::vector<double> extra(op_.body_force().begin(), op_.body_force().end());
    extra.resize(u(nodes_ * dim_), 0);
    extra_ = doubles(extra, "loads");
  }
  p.node = side_node_.data();
  p.pressure = pressures_.data();
  p.sign = side_sign_.data();
  p.boundary = side_boundary_.data();
  p.terms = side_terms_.data();
  p.loaded_node = loaded_.data();
  p.begin = loaded_begin_.data();
  p.place = loaded_place_.data();
  p.weight = pushing;
  p.extra = part_.shared ? terms_.data() : extra_.data();
  press_shared_ = static_cast<Bytes>(dim_ * p.side_points) * sizeof(double);
  node_arguments_.extra = part_.shared ? pushing : extra_.data();
}

/// What goes to other parts and comes from them, and the vectors of a solve with one round of sums an iteration.
void DeviceZones::lay_out_share() {
  if (!body_force_.empty()) {
    // Potential energy counts a node once.
    std::vector<double> own = part_.at_nodes(op_.body_force());
    for (int c = 0; c < dim_; ++c) std::fill(own.begin() + c * nodes_ + part_.own, own.begin() + (c + 1) * nodes_, 0.0);
    own_force_ = doubles(own, "body force at own nodes");
  }
  sent_ = integers(part_.sent, "places of terms sent");
  // Peers read one half while the other is filled.
  packed_ = room((part_.sides.empty() ? 1 : 2) * dim_ * sent(), "terms sent");
  stream_.zero(packed_);
  std::vector<int> leads;
  for (const DevicePart::Side& side : part_.sides) leads.push_back(static_cast<int>(dim_ * side.to.begin));
  leads_ = integers(leads, "places of sums");
  u_ = room(nodes_ * dim_, "preconditioned residual");
  s_ = room(nodes_ * dim_, "image of the direction");
  begin_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/begin-shared<{}>", dim_));
  precondition_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/precondition-shared<{}>", dim_));
  solve_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/solve-shared<{}>", dim_));
  end_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/end-shared<{}>", dim_));
  solve_peers_ = device_.kernel<PeerNodeArguments>(fmt::format("hydro-fem/solve-peers<{}>", dim_));
  pack_ = device_.kernel<PackArguments>("hydro-fem/pack");
  pack_sums_ = device_.kernel<PackSumsArguments>("hydro-fem/pack-sums");
  take_ = device_.kernel<TakeArguments>("hydro-fem/take");
  called_ = device_.allocate<unsigned long long>(most_parts, "calls of other parts");
  blocks_done_ = device_.allocate<unsigned>(1, "blocks that have packed");
  stream_.zero(called_);
  stream_.zero(blocks_done_);
}

}  // namespace conoid::hydro_fem
