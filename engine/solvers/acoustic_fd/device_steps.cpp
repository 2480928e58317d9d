// SPDX-License-Identifier: BSD-3-Clause
// Slabs of y on devices, in core or as windows of planes over the host's memory (device_slice.hpp), and which of them is taken.
#include "engine/solvers/acoustic_fd/device_steps.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/device_slice.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index longest_band = 128;  // steps of a window
constexpr Index worth_timing = 24;  // steps that tell which way is faster
constexpr Index steps_together =
    16;  // in core: what the host waits for at a time; of several devices: between exchanges

/// Steps between two exchanges of devices that share the rows.
Index shared_band(const Problem& problem, int devices) {
  const Index s = problem.order / 2, thinnest = problem.grid.points[1] / devices;
  return std::clamp<Index>(thinnest / (4 * s), 1, steps_together);
}

Interval rows_of(const Problem& problem, int device, int devices) {
  const Index n = problem.grid.points[1];
  return {n * device / devices, n * (device + 1) / devices};
}

/// All planes on the devices. T: float or double.
template <class T>
class InCore final : public DeviceSteps {
 public:
  /// `spare`: bytes that may be taken beside the levels and the medium, for what makes steps faster.
  InCore(const Problem& problem, Field<T>& host, std::vector<Device> devices, Bytes spare)
      : problem_(problem), host_(host), name_(devices.front().info().name) {
    const auto count = static_cast<int>(devices.size());
    band_ = count == 1 ? steps_together : shared_band(problem, count);
    const Index beside = count == 1 ? 0 : problem.order / 2 * band_;
    for (int d = 0; d < count; ++d)
      slices_.push_back(std::make_unique<DeviceSlice<T>>(problem, host, std::move(devices[static_cast<std::size_t>(d)]),
                                                      rows_of(problem, d, count), d > 0 ? beside : 0,
                                                      d + 1 < count ? beside : 0, problem.grid.points[0]));
    if (count == 1) slices_.front()->allow_panels(spare);
    if (const Index levels = tower_steps(); levels > 0) band_ = slices_.front()->bands_together() * levels;
  }
  void take(Index) override {
    const Index s = problem_.order / 2, n = problem_.grid.points[0];
    for (auto& slice : slices_) {
      slice->send({-s, n + s}, {slice->held().begin - s, slice->held().end + s}, true);
      slice->send_layers();
      slice->stream().synchronize();
    }
    fresh_ = true;
  }
  void advance(Index k, Index count) override {
    for (Index done = 0; done < count;) {
      const Index steps = std::min(band_, count - done);
      if (!fresh_) exchange();
      fresh_ = false;
      const auto start = std::chrono::steady_clock::now();
      for (auto& slice : slices_) {
        slice->begin_band(k + done, steps);
        for (Index i = towers_ && tower_steps() > 0 ? slice->bands(k + done, steps) : 0; i < steps; ++i) {
          const Index beside = problem_.order / 2 * (steps - 1 - i);
          const Interval own = slice->rows(), held = slice->held();
          slice->update(k + done + i, {0, problem_.grid.points[0]},
                        {std::max(held.begin, own.begin - beside), std::min(held.end, own.end + beside)});
        }
      }
      for (auto& slice : slices_) {
        slice->end_band();
        slice->stream().synchronize();
      }
      if (steps >= std::min(band_, worth_timing)) learn(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(steps));
      done += steps;
    }
  }
  void bring_back(Index) override {
    for (auto& slice : slices_) {
      slice->fetch({0, problem_.grid.points[0]}, slice->rows());
      slice->fetch_layers();
      slice->stream().synchronize();
    }
    host_.refresh_images();
  }
  bool row_energies(Index k, std::vector<double>& sums) override {
    const auto& n = problem_.grid.points;
    sums.resize(static_cast<std::size_t>(2 * n[0] * n[1]));
    for (auto& slice : slices_) slice->row_energies(k, {0, n[0]}, sums.data());
    return true;
  }
  [[nodiscard]] Index band() const override { return band_; }
  [[nodiscard]] Index levels() const override { return towers_ ? std::max<Index>(1, tower_steps()) : 1; }
  [[nodiscard]] Bytes bytes() const override {
    Bytes sum = 0;
    for (const auto& slice : slices_) sum += slice->bytes();
    return sum;
  }
  [[nodiscard]] std::string text() const override {
    if (towers_ && tower_steps() > 0)
      return fmt::format("{}, {}", name_, slices_.front()->way());
    return slices_.size() == 1 ? name_ : fmt::format("{} × {}", slices_.size(), name_);
  }

