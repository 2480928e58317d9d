// SPDX-License-Identifier: BSD-3-Clause
// What a stage launches over the zones and nodes of a part.
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"

#include <algorithm>

#include "engine/solvers/hydro_fem/discretization/index.hpp"

namespace conoid::hydro_fem {
namespace {

static_assert(most_devices == most_parts);
/// That wait for another part: enough to fetch 1 MB in a few µs, few enough that kernels of a part on the same device find room.
constexpr unsigned most_waiting_blocks = 128;
constexpr int further_iterations = 3;  // launched at once where a solve takes more than the one before

}  // namespace

unsigned device_blocks(Index items, unsigned threads) {
  return static_cast<unsigned>(std::clamp<Index>((items + threads - 1) / threads, 1, most_device_blocks));
}

DeviceZones::DeviceZones(Operator& op, DevicePart part, Device device, const DeviceOptions& options, int worker)
    : op_(op), part_(std::move(part)), device_(std::move(device)), stream_(device_.stream()), k_(op.tables().k),
      dim_(op.space().dim), zones_(static_cast<Index>(part_.zones.size())),
      nodes_(static_cast<Index>(part_.nodes.size())), own_(options.own_orders && k_ <= largest_own_order),
      worker_(worker) {
  lay_out_zones();
  lay_out_nodes();
  lay_out_walls();
  lay_out_heat();
  lay_out_pressure();
  if (part_.shared) lay_out_share();
  plan_kernels(options);
  for (StageEvents& s : stages_) s = {device_.event(), device_.event(), false};
  numbers_ = device_.allocate<SolveNumbers>(1, "numbers");
  stream_.zero(numbers_);
  outside_ = device_.allocate<int>(1, "points outside tables");
  stream_.zero(outside_);
  zones_arguments_.outside = outside_.data();
  node_arguments_.numbers = numbers_.data();
  host_numbers_ = device_.pinned<SolveNumbers>(1);
  host_outside_ = device_.pinned<int>(1);
  row_of(Row::state);
  row_of(Row::next);
  row_of(Row::rate);
  set_state(op.initial());
}

DeviceZones::~DeviceZones() {
  settle();  // nothing runs on in memory that is given back
}

void DeviceZones::settle() noexcept {
  try {
    stream_.synchronize();
  } catch (const Failure&) {
  }
}

void DeviceZones::update_first(Index zones, Row state, double t) {
  begin(stress_stage);
  ZoneArguments a = zones_arguments_;
  a.zones = static_cast<int>(zones);
  a.time = t;
  const Buffers& s = row_of(state);
  a.x = s.x.data();
  a.v = s.v.data();
  a.e = s.e.data();
  a.partial = update_partial_.data();
  use(a, update_plan_);
  if (limited_) stream_.zero(outside_);
  stream_.launch(update_, shape(update_plan_), a);
  total(update_partial_, static_cast<int>(update_plan_.blocks), true, &numbers_.data()->step);
  end(stress_stage);
}

void DeviceZones::load(Row state, const StageTime& when) {
  begin(force_stage);
  const Buffers& s = row_of(state);
  drive(when);
  if (pressed_ == 0) return;
  PressureArguments p = pressure_;
  p.x = s.x.data();
  stream_.launch(press_,
                 {.grid = {static_cast<unsigned>(pressed_), 1, 1}, .block = {64, 1, 1}, .shared = press_shared_}, p);
  stream_.launch(
      load_, {.grid = {device_blocks(p.loaded, device_node_threads), 1, 1}, .block = {device_node_threads, 1, 1}}, p);
}

int DeviceZones::solve(const StageTime& when) {
  NodeArguments n = node_arguments_;
  n.a = row_of(Row::rate).v.data();
  stream_.launch(begin_solve_, over_nodes(), n);
  end(force_stage);
  begin(solve_stage);
  n.tolerance2 = op_.mass_tolerance() * op_.mass_tolerance();
  n.most_iterations = op_.mass_iterations();
  return at_once_plan_.blocks > 0 ? solve_at_once(n, when) : solve_by_launches(n, when);
}

int DeviceZones::solve_at_once(const NodeArguments& n, const StageTime& when) {
  SolveArguments all{{zones_arguments_, nullptr, n.p, numbers_.data()}, n};
  all.mass.zone.zones = mass_.front().zones;
  all.mass.zone.partial = zone_partial_.data();
  use(all.mass.zone, at_once_plan_);
  LaunchShape whole = shape(at_once_plan_);
  whole.cooperative = true;
  stream_.launch(at_once_, whole, all);
  push_walls(when);
  end(solve_stage);
  fetch_numbers();
  wait();
  return numbers().iterations;
}

int DeviceZones::solve_by_launches(NodeArguments& n, const StageTime& when) {
  MassArguments residual{zones_arguments_, nullptr, n.y, numbers_.data()};
  MassArguments direction{zones_arguments_, nullptr, n.p, numbers_.data()};
  const auto turn = [&](int iteration) {
    launch_inverses(residual);
    n.iteration = iteration;
    n.zone_partial = inverse_partial_.data();
    n.zone_partials = inverse_partials_;
    stream_.launch(turn_, over_nodes(), n);
  };
  turn(0);
  // As many as the last solve took; those beyond its end do nothing.
  int launched = 0, more = std::max(1, expected_iterations_);
  const int most = op_.mass_iterations();
  for (bool ended = most == 0; !ended;) {
    for (; more > 0 && launched < most; --more) {
      launch_mass(direction);
      n.iteration = launched;
      n.zone_partial = zone_partial_.data();
      n.zone_partials = zone_partials_;
      stream_.launch(advance_, over_nodes(), n);
      turn(++launched);
    }
    if (launched == most) end(solve_stage);
    fetch_numbers();
    wait();
    ended = launched == most || numbers().node_done != 0;
    more = further_iterations;
  }
  push_walls(when);
  if (launched < most) end(solve_stage);
  return expected_iterations_ = numbers().iterations;
}

void DeviceZones::energy_rate(Ref velocity) {
  begin(energy_stage);
  ZoneArguments a = zones_arguments_;
  a.v = at(velocity);
  a.de = row_of(Row::rate).e.data();
  use(a, energy_plan_);
  stream_.launch(energy_, shape(energy_plan_), a);
  end(energy_stage);
}

void DeviceZones::heat(const std::vector<double>& powers) {
  for (const Heated& here : heated_)
    if (powers[here.region] > 0)
      add_whole(row_of(Row::rate).e, powers[here.region], here.ones, zones_ * op_.data().zone_energies);
}

void DeviceZones::add(double factor, std::initializer_list<Backend::Sum> sums) {
  SumArguments a{};
  a.factor = factor;
  Index longest = 1;
  for (const Backend::Sum& s : sums) {
    const Index size = s.out.part == Part::e ? zones_ * op_.data().zone_energies : nodes_ * dim_;
    a.one[a.count++] = {at(s.out), at(s.base), at({Row::rate, s.direction}), size};
    longest = std::max(longest, size);
  }
  stream_.launch(
      add_, {.grid = {device_blocks(longest, device_node_threads), 1, 1}, .block = {device_node_threads, 1, 1}}, a);
}

void DeviceZones::copy(Ref to, Ref from) {
  const DeviceBuffer<double>&source = buffer(from), &target = buffer(to);
  stream_.on_device(target, 0, source, 0, source.size());
}

void DeviceZones::energies() {
  const Buffers& s = row_of(Row::state);
  dot(energy_weights_, s.e, zones_ * op_.data().zone_energies, 0);
  MassArguments m{};
  m.zone = zones_arguments_;
  m.zone.terms = nullptr;
  m.plain = s.v.data();
  launch_mass(m);
  total(zone_partial_, zone_partials_, false, &numbers_.data()->sum[1]);
  if (!body_force_.empty()) dot(part_.shared ? own_force_ : body_force_, s.x, nodes_ * dim_, 2);
}

std::size_t DeviceZones::packed_half() const {
  return u(dim_ * sent());
}
std::size_t DeviceZones::received_at() const {
  return u(dim_ * zones_ * op_.data().zone_nodes);
}

void DeviceZones::pack(int turn, bool with_sums, const PeerCall& call) {
  const auto count = static_cast<int>(sent());
  if (count == 0) return;
  const PackArguments terms{dim_, count, sent_.data(), terms_.data(), packed_.data() + u(turn) * packed_half(), call};
  const LaunchShape shape{.grid = {device_blocks(Index{count} * dim_, device_node_threads), 1, 1},
                          .block = {device_node_threads, 1, 1}};
  if (!with_sums) return stream_.launch(pack_, shape, terms);
  stream_.launch(
      pack_sums_, shape,
      PackSumsArguments{terms, static_cast<int>(part_.sides.size()), inverse_partials_, zone_partials_, leads_.data(),
                        inverse_partial_.data(), zone_partial_.data(), &numbers_.data()->sum[0]});
}

void DeviceZones::take(const TakeArguments& from) {
  long long most = 1;
  for (int i = 0; i < from.sides; ++i) most = std::max(most, from.side[i].count);
  stream_.launch(take_,
                 {.grid = {std::min(device_blocks(most, device_node_threads), most_waiting_blocks), 1, 1},
                  .block = {device_node_threads, 1, 1}},
                 from);
}

SharedNodeArguments DeviceZones::shared_arguments() {
  SharedNodeArguments a{node_arguments_, 0, 0, u_.data(), s_.data()};
  a.node.a = row_of(Row::rate).v.data();
  return a;
}
void DeviceZones::begin_shared() {
  stream_.launch(begin_shared_, over_nodes(), shared_arguments());
  end(force_stage);
  begin(solve_stage);
}
void DeviceZones::inverses(Zones which) {
  MassArguments m{zones_arguments_, nullptr, y_.data(), nullptr};
  launch_inverses(m, which);
}
void DeviceZones::meet_inverses() {
  stream_.launch(precondition_shared_, over_nodes(), shared_arguments());
}
void DeviceZones::image(Zones which) {
  MassArguments m{zones_arguments_, nullptr, u_.data(), nullptr};
  launch_mass(m, which);
}
void DeviceZones::solve_sums() {
  total(inverse_partial_, inverse_partials_, false, &numbers_.data()->sum[0]);
  total(zone_partial_, zone_partials_, false, &numbers_.data()->sum[1]);
}
void DeviceZones::advance(double alpha, double beta) {
  SharedNodeArguments a = shared_arguments();
  a.alpha = alpha;
  a.beta = beta;
  stream_.launch(solve_shared_, over_nodes(), a);
}
void DeviceZones::end_shared() {
  stream_.launch(end_shared_, over_nodes(), shared_arguments());
}
void DeviceZones::advance_among_peers(int iteration, int parts) {
  PeerNodeArguments a{};
  a.shared = shared_arguments();
  a.shared.node.iteration = iteration;
  a.parts = parts;
  a.shared.node.tolerance2 = op_.mass_tolerance() * op_.mass_tolerance();
  for (const double*& sums : a.sums) sums = &numbers_.data()->sum[0];  // this part's
  for (const DevicePart::Side& side : part_.sides)
    a.sums[u(side.part)] = terms_.data() + received_at() + u(dim_ * side.from.begin);
  stream_.launch(solve_peers_, over_nodes(), a);
}

void DeviceZones::end(Stage stage) {
  stream_.record(stages_[u(stage)].end);
  stages_[u(stage)].open = true;
}

std::array<double, DeviceZones::stage_count> DeviceZones::take_stages() {
  std::array<double, stage_count> out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = -1;
    if (!stages_[i].open || !stages_[i].end.reached()) continue;
    out[i] = stages_[i].end.seconds_since(stages_[i].begin);
    stages_[i].open = false;
  }
  return out;
}

