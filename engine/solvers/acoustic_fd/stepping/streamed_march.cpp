// SPDX-License-Identifier: BSD-3-Clause
// The sliding window of planes over the disk.
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"

#include "engine/core/resources.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/core/taken.hpp"
#include "engine/core/units.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"
#include "engine/solvers/acoustic_fd/stepping/dataflow.hpp"
#include "engine/solvers/acoustic_fd/stepping/field.hpp"
#include "engine/solvers/acoustic_fd/stepping/march_parts.hpp"
#include "engine/solvers/acoustic_fd/stepping/planes_phase.hpp"
#include "engine/solvers/acoustic_fd/stepping/slab.hpp"
#include "engine/solvers/acoustic_fd/stepping/tile_choice.hpp"
#include "engine/solvers/device_memory.hpp"
#include "engine/team/team.hpp"
#include "engine/window/disk_windows.hpp"
#include "engine/window/slabs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Planes that a rank has: its own, and those beside it that a band marches along.
Interval planes_at_hand(const Problem& problem, Interval own, Index beside) {
  return {std::max<Index>(0, own.begin - beside), std::min(problem.grid.points[0], own.end + beside)};
}

Slab window_slab(const Problem& problem, const StreamPlan& plan, Interval own) {
  Slab out;
  const Index s = problem.order / 2;
  const Interval all = planes_at_hand(problem, own, plan.beside);
  out.planes = {all.begin, all.begin + std::min(all.size(), plan.planes + s * plan.steps + s)};
  out.moves = true;
  out.own = own;
  return out;
}

template <class T>
class StreamedMarch final : public March {
 public:
  StreamedMarch(const Problem& problem, const Machine& machine, const StreamPlan& plan, Interval own)
      : problem_(problem), machine_(machine), plan_(plan), all_(planes_at_hand(problem, own, plan.beside)) {
    planes_ = own;
    make_room({});
    (void)parse_shape(problem.tiling, shape_);  // "auto" is chosen at the start
  }

  void start(Team& team, Communicator& cluster) override {
    k_ = 0;
    const std::optional<DiskDevice> device = cluster.size() == 1 ? device_over_disk(problem_, team) : std::nullopt;
    if (device) go_through(*device);
    choose(team);
    field_->clear_memory();
    field_->place_points();
    sweep(all_, 0, What::make, [&](Interval block) {
      const CpuWorker worker(team.threads());
      worker.for_each(block, 1, [&](Interval some, int) {
        const FlushSubnormals flush;
        for (Index x = some.begin; x < some.end; ++x) {
          field_->fill_plane(x - first());
          field_->refresh_images(x - first());
        }
      });
    });
    if (problem_.initial.starts_at_rest())
      sweep(planes_, field_->stencil().radius, What::change, [&](Interval block) {
        const FlushSubnormals flush;
        field_->rest_start({block.begin - first(), block.end - first()});
        for (Index x = block.begin; x < block.end; ++x) field_->refresh_images(x - first());
      });
    exchange(cluster);
    if (device) device_ = make_disk_steps<T>(problem_, *field_, *device, *windows_);
    hand_over();
  }

  void advance(Team& team, Communicator& cluster, Index steps, Recorder* recorder) override {
    told_ = passed();
    if (device_) {
      advance_on_device(team, cluster, steps, recorder);
      return;
    }
    while (steps > 0) {
      const Index count = recorder
                              ? steps_of_band(std::min(steps, plan_.steps), *recorder, field_->record_bytes(), cluster)
                              : std::min(steps, plan_.steps);
      if (k_ > exchanged_) exchange(cluster);
      field_->begin_band(k_, k_ + count, recorder ? recorder->every : 0);
      const Index s = field_->stencil().radius, B = plan_.planes, end = all_.end + s * (count - 1);
      for (Index at = all_.begin; at < end; at += B) {
        move_to({at - s * count, at + B + s});
        Span span;
        span.ny = problem_.grid.points[1];
        span.nz = problem_.grid.points[2];
        span.k1 = count;
        span.lag = s;
        span.window = {at - first(), at + B - first()};
        span.grid = {all_.begin - first(), all_.end - first()};
        span.nx = span.planes(0).size();
        Later sink(*field_, k_);
        const auto tiling = make_tiling(shape_, span, static_cast<int>(s), team.threads());
        if (tiling->tiles() > 0) run_tiles(*tiling, sink, team);
        tell_streamed(team);
      }
      leave();
      k_ += count;
      steps -= count;
      if (recorder) add_records(*field_, team, recorder->samples);
    }
  }
  [[nodiscard]] Index band() const override { return device_ ? device_->steps().band() : plan_.steps; }

