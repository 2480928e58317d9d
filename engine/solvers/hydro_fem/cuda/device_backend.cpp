// SPDX-License-Identifier: BSD-3-Clause
// The steps of a march on devices: what each has of the zones (device_zones.hpp), made one.
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "engine/solvers/hydro_fem/cuda/device_exchange.hpp"
#include "engine/solvers/hydro_fem/cuda/device_zones.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/team/team.hpp"

namespace conoid::hydro_fem {
namespace {

constexpr double usual_shared = 96 << 10;  // of a block, on any device that is not old

class DeviceBackend final : public Backend {
 public:
  DeviceBackend(Operator& op, std::vector<Device> devices, const DeviceOptions& options) : op_(op), share_(op.share()) {
    verify(!devices.empty() && (devices.size() == 1 || !share_), "a rank of several has one device");
    std::vector<DevicePart> parts = DevicePart::among(op, static_cast<int>(devices.size()));
    for (std::size_t i = 0; i < devices.size(); ++i)
      parts_.push_back(std::make_unique<DeviceZones>(op, std::move(parts[i]), std::move(devices[i]), options,
                                                     i < options.workers.size() ? options.workers[i] : -1));
    if (share_) exchange_ = exchange_with_ranks(op, *share_, *parts_.front());
    if (parts_.size() > 1) exchange_ = exchange_among_peers(op, parts_, options.calls);
  }
  ~DeviceBackend() override {
    // A device may still read what another has packed.
    for (const auto& part : parts_) part->settle();
  }
  DeviceBackend(const DeviceBackend&) = delete;
  DeviceBackend& operator=(const DeviceBackend&) = delete;

  double update(Row state, double t) override {
    updated_ = t;
    for (const auto& part : parts_) part->update(state, t);
    fetch_numbers();
    double step = parts_.front()->numbers().step;
    for (const auto& part : parts_) {
      step = std::min(step, part->numbers().step);
      times_.update_points += part->zones() * op_.data().zone_points;
    }
    return share_ ? share_->cluster->minimum(step) : step;
  }

  void acceleration(Row state, const StageTime& when) override {
    for (const auto& part : parts_) part->load(state, when);
    iterations_ = exchange_ ? exchange_->solve(when) : parts_.front()->solve(when);
    if (iterations_ >= op_.mass_iterations()) throw Failure(op_.not_solved());
    times_.iterations += iterations_;
    ++times_.solves;
    tell_stages();
  }

  void energy_rate(Row, Ref velocity, double) override {
    for (const auto& part : parts_) part->energy_rate(velocity);
  }
  void heat(double from, double to) override {
    if (!op_.burns_on()) return;
    const std::vector<double> powers = op_.heat(from, to);
    for (const auto& part : parts_) part->heat(powers);
  }
  void add(double factor, std::initializer_list<Sum> sums) override {
    for (const Sum& s : sums)
      if (s.out.row == Row::state) brought_ = false;
    for (const auto& part : parts_) part->add(factor, sums);
  }
  void copy(Ref to, Ref from) override {
    for (const auto& part : parts_) part->copy(to, from);
    if (to.row == Row::state) brought_ = false;
  }
  void accept() override {
    for (const auto& part : parts_) part->accept();
    brought_ = false;
  }

  Energies energies() override {
    for (const auto& part : parts_) part->energies();
    fetch_numbers();
    std::array<double, 3> sums{};
    for (const auto& part : parts_) {
      const SolveNumbers& n = part->numbers();
      sums[0] += n.sum[0];
      sums[1] += 0.5 * n.sum[1];
      if (part->heavy()) sums[2] -= n.sum[2];
    }
    if (share_) share_->cluster->sum(std::span(sums));
    return {sums[0], sums[1], sums[2]};
  }

  const State& state() const override {
    if (!brought_) bring(Row::state, held_);
    brought_ = true;
    return held_;
  }
  void set_state(State state) override {
    for (const auto& part : parts_) part->set_state(state);
    held_ = std::move(state);
    brought_ = true;
  }

  // Asked once a run, at its end or where something is wrong: the operator looks on the processors.
  Operator::Limit limit(Row row) override {
    const State state = taken(row);
    (void)op_.update(state, updated_);
    return op_.limit(state);
  }
  Index outside() const override {
    if (!parts_.front()->limited()) return 0;
    for (const auto& part : parts_) part->fetch_outside();
    Index here = 0;
    for (const auto& part : parts_) {
      part->wait();
      here += part->outside();
    }
    return share_ ? static_cast<Index>(share_->cluster->sum(static_cast<double>(here))) : here;
  }
  Operator::Limit first_outside(Row row) override {
    const State state = taken(row);
    (void)op_.update(state, updated_);
    return op_.first_outside(state);
  }
  Vec3 centre(Row row, Index zone) const override { return op_.centre(taken(row), zone); }
  KernelTimes times() const override { return times_; }
  std::string name() const override {
    const std::string& first = parts_.front()->info().name;
    return parts_.size() == 1 ? first : fmt::format("{} devices ({}, …)", parts_.size(), first);
  }

