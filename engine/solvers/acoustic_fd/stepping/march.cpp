// SPDX-License-Identifier: BSD-3-Clause
// The march: bands of steps, cut into tiles, and what ranks exchange between and behind them.
#include "engine/solvers/acoustic_fd/stepping/march.hpp"

#include "engine/cluster/halo.hpp"
#include "engine/core/log.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/stepping/dataflow.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/solvers/acoustic_fd/stepping/march_parts.hpp"
#include "engine/solvers/acoustic_fd/stepping/planes_phase.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/solvers/acoustic_fd/stepping/tile_choice.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int many_threads = 8;
constexpr Index worth_measuring = 4'000'000;  // cells; below, the first guess is taken

Slab slab_of(const Problem& problem, int rank, int ranks) {
  Slab out;
  out.planes = slab(problem.grid.points[0], rank, ranks);
  out.lower = rank > 0;
  out.upper = rank + 1 < ranks;
  if (ranks > 1) {
    const Index thinnest = problem.grid.points[0] / ranks, s = problem.order / 2;
    if (thinnest < s + 1)
      throw Failure(make_error(ErrorCode::invalid_input,
                               fmt::format("{} ranks share {} x-planes: {} a rank, at least {} are needed at order {}",
                                           ranks, problem.grid.points[0], thinnest, s + 1, problem.order),
                               fmt::format("Use at most {} ranks.", problem.grid.points[0] / (s + 1))));
    out.beside = s * steps_between_exchanges(problem, ranks);
  }
  return out;
}

template <class T>
class TiledMarch final : public March {
 public:
  TiledMarch(const Problem& problem, const Machine& machine, const Communicator& cluster)
      : problem_(problem), machine_(machine), slab_(slab_of(problem, cluster.rank(), cluster.size())),
        field_(problem, machine, slab_), tried_(steps_between_exchanges(problem, cluster.size())), band_(tried_) {
    planes_ = slab_.planes;
    if (problem.tiling != "auto" && !parse_shape(problem.tiling, shape_))
      throw Failure(make_error(ErrorCode::invalid_input, fmt::format("\"{}\" is no tiling", problem.tiling),
                               "Use auto, \"stepwise ROWS\", \"diamond WIDTHxPLANES\", \"diamond WIDTHxPLANESxDEPTH\" "
                               "or \"tower WIDTHxSTEPS\"."));
  }

  void start(Team& team, Communicator& cluster) override {
    k_ = 0;
    choose(team);
    // The more threads, the less a longer band delays an answer, and the fewer of them wait at its ends.
    if (cluster.size() == 1 && team.threads() >= many_threads) band_ = 2 * tried_;
    team_ = &team;
    field_.place_points();
    open_devices(team, cluster);
    const bool silent = problem_.silent_at(k_);
    if (device_ && device_->keeps_levels() && silent) {
      // To be given memory takes longer than all else that is done with it before the first step, and the device has its own.
      touched_ = false;
      return device_->take_silence(team.threads());
    }
    fill(team);
    const auto in_planes = [&](Interval planes, const PlanesPhase::Body& body) {
      PlanesPhase phase("touch", planes, plane_bytes(), body);
      team.run(phase);
    };
    const auto refresh = [&] { in_planes(field_.held(), [&](Index x) { field_.refresh_images(x); }); };
    if (!silent) refresh();  // those of zeros are there
    if (problem_.initial.starts_at_rest()) {
      in_planes({0, planes_.size()}, [&](Index x) { field_.rest_start({x, x + 1}); });
      exchange(cluster, slab_.beside);
      refresh();
    }
    if (device_) device_->take(k_, silent);
  }

  void advance(Team& team, Communicator& cluster, Index steps, Recorder* recorder) override {
    while (steps > 0) {
      const Index most = std::min(steps, device_ || candidates_.empty() ? band_ : tried_);
      const Index count = recorder ? steps_of_band(most, *recorder, field_.record_bytes(), cluster) : most;
      field_.begin_band(k_, k_ + count, recorder ? recorder->every : 0);
      if (device_) {
        const auto begin = Clock::now();
        const auto [to, from] = device_->streamed();
        device_->advance(k_, count, cluster);
        team.note("march", std::chrono::duration<double>(Clock::now() - begin).count(),
                  work_of_steps(problem_, planes_.size(), count, static_cast<double>(device_->levels())),
                  Team::Who::devices);
        team.add_streamed(device_->streamed().first - to + device_->streamed().second - from);
        host_is_old_ = true;
        if (recorder) add_records(field_, team, recorder->samples);
        k_ += count;
        steps -= count;
        continue;
      }
      const bool measuring = !candidates_.empty() && count == tried_;
      const auto begin = Clock::now();
      Later sink(field_, k_);
      if (cluster.size() == 1) {
        run_tiles(tiling(Part::all, count, team.threads()), sink, team, band_work(count));
      } else if (const Index reach = field_.stencil().radius * count; planes_.size() < 2 * reach) {
        exchange(cluster, reach);
        run_tiles(tiling(Part::all, count, team.threads()), sink, team, band_work(count));
      } else {
        // What no neighbour's plane reaches is computed while they travel: update j covers [s(j+1), n − s(j+1)). The wedges
        // beside it then find every level they read, since no plane is more than one update ahead of what its reader needs.
        start_exchange(cluster, reach);
        run_tiles(tiling(Part::inner, count, team.threads()), sink, team);
        finish_exchange();
        if (slab_.lower) run_tiles(tiling(Part::lower, count, team.threads()), sink, team);
        if (slab_.upper) run_tiles(tiling(Part::upper, count, team.threads()), sink, team);
      }
      if (recorder) add_records(field_, team, recorder->samples);
      k_ += count;
      steps -= count;
      if (measuring) learn(std::chrono::duration<double>(Clock::now() - begin).count());
    }
  }