  void sample(std::span<double> parts) const override {
    std::fill(parts.begin(), parts.end(), 0.0);
    self().sweep(planes_, 0, What::read, [&](Interval block) { field_->sample(k_, block, parts); });
  }
  [[nodiscard]] std::size_t parts() const override { return field_->parts(); }
  void join_traces(std::span<const double> parts, std::span<double> traces) const override {
    field_->join_traces(parts, traces);
  }

  Energy energy(Team& team, Communicator& cluster) override {
    EnergySums sums(problem_);
    if (std::vector<double> of_planes; device_ && device_->steps().plane_energies(k_, of_planes)) {
      for (Index x = 0; x < planes_.size(); ++x)
        sums.put(x, of_planes[static_cast<std::size_t>(2 * x)], of_planes[static_cast<std::size_t>(2 * x + 1)]);
      return sums.energy();
    }
    const CpuWorker worker(team.threads());
    sweep(planes_, field_->stencil().radius, What::read, [&](Interval block) {
      worker.for_each(block, 1, [&](Interval some, int) {
        const FlushSubnormals flush;
        for (Index x = some.begin; x < some.end; ++x) {
          sums.put_plane(*field_, k_, x - first(), x);
        }
      });
    });
    cluster.sum(sums.of_planes());  // one rank holds each entry, the others add zero
    return sums.energy();
  }

  double peak(Team&) override {
    double most = 0;
    sweep(planes_, 0, What::read, [&](Interval block) {
      for (Index x = block.begin; x < block.end; ++x) most = std::max(most, field_->plane_peak(k_, x - first()));
    });
    return most;
  }

  void read(const Cut& cut, std::vector<float>& out) const override {
    self().sweep(planes_, 0, What::read,
                 [&](Interval block) { field_->append_pressure(k_, cut.first, cut.step, cut.count, block, out); });
  }

  void read_map(int which, const Cut& cut, std::vector<float>& out) const override {
    self().sweep(planes_, 0, What::read,
                 [&](Interval block) { field_->append_map(which, cut.first, cut.step, cut.count, block, out); });
  }

  void visit(Team& team, PlaneVisitor& visitor) override {
    const std::span<const Interval> pieces = visitor.pieces();
    const CpuWorker worker(team.threads());
    std::size_t next = 0;
    sweep(planes_, 0, What::read, [&](Interval block) {
      for (; next < pieces.size() && pieces[next].end <= block.end; ++next) {
        visitor.open(next);
        worker.for_each(pieces[next], 1, [&](Interval some, int) {
          const FlushSubnormals flush;
          for (Index x = some.begin; x < some.end; ++x) visitor.plane(x, plane_view(*field_, k_, x - first()));
        });
        visitor.close(next);
      }
    });
  }
  [[nodiscard]] Index block() const override { return plan_.planes; }

  void save(CheckpointWriter& writer) const override {
    writer.value("step", k_);
    self().sweep(planes_, 0, What::read, [&](Interval block) { field_->save_planes(writer, k_, block); });
    if (device_) device_->steps().bring_back(k_);
    field_->save_memory_x(writer);
  }
  void load(CheckpointReader& reader, Communicator& cluster) override {
    k_ = reader.value<Index>("step");
    sweep(planes_, 0, What::change, [&](Interval block) {
      field_->load_planes(reader, k_, block);
      for (Index x = block.begin; x < block.end; ++x) field_->refresh_images(x - first());
    });
    field_->load_memory_x(reader);
    exchange(cluster);
    hand_over();
  }

  [[nodiscard]] Bytes bytes() const override { return plan_.disk + (device_ ? device_->steps().bytes() : 0); }
  [[nodiscard]] std::string_view kernel() const override {
    return device_ ? std::string_view("device") : field_->kernel();
  }
  [[nodiscard]] bool streams() const override { return true; }
  [[nodiscard]] Streamed streamed() const override {
    const WindowStatistics s = windows_->statistics();
    const auto [to, from] = device_ ? device_->steps().streamed() : std::pair<Bytes, Bytes>{};
    return {s.loaded, s.saved, to, from};
  }
  [[nodiscard]] std::string tiling() const override {
    if (device_) return device_->steps().text();
    return fmt::format("{}, window of {} planes over the disk", to_string(shape_), plan_.planes);
  }

 private:
  [[nodiscard]] Index first() const { return field_->at().first; }
  /// Reading moves the window, which is no part of the state.
  [[nodiscard]] StreamedMarch& self() const { return const_cast<StreamedMarch&>(*this); }