 private:
  /// Levels of the towers or panels that take the steps; 0: they go one by one.
  [[nodiscard]] Index tower_steps() const {
    return problem_.tiling.starts_with("stepwise") ? 0 : slices_.front()->band_steps();
  }
  /// Of the first stretches of a run that are long enough two go in towers and two step by step; the second of each, when everything is loaded, is
  /// timed, and the run goes on with what was faster. Both give the same bits. seconds: of a step.
  void learn(double seconds) {
    if (trial_ == 4 || tower_steps() == 0 || slices_.front()->forced()) return;
    if (trial_ == 1) tower_seconds_ = seconds;
    ++trial_;
    towers_ = trial_ < 2 || (trial_ == 4 && tower_seconds_ < seconds);
    if (trial_ == 4)
      log::info("acoustic-fd: {:.3g} ms for a step in {}, {:.3g} ms step by step", 1e3 * tower_seconds_, slices_.front()->way(), 1e3 * seconds);
  }
  /// Rows beside each border, both levels, by way of the host.
  void exchange() {
    const Index s = problem_.order / 2, beside = s * band_;
    const Interval all{-s, problem_.grid.points[0] + s};  // with the images behind the faces of x
    for (std::size_t d = 0; d + 1 < slices_.size(); ++d) {
      const Index border = slices_[d]->rows().end;
      slices_[d]->fetch(all, {border - beside, border});
      slices_[d + 1]->fetch(all, {border, border + beside});
    }
    for (auto& slice : slices_) slice->stream().synchronize();
    for (std::size_t d = 0; d + 1 < slices_.size(); ++d) {
      const Index border = slices_[d]->rows().end;
      slices_[d]->send(all, {border, border + beside}, false);
      slices_[d + 1]->send(all, {border - beside, border}, false);
    }
    for (auto& slice : slices_) slice->stream().synchronize();
  }

  const Problem& problem_;
  Field<T>& host_;
  std::string name_;
  std::vector<std::unique_ptr<DeviceSlice<T>>> slices_;
  Index band_ = 1;
  bool fresh_ = true;
  bool towers_ = true;  ///< where there are any
  int trial_ = 0;
  double tower_seconds_ = 0;
};

/// The slab of one of several ranks: its planes and those that the band computes along lie on its device, step by step.
template <class T>
class RankSteps final : public DeviceSteps {
 public:
  RankSteps(const Problem& problem, Field<T>& host, Device device)
      : s_(problem.order / 2), host_(host), own_{host.at().first, host.at().first + host.at().nx},
        beside_{own_.begin > 0 ? host.at().halo_x : 0, own_.end < problem.grid.points[0] ? host.at().halo_x : 0},
        slice_(problem, host, std::move(device), {0, problem.grid.points[1]}, 0, 0, host.at().nx) {
    slice_.begin_at(own_.begin);
  }
  void take(Index) override {
    slice_.send({own_.begin - host_.at().halo_x, own_.end + host_.at().halo_x}, {-s_, host_.at().ny + s_}, true);
    slice_.send_layers();
    slice_.stream().synchronize();
  }
  void bring_edges() override {
    for (const Interval planes : {Interval{own_.begin, own_.begin + beside_.begin}, Interval{own_.end - beside_.end, own_.end}}) {
      slice_.fetch(planes, {-s_, host_.at().ny + s_});
      slice_.fetch_layers(planes);
    }
    slice_.stream().synchronize();
  }
  void take_edges() override {
    for (const Interval planes : {Interval{own_.begin - beside_.begin, own_.begin}, Interval{own_.end, own_.end + beside_.end}}) {
      slice_.send(planes, {-s_, host_.at().ny + s_}, false);
      slice_.send_layers(planes);
    }
    slice_.stream().synchronize();
  }
  void advance(Index k, Index count) override {
    slice_.begin_band(k, count);
    for (Index i = 0; i < count; ++i) {
      const Index along = s_ * (count - 1 - i);
      slice_.update(k + i, {own_.begin - std::min(along, beside_.begin), own_.end + std::min(along, beside_.end)}, slice_.rows());
    }
    slice_.end_band();
    slice_.stream().synchronize();
  }
  void bring_back(Index) override {
    // An energy looks at neighbours of level k − 1, which the last step but one left beside the slab.
    slice_.fetch({own_.begin - s_, own_.end + s_}, {0, host_.at().ny});
    slice_.fetch_layers(own_);
    slice_.stream().synchronize();
    host_.refresh_images();
  }
  bool row_energies(Index k, std::vector<double>& sums) override {
    sums.resize(static_cast<std::size_t>(2 * own_.size() * host_.at().ny));
    slice_.row_energies(k, own_, sums.data());
    return true;
  }
  [[nodiscard]] Index band() const override { return 0; }
  [[nodiscard]] Bytes bytes() const override { return slice_.bytes(); }
  [[nodiscard]] std::string text() const override { return fmt::format("{} of each rank", slice_.device().info().name); }