DeviceZones::Buffers& DeviceZones::row_of(Row row) {
  Buffers& b = rows_[static_cast<std::size_t>(row)];
  if (b.x.empty()) {
    b.x = room(nodes_ * dim_, "positions");
    b.v = room(nodes_ * dim_, "velocities");
    b.e = room(zones_ * op_.data().zone_energies, "energies");
  }
  return b;
}
DeviceBuffer<double>& DeviceZones::buffer(Ref r) {
  Buffers& b = row_of(r.row);
  return r.part == Part::x ? b.x : r.part == Part::v ? b.v : b.e;
}

void DeviceZones::set_state(const State& state) {
  const Buffers& s = row_of(Row::state);
  const std::vector<double> x = part_.at_nodes(state.x), v = part_.at_nodes(state.v),
                            e = part_.at_zones(state.e, op_.data().zone_energies);
  stream_.to_device(s.x, std::span<const double>(x));
  stream_.to_device(s.v, std::span<const double>(v));
  stream_.to_device(s.e, std::span<const double>(e));
  stream_.synchronize();
}

void DeviceZones::bring(Row row, State& to) const {
  const Buffers& b = rows_[static_cast<std::size_t>(row)];
  std::vector<double> x, v, e;
  const auto fetch = [&](const auto& from, PagedVector& whole, std::vector<double>& mine, Index count) {
    if (part_.shared) mine.resize(u(count));
    stream_.to_host(part_.shared ? std::span<double>(mine) : std::span<double>(whole), from);
  };
  fetch(b.x, to.x, x, nodes_ * dim_);
  fetch(b.v, to.v, v, nodes_ * dim_);
  fetch(b.e, to.e, e, zones_ * op_.data().zone_energies);
  stream_.synchronize();
  if (!part_.shared) return;
  part_.spread_nodes(x, to.x);
  part_.spread_nodes(v, to.v);
  part_.spread_zones(e, op_.data().zone_energies, to.e);
}