  /// The window on the host and the store of planes, of which nothing is there yet. `memory`: where planes that come and go lie.
  void make_room(std::shared_ptr<WindowMemory> memory) {
    windows_.reset();
    field_.emplace(problem_, machine_, window_slab(problem_, plan_, planes_));
    layout_.planes = all_.size();
    layout_.plane_bytes = field_->plane_bytes();
    layout_.per_window = 1;
    DiskWindowsOptions options;
    options.name = "planes";
    options.file =
        std::filesystem::path(problem_.scratch.empty() ? temporary_folder().string() : problem_.scratch) / "planes";
    options.budget = plan_.level_memory;
    options.memory = std::move(memory);
    windows_ = taken_or_thrown(DiskWindows::create(layout_.sizes(), options));
  }
  /// Planes go from the store to a device and back, and only what is done once goes through a small window on the host.
  void go_through(const DiskDevice& device) {
    device_.reset();
    plan_ = stream_plan(problem_, 1, PlanesMarch::device);
    make_room(window_memory_of(device.device)->staging());
  }
  /// The device takes over what the host has beside the windows: memories of the layers of x, and what lies behind its faces.
  void hand_over() {
    if (!device_) return;
    const Index s = field_->stencil().radius, N = problem_.grid.points[0];
    sweep({0, 1}, s, What::read, [&](Interval) {
      for (Index i = 1; i <= s; ++i) device_->keep_beyond(-i, -i - first());
    });
    sweep({N - 1, N}, s, What::read, [&](Interval) {
      for (Index i = 0; i < s; ++i) device_->keep_beyond(N + i, N + i - first());
    });
    device_->steps().take(k_, false);
  }
  void advance_on_device(Team& team, Communicator& cluster, Index steps, Recorder* recorder) {
    DeviceSteps& device = device_->steps();
    while (steps > 0) {
      const Index most = std::min(steps, device.band()),
                  count = recorder ? steps_of_band(most, *recorder, field_->record_bytes(), cluster) : most;
      field_->begin_band(k_, k_ + count, recorder ? recorder->every : 0);
      const double begin = seconds_now();
      device.advance(k_, count, cluster);
      team.note("march", seconds_now() - begin,
                work_of_steps(problem_, planes_.size(), count, static_cast<double>(device.levels())),
                Team::Who::devices);
      tell_streamed(team);
      if (recorder) add_records(*field_, team, recorder->samples);
      k_ += count;
      steps -= count;
    }
  }
  [[nodiscard]] Bytes passed() const {
    const Streamed s = streamed();
    return s.read + s.written + s.to_device + s.from_device;
  }
  void tell_streamed(Team& team) {
    const Bytes moved = passed();
    team.add_streamed(moved - std::exchange(told_, moved));
  }

  void choose(const Team& team) {
    if (problem_.tiling != "auto") return;
    TileTask task;
    task.radius = field_->stencil().radius;
    task.nx = plan_.planes;
    task.ny = problem_.grid.points[1];
    task.nz = problem_.grid.points[2];
    task.threads = team.threads();
    task.planes_move = true;
    shape_ = tile_candidates(task, machine_).front();
  }

  /// What a sweep does with planes: it makes them, of which nothing is on the disk yet, or changes them; those that it only reads are not written again.
  enum class What { read, change, make };
  /// Blocks of planes in ascending order with `halo` planes beside them; none crosses a multiple of block().
  void sweep(Interval planes, Index halo, What what, const std::function<void(Interval)>& body) {
    changes_ = what != What::read;
    const Index B = plan_.planes;
    for (Index begin = planes.begin, end; begin < planes.end; begin = end) {
      end = std::min(planes.end, (begin / B + 1) * B);
      move_to({begin - halo, end + halo}, what != What::make);
      body({begin, end});
    }
    leave();
    changes_ = true;
  }

