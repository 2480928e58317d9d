// SPDX-License-Identifier: BSD-3-Clause
// Slabs of y on devices, in core or as windows of planes over the host's memory (device_slice.hpp), and which of them is taken.
#include "engine/solvers/acoustic_fd/device_steps.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_fd/device_slice.hpp"

#include <algorithm>
#include <chrono>
#include <deque>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Index longest_band = 128;  // single steps of a window
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
    if (count == 1) slices_.front()->allow_panels(spare, problem.grid.points[0]);
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

/// A launch for the planes of a position: a band of panels, or one step.
struct Stage {
  Index first;   ///< step, counted from the beginning of the sweep
  Index levels;
  Index lag;     ///< planes by which it follows the first stage
  int kind;      ///< of the panels; −1: single steps
};

/// Stage m takes planes [jB − lag, (j+1)B − lag) in position j. It reads s · levels planes around them that the stage before has made; and
/// what it overwrites no stage still reads: panels write where the stage before the one before wrote, which lags by as much.
std::vector<Stage> stages_of(Index steps, Index s, const std::vector<Index>& panel_levels) {
  std::vector<Stage> out;
  Index lag = 0;
  const auto add = [&](Index levels, int kind) {
    if (!out.empty()) lag += s * (kind < 0 ? 1 : std::max(levels, out.back().levels));
    out.push_back({out.empty() ? 0 : out.back().first + out.back().levels, levels, lag, kind});
    steps -= levels;
  };
  for (std::size_t kind = 0; kind < panel_levels.size(); ++kind)
    while (steps >= panel_levels[kind]) add(panel_levels[kind], static_cast<int>(kind));
  while (steps > 0) add(1, -1);
  return out;
}
/// Planes of a window below jB and beyond (j+1)B: what the last stage reads, and the images that a step writes.
Index planes_behind(const std::vector<Stage>& stages, Index s) { return stages.back().lag + s * stages.back().levels + 2 * s; }
Index planes_ahead(const std::vector<Stage>& stages, Index s) { return s * std::max<Index>(2, stages.front().levels); }

/// A window of planes over the host's levels; it moves by B planes, and in each position every stage of the T steps takes B planes, each
/// further back than the one before (stages_of). Per sweep a plane enters and leaves once, directly between the host's arrays, which
/// are locked, and its place in rings (DeviceDriver::allocate_ring) with room for the planes of the next positions. Sweeps follow each
/// other without a gap: planes are numbered on from sweep to sweep, those of the next one come when those of the last have left. The
/// host gives out the work of a whole chain of sweeps and waits once.
///
/// Four streams: planes that come, planes that leave, and two of stages, which take turns with the positions. Stage m of position
/// j + 1 waits for stage m − 1 of position j only, so that launches fill what is left of the device by those at their end.
///
/// Panels work between two pairs of levels, of which the host has one: what comes goes to the first pair, what leaves is in that to
/// which the last stage of its sweep wrote.
template <class T>
class Windowed final : public DeviceSteps {
 public:
  Windowed(const Problem& problem, Field<T>& host, Device device, const DevicePlan& plan)
      : problem_(problem), host_(host), plan_(plan), s_(problem.order / 2), period_(problem.grid.points[0] + 2 * s_),
        slice_(problem, host, std::move(device), {0, problem.grid.points[1]}, 0, 0, plan.room - 2 * s_, true) {
    const Device& d = slice_.device();
    if (plan.levels > 0) slice_.allow_panels(~Bytes{0}, plan.planes);
    for (std::size_t kind = 0; kind < slice_.kinds_of_panels(); ++kind) panel_levels_.push_back(slice_.panel_levels(kind));
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
    for (Event& left : left_) left = d.event();
  }

