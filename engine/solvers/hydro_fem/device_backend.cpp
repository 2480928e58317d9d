// SPDX-License-Identifier: BSD-3-Clause
// Lays a problem out on a device and launches what a stage takes there.
#include "engine/solvers/hydro_fem/device_backend.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>

#include <fmt/core.h>

#include "engine/cluster/halo.hpp"
#include "engine/solvers/hydro_fem/cuda/arguments.hpp"
#include "engine/solvers/hydro_fem/device_part.hpp"
#include "engine/solvers/hydro_fem/index.hpp"
#include "engine/team/team.hpp"

namespace conoid::hydro_fem {
namespace {

constexpr unsigned zone_threads = 128, node_threads = 256;
/// Blocks of a pass: few enough that every block of the next one can add what they leave, enough for any device.
constexpr unsigned most_blocks = 2048;
constexpr unsigned most_update_blocks = 8192;
constexpr Bytes scratch_bytes = Bytes{256} << 20;  // of all blocks, where a zone is too large for shared memory
constexpr double usual_shared = 96 << 10;          // of a block, on any device that is not old
constexpr Bytes static_shared = 1024;              // what kernels take beside their zones
constexpr Index passes_at_once = 4;                // groups of zones a block, up to which a solve is one kernel
constexpr int further_iterations = 3;              // launched at once where a solve takes more than the one before

unsigned blocks_for(Index items, unsigned threads) {
  return static_cast<unsigned>(std::clamp<Index>((items + threads - 1) / threads, 1, most_blocks));
}

/// Zones a block and its memory, for a pass that takes `zone` doubles a zone and has `work` lines or points of one.
struct BlockPlan {
  int zones = 1;
  unsigned blocks = 1;
  Bytes shared = 0;
  DeviceBuffer<double> scratch;  ///< where zones do not fit into shared memory
  Index scratch_block = 0;
};

class DeviceBackend final : public Backend {
 public:
  DeviceBackend(Operator& op, Device device, DeviceOptions options)
      : op_(op), share_(op.share()), part_(op), device_(std::move(device)), stream_(device_.stream()),
        k_(op.tables().k), dim_(op.space().dim), zones_(static_cast<Index>(part_.zones.size())),
        nodes_(static_cast<Index>(part_.nodes.size())), own_(options.own_orders && k_ <= largest_own_order),
        worker_(options.worker) {
    lay_out_zones();
    lay_out_nodes();
    lay_out_walls();
    lay_out_pressure();
    plan_kernels(options);
    if (share_) lay_out_share();
    for (Stage& s : stages_) s = {device_.event(), device_.event(), false};
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
    stream_.synchronize();
  }
  ~DeviceBackend() override {
    try {
      stream_.synchronize();  // nothing runs on in memory that is given back
    } catch (const Failure&) {
    }
  }
  DeviceBackend(const DeviceBackend&) = delete;
  DeviceBackend& operator=(const DeviceBackend&) = delete;

  double update(Row state, double t) override {
    begin(stress_stage);
    updated_ = t;
    ZoneArguments a = zones_arguments_;
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
    fetch_numbers();
    times_.update_points += zones_ * op_.data().zone_points;
    return share_ ? share_->cluster->minimum(host_numbers_[0].step) : host_numbers_[0].step;
  }

  void acceleration(Row state, const StageTime& when) override {
    begin(force_stage);
    const Buffers& s = row_of(state);
    drive(when);
    if (pressed_ > 0) {
      PressureArguments p = pressure_;
      p.x = s.x.data();
      stream_.launch(
          press_, {.grid = {static_cast<unsigned>(pressed_), 1, 1}, .block = {64, 1, 1}, .shared = press_shared_}, p);
      stream_.launch(load_, {.grid = {blocks_for(p.loaded, node_threads), 1, 1}, .block = {node_threads, 1, 1}}, p);
    }
    if (share_) return solve_shared(when);
    NodeArguments n = node_arguments_;
    n.a = row_of(Row::rate).v.data();
    const LaunchShape nodes{.grid = {node_blocks_, 1, 1}, .block = {node_threads, 1, 1}};
    stream_.launch(begin_solve_, nodes, n);
    end(force_stage);
    begin(solve_stage);
    MassArguments m{};
    m.zone = zones_arguments_;
    m.r = n.r;
    m.p = n.p;
    m.diagonal = n.diagonal;
    m.node_partial = node_partial_.data();
    m.node_partials = static_cast<int>(node_blocks_);
    m.tolerance2 = op_.mass_tolerance() * op_.mass_tolerance();
    m.numbers = numbers_.data();
    if (at_once_plan_.blocks > 0) {
      SolveArguments all{m, n, op_.mass_iterations()};
      all.mass.zone.zones = mass_.front().zones;
      all.mass.zone.partial = zone_partial_.data();
      use(all.mass.zone, at_once_plan_);
      LaunchShape whole = shape(at_once_plan_);
      whole.cooperative = true;
      stream_.launch(at_once_, whole, all);
      push_walls(when);
      end(solve_stage);
      fetch_numbers();
      times_.iterations += host_numbers_[0].iterations;
      ++times_.solves;
      return;
    }
    // As many as the last solve took and one to see that it has ended; those beyond its end do nothing.
    int launched = 0, more = std::max(1, expected_iterations_) + 1;
    const int most = op_.mass_iterations();
    for (bool ended = most == 0; !ended;) {
      for (; more > 0 && launched < most; --more, ++launched) {
        m.iteration = n.iteration = launched;
        launch_mass(m);
        stream_.launch(solve_, nodes, n);
      }
      if (launched == most) end(solve_stage);
      fetch_numbers();
      ended = launched == most || host_numbers_[0].zone_done != 0;
      more = further_iterations;
    }
    push_walls(when);
    if (launched < most) end(solve_stage);
    expected_iterations_ = host_numbers_[0].iterations;
    times_.iterations += expected_iterations_;
    ++times_.solves;
  }