  /// Both levels, memories and layers of the planes that the next band marches along, to and from the ranks beside this one, some planes at a time.
  void exchange(Communicator& cluster) {
    exchanged_ = k_;
    if (cluster.size() == 1) return;
    constexpr std::size_t message = std::size_t{16} << 20;
    const bool lower = planes_.begin > 0, upper = planes_.end < problem_.grid.points[0];
    const Index beside = plan_.beside,
                some = std::clamp<Index>(static_cast<Index>(message / field_->plane_bytes()), 1, plan_.planes);
    const auto packed = [&](Interval planes) {
      std::vector<std::byte> out;
      sweep(planes, 0, What::read, [&](Interval block) {
        for (Index x = block.begin; x < block.end; ++x) {
          const std::size_t before = out.size();
          out.resize(before + field_->plane_state_bytes(x - first(), true));
          std::byte* at = out.data() + before;
          field_->pack(k_, x - first(), true, at);
        }
      });
      return out;
    };
    const auto unpack = [&](Interval planes, const std::vector<std::byte>& from) {
      const std::byte* at = from.data();
      sweep(planes, 0, What::change, [&](Interval block) {
        for (Index x = block.begin; x < block.end; ++x) {
          field_->unpack(k_, x - first(), true, at);
          field_->refresh_images(x - first());
        }
      });
    };
    const auto bytes = [&](Interval planes) {
      std::size_t sum = 0;
      for (Index x = planes.begin; x < planes.end; ++x) sum += field_->plane_state_bytes(x - first(), true);
      return sum;
    };
    for (Index done = 0; done < beside; done += some) {
      const Index next = std::min(beside, done + some), a = planes_.begin, b = planes_.end;
      const Interval below{a - beside + done, a - beside + next}, above{b + done, b + next};
      std::vector<std::byte> down, up, from_below, from_above;
      if (lower) {
        down = packed({a + done, a + next});
        from_below.resize(bytes(below));
      }
      if (upper) {
        up = packed({b - beside + done, b - beside + next});
        from_above.resize(bytes(above));
      }
      cluster.start_exchange(down, up, from_below, from_above);
      cluster.finish_exchange();
      if (lower) unpack(below, from_below);
      if (upper) unpack(above, from_above);
    }
  }

  /// Brings planes `wanted` (cut to those at hand) into the window and keeps those that leave. `stored` false: nothing is on the
  /// disk yet.
  void move_to(Interval wanted, bool stored = true) {
    wanted = {std::max(all_.begin, wanted.begin), std::min(all_.end, wanted.end)};
    if (held_.empty()) held_ = {wanted.begin, wanted.begin};
    for (Index p = held_.begin; p < std::min(wanted.begin, held_.end); ++p) keep(p);
    const Index from = std::max(wanted.begin, held_.end);
    field_->slide(wanted.begin);
    if (stored && wanted.end > from) {
      // What comes after these planes will be wanted soon.
      Tour tour = windows_->announce({from - all_.begin, std::min(all_.end, wanted.end + plan_.planes) - all_.begin},
                                     Access::read);
      for (Index p = from; p < wanted.end; ++p) {
        const Lease lease = taken_or_thrown(tour.next());
        field_->bring_plane(p - wanted.begin, lease.bytes().data());
        if (device_) field_->refresh_images(p - wanted.begin);  // panels leave none
      }
    }
    held_ = {wanted.begin, std::max(from, wanted.end)};
    if (stored) restore_beyond_ends();
  }
  /// What lies behind the faces of x is not stored: images, or zeros, where the window just held other planes; nor what lies beyond the planes at hand.
  void restore_beyond_ends() {
    const Index s = field_->stencil().radius, N = problem_.grid.points[0];
    if (held_.begin == all_.begin) {
      for (Index i = 1; i <= s; ++i) field_->silence_plane(-i);
      for (Index p = 1; held_.begin == 0 && p <= std::min(s, held_.end - 1); ++p) field_->refresh_images(p);
    }
    if (held_.end == all_.end) {
      for (Index i = 0; i < s; ++i) field_->silence_plane(all_.end - first() + i);
      for (Index p = std::max(held_.begin, N - 1 - s); held_.end == N && p < N - 1; ++p)
        field_->refresh_images(p - first());
    }
  }
  void keep(Index p) {
    if (!changes_) return;
    Lease lease = taken_or_thrown(windows_->acquire(p - all_.begin, Access::write));
    field_->keep_plane(p - first(), lease.writable().data());
  }
  void leave() {
    for (Index p = held_.begin; p < held_.end; ++p) keep(p);
    held_ = {};
  }

  const Problem& problem_;
  Machine machine_;
  StreamPlan plan_;
  std::optional<Field<T>> field_;
  SlabLayout layout_;
  std::unique_ptr<DiskWindows> windows_;
  std::unique_ptr<DiskSteps<T>> device_;  ///< null: the processors march
  Bytes told_ = 0;                        ///< of what passed: what the team knows of
  TileShape shape_;
  Interval all_{};        ///< global planes that are here: this rank's and those beside it
  Index exchanged_ = -1;  ///< the level at which planes beside were
  Interval held_{};       ///< global planes that the window holds
  bool changes_ = true;   ///< and which are kept when they leave
};

}  // namespace