 private:
  Index s_;
  Field<T>& host_;
  Interval own_;     ///< global planes
  Interval beside_;  ///< how many are held along below and above
  DeviceSlice<T> slice_;
};

/// A window of planes over the host's levels. In position j update i covers planes [jB − s i, (j+1)B − s i); the window holds
/// [jB − sT − 2s, (j+1)B + 2s), the images beyond the faces of x included. Per band a plane enters and leaves once, directly between the
/// host's arrays, which are locked, and its place in a buffer that has room for the planes of the next position and more; only when
/// the buffer ends the window moves back to its beginning. Three streams: planes that come, steps, planes that leave; the host
/// gives out the work of a whole band and waits once.
template <class T>
class Windowed final : public DeviceSteps {
 public:
  Windowed(const Problem& problem, Field<T>& host, Device device, const DevicePlan& plan)
      : problem_(problem), host_(host), plan_(plan), s_(problem.order / 2),
        slice_(problem, host, std::move(device), {0, problem.grid.points[1]}, 0, 0, plan.room - 2 * s_, true) {
    const Device& d = slice_.device();
    const auto lock_array = [&](const T* values, Index count) {
      locks_.push_back(d.lock_host(const_cast<T*>(values), static_cast<std::size_t>(count) * sizeof(T)));
    };
    for (std::size_t n = 0; n < slice_.arrays(); ++n) lock_array(slice_.host_array(n), host.at().count);
    for (const auto& m : slice_.plane_memory()) lock_array(m.host, problem.grid.points[0] * m.values);
    if (std::any_of(locks_.begin(), locks_.end(), [](const auto& lock) { return lock.get() == nullptr; }))
      log::warning("acoustic-fd: the memory of the field cannot be locked; copies to and from the device will be slower");
    in_ = d.stream();
    out_ = d.stream();
    arrived_ = d.event();
    moved_ = d.event();
    left_ = d.event();
    stored_ = d.event();
  }

  void take(Index) override {
    slice_.send_layers();
    slice_.stream().synchronize();
  }
  void bring_back(Index) override {  // the host's levels are those of the last band
    slice_.fetch_layers();
    slice_.stream().synchronize();
  }
  void advance(Index k, Index count) override {
    for (Index done = 0; done < count;) {
      const Index steps = std::min(plan_.steps, count - done);
      sweep(k + done, steps);
      done += steps;
    }
  }
  bool row_energies(Index, std::vector<double>&) override { return false; }
  [[nodiscard]] Index band() const override { return plan_.steps; }
  [[nodiscard]] std::pair<Bytes, Bytes> streamed() const override { return {brought_, taken_away_}; }
  [[nodiscard]] bool streams() const override { return true; }
  [[nodiscard]] Bytes bytes() const override { return slice_.bytes(); }
  [[nodiscard]] std::string text() const override {
    return fmt::format("{}, window of {} planes over the host, {} steps at a time", slice_.device().info().name,
                       plan_.planes + s_ * plan_.steps + 4 * s_, plan_.steps);
  }