  [[nodiscard]] Index band() const override { return band_; }

  void sample(std::span<double> parts) const override {
    std::fill(parts.begin(), parts.end(), 0.0);
    if (!touched_ && !host_is_old_) return;  // before the first step
    bring_back();
    field_.sample(k_, planes_, parts);
  }
  [[nodiscard]] std::size_t parts() const override { return field_.parts(); }
  void join_traces(std::span<const double> parts, std::span<double> traces) const override {
    field_.join_traces(parts, traces);
  }

  Energy energy(Team& team, Communicator& cluster) override {
    std::vector<double> of_planes;
    const bool there = device_ && host_is_old_ && device_->plane_energies(k_, of_planes);
    if (!there) bring_back();
    EnergySums sums(problem_);
    if (there) {
      for (Index x = 0; x < planes_.size(); ++x)
        sums.put(x + planes_.begin, of_planes[static_cast<std::size_t>(2 * x)],
                 of_planes[static_cast<std::size_t>(2 * x + 1)]);
    } else {
      PlanesPhase phase("energy", {0, planes_.size()}, plane_bytes(), [&](Index x) {
        const FlushSubnormals flush;
        sums.put_plane(field_, k_, x, x + planes_.begin);
      });
      team.run(phase);
    }
    cluster.sum(sums.of_planes());  // one rank holds each entry, the others add zero: the order of ranks is no matter
    return sums.energy();
  }

  double peak(Team& team) override {
    if (device_ && device_->keeps_levels()) return device_->peak(k_, team.threads());
    bring_back();
    std::vector<double> peaks(static_cast<std::size_t>(planes_.size()), 0.0);
    PlanesPhase phase("peak", {0, planes_.size()}, plane_bytes(),
                      [&](Index x) { peaks[static_cast<std::size_t>(x)] = field_.plane_peak(k_, x); });
    team.run(phase);
    return peaks.empty() ? 0 : *std::max_element(peaks.begin(), peaks.end());
  }

  void read(const Cut& cut, std::vector<float>& out) const override {
    if (device_ && device_->keeps_levels()) return device_->pressures(k_, cut, team_->threads(), out);
    bring_back();
    const Interval mine = cut.within(0, planes_);
    const auto plane = static_cast<std::size_t>(cut.count[1] * cut.count[2]);
    const std::size_t begin = out.size();
    out.resize(begin + static_cast<std::size_t>(mine.size()) * plane);
    parallel_for(team_->threads(), mine, 1, [&](Index i) {
      field_.put_pressure(k_, cut.first, cut.step, cut.count, cut.first[0] + i * cut.step[0],
                          out.data() + begin + static_cast<std::size_t>(i - mine.begin) * plane);
    });
  }

  void read_map(int which, const Cut& cut, std::vector<float>& out) const override {
    if (device_ && device_->keeps_levels()) return device_->map(which, cut, team_->threads(), out);
    bring_back();
    field_.append_map(which, cut.first, cut.step, cut.count, planes_, out);
  }