  void take(Index) override {
    slice_.send_layers();
    slice_.stream().synchronize();
    energies_of_ = -1;
  }
  void bring_back(Index) override {  // the host's levels are those of the last sweep, panels leave no images
    slice_.fetch_layers();
    slice_.stream().synchronize();
    if (!panel_levels_.empty()) host_.refresh_images();
  }
  void advance(Index k, Index count) override {
    const Index unit = panel_levels_.empty() ? 1 : panel_levels_.front();
    for (Index done = 0; done < count;) {
      std::vector<Sweep> chain;
      Index steps = 0;
      for (Index left = count - done; left > 0 && static_cast<Index>(chain.size()) < plan_.sweeps;) {
        const Index sweeps = (left + plan_.steps - 1) / plan_.steps, even = ((left + sweeps - 1) / sweeps + unit - 1) / unit * unit;
        Sweep sweep{steps, static_cast<Index>(chain.size()) * period_, stages_of(std::min(even, left), s_, panel_levels_), 0};
        for (const Stage& stage : sweep.stages) sweep.last_pair ^= stage.kind >= 0 ? 1 : 0;
        chain.push_back(std::move(sweep));
        steps += std::min(even, left);
        left = count - done - steps;
      }
      run(k + done, steps, chain);
      done += steps;
    }
  }
  bool row_energies(Index k, std::vector<double>& sums) override {
    if (energies_of_ != k) return false;
    sums.assign(energies_.data(), energies_.data() + 2 * problem_.grid.points[0] * problem_.grid.points[1]);
    return true;
  }
  [[nodiscard]] Index band() const override { return plan_.sweeps * plan_.steps; }
  [[nodiscard]] Index levels() const override { return panel_levels_.empty() ? 1 : panel_levels_.front(); }
  [[nodiscard]] std::pair<Bytes, Bytes> streamed() const override { return {brought_, taken_away_}; }
  [[nodiscard]] bool streams() const override { return true; }
  [[nodiscard]] Bytes bytes() const override { return slice_.bytes(); }
  [[nodiscard]] std::string text() const override {
    const std::vector<Stage> stages = stages_of(plan_.steps, s_, panel_levels_);
    return fmt::format("{}, window of {} planes over the host, {} steps at a time{}", slice_.device().info().name,
                       plan_.planes + planes_behind(stages, s_) + planes_ahead(stages, s_), plan_.steps,
                       panel_levels_.empty() ? "" : fmt::format(", {}", slice_.way()));
  }

 private:
  struct Sweep {
    Index first;  ///< step, counted from the beginning of the chain
    Index low;    ///< its plane 0, counted on from the first sweep's
    std::vector<Stage> stages;
    int last_pair;
  };