 private:
  void sweep(Index k, Index steps) {
    const Index B = plan_.planes, N = problem_.grid.points[0], end = N + s_;  // planes −s … N + s − 1 travel
    Stream& compute = slice_.stream();
    const auto wanted = [&](Index j) {
      return Interval{std::clamp(j * B - s_ * steps - 2 * s_, -s_, end), std::clamp((j + 1) * B + 2 * s_, -s_, end)};
    };
    const Index positions = (N + s_ * (steps - 1) + B - 1) / B;
    slice_.begin_band(k, steps);
    slice_.begin_at(0);
    Interval held{-s_, -s_};  // planes that were asked for and have not been sent away
    fetch(held, wanted(0).end);
    for (Index j = 0; j < positions; ++j) {
      const Index next = j + 1 < positions ? wanted(j + 1).end : held.end;
      send_away(held, wanted(j).begin);
      if (next > slice_.first() - s_ + plan_.room) move_back(held);
      compute.wait(arrived_);
      fetch(held, next);
      for (Index i = 0; i < steps; ++i)
        slice_.update(k + i, {std::clamp<Index>(j * B - s_ * i, 0, N), std::clamp<Index>((j + 1) * B - s_ * i, 0, N)}, slice_.rows());
    }
    send_away(held, held.end);
    slice_.end_band();
    compute.synchronize();
    out_.synchronize();
  }
  [[nodiscard]] std::size_t values(Index planes) const { return static_cast<std::size_t>(planes) * slice_.plane_values(); }
  [[nodiscard]] Interval inside(Interval planes) const {
    return {std::max<Index>(0, planes.begin), std::min(problem_.grid.points[0], planes.end)};
  }
  /// Planes up to `end` come to their places.
  void fetch(Interval& held, Index end) {
    if (end <= held.end) return;
    for (std::size_t n = 0; n < slice_.arrays(); ++n)
      in_.to_device(slice_.array(n), std::span<const T>(slice_.host_array(n) + slice_.host_plane(held.end).first, values(end - held.end)),
                    slice_.plane_at(held.end));
    for (const auto& m : slice_.plane_memory())
      if (const Interval own = inside({held.end, end}); !own.empty()) {
        in_.to_device(*m.buffer, std::span<const T>(m.host + own.begin * m.values, static_cast<std::size_t>(own.size() * m.values)),
                      static_cast<std::size_t>(slice_.window_plane(own.begin) * m.values));
        brought_ += static_cast<Bytes>(own.size() * m.values) * sizeof(T);
      }
    in_.record(arrived_);
    brought_ += slice_.arrays() * values(end - held.end) * sizeof(T);
    held.end = end;
  }
  /// Planes below `begin` leave after the steps given out so far.
  void send_away(Interval& held, Index begin) {
    begin = std::min(begin, held.end);
    if (begin <= held.begin) return;
    slice_.stream().record(left_);
    out_.wait(left_);
    for (Index n = 0; n < 2; ++n)
      out_.to_host(std::span<T>(host_.level(n) + slice_.host_plane(held.begin).first, values(begin - held.begin)),
                   slice_.array(static_cast<std::size_t>(n)), slice_.plane_at(held.begin));
    for (const auto& m : slice_.plane_memory())
      if (const Interval own = inside({held.begin, begin}); !own.empty()) {
        out_.to_host(std::span<T>(m.host + own.begin * m.values, static_cast<std::size_t>(own.size() * m.values)), *m.buffer,
                     static_cast<std::size_t>(slice_.window_plane(own.begin) * m.values));
        taken_away_ += static_cast<Bytes>(own.size() * m.values) * sizeof(T);
      }
    out_.record(stored_);
    taken_away_ += 2 * values(begin - held.begin) * sizeof(T);
    held.begin = begin;
  }
  /// The planes that are held move to the beginning of the buffer, when those that leave have left and those that come have come.
  void move_back(Interval held) {
    Stream& compute = slice_.stream();
    compute.wait(arrived_);
    if (held.begin > -s_) compute.wait(stored_);
    const Index by = held.begin - (slice_.first() - s_);
    verify(by > 0, "a window has room to move");
    for (Index p = held.begin; p < held.end; p += by)
      for (std::size_t n = 0; n < slice_.arrays(); ++n)
        compute.on_device(slice_.array(n), slice_.plane_at(p) - values(by), slice_.array(n), slice_.plane_at(p),
                          values(std::min(by, held.end - p)));
    for (const auto& m : slice_.plane_memory())
      for (Index p = held.begin; p < held.end; p += by) {
        const auto at = [&](Index plane) { return static_cast<std::size_t>(slice_.window_plane(plane) * m.values); };
        compute.on_device(*m.buffer, at(p - by), *m.buffer, at(p), static_cast<std::size_t>(std::min(by, held.end - p) * m.values));
      }
    slice_.begin_at(held.begin + s_);
    compute.record(moved_);
    in_.wait(moved_);
  }