LaunchShape DeviceZones::over_nodes() const {
  return {.grid = {node_blocks_, 1, 1}, .block = {device_node_threads, 1, 1}};
}

/// Loads of the stage: pressures, and the momentum that driven walls give.
void DeviceZones::drive(const StageTime& when) {
  bool changes = false;
  for (std::size_t i = 0; i < pressing_.size(); ++i) {
    const BoundaryCondition& bc = op_.boundaries()[u(pressing_[i])];
    if (!bc.over_time) continue;
    host_pressures_[i] = bc.pressure_in(when);
    changes = true;
  }
  if (changes) stream_.to_device(pressures_, std::span<const double>(host_pressures_.span()));
  if (walls_.empty()) return;
  if (body_force_.empty())
    stream_.zero(pushed_);
  else
    stream_.on_device(pushed_, 0, body_force_, 0, pushed_.size());
  for (const Wall& wall : walls_)
    add_whole(pushed_, -op_.wall_acceleration(op_.driven_walls()[wall.number], when), wall.momentum, nodes_ * dim_);
  if (pressed_ > 0 && !part_.shared) stream_.on_device(extra_, 0, pushed_, 0, pushed_.size());
}
void DeviceZones::push_walls(const StageTime& when) {
  for (const Wall& wall : walls_)
    add_whole(row_of(Row::rate).v, op_.wall_acceleration(op_.driven_walls()[wall.number], when), wall.velocity,
              nodes_ * dim_);
}
void DeviceZones::add_whole(DeviceBuffer<double>& to, double factor, const DeviceBuffer<double>& direction,
                            Index size) {
  SumArguments a{};
  a.factor = factor;
  a.count = 1;
  a.one[0] = {to.data(), to.data(), direction.data(), size};
  stream_.launch(
      add_, {.grid = {device_blocks(a.one[0].size, device_node_threads), 1, 1}, .block = {device_node_threads, 1, 1}},
      a);
}