  void energy_rate(Row, Ref velocity, double) override {
    begin(energy_stage);
    ZoneArguments a = zones_arguments_;
    a.v = at(velocity);
    a.de = row_of(Row::rate).e.data();
    use(a, energy_plan_);
    stream_.launch(energy_, shape(energy_plan_), a);
    end(energy_stage);
  }

  void add(double factor, std::initializer_list<Sum> sums) override {
    SumArguments a{};
    a.factor = factor;
    Index longest = 1;
    for (const Sum& s : sums) {
      const Index size = s.out.part == Part::e ? zones_ * op_.data().zone_energies : nodes_ * dim_;
      a.one[a.count++] = {at(s.out), at(s.base), at({Row::rate, s.direction}), size};
      longest = std::max(longest, size);
      if (s.out.row == Row::state) looked_ = false;
    }
    stream_.launch(add_, {.grid = {blocks_for(longest, node_threads), 1, 1}, .block = {node_threads, 1, 1}}, a);
  }

  void copy(Ref to, Ref from) override {
    const DeviceBuffer<double>&source = buffer(from), &target = buffer(to);
    stream_.on_device(target, 0, source, 0, source.size());
    if (to.row == Row::state) looked_ = false;
  }

  void accept() override {
    std::swap(rows_[0], rows_[1]);
    looked_ = false;
  }

  Energies energies() override {
    const Buffers& s = row_of(Row::state);
    dot(energy_weights_, s.e, zones_ * op_.data().zone_energies, 0);
    MassArguments m{};
    m.zone = zones_arguments_;
    m.zone.terms = nullptr;
    m.plain = s.v.data();
    launch_mass(m);
    total(zone_partial_, zone_partials_, false, &numbers_.data()->sum[1]);
    if (!body_force_.empty()) dot(share_ ? own_force_ : body_force_, s.x, nodes_ * dim_, 2);
    fetch_numbers();
    const SolveNumbers& n = host_numbers_[0];
    std::array<double, 3> sums = {n.sum[0], 0.5 * n.sum[1], body_force_.empty() ? 0 : -n.sum[2]};
    if (share_) share_->cluster->sum(std::span(sums));
    return {sums[0], sums[1], sums[2]};
  }

  const State& state() const override {
    if (looked_) return shown_;
    bring(Row::state, shown_);
    looked_ = true;
    return shown_;
  }

  void set_state(State state) override {
    const Buffers& s = row_of(Row::state);
    const std::vector<double> x = part_.at_nodes(state.x), v = part_.at_nodes(state.v),
                              e = part_.at_zones(state.e, op_.data().zone_energies);
    stream_.to_device(s.x, std::span<const double>(x));
    stream_.to_device(s.v, std::span<const double>(v));
    stream_.to_device(s.e, std::span<const double>(e));
    stream_.synchronize();
    shown_ = std::move(state);
    looked_ = true;
  }

  // Asked once a run, at its end or where something is wrong: the operator looks on the processors.
  Operator::Limit limit(Row row) override {
    const State state = taken(row);
    (void)op_.update(state, updated_);
    return op_.limit(state);
  }
  Index outside() const override {
    if (!limited_) return 0;
    stream_.to_host(host_outside_.span(), outside_);
    stream_.synchronize();
    const int here = host_outside_[0];
    return share_ ? static_cast<Index>(share_->cluster->sum(static_cast<double>(here))) : here;
  }
  Operator::Limit first_outside(Row row) override {
    const State state = taken(row);
    (void)op_.update(state, updated_);
    return op_.first_outside(state);
  }
  Vec3 centre(Row row, Index zone) const override { return zone_centre(op_.space(), taken(row).x, zone); }
  KernelTimes times() const override { return times_; }
  std::string name() const override { return device_.info().name; }

 private:
  struct Buffers {
    DeviceBuffer<double> x, v, e;
  };
  /// Of telemetry, by events of the device.
  struct Stage {
    Event begin, end;
    bool open = false;
  };
  enum { stress_stage, force_stage, solve_stage, energy_stage, stage_count };