  const Problem& problem_;
  Field<T>& host_;
  DevicePlan plan_;
  Index s_;
  DeviceSlice<T> slice_;
  std::vector<detail::Held> locks_;  ///< of the host's arrays
  Stream in_, out_;
  Event arrived_, moved_, left_, stored_;
  Bytes brought_ = 0, taken_away_ = 0;
};

}  // namespace

namespace {

Bytes value_bytes(const Problem& problem) {
  return problem.double_precision ? sizeof(double) : sizeof(float);
}

/// Values of the memory of the matched layers: of x in all, of y and z a plane.
struct LayerValues {
  Index fixed = 0, plane = 0;
};
LayerValues layer_values(const Problem& problem) {
  const auto& n = problem.grid.points;
  constexpr Index pad = DeviceSlice<float>::pad;
  const auto padded = [](Index count) { return (count + pad - 1) / pad * pad + pad; };
  constexpr auto variables = static_cast<Index>(layer_variables);
  LayerValues out;
  for (std::size_t f = 0; f < 6; ++f)
    if (const Face& face = problem.faces[f]; face.kind == FaceKind::matched) {
      const Index width = std::min(face.width, n[f / 2]);
      if (f / 2 == 0) out.fixed += variables * width * n[1] * padded(n[2]);
      if (f / 2 == 1) out.plane += variables * width * padded(n[2]);
      if (f / 2 == 2) out.plane += variables * n[1] * padded(width);
    }
  return out;
}

}  // namespace

DevicePlan device_plan(const Problem& problem, Bytes budget, int devices) {
  DevicePlan plan;
  const auto& n = problem.grid.points;
  const Index s = problem.order / 2;
  const bool varying = !problem.velocity || !problem.velocity->constant();
  const Bytes arrays = 2 + (varying ? 1U : 0U) + (problem.density ? 1U : 0U);
  const Bytes rest = Bytes{1} << 20;  // points, profiles
  const LayerValues layers = layer_values(problem);
  const bool layered = layers.fixed + layers.plane > 0;
  if (layered) devices = 1;
  const Index beside = devices > 1 ? 2 * s * shared_band(problem, devices) : 0;
  const Layout whole(0, n[0], (n[1] + devices - 1) / devices + beside, n[2], static_cast<int>(s));
  plan.in_core = arrays * static_cast<Bytes>(whole.count) * value_bytes(problem) + rest +
                 static_cast<Bytes>(layers.fixed + layers.plane * n[0]) * value_bytes(problem);
  plan.streamed = plan.in_core > budget;
  if (!plan.streamed) return plan;
  const Layout one(0, 1, n[1], n[2], static_cast<int>(s));
  const Bytes plane = static_cast<Bytes>(one.stride_x) * value_bytes(problem);
  // A window of B + sT + 4s planes, B = sT/4 + 2s of which come and go at a time, room for the next B and for sT/2 more, so that the
  // window moves back in its buffer once in three or four positions: 4/3 of a plane copied for each plane that comes.
  const auto block = [s](Index T) { return s * T / 4 + 2 * s; };
  const auto room = [&](Index T) { return 2 * block(T) + s * T + 4 * s + s * T / 2 + 1; };
  const Bytes each = plane * arrays + static_cast<Bytes>(layers.plane) * value_bytes(problem),
              fixed = rest + static_cast<Bytes>(layers.fixed) * value_bytes(problem);
  const auto needed = [&](Index T) { return each * static_cast<Bytes>(room(T) + 1) + fixed; };
  plan.least = needed(1);
  plan.possible = devices == 1 && plan.least <= budget;
  if (!plan.possible) return plan;
  plan.steps = 1;
  while (plan.steps < longest_band && needed(plan.steps + 1) <= budget) ++plan.steps;
  plan.planes = block(plan.steps);
  plan.room = std::min<Index>(static_cast<Index>((budget - fixed) / each) - 1, n[0] + 2 * s + 2 * plan.planes);
  plan.room = std::max(plan.room, room(plan.steps));
  return plan;
}