  void visit(Team& team, PlaneVisitor& visitor) override {
    bring_back();
    const std::span<const Interval> pieces = visitor.pieces();
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      visitor.open(n);
      PlanesPhase phase("image", pieces[n], plane_bytes(), [&](Index x) {
        const FlushSubnormals flush;
        visitor.plane(x, plane_view(field_, k_, x - planes_.begin));
      });
      team.run(phase);
      visitor.close(n);
    }
  }

  void save(CheckpointWriter& writer) const override {
    bring_back();
    writer.value("step", k_);
    field_.save_planes(writer, k_, planes_);
    field_.save_memory_x(writer);
  }

  void load(CheckpointReader& reader, Communicator& cluster) override {
    touch();
    k_ = reader.value<Index>("step");
    field_.load_planes(reader, k_, planes_);
    field_.load_memory_x(reader);
    exchange(cluster, slab_.beside);
    field_.refresh_images();
    host_is_old_ = false;
    if (device_) device_->take(k_, false);
  }

  [[nodiscard]] Bytes bytes() const override { return field_.bytes() + (device_ ? device_->bytes() : 0); }
  [[nodiscard]] std::string_view kernel() const override {
    return device_ ? std::string_view("device") : field_.kernel();
  }
  [[nodiscard]] std::string tiling() const override { return device_ ? device_->text() : to_string(shape_); }
  [[nodiscard]] bool streams() const override { return device_ && device_->streams(); }
  [[nodiscard]] Streamed streamed() const override {
    if (!device_) return {};
    const auto [to, from] = device_->streamed();
    return {0, 0, to, from};
  }

 private:
  /// The march goes to the team's devices where it can.
  void open_devices(const Team& team, Communicator& cluster) {
    const bool there = std::any_of(team.workers().begin(), team.workers().end(),
                                   [](const WorkerSpec& w) { return !w.device.empty(); });
    if (there) device_ = make_device_steps<T>(problem_, field_, team, cluster);
    if (device_) band_ = device_->band();
    if (cluster.size() > 1) {  // ranks exchange at the same steps, with devices or without
      band_ = static_cast<Index>(cluster.minimum(static_cast<double>(band_)));
      if (cluster.minimum(device_ ? 1.0 : 0.0) > 0) device_->connect(cluster);
    }
  }
  /// The host's field gets its memory, by all threads, each page near the one that will read it; a copy from a device would meet page after page
  /// that nobody has touched.
  void touch() const {
    if (!std::exchange(touched_, true)) fill(*team_);
  }
  void fill(Team& team) const {
    PlanesPhase phase("touch", field_.held(), plane_bytes(), [&](Index x) {
      const FlushSubnormals flush;
      field_.fill_plane(x);
    });
    team.run(phase);
  }
  /// Whoever reads the field reads the host's.
  void bring_back() const {
    touch();
    if (!device_ || !host_is_old_) return;
    device_->bring_back(k_);
    host_is_old_ = false;
  }
  [[nodiscard]] Bytes plane_bytes() const {
    return field_.bytes() / static_cast<Bytes>(std::max<Index>(1, planes_.size()));
  }

  void choose(const Team& team) {
    if (problem_.tiling != "auto") return;
    TileTask task;
    task.radius = field_.stencil().radius;
    task.nx = planes_.size();
    task.ny = problem_.grid.points[1];
    task.nz = problem_.grid.points[2];
    task.threads = team.threads();
    task.planes_move = slab_.lower || slab_.upper;
    task.bytes_a_cell =
        static_cast<Index>(sizeof(T)) * (2 + (problem_.medium_varies() ? 1 : 0) + (field_.scaled() ? 1 : 0));
    candidates_ = tile_candidates(task, machine_);
    shape_ = candidates_.front();
    key_ = tile_key(task, machine_, field_.kernel());
    if (task.nx * task.ny * task.nz < worth_measuring || memory_.recall(key_, shape_)) candidates_.clear();
    trial_ = 0;
    rates_.clear();
  }

  /// Every candidate marches one band of the run itself (the first twice: it also warms up), the fastest goes on.
  void learn(double seconds) {
    if (trial_ > 0) rates_.push_back(1 / std::max(seconds, 1e-9));
    ++trial_;
    if (rates_.size() < candidates_.size()) {
      shape_ = candidates_[rates_.size()];
      return;
    }
    const auto best = static_cast<std::size_t>(std::max_element(rates_.begin(), rates_.end()) - rates_.begin());
    shape_ = candidates_[best];
    candidates_.clear();
    memory_.remember(key_, shape_);
    log::info("acoustic-fd: tiling {}", to_string(shape_));
  }

  /// Of `steps` steps of the slab, by the plain cell (kernels/patch.hpp); layers and sources are left out. Memory: two levels and the
  /// model, read, and two levels written, once a step without tiles, once a tile with them: a diamond of width W has W/2s levels
  /// on an average, a tower N_t.
  [[nodiscard]] Work band_work(Index steps) const {
    const auto s = static_cast<double>(field_.stencil().radius);
    const double levels = shape_.kind == TileShape::Kind::stepwise  ? 0
                          : shape_.kind == TileShape::Kind::diamond ? static_cast<double>(shape_.width) / (2 * s)
                                                                    : static_cast<double>(shape_.height);
    return work_of_steps(problem_, planes_.size(), steps, levels);
  }
  /// Of the slab and what is computed along beside it: all, or what no neighbour reaches and the wedges below and above it.
  enum class Part { all, inner, lower, upper };
  const Tiling& tiling(Part part, Index steps, int threads) {
    Kept& kept = tilings_[static_cast<std::size_t>(part)];
    if (!kept.tiling || kept.steps != steps || !(kept.shape == shape_) || kept.threads != threads) {
      Span span;
      span.nx = planes_.size();
      span.ny = problem_.grid.points[1];
      span.nz = problem_.grid.points[2];
      span.k1 = steps;
      const Index s = field_.stencil().radius, n = span.nx, beside = s * (steps - 1);
      span.grow_low = slab_.lower ? s : 0;
      span.grow_high = slab_.upper ? s : 0;
      span.moving_edges = part != Part::all;
      const Index low = slab_.lower ? s : 0, high = slab_.upper ? s : 0;
      if (part == Part::inner) {
        span.edge = {low, n - high};
        span.slope = {low, -high};
      } else if (part == Part::lower) {
        span.edge = {-beside, s};
        span.slope = {s, s};
      } else if (part == Part::upper) {
        span.edge = {n - s, n + beside};
        span.slope = {-s, -s};
      }
      kept = {make_tiling(shape_, span, static_cast<int>(s), threads), steps, shape_, threads};
    }
    return *kept.tiling;
  }

  /// Both levels and the layers' memory of `beside` planes, those that the next band computes along.
  void exchange(Communicator& cluster, Index beside) {
    if (cluster.size() == 1) return;
    start_exchange(cluster, beside);
    finish_exchange();
  }
  void start_exchange(Communicator& cluster, Index beside) {
    if (halo_.sides().empty() || beside != halo_planes_) halo_ = halo_of(cluster, beside);
    halo_planes_ = beside;
    halo_.start([&](Index x) { return field_.plane_state_bytes(x, true); },
                [&](Index x, std::byte*& at) { field_.pack(k_, x, true, at); });
  }
  void finish_exchange() {
    halo_.finish([&](Index x, const std::byte*& at) { field_.unpack(k_, x, true, at); });
  }
  /// Its items are this rank's planes and those beside them, by their number here.
  [[nodiscard]] Halo halo_of(Communicator& cluster, Index beside) const {
    const Index n = planes_.size();
    const auto planes = [](Interval some) {
      std::vector<Index> out(static_cast<std::size_t>(some.size()));
      std::iota(out.begin(), out.end(), some.begin);
      return out;
    };
    std::vector<Halo::Side> sides;
    if (slab_.lower) sides.push_back({cluster.rank() - 1, planes({0, beside}), planes({-beside, 0})});
    if (slab_.upper) sides.push_back({cluster.rank() + 1, planes({n - beside, n}), planes({n, n + beside})});
    return {cluster, std::move(sides)};
  }

  const Problem& problem_;
  Machine machine_;
  Slab slab_;
  mutable Field<T> field_;  ///< who reads it brings it back from devices first
  Index tried_, band_;      ///< steps of a band by which a tiling is tried, and of others
  TileShape shape_;
  std::vector<TileShape> candidates_;  ///< not empty: still measuring
  std::vector<double> rates_;
  int trial_ = 0;
  std::string key_;
  TileMemory memory_;
  struct Kept {
    std::unique_ptr<Tiling> tiling;
    Index steps = 0;
    TileShape shape;
    int threads = 0;
  };
  Kept tilings_[4];
  Halo halo_;
  Index halo_planes_ = 0;
  std::unique_ptr<DeviceSteps> device_;  ///< null: the processors march
  mutable bool host_is_old_ = false;     ///< the devices are ahead
  mutable bool touched_ = true;          ///< the host's field has memory, and the medium
  Team* team_ = nullptr;
};

}  // namespace

Energy Energy::of(std::span<const double> planes, const Vec3& spacing) {
  Energy e;
  for (std::size_t x = 0; x < planes.size(); x += 2) {
    e.kinetic += planes[x];
    e.potential += planes[x + 1];
  }
  // 1/(c dt)² = 1/(a h_x²); the kernel's Laplacian carries h_x².
  const double scale = 0.5 * spacing[0] * spacing[1] * spacing[2] / (spacing[0] * spacing[0]);
  e.kinetic *= scale;
  e.potential *= -scale;
  return e;
}

std::unique_ptr<March> make_march(const Problem& problem, const Machine& machine, const Communicator& cluster) {
  if (stream_plan(problem, cluster.size()).needed) return make_streamed_march(problem, machine, cluster);
  if (problem.double_precision) return std::make_unique<TiledMarch<double>>(problem, machine, cluster);
  return std::make_unique<TiledMarch<float>>(problem, machine, cluster);
}

}  // namespace conoid::acoustic_fd