  /// Steps k … k+steps−1 of all planes.
  void run(Index k, Index steps, const std::vector<Sweep>& chain) {
    const Index B = plan_.planes, N = problem_.grid.points[0], end = chain.back().low + N + s_;  // −s … N + s − 1 of each sweep travel
    Index behind = 0, ahead = 0;
    for (const Sweep& sweep : chain) {
      behind = std::max(behind, planes_behind(sweep.stages, s_));
      ahead = std::max(ahead, planes_ahead(sweep.stages, s_));
    }
    const auto wanted = [&](Index j) {
      return Interval{std::clamp(j * B - behind, -s_, end), std::clamp((j + 1) * B + ahead, -s_, end)};
    };
    // Energies between the last two levels are summed where both levels of a plane and s planes around it are made.
    const bool energies =
        problem_.energy_every > 0 && ((k + steps) % problem_.energy_every == 0 || k + steps == problem_.steps);
    const Index energy_lag = chain.back().stages.back().lag + s_;
    energies_of_ = energies ? k + steps : -1;
    if (const auto count = static_cast<std::size_t>(2 * N * problem_.grid.points[1]); energies && energies_.size() < count)
      energies_ = slice_.device().template pinned<double>(count);
    const Index positions = (chain.back().low + N + energy_lag - (energies ? 0 : s_) + B - 1) / B;
    slice_.work_on(0);
    slice_.begin_band(k, steps);
    if (!panel_levels_.empty()) slice_.begin_panels(k, steps);
    slice_.stream().synchronize();
    stored_.clear();
    std::size_t stages = 0;
    for (const Sweep& sweep : chain) stages += sweep.stages.size();
    for (auto& marks : made_) {
      if (marks.size() < stages) marks.resize(stages);
      for (Mark& mark : marks) mark.set = false;
    }
    Interval held{-s_, -s_};  // planes that were asked for and have not been sent away
    fetch(chain, held, wanted(0).end);
    for (Index j = 0; j < positions; ++j) {
      const Index next = j + 1 < positions ? wanted(j + 1).end : held.end;
      const int mine = static_cast<int>(j & 1);
      slice_.work_on(mine);
      send_away(chain, held, wanted(j).begin);
      slice_.stream().wait(arrived_);
      fetch(chain, held, next);
      std::size_t number = 0;  // of the stage, through all sweeps
      for (const Sweep& sweep : chain) {
        const Index lowest = std::max(j * B - behind - sweep.low, -s_);
        slice_.begin_at(lowest, lowest + sweep.low);
        int pair = 0;
        for (std::size_t m = 0; m < sweep.stages.size(); ++m) {
          const Stage& stage = sweep.stages[m];
          const Index last = (j + 1) * B - stage.lag - sweep.low;
          const Interval planes{std::clamp<Index>(last - B, 0, N), std::clamp<Index>(last, 0, N)};
          slice_.turn(pair);
          if (!planes.empty()) wait_for(number, 1 - mine);
          if (stage.kind < 0) {
            slice_.update(k + sweep.first + stage.first, planes, slice_.rows());
          } else {
            slice_.panel(static_cast<std::size_t>(stage.kind), k + sweep.first + stage.first, planes);
            pair = 1 - pair;
            if (m + 1 == sweep.stages.size() || sweep.stages[m + 1].kind < 0) {
              slice_.turn(pair);
              const Index now = k + sweep.first + stage.first + stage.levels;
              slice_.mirror(now, planes);
              if (energies && now == k + steps) slice_.mirror(now - 1, planes);
            }
          }
          made(number++, mine, !planes.empty());
        }
      }
      if (energies) {
        const Index last = (j + 1) * B - energy_lag - chain.back().low;
        const Interval planes{std::clamp<Index>(last - B, 0, N), std::clamp<Index>(last, 0, N)};
        const Index lowest = std::max(j * B - behind - chain.back().low, -s_);
        slice_.begin_at(lowest, lowest + chain.back().low);
        slice_.turn(chain.back().last_pair);
        wait_for(number, 1 - mine);
        slice_.queue_energies(k + steps, planes, energies_.data() + 2 * planes.begin * problem_.grid.points[1]);
      }
    }
    send_away(chain, held, held.end);
    for (const int stream : {1, 0}) {
      slice_.work_on(stream);
      slice_.stream().synchronize();
    }
    slice_.end_band();
    out_.synchronize();
  }
  /// Stage `number` of this position waits for the one before it in the other stream.
  void wait_for(std::size_t number, int stream) {
    if (number > 0 && made_[stream][number - 1].set) slice_.stream().wait(made_[stream][number - 1].event);
  }
  void made(std::size_t number, int stream, bool anything) {
    Mark& mark = made_[stream][number];
    mark.set = anything;
    if (!anything) return;
    if (!mark.created) mark.event = slice_.device().event();
    mark.created = true;
    slice_.stream().record(mark.event);
  }
  [[nodiscard]] std::size_t values(Index planes) const { return static_cast<std::size_t>(planes) * slice_.plane_values(); }
  [[nodiscard]] Interval inside(Interval planes) const {
    return {std::max<Index>(0, planes.begin), std::min(problem_.grid.points[0], planes.end)};
  }
  /// call(sweep, planes of the grid) for what each sweep has of some planes.
  template <class Call>
  void for_sweeps(const std::vector<Sweep>& chain, Interval planes, Call&& call) {
    for (const Sweep& sweep : chain) {
      const Interval own{std::max(planes.begin - sweep.low, -s_), std::min(planes.end - sweep.low, period_ - s_)};
      if (own.empty()) continue;
      slice_.begin_at(own.begin, own.begin + sweep.low);
      call(sweep, own);
    }
  }
  /// Planes up to `end` come to their places.
  void fetch(const std::vector<Sweep>& chain, Interval& held, Index end) {
    if (end <= held.end) return;
    // When the planes have left that lie there, and the sweep before has brought these back.
    if (const Index there = end - std::min(slice_.room(), period_); there > -s_) {
      while (!stored_.empty() && stored_.front().first < there) stored_.pop_front();
      verify(!stored_.empty(), "planes have left before others come");
      in_.wait(stored_.front().second);
    }
    for_sweeps(chain, {held.end, end}, [&](const Sweep&, Interval planes) {
      const auto bring = [&](std::size_t n, Interval some) {
        if (some.empty()) return;
        in_.to_device(slice_.array(n), std::span<const T>(slice_.host_array(n) + slice_.host_plane(some.begin).first, values(some.size())),
                      slice_.plane_at(some.begin));
        brought_ += values(some.size()) * sizeof(T);
      };
      slice_.turn(0);
      for (std::size_t n = 0; n < slice_.arrays(); ++n) bring(n, planes);
      if (!panel_levels_.empty()) {  // panels write no planes beyond the faces
        slice_.turn(1);
        slice_.clear_margins(in_, planes);
        for (std::size_t n = 0; n < 2; ++n)
          for (const Interval beyond : {Interval{planes.begin, std::min<Index>(planes.end, 0)},
                                        Interval{std::max(planes.begin, problem_.grid.points[0]), planes.end}})
            bring(n, beyond);
      }
      for (const auto& m : slice_.plane_memory())
        if (const Interval own = inside(planes); !own.empty()) {
          in_.to_device(*m.buffer, std::span<const T>(m.host + own.begin * m.values, static_cast<std::size_t>(own.size() * m.values)),
                        slice_.layer_at(m.axis, own.begin));
          brought_ += static_cast<Bytes>(own.size() * m.values) * sizeof(T);
        }
    });
    in_.record(arrived_);
    held.end = end;
  }
  /// Planes below `begin` leave after the steps given out so far.
  void send_away(const std::vector<Sweep>& chain, Interval& held, Index begin) {
    begin = std::min(begin, held.end);
    if (begin <= held.begin) return;
    const int mine = slice_.working_on();
    for (const int stream : {1 - mine, mine}) {
      slice_.work_on(stream);
      slice_.stream().record(left_[stream]);
      out_.wait(left_[stream]);
    }
    for_sweeps(chain, {held.begin, begin}, [&](const Sweep& sweep, Interval planes) {
      slice_.turn(sweep.last_pair);
      for (Index n = 0; n < 2; ++n)
        out_.to_host(std::span<T>(host_.level(n) + slice_.host_plane(planes.begin).first, values(planes.size())),
                     slice_.array(static_cast<std::size_t>(n)), slice_.plane_at(planes.begin));
      taken_away_ += 2 * values(planes.size()) * sizeof(T);
      for (const auto& m : slice_.plane_memory())
        if (const Interval own = inside(planes); !own.empty()) {
          out_.to_host(std::span<T>(m.host + own.begin * m.values, static_cast<std::size_t>(own.size() * m.values)), *m.buffer,
                       slice_.layer_at(m.axis, own.begin));
          taken_away_ += static_cast<Bytes>(own.size() * m.values) * sizeof(T);
        }
    });
    held.begin = begin;
    stored_.emplace_back(begin, slice_.device().event());
    out_.record(stored_.back().second);
  }
  const Problem& problem_;
  Field<T>& host_;
  DevicePlan plan_;
  Index s_;
  Index period_;  ///< planes from sweep to sweep
  DeviceSlice<T> slice_;
  std::vector<Index> panel_levels_;  ///< falling; none: single steps
  std::vector<detail::Held> locks_;  ///< of the host's arrays
  Stream in_, out_;
  Event arrived_, left_[2];
  struct Mark {
    Event event;
    bool created = false, set = false;
  };
  std::vector<Mark> made_[2];  ///< stages of the last position of each stream
  std::deque<std::pair<Index, Event>> stored_;  ///< planes below have left
  Bytes brought_ = 0, taken_away_ = 0;
  PinnedBuffer<double> energies_;  ///< of rows
  Index energies_of_ = -1;  ///< step
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

namespace {

/// 10⁹ updates a second of an H200, by the radius: single steps, and kernels of panels. They weigh ways against each other.
constexpr double single_rate[] = {0, 205, 192, 180, 171, 150, 140}, panel_rate[] = {0, 604, 409, 276, 245};
constexpr double link = 52e9;  ///< B/s to the device, and as many back
constexpr double single_launch = 25e-6, panel_launch = 10e-6;  ///< seconds that a stage takes however small it is
constexpr double longest_chain = 2;                            ///< seconds
constexpr Index most_sweeps = 4, longest_panel_band = 256;

/// Levels of the panels by which planes of a window could be advanced; none: single steps.
std::vector<Index> panels_for(const Problem& problem, const DeviceInfo& device, bool layered) {
  std::vector<Index> levels;
  if (problem.double_precision || problem.density || layered || !equal_spacings(problem.grid.spacing) || problem.tiling.starts_with("stepwise"))
    return levels;
  for (PanelPlan plan : panel_plans) {
    if (plan.radius != problem.order / 2 || device.shared_per_block < plan.shared + 1024) continue;
    plan.cover({longest_panel, problem.grid.points[1], problem.grid.points[2]}, device.cluster,
               [&](Index cluster) { return device.multiprocessors / cluster; });
    if (plan.cluster > 0) levels.push_back(plan.levels);
  }
  return levels;
}

/// What a window takes of the device, and for how long.
struct WindowCost {
  Bytes plane;          ///< bytes of a plane of one array
  Bytes layers, fixed;  ///< memory of matched layers with a plane, and what does not move
  Bytes arrays;         ///< of the host
  const Problem& problem;
  const DeviceInfo* device;
  const std::vector<Index>& panels;