void DeviceZones::total(const DeviceBuffer<double>& partial, int count, bool least, double* out) {
  stream_.launch(total_, {.grid = {1, 1, 1}, .block = {device_node_threads, 1, 1}},
                 TotalArguments{partial.data(), count, least ? 1 : 0, out});
}
void DeviceZones::dot(const DeviceBuffer<double>& a, const DeviceBuffer<double>& b, Index size, int sum) {
  const unsigned blocks = device_blocks(size, device_node_threads);
  stream_.launch(dot_, {.grid = {blocks, 1, 1}, .block = {device_node_threads, 1, 1}},
                 DotArguments{a.data(), b.data(), size, dot_partial_.data()});
  total(dot_partial_, static_cast<int>(blocks), false, &numbers_.data()->sum[sum]);
}
void DeviceZones::launch(const std::vector<MassPart>& parts, const DeviceBuffer<double>& partial, MassArguments& m,
                         Zones which) {
  int first = 0;
  for (const MassPart& part : parts) {
    if (which != Zones::all && part.border != (which == Zones::border)) {
      first += static_cast<int>(part.plan.blocks);
      continue;
    }
    m.zone.list = part.list.empty() ? nullptr : part.list.data();
    m.zone.zones = part.zones;
    m.zone.partial = partial.data() + first;
    use(m.zone, part.plan);
    stream_.launch(part.kernel, shape(part.plan), m);
    first += static_cast<int>(part.plan.blocks);
  }
}
void DeviceZones::use(ZoneArguments& a, const BlockPlan& plan) {
  a.zones_a_block = plan.zones;
  a.scratch = plan.scratch.empty() ? nullptr : plan.scratch.data();
  a.scratch_block = plan.scratch_block;
}
LaunchShape DeviceZones::shape(const BlockPlan& plan) {
  return {.grid = {plan.blocks, 1, 1}, .block = {device_zone_threads, 1, 1}, .shared = plan.shared};
}

}  // namespace conoid::hydro_fem
