// SPDX-License-Identifier: BSD-3-Clause
// Grids in core on devices, and which way is taken; slabs of ranks are in device_slab.hpp, windows over the host's memory in device_windows.hpp.
#include "engine/solvers/acoustic_fd/cuda/device_steps.hpp"

#include "engine/core/log.hpp"
#include "engine/core/seconds_now.hpp"
#include "engine/core/units.hpp"
#include "engine/simd/subnormals.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_slab.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_slice.hpp"
#include "engine/solvers/acoustic_fd/cuda/device_windows.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"
#include "engine/team/parallel_for.hpp"
#include "engine/team/team.hpp"

#include <algorithm>

#include <fmt/ranges.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index worth_timing = 24;  // steps that tell which way is faster

/// Which device has which rows: unlike ones as many as they take about the same time for, where each has memory for its part (`budgets`, of the plan
/// of devices that are alike); else as many all.
struct Shares {
  std::vector<Interval> rows;
  Bytes spare = ~Bytes{0};  ///< of the device that has least memory beside its part
};
Shares shares_of(const Problem& problem, const std::vector<Device>& devices, const std::vector<Bytes>& budgets,
                 Bytes alike) {
  const auto count = static_cast<double>(devices.size());
  const Index n = problem.grid.points[1], least = std::max<Index>(1, problem.order);
  const auto split = [&](const std::vector<double>& shares) {
    Shares out;
    out.rows = share_rows(n, shares, least);
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto part =
          static_cast<Bytes>(static_cast<double>(alike) *
                             std::max(1.0, count * static_cast<double>(out.rows[d].size()) / static_cast<double>(n)));
      out.spare = std::min(out.spare, budgets[d] > part ? budgets[d] - part : 0);
    }
    return out;
  };
  std::vector<double> shares = problem.device_shares;
  if (shares.size() != devices.size()) {
    shares.clear();
    for (const Device& device : devices) shares.push_back(device.info().bandwidth);
  }
  if (*std::min_element(shares.begin(), shares.end()) > 0)
    if (Shares out = split(shares); out.spare > 0) return out;
  return split(std::vector<double>(devices.size(), 1.0));
}