  // A rank without zones has arrays without anything in them.
  DeviceBuffer<double> doubles(const std::vector<double>& from, const char* label) {
    auto out = device_.allocate<double>(std::max<std::size_t>(1, from.size()), label);
    if (from.empty()) stream_.zero(out);
    stream_.to_device(out, std::span<const double>(from));
    stream_.synchronize();  // the source may go
    return out;
  }
  DeviceBuffer<int> integers(const std::vector<int>& from, const char* label) {
    auto out = device_.allocate<int>(std::max<std::size_t>(1, from.size()), label);
    if (from.empty()) stream_.zero(out);
    stream_.to_device(out, std::span<const int>(from));
    stream_.synchronize();
    return out;
  }

  DeviceBuffer<double> room(Index count, const char* label) {
    return device_.allocate<double>(u(std::max<Index>(1, count)), label);
  }
  Buffers& row_of(Row row) {
    Buffers& b = rows_[static_cast<std::size_t>(row)];
    if (b.x.empty()) {
      b.x = room(nodes_ * dim_, "positions");
      b.v = room(nodes_ * dim_, "velocities");
      b.e = room(zones_ * op_.data().zone_energies, "energies");
    }
    return b;
  }
  DeviceBuffer<double>& buffer(Ref r) {
    Buffers& b = row_of(r.row);
    return r.part == Part::x ? b.x : r.part == Part::v ? b.v : b.e;
  }
  double* at(Ref r) { return buffer(r).data(); }

  void bring(Row row, State& to) const {
    const Buffers& b = rows_[static_cast<std::size_t>(row)];
    const State& sizes = op_.initial();
    to.x.resize(sizes.x.size());
    to.v.resize(sizes.v.size());
    to.e.resize(sizes.e.size());
    std::vector<double> x(u(nodes_ * dim_)), v(x.size()), e(u(zones_ * op_.data().zone_energies));
    std::vector<double>&hx = share_ ? x : to.x, &hv = share_ ? v : to.v, &he = share_ ? e : to.e;
    stream_.to_host(std::span<double>(hx), b.x);
    stream_.to_host(std::span<double>(hv), b.v);
    stream_.to_host(std::span<double>(he), b.e);
    stream_.synchronize();
    if (!share_) return;
    part_.spread_nodes(x, to.x);
    part_.spread_nodes(v, to.v);
    part_.spread_zones(e, op_.data().zone_energies, to.e);
    op_.gather(to);
  }
  [[nodiscard]] State taken(Row row) const {
    State out;
    bring(row, out);
    return out;
  }

  void begin(int stage) { stream_.record(stages_[u(stage)].begin); }
  void end(int stage) {
    stream_.record(stages_[u(stage)].end);
    stages_[u(stage)].open = true;
  }
  /// Brings the numbers of the device, and tells how long the stages took that have ended before.
  void fetch_numbers() {
    stream_.to_host(host_numbers_.span(), numbers_);
    stream_.synchronize();
    Team& team = op_.team();
    const auto zones = static_cast<double>(zones_);
    const auto of = [&](Work zone) { return Work{zones * zone.flops, zones * zone.bytes}; };
    const auto tell = [&](int stage, const char* phase, Work work, double& sum, double& wall) {
      Stage& s = stages_[u(stage)];
      if (!s.open) return;
      s.open = false;
      const double seconds = s.end.seconds_since(s.begin);
      sum += seconds;
      wall += seconds;
      if (worker_ >= 0) team.note(phase, seconds, work, Team::Who::devices, worker_);
    };
    const Work stress = op_.update_work(), force = op_.force_work();
    tell(stress_stage, "corner force", of({stress.flops + force.flops, stress.bytes + force.bytes}), times_.update,
         times_.corner_wall);
    const double terms = 8.0 * dim_ * (zones * op_.data().zone_nodes + 2.0 * static_cast<double>(nodes_));
    tell(force_stage, "force sum", {0.0, terms}, times_.force, times_.corner_wall);
    tell(solve_stage, "velocity solve", op_.solve_work(share_ ? expected_iterations_ : host_numbers_[0].iterations),
         times_.velocity_solve, times_.solve_wall);
    tell(energy_stage, "energy", of(op_.energy_work()), times_.energy_solve, times_.corner_wall);
  }

  /// Loads of the stage: pressures, and the momentum that driven walls give.
  void drive(const StageTime& when) {
    bool changes = false;
    for (std::size_t i = 0; i < pressing_.size(); ++i) {
      const BoundaryCondition& bc = op_.boundaries()[u(pressing_[i])];
      if (!bc.over_time) continue;
      host_pressures_[i] = bc.at(when.t);
      changes = true;
    }
    if (changes) stream_.to_device(pressures_, std::span<const double>(host_pressures_.span()));
    if (walls_.empty()) return;
    if (body_force_.empty())
      stream_.zero(pushed_);
    else
      stream_.on_device(pushed_, 0, body_force_, 0, pushed_.size());
    for (const Wall& wall : walls_)
      add_whole(pushed_, -op_.wall_acceleration(op_.driven_walls()[wall.number], when), wall.momentum);
    if (pressed_ > 0 && !share_) stream_.on_device(extra_, 0, pushed_, 0, pushed_.size());
  }
  void push_walls(const StageTime& when) {
    for (const Wall& wall : walls_)
      add_whole(row_of(Row::rate).v, op_.wall_acceleration(op_.driven_walls()[wall.number], when), wall.velocity);
  }
  void add_whole(DeviceBuffer<double>& to, double factor, const DeviceBuffer<double>& direction) {
    SumArguments a{};
    a.factor = factor;
    a.count = 1;
    a.one[0] = {to.data(), to.data(), direction.data(), nodes_ * dim_};
    stream_.launch(add_, {.grid = {blocks_for(a.one[0].size, node_threads), 1, 1}, .block = {node_threads, 1, 1}}, a);
  }