  [[nodiscard]] Bytes each() const { return plane * (arrays + (panels.empty() ? 0 : 2)) + layers; }
  /// Seconds that a plane comes, and goes.
  [[nodiscard]] double bound() const { return static_cast<double>(plane * arrays + layers) / link; }
  [[nodiscard]] double back() const { return static_cast<double>(plane * 2 + layers) / link; }
  /// Seconds of a plane and T steps on the device.
  [[nodiscard]] double work(Index steps, Index B) const {
    const auto& n = problem.grid.points;
    const auto s = static_cast<std::size_t>(problem.order / 2);
    const double updates = static_cast<double>(steps * n[1] * n[2]) * 1e-9 * (problem.double_precision ? 2 : 1);
    if (panels.empty()) return updates / single_rate[s];
    const auto rounds = [&](Index planes, bool together) {
      PanelPlan plan = *std::find_if(std::begin(panel_plans), std::end(panel_plans),
                                     [&](const PanelPlan& p) { return p.radius == problem.order / 2 && p.levels == panels.front(); });
      return plan.cover({planes, n[1], n[2]}, device->cluster, [&](Index c) { return device->multiprocessors / c; }, together) /
             static_cast<double>(planes);
    };
    return updates / panel_rate[s] * rounds(B, true) / rounds(n[0], false);
  }
};

/// The window of single steps, or of panels, that takes the least time; nothing where it has no room.
struct Window {
  Index planes = 0, steps = 0, room = 0, sweeps = 1;
  double seconds = 0;  ///< of a step
};
Window best_window(const WindowCost& cost, Bytes budget) {
  const Index N = cost.problem.grid.points[0], s = cost.problem.order / 2, unit = cost.panels.empty() ? 1 : cost.panels.front();
  const Index room = std::min<Index>(budget > cost.fixed ? static_cast<Index>((budget - cost.fixed) / cost.each()) - 1 : 0, 4 * N);
  const double bound = cost.bound();
  Window best;
  for (Index T = unit; T <= (cost.panels.empty() ? longest_band : longest_panel_band); T += unit) {
    const std::vector<Stage> stages = stages_of(T, s, cost.panels);
    const Index behind = planes_behind(stages, s), around = behind + planes_ahead(stages, s);
    for (Index share = 2; share <= 5; ++share) {  // positions in the rings beside what stages read
      const Index B = std::min((room - around) / share, N);
      if (B < 1) break;
      const double launches = static_cast<double>(stages.size()) * (cost.panels.empty() ? single_launch : panel_launch);
      const double work = cost.work(T, B) + launches / static_cast<double>(B);
      // What comes takes the place of what has left so many positions ago, which shared the device with another one.
      const double plane = std::max({work, bound, (1.8 * work + bound + cost.back()) / static_cast<double>(share)});
      Window w{B, T, around + share * B, 1, 0};
      if (N + 2 * s >= around + 3 * B) w.sweeps = std::clamp<Index>(static_cast<Index>(longest_chain / (plane * static_cast<double>(N))), 1, most_sweeps);
      // The first planes come before, the last leave after what overlaps; and the window runs out at the end.
      const double beside = static_cast<double>(2 * B + planes_ahead(stages, s)) * bound + 0.5 * static_cast<double>(behind) * work;
      w.seconds = (plane * static_cast<double>(N) + beside / static_cast<double>(w.sweeps)) / static_cast<double>(T);
      if (best.steps == 0 || w.seconds < best.seconds) best = w;
    }
  }
  return best;
}

}  // namespace

DevicePlan device_plan(const Problem& problem, Bytes budget, int devices, const DeviceInfo* device) {
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
  const Bytes rings = arrays + 2 + 2 * layer_variables;
  const std::vector<Index> none, panels = device ? panels_for(problem, *device, layered) : none;
  const WindowCost single{static_cast<Bytes>(one.stride_x) * value_bytes(problem),
                          static_cast<Bytes>(layers.plane) * value_bytes(problem),
                          rest + static_cast<Bytes>(layers.fixed) * value_bytes(problem) + rings * (device ? device->ring_unit : 4096),
                          arrays, problem, device, none};
  const WindowCost several{single.plane, single.layers, single.fixed, arrays, problem, device, panels};
  const std::vector<Stage> step = stages_of(1, s, none);
  plan.least = single.each() * static_cast<Bytes>(planes_behind(step, s) + planes_ahead(step, s) + 2 * 2 * s + 1) + single.fixed;
  plan.possible = devices == 1 && plan.least <= budget;
  if (!plan.possible) return plan;
  Window window = best_window(single, budget);
  const double in_core = (panels.empty() ? single : several).work(1, n[0]) * static_cast<double>(n[0]) +
                         (panels.empty() ? single_launch : panel_launch / static_cast<double>(panels.front()));
  if (!panels.empty())
    if (const Window other = best_window(several, budget); other.steps > 0 && other.seconds < window.seconds) {
      window = other;
      plan.levels = panels.front();
    }
  plan.planes = window.planes;
  plan.steps = window.steps;
  plan.room = window.room;
  plan.sweeps = window.sweeps;
  plan.slower = window.seconds / in_core;
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
  const DevicePlan plan = device_plan(problem, budget, static_cast<int>(devices.size()), &devices.front().info());
  if (!plan.streamed) return std::make_unique<InCore<T>>(problem, host, std::move(devices), budget - plan.in_core);
  const DevicePlan alone = device_plan(problem, budget, 1, &devices.front().info());
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