 private:
  void bring(Row row, State& to) const {
    for (PagedVector* field : {&to.x, &to.v}) field->resize(u(op_.space().nodes * op_.space().dim));
    to.e.resize(u(op_.space().zones * op_.data().zone_energies));
    for (const auto& part : parts_) part->bring(row, to);
  }
  [[nodiscard]] State taken(Row row) const {
    State out;
    bring(row, out);
    return out;
  }
  /// Brings the numbers of the devices.
  void fetch_numbers() {
    for (const auto& part : parts_) part->fetch_numbers();
    for (const auto& part : parts_) part->wait();
    tell_stages();
  }
  /// How long the stages took that have ended, whose events have been waited for.
  void tell_stages() {
    std::array<double, DeviceZones::stage_count> walls{};
    Index all = 0;
    for (const auto& part : parts_) all += part->zones();
    for (const auto& part : parts_) {
      const auto zones = static_cast<double>(part->zones());
      const double share = all > 0 ? zones / static_cast<double>(all) : 1;
      const auto of = [&](Work zone) { return Work{zones * zone.flops, zones * zone.bytes}; };
      const std::array<double, DeviceZones::stage_count> seconds = part->take_stages();
      const auto tell = [&](DeviceZones::Stage stage, const char* phase, Work work, double& sum) {
        if (seconds[u(stage)] < 0) return;
        sum += seconds[u(stage)];
        walls[u(stage)] = std::max(walls[u(stage)], seconds[u(stage)]);
        if (part->worker() >= 0) op_.team().note(phase, seconds[u(stage)], work, Team::Who::devices, part->worker());
      };
      const Work stress = op_.update_work(), force = op_.force_work(), solve = op_.solve_work(iterations_);
      tell(DeviceZones::stress_stage, "corner force", of({stress.flops + force.flops, stress.bytes + force.bytes}),
           times_.update);
      const double terms =
          8.0 * op_.space().dim * (zones * op_.data().zone_nodes + 2.0 * static_cast<double>(part->nodes()));
      tell(DeviceZones::force_stage, "force sum", {0.0, terms}, times_.force);
      tell(DeviceZones::solve_stage, "velocity solve", {share * solve.flops, share * solve.bytes},
           times_.velocity_solve);
      tell(DeviceZones::energy_stage, "energy", of(op_.energy_work()), times_.energy_solve);
    }
    times_.solve_wall += walls[DeviceZones::solve_stage];
    times_.corner_wall +=
        walls[DeviceZones::stress_stage] + walls[DeviceZones::force_stage] + walls[DeviceZones::energy_stage];
  }

  Operator& op_;
  std::optional<Operator::Share> share_;  // with other ranks
  std::vector<std::unique_ptr<DeviceZones>> parts_;
  std::unique_ptr<DeviceExchange> exchange_;  // none where one part is all
  mutable State held_;                        // on the host, of this rank
  mutable bool brought_ = false;              // `held_` is the state
  double updated_ = 0;                        // time of the last update
  int iterations_ = 0;                        // of the last solve
  KernelTimes times_;
};

}  // namespace

Bytes device_bytes(const DeviceNeeds& n) {
  const double N = std::pow(n.k + 1, n.dim), Q = std::pow(2 * n.k, n.dim), E = std::pow(n.k, n.dim);
  const double matrices = n.dim * n.dim * (2.0 + (n.cubes || !n.viscosity ? 0 : 1));  // J0^-1, S, widths
  const double energies = n.rk4 ? 5 : 4, heft = n.cubes && n.turns == 0 ? 0 : N;
  const double zone = 8 * (Q * (1 + matrices + (n.turns > 0 ? 1 : 0) + (n.burns ? 2 : 0)) + E * E +
                           (energies + n.burning_on) * E + n.dim * N + heft + 2) +
                      4 * (2 * N + 1) + 1;
  const double vectors =
      n.dim * ((n.rk4 ? 8.0 : 6.0) + 2 + 2 + (n.shared ? 3 : 0) + (n.driven_walls > 0 ? 1 + 2 * n.driven_walls : 0));
  // rows, y, p, loads and body force, driven walls
  const double node = 8 * (vectors + 1) + 4 * 2;
  // Zones that are too large for the shared memory of today's devices have their scratch here, so many at a time.
  double scratch = 0;
  for (const int doubles : {update_layout(n.dim, n.k).zone, energy_layout(n.dim, n.k).zone,
                            mass_layout(n.dim, n.k, false).zone, mass_layout(n.dim, n.k, true).zone})
    if (const double bytes = 8.0 * doubles; bytes > usual_shared)
      scratch += std::min(n.zones * bytes, std::max(bytes, static_cast<double>(device_scratch)));
  return static_cast<Bytes>(n.zones * zone + n.nodes * node + scratch) + (Bytes{1} << 20);
}

std::unique_ptr<Backend> device_backend(Operator& op, Device device, const DeviceOptions& options) {
  std::vector<Device> devices;
  devices.push_back(std::move(device));
  return device_backend(op, std::move(devices), options);
}

std::unique_ptr<Backend> device_backend(Operator& op, std::vector<Device> devices, const DeviceOptions& options) {
  return std::make_unique<DeviceBackend>(op, std::move(devices), options);
}

}  // namespace conoid::hydro_fem