  void total(const DeviceBuffer<double>& partial, int count, bool least, double* out) {
    stream_.launch(total_, {.grid = {1, 1, 1}, .block = {node_threads, 1, 1}},
                   TotalArguments{partial.data(), count, least ? 1 : 0, out});
  }
  void dot(const DeviceBuffer<double>& a, const DeviceBuffer<double>& b, Index size, int sum) {
    const unsigned blocks = blocks_for(size, node_threads);
    stream_.launch(dot_, {.grid = {blocks, 1, 1}, .block = {node_threads, 1, 1}},
                   DotArguments{a.data(), b.data(), size, dot_partial_.data()});
    total(dot_partial_, static_cast<int>(blocks), false, &numbers_.data()->sum[sum]);
  }
  void launch_mass(MassArguments& m) {
    int first = 0;
    for (const MassPart& part : mass_) {
      m.zone.list = part.list.empty() ? nullptr : part.list.data();
      m.zone.zones = part.zones;
      m.zone.partial = zone_partial_.data() + first;
      use(m.zone, part.plan);
      stream_.launch(part.kernel, shape(part.plan), m);
      first += static_cast<int>(part.plan.blocks);
    }
  }
  static void use(ZoneArguments& a, const BlockPlan& plan) {
    a.zones_a_block = plan.zones;
    a.scratch = plan.scratch.empty() ? nullptr : plan.scratch.data();
    a.scratch_block = plan.scratch_block;
  }
  static LaunchShape shape(const BlockPlan& plan) {
    return {.grid = {plan.blocks, 1, 1}, .block = {zone_threads, 1, 1}, .shared = plan.shared};
  }

  /// From lanes [batch][…][W] to [zone][…]: `inner` values a point or zone go before the points if `points` > 1.
  std::vector<double> from_lanes(const double* lanes, Index points, Index inner) const {
    std::vector<double> out(u(zones_ * points * inner));
    const Index W = op_.kernels().lanes;
    const CpuWorker workers(op_.threads());
    workers.for_each({0, op_.batches()}, 8, [&](Interval batches, int) {
      for (Index b = batches.begin; b < batches.end; ++b)
        for (Index l = 0; l < W; ++l) {
          const Index lane_zone = op_.lane_zones()[u(b * W + l)];
          if (l > 0 && lane_zone == op_.lane_zones()[u(b * W + l - 1)]) continue;  // an unused lane
          const Index zone = part_.zone_of[u(lane_zone)];
          if (zone < 0) continue;
          for (Index q = 0; q < points; ++q)
            for (Index i = 0; i < inner; ++i)
              out[u((zone * inner + i) * points + q)] = lanes[((b * points + q) * inner + i) * W + l];
        }
    });
    return out;
  }

  void lay_out_zones() {
    const ZoneData& z = op_.data();
    const Tables& t = op_.tables();
    const Index QQ = z.zone_points, EE = z.zone_energies, DD = dim_ * dim_, W = op_.kernels().lanes;
    ZoneArguments& a = zones_arguments_;
    a = {};
    std::vector<double> tables;
    for (const auto* m : {&t.B.a, &t.G.a, &t.L.a, &t.M.a, &t.rule.weights, &t.P.a})
      tables.insert(tables.end(), m->begin(), m->end());
    verify(static_cast<int>(tables.size()) == table_layout(k_).end, "tables of an order lie as the kernels read them");
    if (k_ <= largest_own_order) std::copy(tables.begin(), tables.end(), a.own);
    tables_ = doubles(tables, "tables");
    a.tables = tables_.data();
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
    for (Index zone = 0; zone < zones_; ++zone) lists_[uniform[u(zone)] > 0 ? 0 : 1].push_back(static_cast<int>(zone));

    std::vector<double> cube(u(op_.batches() * W));
    for (std::size_t i = 0; i < cube.size(); ++i) cube[i] = z.cubes[i / u(W)];
    std::vector<unsigned char> cubes;
    for (const double c : from_lanes(cube.data(), 1, 1)) cubes.push_back(c > 0 ? 1 : 0);
    cubes_ = device_.allocate<unsigned char>(std::max<std::size_t>(1, cubes.size()), "cubes");
    stream_.to_device(cubes_, std::span<const unsigned char>(cubes));
    a.cubes = cubes_.data();
    if (z.widths != nullptr && z.viscosity) {
      widths_ = doubles(from_lanes(z.widths, QQ, DD), "widths");
      a.widths = widths_.data();
    }

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
    a.materials = materials_.data();
    std::vector<int> material_of;
    for (const Index zone : part_.zones) material_of.push_back(op_.mesh().region[u(zone)]);
    material_of_ = integers(material_of, "materials of zones");
    a.material = material_of_.data();

    if (z.burn != nullptr) {
      burn_ = doubles(from_lanes(z.burn, QQ, 2), "burn");
      a.burn = burn_.data();
    }
    S_ = room(zones_ * DD * QQ, "stress");
    a.S = S_.data();
    if (z.turns > 0) {
      hoop_ = room(zones_ * QQ, "hoop stress");
      a.hoop = hoop_.data();
    }
    terms_ = room(dim_ * (zones_ * z.zone_nodes + part_.received), "terms of nodes");
    a.terms = terms_.data();
    stream_.synchronize();
  }