StreamPlan stream_plan(const Problem& problem, int ranks, PlanesMarch march) {
  StreamPlan plan;
  if (problem.memory == 0) return plan;
  const Bytes all = march_bytes(problem, ranks);
  plan.needed = all > problem.memory;
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  const Layout one(0, 1, n[1], n[2], static_cast<int>(s));
  const Bytes value = problem.double_precision ? 8 : 4;
  const bool varying = problem.medium_varies();
  const auto variables = static_cast<Index>(layer_arrays(problem));
  Index layers = 0;  // of y and z, as Field holds them
  const auto padded = [](Index k) { return (k + 15) / 16 * 16; };
  Index y_layers = 0;
  for (std::size_t f = 0; f < 6; ++f)
    if (problem.faces[f].kind == FaceKind::matched) {
      if (f / 2 == 1) y_layers += problem.faces[f].width;
      if (f / 2 == 2) layers += variables * n[1] * (padded(problem.faces[f].width) + 16);
    }
  layers += variables * y_layers * padded(n[2]);
  plan.plane_bytes =
      static_cast<Bytes>(one.stride_x * (2 + (varying ? 1 : 0) + (problem.density ? 1 : 0) + problem.kept_arrays()) +
                         layers) *
      value;
  Bytes x_layers = 0;
  for (std::size_t f = 0; f < 2; ++f)
    if (problem.faces[f].kind == FaceKind::matched)
      x_layers += static_cast<Bytes>(variables * problem.faces[f].width * n[1] * padded(n[2])) * value;
  const Bytes fixed = x_layers + (problem.velocity ? problem.velocity->bytes() : 0) +
                      (problem.density ? problem.density->bytes() : 0) +
                      (problem.obstacles ? problem.obstacles->bytes() : 0);
  // Of the budget a quarter goes to planes on their way, the rest to the window of B + s T + 3 s planes, half of it steps.
  const auto window_planes = [&](Bytes budget) {
    const Bytes free = budget > fixed ? budget - fixed : 0;
    return static_cast<Index>(free / 4 * 3 / std::max<Bytes>(1, plan.plane_bytes));
  };
  plan.least = fixed + plan.plane_bytes * static_cast<Bytes>(6 * s + 8) * 4 / 3;
  const Index planes = window_planes(problem.memory);
  const Index thinnest = n[0] / ranks;
  plan.disk = plan.plane_bytes * static_cast<Bytes>((n[0] + ranks - 1) / ranks);
  plan.possible = planes >= 6 * s + 4 && problem.memory >= plan.least && thinnest >= s + 1;
  if (!plan.possible) return plan;
  plan.steps = std::clamp<Index>((planes - 3 * s) / (2 * s), 1, 4 * band_height(static_cast<int>(s)));
  if (ranks > 1) {  // what is marched along beside, s T planes a side, should stay below a quarter of the slab
    plan.steps = std::clamp<Index>(thinnest / (4 * s), 1, plan.steps);
    plan.beside = s * plan.steps;
    plan.disk += plan.plane_bytes * static_cast<Bytes>(2 * plan.beside);
  }
  plan.planes = std::max<Index>(1, std::min(planes - 3 * s - s * plan.steps, n[0]));
  plan.level_memory = std::max(plan.plane_bytes * 4 + (Bytes{1} << 16), (problem.memory - fixed) / 4);
  if (march ==
      PlanesMarch::device) {  // a window for what processors do, the rest for planes that the device takes and brings
    plan.steps = 1;
    const Index window = std::clamp<Index>(planes / 3, 6 * s + 4, n[0] + 4 * s);
    plan.planes = window - 4 * s;
    plan.level_memory = std::max(plan.plane_bytes * 4 + (Bytes{1} << 16),
                                 problem.memory - fixed - plan.plane_bytes * static_cast<Bytes>(window));
  }
  plan.window_memory = plan.plane_bytes * static_cast<Bytes>(plan.planes + s * plan.steps + 3 * s);
  return plan;
}

std::unique_ptr<March> make_streamed_march(const Problem& problem, const Machine& machine,
                                           const Communicator& cluster) {
  const StreamPlan plan = stream_plan(problem, cluster.size());
  const Interval own = slab(problem.grid.points[0], cluster.rank(), cluster.size());
  if (!plan.possible)
    throw Failure(
        make_error(ErrorCode::resources,
                   fmt::format("{} of memory are too few to stream planes of {} through", format_bytes(problem.memory),
                               format_bytes(plan.plane_bytes)),
                   fmt::format("Allow at least {}, lower the order, or turn the longest axis of the grid to x.",
                               enough_bytes(plan.least))));
  if (problem.double_precision) return std::make_unique<StreamedMarch<double>>(problem, machine, plan, own);
  return std::make_unique<StreamedMarch<float>>(problem, machine, plan, own);
}

}  // namespace conoid::acoustic_fd