/// All planes on the devices. T: float or double.
template <class T>
class InCore final : public DeviceSteps {
 public:
  InCore(const Problem& problem, Field<T>& host, std::vector<Device> devices, const Shares& shares)
      : problem_(problem), host_(host), name_(devices.front().info().name) {
    const auto count = static_cast<int>(devices.size());
    Index thinnest = problem.grid.points[1];
    for (const Interval rows : shares.rows) thinnest = std::min(thinnest, rows.size());
    band_ = count == 1 ? steps_together : shared_band(problem, count, &devices.front().info(), thinnest);
    const Index beside = count == 1 ? 0 : problem.order / 2 * band_;
    for (int d = 0; d < count; ++d)
      slices_.push_back(std::make_unique<DeviceSlice<T>>(problem, host, std::move(devices[static_cast<std::size_t>(d)]),
                                                         shares.rows[static_cast<std::size_t>(d)], d > 0 ? beside : 0,
                                                         d + 1 < count ? beside : 0, problem.grid.points[0]));
    for (auto& slice : slices_) {
      slice->allow_panels(shares.spare, problem.grid.points[0]);
      made_.push_back(slice->device().event());
      pulled_.push_back(slice->device().event());
    }
    if (const Index levels = tower_steps(); levels > 0 && count == 1)
      band_ = slices_.front()->bands_together() * levels;
  }
  void take(Index, bool silent) override {
    const Index s = problem_.order / 2, n = problem_.grid.points[0];
    for (auto& slice : slices_) {
      const Index y = host_.at().halo_y;
      slice->send({-s, n + s}, {slice->held().begin - y, slice->held().end + y}, silent);
      slice->send_layers(silent);
      slice->stream().synchronize();
    }
    fresh_ = true;
  }
  void take_silence(int threads) override {
    for (auto& slice : slices_)
      for (std::size_t n = 0; n < slice->arrays(); ++n) slice->stream().zero(slice->array(n));
    send_medium(threads);
    if (host_.scaled()) parallel_for(threads, host_.held(), 1, [&](Index x) { host_.fill_stretches(x); });
    for (auto& slice : slices_) {
      slice->send_layers(true);
      slice->stream().synchronize();
    }
    fresh_ = true;
  }
  void advance(Index k, Index count, Communicator&) override {
    const FlushSubnormals flush;  // emulated devices do as this thread
    for (Index done = 0; done < count;) {
      const Index trial = trial_steps(), steps = std::min(trial > 0 ? trial : band_, count - done);
      if (!fresh_) exchange(k + done);
      fresh_ = false;
      const double start = seconds_now();
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
      if (steps == trial) learn((seconds_now() - start) / static_cast<double>(steps));
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
  [[nodiscard]] bool keeps_levels() const override { return true; }
  void pressures(Index k, const March::Cut& nodes, int threads, std::vector<float>& out) override {
    append_rows(level_of(k), nodes, threads, out, [&](Index x, Index y, std::span<const T> values, float* to) {
      host_.pressure_of_row(x, y, nodes.first[2], nodes.step[2], values, to);
    });
  }
  void map(int which, const March::Cut& nodes, int threads, std::vector<float>& out) override {
    append_rows(slices_.front()->map_array(which), nodes, threads, out,
                [&](Index x, Index y, std::span<const T> values, float* to) {
                  host_.map_of_row(which, x, y, nodes.first[2], nodes.step[2], values, to);
                });
  }
  double peak(Index k, int threads) override {
    const auto& n = problem_.grid.points;
    std::vector<double> most(1, 0.0);
    if (!host_.scaled()) {
      for (auto& slice : slices_) most.push_back(static_cast<double>(slice->largest(k, {0, n[0]})));
    } else {  // the host knows what a row has to be multiplied by
      most.assign(static_cast<std::size_t>(n[0]), 0.0);
      for_rows(level_of(k), {{0, 0, 0}, {1, 1, 1}, n}, threads, [&](Index x, Index y, const T* values) {
        double& own = most[static_cast<std::size_t>(x)];
        own = std::max(own, host_.row_peak(x, y, values));
      });
    }
    return *std::max_element(most.begin(), most.end());
  }
  bool plane_energies(Index k, std::vector<double>& sums) override {
    const FlushSubnormals flush;
    sum_energies<T>(slices_, k, {0, problem_.grid.points[0]}, sums);
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
    std::string names = slices_.size() == 1 ? name_ : fmt::format("{} × {}", slices_.size(), name_);
    std::vector<Index> rows;
    for (const auto& slice : slices_) rows.push_back(slice->rows().size());
    if (const auto [least, most] = std::minmax_element(rows.begin(), rows.end()); *most > *least + 1)
      names += fmt::format(" with {} rows", fmt::join(rows, ", "));
    return towers_ && tower_steps() > 0 ? fmt::format("{}, {}", names, slices_.front()->way()) : names;
  }

 private:
  /// Planes of the medium are made in locked memory, in two parts, of which one is made while the other goes to the devices.
  void send_medium(int threads) {
    const std::size_t arrays = slices_.front()->arrays() - slices_.front()->changing();
    if (arrays == 0) return;
    constexpr Index piece =
        Index{4} << 20;  // values; half a millisecond of a link, which threads that begin and copies do not take
    const Layout& h = host_.at();
    const Index n = problem_.grid.points[0],
                together = std::clamp<Index>(piece / h.stride_x, 1, std::max<Index>(1, n / 4));
    const auto values = static_cast<std::size_t>(together * h.stride_x + Layout::pad);
    struct Part {
      PinnedBuffer<T> memory;
      std::vector<Event> taken;  ///< by each device
      bool used = false;
    } parts[2];
    for (Part& part : parts) {
      part.memory = slices_.front()->device().template pinned<T>(arrays * values);
      std::fill_n(part.memory.data(), part.memory.size(), T(0));  // beside the cells
      for (auto& slice : slices_) part.taken.push_back(slice->device().event());
    }
    for (Index x = 0, turn = 0; x < n; x += together, turn = 1 - turn) {
      Part& part = parts[turn];
      if (std::exchange(part.used, true))
        for (const Event& taken : part.taken) taken.synchronize();
      const Interval planes{x, std::min(x + together, n)};
      const T* from[2] = {part.memory.data(), part.memory.data() + (arrays - 1) * values};
      parallel_for(threads, planes, 1, [&](Index i) {
        const FlushSubnormals flush;
        const Index row = (i - x) * h.stride_x + h.halo_y * h.stride_y + Layout::pad;
        host_.make_medium(i, part.memory.data() + row, part.memory.data() + (from[1] - from[0]) + row);
      });
      for (std::size_t d = 0; d < slices_.size(); ++d) {
        slices_[d]->send_medium(planes, from);
        slices_[d]->stream().record(part.taken[d]);
      }
    }
    for (auto& slice : slices_) slice->stream().synchronize();
  }
  /// Level k among DeviceSlice::array().
  [[nodiscard]] static std::size_t level_of(Index k) { return static_cast<std::size_t>(k & 1); }
  /// put(x, y, values, to) for every row (global) of these nodes; `to` lies in `out`, which it is appended to.
  template <class Put>
  void append_rows(std::size_t array, const March::Cut& nodes, int threads, std::vector<float>& out, const Put& put) {
    const auto& count = nodes.count;
    const std::size_t begin = out.size(), row = static_cast<std::size_t>(count[2]);
    out.resize(begin + static_cast<std::size_t>(count[0] * count[1]) * row);
    for_rows(array, nodes, threads, [&](Index i, Index j, const T* values) {
      put(nodes.first[0] + i * nodes.step[0], nodes.first[1] + j * nodes.step[1], std::span<const T>(values, row),
          out.data() + begin + static_cast<std::size_t>(i * count[1] + j) * row);
    });
  }
  /// call(i, j, values of the row) for every row of these nodes of an array; by several threads, but those of one i by one of them. They come in pieces of some
  /// megabytes, which is enough for copies to take nothing beside their bytes.
  template <class Call>
  void for_rows(std::size_t array, const March::Cut& nodes, int threads, const Call& call) {
    constexpr Index piece = Index{1} << 21;
    const auto &first = nodes.first, &step = nodes.step, &count = nodes.count;
    const Index together = std::max<Index>(1, piece / std::max<Index>(1, count[1] * count[2]));
    for (Index x = 0; x < count[0]; x += together)
      for (auto& slice : slices_) {
        const Interval rows = nodes.within(1, slice->rows());
        const Index planes = std::min(together, count[0] - x);
        const std::span<const T> seen =
            slice->gather(array, {first[0] + x * step[0], first[1] + rows.begin * step[1], first[2]}, step,
                          {planes, rows.size(), count[2]});
        if (seen.empty()) continue;
        parallel_for(threads, {0, planes}, 1, [&](Index i) {
          for (Index j = rows.begin; j < rows.end; ++j)
            call(x + i, j, seen.data() + (i * rows.size() + j - rows.begin) * count[2]);
        });
      }
  }
  /// Levels of the towers or panels that take the steps; 0: they go one by one.
  [[nodiscard]] Index tower_steps() const {
    if (problem_.tiling.starts_with("stepwise")) return 0;
    const Index levels = slices_.front()->band_steps();
    // Of several devices all have the same panels, or none goes in panels.
    const auto same = [&](const auto& slice) {
      return slice->band_steps() == levels && slice->kinds_of_panels() == slices_.front()->kinds_of_panels();
    };
    return std::all_of(slices_.begin(), slices_.end(), same) ? levels : 0;
  }
  /// Of the first stretches of a run two go in towers and two step by step; the second of each, when everything is loaded, is timed, and the run goes on
  /// with what was faster. Both give the same bits. This is how long the next has to be; 0: all is known.
  [[nodiscard]] Index trial_steps() const {
    const Index levels = tower_steps();
    if (trial_ == 4 || levels == 0 || slices_.front()->forced()) return 0;
    return std::min(band_, trial_ == 2 ? 1 : (worth_timing + levels - 1) / levels * levels);
  }
  /// seconds: of a step of such a stretch.
  void learn(double seconds) {
    if (trial_ == 1) tower_seconds_ = seconds;
    ++trial_;
    towers_ = trial_ < 2 || (trial_ == 4 && tower_seconds_ < seconds);
    if (trial_ == 4)
      log::info("acoustic-fd: {:.3g} ms for a step in {}, {:.3g} ms step by step", 1e3 * tower_seconds_,
                slices_.front()->way(), 1e3 * seconds);
  }
  /// Rows beside each border, levels k and k − 1: each device takes them from its neighbours when these have made them, and goes on when they have been taken
  /// from it.
  void exchange(Index k) {
    const Index beside = problem_.order / 2 * band_;
    for (std::size_t d = 0; d < slices_.size(); ++d) slices_[d]->stream().record(made_[d]);
    const auto neighbours = [&](std::size_t d, auto&& call) {
      if (d > 0) call(d - 1, Interval{slices_[d]->rows().begin - beside, slices_[d]->rows().begin});
      if (d + 1 < slices_.size()) call(d + 1, Interval{slices_[d]->rows().end, slices_[d]->rows().end + beside});
    };
    for (std::size_t d = 0; d < slices_.size(); ++d) {
      neighbours(d, [&](std::size_t other, Interval rows) {
        slices_[d]->stream().wait(made_[other]);
        slices_[d]->pull(*slices_[other], k, rows);
      });
      slices_[d]->stream().record(pulled_[d]);
    }
    for (std::size_t d = 0; d < slices_.size(); ++d)
      neighbours(d, [&](std::size_t other, Interval) { slices_[d]->stream().wait(pulled_[other]); });
  }

  const Problem& problem_;
  Field<T>& host_;
  std::string name_;
  std::vector<std::unique_ptr<DeviceSlice<T>>> slices_;
  std::vector<Event> made_, pulled_;  ///< of each: its rows, those of its neighbours
  Index band_ = 1;
  bool fresh_ = true;
  bool towers_ = true;  ///< where there are any
  int trial_ = 0;
  double tower_seconds_ = 0;
};

struct OpenedDevices {
  std::vector<Device> devices;
  std::vector<Bytes> budgets;
  Bytes budget = 0;  ///< the least of them
};
OpenedDevices devices_of(const Problem& problem, const Team& team, bool one) {
  OpenedDevices out;
  for (const WorkerSpec& worker : team.workers()) {
    if (worker.device.empty()) continue;
    if (one && !out.devices.empty()) break;  // a rank has one: that of its offer
    auto device = Device::open(worker.device);
    if (!device) throw Failure(device.error());
    const Bytes free =
        device->free_memory();  // others may hold memory that the offer, which opens nothing, could not know of
    Bytes mine = worker.device_memory > 0 ? std::min(worker.device_memory, free) : free / 10 * 9;
    if (problem.device_memory > 0) mine = std::min(mine, problem.device_memory);
    out.budget = out.devices.empty() ? mine : std::min(out.budget, mine);
    out.budgets.push_back(mine);
    out.devices.push_back(std::move(*device));
  }
  return out;
}

void verify_room(const DevicePlan& plan, Bytes budget) {
  if (plan.possible) return;
  throw Failure(make_error(ErrorCode::resources,
                           fmt::format("{} of device memory are too few to stream this grid through: {} are needed",
                                       format_bytes(budget), enough_bytes(plan.least)),
                           "Allow more in compute.memory.device, lower the order, turn the longest axis of the grid to "
                           "x, or compute with --workers cpu."));
}

template <class T>
class WindowedOverDisk final : public DiskSteps<T> {
 public:
  WindowedOverDisk(const Problem& problem, Field<T>& host, const DiskDevice& device, Windows& windows)
      : planes_(host, windows, device.device), steps_(problem, host, device.device, device.plan, &planes_) {}
  void keep_beyond(Index global, Index local) override { planes_.keep_beyond(global, local); }
  DeviceSteps& steps() override { return steps_; }

 private:
  PlanesInWindows<T> planes_;
  Windowed<T> steps_;
};

}  // namespace

std::optional<DiskDevice> device_over_disk(const Problem& problem, const Team& team) {
  auto [devices, budgets, budget] = devices_of(problem, team, true);
  if (devices.empty()) return {};
  DiskDevice out{std::move(devices.front()), {}};
  out.plan = device_plan(problem, budget, 1, &out.device.info(), PlanesRest::disk);
  verify_room(out.plan, budget);
  return out;
}

template <class T>
std::unique_ptr<DiskSteps<T>> make_disk_steps(const Problem& problem, Field<T>& host, const DiskDevice& device,
                                              Windows& windows) {
  return std::make_unique<WindowedOverDisk<T>>(problem, host, device, windows);
}
template std::unique_ptr<DiskSteps<float>> make_disk_steps<float>(const Problem&, Field<float>&, const DiskDevice&,
                                                                  Windows&);
template std::unique_ptr<DiskSteps<double>> make_disk_steps<double>(const Problem&, Field<double>&, const DiskDevice&,
                                                                    Windows&);

template <class T>
std::unique_ptr<DeviceSteps> make_device_steps(const Problem& problem, Field<T>& host, const Team& team,
                                               const Communicator& cluster) {
  auto [devices, budgets, budget] = devices_of(problem, team, cluster.size() > 1);
  const Index s = problem.order / 2;
  if (devices.empty()) return nullptr;
  if (cluster.size() > 1) {
    const Bytes needed = host.bytes() + (Bytes{1} << 20);
    if (needed > budget) {
      log::warning(
          "acoustic-fd: rank {} leaves its device alone: a slab has to lie there whole, it needs {} of {}; use more "
          "ranks, or one rank, "
          "which streams a grid from the host",
          cluster.rank(), format_bytes(needed), format_bytes(budget));
      return nullptr;
    }
    return std::make_unique<RankSteps<T>>(problem, host, std::move(devices.front()), budget - needed);
  }
  while (devices.size() > 1 && problem.grid.points[1] / static_cast<Index>(devices.size()) < 2 * s) devices.pop_back();
  const DevicePlan plan = device_plan(problem, budget, static_cast<int>(devices.size()), &devices.front().info());
  if (!plan.streamed) {
    budgets.resize(devices.size());
    const Shares shares = shares_of(problem, devices, budgets, plan.in_core);
    return std::make_unique<InCore<T>>(problem, host, std::move(devices), shares);
  }
  const DevicePlan alone = device_plan(problem, budget, 1, &devices.front().info());
  verify_room(alone, budget);
  return std::make_unique<Windowed<T>>(problem, host, std::move(devices.front()), alone);
}

template std::unique_ptr<DeviceSteps> make_device_steps<float>(const Problem&, Field<float>&, const Team&,
                                                               const Communicator&);
template std::unique_ptr<DeviceSteps> make_device_steps<double>(const Problem&, Field<double>&, const Team&,
                                                                const Communicator&);

}  // namespace conoid::acoustic_fd