template <class T>
std::unique_ptr<DeviceSteps> make_device_steps(const Problem& problem, Field<T>& host, const Team& team, const Communicator& cluster) {
  std::vector<Device> devices;
  Bytes budget = 0;
  const Index s = problem.order / 2;
  const auto named = std::count_if(team.workers().begin(), team.workers().end(), [](const WorkerSpec& w) { return !w.device.empty(); });
  Index number = 0;
  for (const WorkerSpec& worker : team.workers()) {
    if (worker.device.empty()) continue;
    if (cluster.size() > 1 && number++ != cluster.rank() % named) continue;  // each rank has one
    auto device = Device::open(worker.device);
    if (!device) throw Failure(device.error());
    Bytes mine = std::min(device->free_memory() / 10 * 9, device->info().memory / 10 * 9);
    if (problem.device_memory > 0) mine = std::min(mine, problem.device_memory);
    if (worker.device_memory > 0) mine = std::min(mine, worker.device_memory);
    budget = devices.empty() ? mine : std::min(budget, mine);
    devices.push_back(std::move(*device));
  }
  if (devices.empty()) return nullptr;
  if (cluster.size() > 1) {
    if (const Bytes needed = host.bytes() + (Bytes{1} << 20); needed > budget) {
      log::warning("acoustic-fd: rank {} leaves its device alone: a slab has to lie there whole, it needs {} of {}; use more ranks, or one rank, "
                   "which streams a grid from the host", cluster.rank(), format_bytes(needed), format_bytes(budget));
      return nullptr;
    }
    return std::make_unique<RankSteps<T>>(problem, host, std::move(devices.front()));
  }
  if (const LayerValues layers = layer_values(problem); layers.fixed + layers.plane > 0) devices.erase(devices.begin() + 1, devices.end());
  while (devices.size() > 1 && problem.grid.points[1] / static_cast<Index>(devices.size()) < 2 * s) devices.pop_back();
  const DevicePlan plan = device_plan(problem, budget, static_cast<int>(devices.size()));
  if (!plan.streamed) return std::make_unique<InCore<T>>(problem, host, std::move(devices), budget - plan.in_core);
  const DevicePlan alone = device_plan(problem, budget, 1);
  if (!alone.possible)
    throw Failure(
        make_error(ErrorCode::resources,
                   fmt::format("{} of device memory are too few to stream this grid through: {} are needed",
                               format_bytes(budget), format_bytes(alone.least)),
                   "Allow more in compute.memory.device, lower the order, turn the longest axis of the grid to x, "
                   "or compute with --workers cpu."));
  return std::make_unique<Windowed<T>>(problem, host, std::move(devices.front()), alone);
}

template std::unique_ptr<DeviceSteps> make_device_steps<float>(const Problem&, Field<float>&, const Team&, const Communicator&);
template std::unique_ptr<DeviceSteps> make_device_steps<double>(const Problem&, Field<double>&, const Team&, const Communicator&);

}  // namespace conoid::acoustic_fd