  void lay_out_nodes() {
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
      const Index node = part_.node_of[u(c.node)];
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
    r_ = room(nodes_ * dim_, "residual");
    p_ = room(nodes_ * dim_, "direction");
    n.r = r_.data();
    n.p = p_.data();
    node_blocks_ = blocks_for(nodes_, node_threads);
    dot_partial_ = device_.allocate<double>(most_blocks, "sums of products");
  }

  void lay_out_walls() {
    for (std::size_t i = 0; i < op_.driven_walls().size(); ++i) {
      const Operator::DrivenWall& wall = op_.driven_walls()[i];
      walls_.push_back({i, doubles(part_.at_nodes(wall.velocity), "driven wall"),
                        doubles(part_.at_nodes(wall.momentum), "momentum of a driven wall")});
    }
    if (!walls_.empty()) pushed_ = room(nodes_ * dim_, "loads of driven walls");
  }

  void lay_out_pressure() {
    const Space& s = op_.space();
    const ZoneMesh& mesh = op_.mesh();
    std::vector<int> node, boundary;
    std::vector<double> sign_of;
    std::map<int, std::vector<int>> meets;  // places of terms at each loaded node
    int side_nodes = 1;
    for (int d = 1; d < dim_; ++d) side_nodes *= k_ + 1;
    for (const auto& face : mesh.faces) {
      const BoundaryCondition& bc = op_.boundaries()[u(face.boundary)];
      const Index zone = part_.zone_of[u(face.zone)];
      if (!bc.presses() || zone < 0) continue;
      const int axis = face.side / 2, side = static_cast<int>(sign_of.size());
      // The tangents' normal points along axes 0 and 2 and against axis 1.
      sign_of.push_back((face.side % 2 != 0 ? 1 : -1) * (dim_ > 1 && axis == 1 ? -1 : 1));
      const auto known = std::find(pressing_.begin(), pressing_.end(), face.boundary);
      boundary.push_back(static_cast<int>(known - pressing_.begin()));
      if (known == pressing_.end()) pressing_.push_back(face.boundary);
      int at = 0;
      for (int local = 0; local < s.zone_nodes; ++local) {
        int rest = local;
        for (int d = 0; d < axis; ++d) rest /= k_ + 1;
        if (rest % (k_ + 1) != (face.side % 2 != 0 ? k_ : 0)) continue;
        const auto place = static_cast<int>(zone * s.zone_nodes + local);
        node.push_back(part_.map[u(place)]);
        // Nodes of a part get their loads with the terms of its zones, as other parts do that meet there.
        meets[share_ ? place : node.back()].push_back(side * dim_ * side_nodes + at++);
      }
    }
    pressed_ = static_cast<Index>(sign_of.size());
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
    std::vector<int> loaded, begin{0}, place;
    for (const auto& [at, places] : meets) {
      loaded.push_back(at);
      place.insert(place.end(), places.begin(), places.end());
      begin.push_back(static_cast<int>(place.size()));
    }
    PressureArguments& p = pressure_;
    p = {};
    p.dim = dim_;
    p.k = k_;
    p.turns = op_.data().turns;
    p.sides = static_cast<int>(pressed_);
    p.side_nodes = side_nodes;
    p.side_points = dim_ == 1 ? 1 : dim_ == 2 ? 2 * k_ : 4 * k_ * k_;
    p.loaded = static_cast<int>(loaded.size());
    p.nodes = nodes_;
    p.tables = tables_.data();
    side_node_ = integers(node, "nodes of sides");
    side_sign_ = doubles(sign_of, "signs of sides");
    side_boundary_ = integers(boundary, "boundaries of sides");
    loaded_ = integers(loaded, "loaded nodes");
    loaded_begin_ = integers(begin, "loads of nodes");
    loaded_place_ = integers(place, "places of loads");
    side_terms_ = device_.allocate<double>(u(pressed_ * dim_ * side_nodes), "terms of sides");
    if (!share_) {
      std::vector<double> extra = op_.body_force();
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
    p.extra = share_ ? terms_.data() : extra_.data();
    press_shared_ = static_cast<Bytes>(dim_ * p.side_points) * sizeof(double);
    node_arguments_.extra = share_ ? pushing : extra_.data();
  }

  /// What goes to other ranks and comes from them, and the vectors of a solve with one round of sums an iteration.
  void lay_out_share() {
    if (!body_force_.empty()) {
      // Potential energy counts a node once.
      std::vector<double> own = part_.at_nodes(op_.body_force());
      for (int c = 0; c < dim_; ++c)
        std::fill(own.begin() + c * nodes_ + part_.own, own.begin() + (c + 1) * nodes_, 0.0);
      own_force_ = doubles(own, "body force at own nodes");
    }
    sent_ = integers(part_.sent, "places of terms sent");
    const auto count = static_cast<Index>(part_.sent.size());
    packed_ = room(dim_ * count, "terms sent");
    host_packed_ = device_.pinned<double>(u(std::max<Index>(1, dim_ * count)));
    host_received_ = device_.pinned<double>(u(std::max<Index>(1, dim_ * part_.received)));
    u_ = room(nodes_ * dim_, "preconditioned residual");
    s_ = room(nodes_ * dim_, "image of the direction");
    begin_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/begin-shared<{}>", dim_));
    solve_shared_ = device_.kernel<SharedNodeArguments>(fmt::format("hydro-fem/solve-shared<{}>", dim_));
    pack_ = device_.kernel<PackArguments>("hydro-fem/pack");
  }

  /// Terms for other ranks, and the numbers, on the host.
  void fetch_sent() {
    const auto count = static_cast<int>(part_.sent.size());
    if (count > 0) {
      stream_.launch(pack_,
                     {.grid = {blocks_for(Index{count} * dim_, node_threads), 1, 1}, .block = {node_threads, 1, 1}},
                     PackArguments{dim_, count, sent_.data(), terms_.data(), packed_.data()});
      stream_.to_host(host_packed_.span().first(u(Index{count} * dim_)), packed_);
    }
    stream_.to_host(host_numbers_.span(), numbers_);
    stream_.synchronize();
  }
  /// What was fetched goes to other ranks while `sums` are added over all of them; theirs come behind the terms of this part's zones.
  void exchange(std::span<double> sums) {
    const std::size_t item = u(dim_) * sizeof(double);
    if (!sums.empty()) share_->cluster->start_sum(sums);
    const double* packed = host_packed_.data();
    share_->halo->start([&](Index) { return item; },
                        [&](Index, std::byte*& at) {
                          std::memcpy(at, packed, item);
                          packed += dim_;
                          at += item;
                        });
    double* received = host_received_.data();
    share_->halo->finish([&](Index, const std::byte*& at) {
      std::memcpy(received, at, item);
      received += dim_;
      at += item;
    });
    if (!sums.empty()) share_->cluster->finish_sum();
    const Index count = dim_ * part_.received;
    if (count > 0)
      stream_.to_device(terms_, std::span<const double>(host_received_.span().first(u(count))),
                        u(dim_ * zones_ * op_.data().zone_nodes));
  }

  /// Conjugate gradients over all ranks. What meets between them and both sums of an iteration travel together: with
  /// u = D r, γ = r·u and δ = u·M u, which zones know before anything is exchanged, α = γ/(δ - β γ/α_before), β = γ/γ_before
  /// (Chronopoulos and Gear, J. Comput. Appl. Math. 25 (1989) 153). All ranks have the same sums, and so end together.
  void solve_shared(const StageTime& when) {
    fetch_sent();
    exchange({});
    SharedNodeArguments a{node_arguments_, part_.own, 0, 0, u_.data(), s_.data()};
    a.node.a = row_of(Row::rate).v.data();
    const LaunchShape nodes{.grid = {node_blocks_, 1, 1}, .block = {node_threads, 1, 1}};
    stream_.launch(begin_shared_, nodes, a);
    end(force_stage);
    begin(solve_stage);
    MassArguments m{};
    m.zone = zones_arguments_;
    m.plain = u_.data();
    double before = 0, target = 0;
    int iteration = 0;
    for (const int most = op_.mass_iterations(); iteration < most; ++iteration) {
      total(node_partial_, static_cast<int>(node_blocks_), false, &numbers_.data()->sum[0]);
      launch_mass(m);
      total(zone_partial_, zone_partials_, false, &numbers_.data()->sum[1]);
      fetch_sent();
      std::array<double, 2> sums = {host_numbers_[0].sum[0], host_numbers_[0].sum[1]};
      exchange(sums);
      const double gamma = sums[0];
      if (iteration == 0) target = op_.mass_tolerance() * op_.mass_tolerance() * gamma;
      if (!(gamma > target)) break;
      a.beta = iteration > 0 ? gamma / before : 0;
      a.alpha = gamma / (iteration > 0 ? sums[1] - a.beta * gamma / a.alpha : sums[1]);
      before = gamma;
      stream_.launch(solve_shared_, nodes, a);
    }
    push_walls(when);
    end(solve_stage);
    expected_iterations_ = iteration;
    fetch_numbers();
    times_.iterations += iteration;
    ++times_.solves;
  }

  BlockPlan plan(Index zones, int zone_doubles, int work, unsigned most, const DeviceOptions& options) const {
    BlockPlan out;
    const Bytes tables = static_cast<Bytes>(table_layout(k_).end) * sizeof(double);
    const Bytes zone = static_cast<Bytes>(zone_doubles) * sizeof(double);
    const Bytes room = device_.info().shared_per_block - static_shared - tables;
    // Enough zones that every thread has a line or a point; fewer where several blocks would not fit beside each other.
    out.zones = std::clamp(static_cast<int>(zone_threads) / work, 1, most_zones_a_block);
    while (out.zones > 1 && static_cast<Bytes>(out.zones) * zone > room / 4) --out.zones;
    const Index groups = (zones + out.zones - 1) / out.zones;
    out.blocks = static_cast<unsigned>(std::clamp<Index>(groups, 1, most));
    out.shared = tables;
    if (options.memory_of_blocks && zone <= room) {
      out.shared += static_cast<Bytes>(out.zones) * zone;
      return out;
    }
    out.zones = 1;
    out.blocks = static_cast<unsigned>(std::clamp<Index>(
        zones, 1, std::min<Index>(most, std::max<Index>(1, static_cast<Index>(scratch_bytes / zone)))));
    out.scratch_block = zone_doubles;
    out.scratch = device_.allocate<double>(u(out.scratch_block) * out.blocks, "scratch of zones");
    return out;
  }

  void plan_kernels(const DeviceOptions& options) {
    const int order = own_ ? k_ : 0;
    const auto name = [&](const char* pass, const char* kind = "") {
      return fmt::format("hydro-fem/{}<{},{}{}>", pass, dim_, order, kind);
    };
    const ZoneData& z = op_.data();
    update_ = device_.kernel<ZoneArguments>(name("update"));
    energy_ = device_.kernel<ZoneArguments>(name("energy"));
    update_plan_ = plan(zones_, update_layout(dim_, k_).zone, z.zone_points, most_update_blocks, options);
    energy_plan_ = plan(zones_, energy_layout(dim_, k_).zone, z.zone_points, most_update_blocks, options);
    update_partial_ = device_.allocate<double>(update_plan_.blocks, "steps of blocks");
    const bool both = !lists_[0].empty() && !lists_[1].empty();
    for (const int kind : {0, 1}) {
      if (lists_[u(kind)].empty()) continue;
      MassPart part;
      part.zones = static_cast<int>(lists_[u(kind)].size());
      if (both) part.list = integers(lists_[u(kind)], "zones of a mass");
      part.kernel = device_.kernel<MassArguments>(name("mass", kind == 0 ? ",uniform" : ",any"));
      const int lines = dim_ * (kind == 0 ? z.zone_nodes / (k_ + 1) : z.zone_points / 2);
      part.plan = plan(part.zones, mass_layout(dim_, k_, kind == 0).zone, std::max(1, lines), most_blocks, options);
      zone_partials_ += static_cast<int>(part.plan.blocks);
      mass_.push_back(std::move(part));
      lists_kind_ = kind;
      lists_[u(kind)] = {};
    }
    plan_whole_solves(options);
    zone_partial_ = room(std::max<Index>(zone_partials_, at_once_plan_.blocks), "sums over zones");
    node_partial_ = device_.allocate<double>(std::max(node_blocks_, at_once_plan_.blocks), "sums over nodes");
    node_arguments_.partial = node_partial_.data();
    node_arguments_.zone_partial = zone_partial_.data();
    node_arguments_.zone_partials = zone_partials_;
    begin_solve_ = device_.kernel<NodeArguments>(fmt::format("hydro-fem/begin<{}>", dim_));
    solve_ = device_.kernel<NodeArguments>(fmt::format("hydro-fem/solve<{}>", dim_));
    press_ = device_.kernel<PressureArguments>("hydro-fem/press");
    load_ = device_.kernel<PressureArguments>(share_ ? "hydro-fem/load-terms" : "hydro-fem/load");
    add_ = device_.kernel<SumArguments>("hydro-fem/add");
    dot_ = device_.kernel<DotArguments>("hydro-fem/dot");
    total_ = device_.kernel<TotalArguments>("hydro-fem/total");
  }

  /// One kernel a solve where its blocks are all there at once and each has little to do in a pass.
  void plan_whole_solves(const DeviceOptions& options) {
    at_once_plan_.blocks = 0;
    if (options.solves == DeviceOptions::Solves::launches || mass_.size() != 1 || share_) return;
    const bool uniform = lists_kind_ == 0;
    at_once_ = device_.kernel<SolveArguments>(
        fmt::format("hydro-fem/at-once<{},{},{}>", dim_, own_ ? k_ : 0, uniform ? "uniform" : "any"));
    const BlockPlan& pass = mass_.front().plan;
    if (!pass.scratch.empty()) return;
    BlockPlan plan;
    plan.zones = pass.zones;
    plan.shared = pass.shared;
    const Index groups = (mass_.front().zones + plan.zones - 1) / plan.zones;
    const Index wanted = std::max(groups, (nodes_ + zone_threads - 1) / zone_threads);
    LaunchShape shape = DeviceBackend::shape(plan);
    shape.cooperative = true;
    const Index there = Index{device_.blocks_at_once(at_once_, shape)} * device_.info().multiprocessors;
    const bool emulated = device_.info().backend != "cuda";
    const Index most = emulated ? std::min<Index>(64, std::max<Index>(1, there)) : there;
    if (most < 1) return;
    if (options.solves == DeviceOptions::Solves::fastest && groups > passes_at_once * most) return;
    plan.blocks = static_cast<unsigned>(std::min(wanted, most));
    at_once_plan_ = std::move(plan);
  }

  struct MassPart {
    Kernel<MassArguments> kernel;
    BlockPlan plan;
    DeviceBuffer<int> list;
    int zones = 0;
  };

  Operator& op_;
  std::optional<Operator::Share> share_;  // with other ranks
  DevicePart part_;
  Device device_;
  mutable Stream stream_;
  int k_, dim_;
  Index zones_, nodes_;
  bool own_, limited_ = false;
  int worker_;  // of the team, for telemetry; -1: the device is none of its workers

  ZoneArguments zones_arguments_{};
  NodeArguments node_arguments_{};
  PressureArguments pressure_{};
  Index pressed_ = 0;
  std::vector<int> pressing_;  // boundaries that press
  PinnedBuffer<double> host_pressures_;
  struct Wall {
    std::size_t number;
    DeviceBuffer<double> velocity, momentum;
  };
  std::vector<Wall> walls_;
  Bytes press_shared_ = 0;
  BlockPlan update_plan_, energy_plan_, at_once_plan_;
  Kernel<SolveArguments> at_once_;
  int lists_kind_ = 0;  // of the last part of the mass: 0 uniform zones
  std::vector<MassPart> mass_;
  std::array<std::vector<int>, 2> lists_;  // uniform zones, others; only while the kernels are planned
  int zone_partials_ = 0;
  unsigned node_blocks_ = 1;

  Kernel<ZoneArguments> update_, energy_;
  Kernel<NodeArguments> begin_solve_, solve_;
  Kernel<PressureArguments> press_, load_;
  Kernel<SumArguments> add_;
  Kernel<DotArguments> dot_;
  Kernel<TotalArguments> total_;
  Kernel<SharedNodeArguments> begin_shared_, solve_shared_;
  Kernel<PackArguments> pack_;
  DeviceBuffer<double> own_force_, packed_, u_, s_;
  DeviceBuffer<int> sent_;
  PinnedBuffer<double> host_packed_, host_received_;

  DeviceBuffer<double> tables_, mass_points_, J0inv_, Meinv_, uniform_, widths_, material_tables_, S_, hoop_, terms_,
      burn_;
  DeviceBuffer<double> projectors_, diagonal_, energy_weights_, body_force_, r_, p_, extra_, pushed_, pressures_,
      side_sign_, side_terms_;
  DeviceBuffer<double> update_partial_, zone_partial_, node_partial_, dot_partial_;
  DeviceBuffer<int> map_, material_of_, meet_begin_, place_, constraint_, side_node_, side_boundary_, loaded_,
      loaded_begin_, loaded_place_;
  DeviceBuffer<unsigned char> cubes_;
  DeviceBuffer<MaterialArguments> materials_;
  DeviceBuffer<SolveNumbers> numbers_;
  DeviceBuffer<int> outside_;
  PinnedBuffer<SolveNumbers> host_numbers_;
  mutable PinnedBuffer<int> host_outside_;
  std::array<Buffers, 4> rows_;
  mutable State shown_;
  double updated_ = 0;           // time of the last update
  mutable bool looked_ = false;  // `shown_` is the state

  int expected_iterations_ = 12;
  std::array<Stage, stage_count> stages_;
  KernelTimes times_;
};

}  // namespace

Bytes device_bytes(const DeviceNeeds& n) {
  const double N = std::pow(n.k + 1, n.dim), Q = std::pow(2 * n.k, n.dim), E = std::pow(n.k, n.dim);
  const double matrices = n.dim * n.dim * (2.0 + (n.cubes || !n.viscosity ? 0 : 1));  // J0^-1, S, widths
  const double energies = n.rk4 ? 5 : 4;
  const double zone =
      8 * (Q * (1 + matrices + (n.turns > 0 ? 1 : 0) + (n.burns ? 2 : 0)) + E * E + energies * E + n.dim * N + 2) +
      4 * (2 * N + 1) + 1;
  const double vectors =
      n.dim * ((n.rk4 ? 8.0 : 6.0) + 2 + 2 + (n.shared ? 2 : 0) + (n.driven_walls > 0 ? 1 + 2 * n.driven_walls : 0));
  // rows, r, p, loads and body force, driven walls
  const double node = 8 * (vectors + 1) + 4 * 2;
  // Zones that are too large for the shared memory of today's devices have their scratch here, so many at a time.
  double scratch = 0;
  for (const int doubles :
       {update_layout(n.dim, n.k).zone, energy_layout(n.dim, n.k).zone, mass_layout(n.dim, n.k, false).zone})
    if (const double bytes = 8.0 * doubles; bytes > usual_shared)
      scratch += std::min(n.zones * bytes, std::max(bytes, static_cast<double>(scratch_bytes)));
  return static_cast<Bytes>(n.zones * zone + n.nodes * node + scratch) + (Bytes{1} << 20);
}

std::unique_ptr<Backend> device_backend(Operator& op, Device device, DeviceOptions options) {
  return std::make_unique<DeviceBackend>(op, std::move(device), options);
}

}  // namespace conoid::hydro_fem
