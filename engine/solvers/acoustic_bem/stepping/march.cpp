// SPDX-License-Identifier: BSD-3-Clause
// One group of steps: summation, then radiation and solution step by step.
#include "engine/solvers/acoustic_bem/stepping/march.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"
#include "engine/solvers/acoustic_bem/discretization/slice_store.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/device_worker.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

class Stopwatch {
 public:
  explicit Stopwatch(double& into) : into_(into) {}
  ~Stopwatch() { into_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& into_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

template <class Real>
March<Real>::March(Matrices<Real> matrices, MarchOptions options)
    : matrices_(std::move(matrices)), options_(options),
      cluster_(options.cluster != nullptr && options.cluster->size() > 1 ? options.cluster : nullptr),
      columns_(std::max({matrices_.slices.columns(), matrices_.memory.columns(), matrices_.far.columns()})),
      instant_(matrices_.M0, options.conjugate_gradients),
      summation_("summation", matrices_.slices, options.steps, options.level) {
  if (!instant_.ok())
    throw Failure(make_error(ErrorCode::invalid_input, "The matrix M_0 is not positive definite.",
                             "Check the normals (outward) and the mesh for slivers; keep cΔt between 0.3 and 0.6 h."));
  if (cluster_ != nullptr) columns_ = static_cast<Index>(cluster_->maximum(static_cast<double>(columns_)));
  const Index reach = std::max(columns_, options.reach);
  for (Index r = 0; r < options.runs; ++r) {
    histories_.emplace_back(unknowns(), reach, options.steps);
    current_.emplace_back(static_cast<std::size_t>(unknowns()), 0.0);
  }
  near_ = gathered_near(matrices_.slices);
  if (matrices_.skeletons) prepare_far(reach);
  if (matrices_.memory_columns.empty()) return;
  near_memory_ = gathered_near(matrices_.memory);
  memory_summation_ = std::make_unique<Summation<Real>>("wall memory", matrices_.memory, options.steps, options.level);
  memory_summation_->keep_on_processors();
  first_pole_.push_back(0);
  for (const MemoryColumn& c : matrices_.memory_columns)
    first_pole_.push_back(first_pole_.back() + matrices_.walls[static_cast<std::size_t>(c.wall)].poles.size());
  for (Index r = 0; r < options.runs; ++r) {
    memory_histories_.emplace_back(static_cast<Index>(matrices_.memory_columns.size()), reach, options.steps);
    poles_.emplace_back(first_pole_.back());
  }
}

template <class Real>
void March<Real>::prepare_far(Index reach) {
  if (!matrices_.skeletons->any_far()) return;
  verify(matrices_.far.lowest() >= options_.steps, "steps of a group send nothing to far clusters within it");
  far_summation_ = std::make_unique<FarSummation<Real>>(matrices_.far, options_.steps, options_.level);
  for (Index r = 0; r < options_.runs; ++r)
    far_histories_.emplace_back(matrices_.skeletons->series(), reach, options_.steps);
}

template <class Real>
void March<Real>::for_skeletons(Team& team, Index level, double series, const std::function<void(Index)>& each) {
  const Skeletons& skeletons = *matrices_.skeletons;
  const Interval own = skeletons.level(level);
  double weights = 0;
  for (Index c = own.begin; c < own.end; ++c)
    weights += static_cast<double>(skeletons.weights[static_cast<std::size_t>(c)].size());
  if (weights == 0) return;
  for_range(team, "far clusters", own.size(), 1, 1e-9 * series * weights, [&](Interval some) {
    for (Index c = own.begin + some.begin; c < own.begin + some.end; ++c)
      if (!skeletons.far.of(c).empty()) each(c);
  });
}

/// What reached the points of a cluster goes to those of its halves, from the root down to the unknowns. Of ranks each does so with what its
/// own slices brought, since all of this is linear: the sums over the ranks follow.
template <class Real>
void March<Real>::add_far(Team& team) {
  if (!far_summation_) return;
  far_summation_->add_up(team, far_histories_, far_sums_);
  switch (options_.steps) {  // those of the kernels
    case 1: return spread_far<1>(team);
    case 2: return spread_far<2>(team);
    case 4: return spread_far<4>(team);
    case 8: return spread_far<8>(team);
    case 16: return spread_far<16>(team);
    default: return spread_far<32>(team);
  }
}

/// The steps of a group side by side, as far_sums_ has them [run][point][g].
template <class Real>
template <int steps>
void March<Real>::spread_far(Team& team) {
  verify(options_.steps == steps, "a number of steps that kernels have");
  const Skeletons& skeletons = *matrices_.skeletons;
  const auto n = static_cast<std::size_t>(unknowns()), m = static_cast<std::size_t>(skeletons.size());
  for (Index level = skeletons.levels() - 1; level >= 0; --level)
    for_skeletons(team, level, static_cast<double>(histories_.size() * steps), [&](Index c) {
      const Interval of = skeletons.far.of(c), parts = skeletons.parts(level, c);
      const auto rank = static_cast<std::size_t>(of.size());
      for (std::size_t r = 0; r < histories_.size(); ++r) {
        double* const points = far_sums_.data() + r * m * steps;
        const double* w = skeletons.weights[static_cast<std::size_t>(c)].data();
        for (Index i = parts.begin; i < parts.end; ++i, w += rank) {
          std::array<double, steps> sum{};
          const double* from = points + of.begin * steps;
          for (std::size_t s = 0; s < rank; ++s, from += steps)
            for (std::size_t g = 0; g < steps; ++g) sum[g] += w[s] * from[g];
          for (std::size_t g = 0; g < steps; ++g)
            (level == 0 ? sums_[(r * steps + g) * n + static_cast<std::size_t>(i)]
                        : points[i * steps + static_cast<Index>(g)]) += sum[g];
        }
      }
    });
}

template <class Real>
void March<Real>::gather_far(Team& team, Index steps, Index ahead) {
  if (!far_summation_) return;
  const Skeletons& skeletons = *matrices_.skeletons;
  const double series = static_cast<double>(histories_.size()) * static_cast<double>(steps);
  for (Index level = 0; level < skeletons.levels(); ++level)
    for_skeletons(team, level, series, [&](Index c) {
      const Interval of = skeletons.far.of(c), parts = skeletons.parts(level, c);
      const auto rank = static_cast<std::size_t>(of.size());
      std::vector<double> sums;
      for (std::size_t r = 0; r < histories_.size(); ++r) {
        const History<Real>& from = level == 0 ? histories_[r] : far_histories_[r];
        for (Index at = ahead - steps + 1; at <= ahead; ++at) {
          sums.assign(rank, 0);
          const double* w = skeletons.sending(c).data();
          for (Index i = parts.begin; i < parts.end; ++i, w += rank) {
            const auto a = static_cast<double>(from.at(i, at));
            for (std::size_t s = 0; s < rank; ++s) sums[s] += w[s] * a;
          }
          for (std::size_t s = 0; s < rank; ++s)
            far_histories_[r].set(of.begin + static_cast<Index>(s), at, static_cast<Real>(sums[s]));
        }
      }
      if (!skeletons.remembering.empty()) gather_remembered(level, c, steps, ahead);
    });
}

/// Likewise of what walls remember, μ of skeletons.hpp: by the weights of the points that lie on the wall.
template <class Real>
void March<Real>::gather_remembered(Index level, Index cluster, Index steps, Index ahead) {
  const Skeletons& skeletons = *matrices_.skeletons;
  const Interval of = skeletons.far.of(cluster), parts = skeletons.parts(level, cluster);
  const auto rank = static_cast<std::size_t>(of.size());
  const double* const weights = skeletons.sending(cluster).data();
  const auto wall_of = [&](Index point) { return skeletons.points[static_cast<std::size_t>(point)].memory; };
  const auto series_of = [&](Index point) { return skeletons.series_of[static_cast<std::size_t>(point)]; };
  const auto& columns = matrices_.memory_columns;
  const auto first = std::lower_bound(columns.begin(), columns.end(), parts.begin,
                                      [](const MemoryColumn& c, Index unknown) { return c.unknown < unknown; });
  for (Index s = of.begin; s < of.end; ++s) {
    if (wall_of(s) < 0) continue;
    const auto own = static_cast<std::size_t>(wall_of(s));
    const auto weight = [&](Index i) {
      return weights[static_cast<std::size_t>(i - parts.begin) * rank + static_cast<std::size_t>(s - of.begin)];
    };
    for (std::size_t r = 0; r < histories_.size(); ++r)
      for (Index at = ahead - steps + 1; at <= ahead; ++at) {
        double sum = 0;
        for (auto c = first; level == 0 && c != columns.end() && c->unknown < parts.end; ++c) {
          if (c->wall != wall_of(s)) continue;
          const auto remembered = static_cast<double>(memory_histories_[r].at(c - columns.begin(), at)),
                     now = static_cast<double>(histories_[r].at(c->unknown, at));
          sum += weight(c->unknown) * (matrices_.walls[own].at_once() * now + remembered);
        }
        for (Index i = parts.begin; level > 0 && i < parts.end; ++i)
          if (wall_of(i) == wall_of(s)) sum += weight(i) * static_cast<double>(far_histories_[r].at(series_of(i), at));
        far_histories_[r].set(series_of(s), at, static_cast<Real>(sum));
      }
  }
}

template <class Real>
std::vector<NearMatrix<Real>> March<Real>::gathered_near(const Slices<Real>& slices) {
  const Index N = unknowns();
  std::vector<NearMatrix<Real>> near;
  for (int k = 1; k < options_.steps; ++k) {
    NearMatrix<Real> m;
    m.begin.assign(static_cast<std::size_t>(N) + 1, 0);
    near.push_back(std::move(m));
  }
  // Few of the row-vectors that are looked at begin so early: pieces of the slices side by side, what they hold one after the other.
  struct Found {
    std::int32_t i, j;
    int k;
    Real value;
  };
  const auto look = [&](Interval some, auto&& found) {
    for_each_row_below(slices, some, options_.steps, [&](Index i, Index j, Index start, std::span<const Real> v) {
      for (Index k = start; k < options_.steps && k < start + static_cast<Index>(v.size()); ++k)
        found(Found{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), static_cast<int>(k),
                    v[static_cast<std::size_t>(k - start)]});
    });
  };
  const auto each = [&](auto&& f) {
    if (options_.team == nullptr || slices.streams()) return look({0, slices.count()}, f);
    constexpr Index piece = 128;
    const Index at_once = 4 * options_.team->threads();
    std::vector<std::vector<Found>> of(static_cast<std::size_t>(at_once));
    for (Index begin = 0; begin < slices.count(); begin += at_once * piece) {
      const double seconds = 2e-6 * static_cast<double>(std::min(slices.count() - begin, at_once * piece));
      for_range(*options_.team, "near matrices", at_once, 1, seconds, [&](Interval some) {
        for (Index p = some.begin; p < some.end; ++p) {
          std::vector<Found>& mine = of[static_cast<std::size_t>(p)];
          mine.clear();
          const Index from = std::min(begin + p * piece, slices.count()), to = std::min(from + piece, slices.count());
          look({from, to}, [&](const Found& one) { mine.push_back(one); });
        }
      });
      for (const std::vector<Found>& some : of)
        for (const Found& one : some) f(one);
    }
  };
  each([&](const Found& f) { ++near[static_cast<std::size_t>(f.k - 1)].begin[static_cast<std::size_t>(f.i) + 1]; });
  for (NearMatrix<Real>& m : near) {
    for (std::size_t i = 0; i + 1 < m.begin.size(); ++i) m.begin[i + 1] += m.begin[i];
    m.column.resize(static_cast<std::size_t>(m.begin.back()));
    m.value.resize(m.column.size());
  }
  std::vector<std::vector<Index>> next;
  for (const NearMatrix<Real>& m : near) next.push_back(m.begin);
  each([&](const Found& f) {
    const auto of = static_cast<std::size_t>(f.k - 1);
    const auto at = static_cast<std::size_t>(next[of][static_cast<std::size_t>(f.i)]++);
    near[of].column[at] = f.j;
    near[of].value[at] = f.value;
  });
  if (cluster_ != nullptr) join_near(near);
  return near;
}

/// Entries of a row lie by ascending columns, and a rank's columns behind those of the ranks before it.
template <class Real>
void March<Real>::join_near(std::vector<NearMatrix<Real>>& near) {
  const auto n = static_cast<std::size_t>(unknowns());
  for (NearMatrix<Real>& m : near) {
    std::vector<std::int32_t> counts;
    for (std::size_t i = 0; i < n; ++i) counts.push_back(static_cast<std::int32_t>(m.begin[i + 1] - m.begin[i]));
    const auto all_counts = cluster_->all_gather_values<std::int32_t>(counts);
    const auto columns = cluster_->all_gather_values<std::int32_t>(m.column);
    const auto values = cluster_->all_gather_values<Real>(m.value);
    m.column.resize(columns.size());
    m.value.resize(values.size());
    std::fill(m.begin.begin(), m.begin.end(), 0);
    for (std::size_t k = 0; k < all_counts.size(); ++k) m.begin[k % n + 1] += all_counts[k];
    for (std::size_t i = 0; i < n; ++i) m.begin[i + 1] += m.begin[i];
    std::vector<Index> next(m.begin.begin(), m.begin.end() - 1);
    for (std::size_t k = 0, from = 0; k < all_counts.size(); ++k)
      for (std::int32_t e = 0; e < all_counts[k]; ++e, ++from) {
        const auto at = static_cast<std::size_t>(next[k % n]++);
        m.column[at] = columns[from];
        m.value[at] = values[from];
      }
  }
}

template <class Real>
void March<Real>::choose_device(Team& team) {
  if (chosen_of_ == &team) return;
  chosen_of_ = &team;
  device_steps_.reset();
  const auto devices = team.devices();
  const Bytes needed = DeviceSteps<Real>::needed(matrices_.M0, near_, options_.runs);
  // An eighth of the memory at most: slices have more use for the rest.
  bool fits = instant_.symmetric() && !memory_summation_ && !devices.empty() && needed <= devices.front()->memory() / 8;
  // All ranks solve all steps: with gradients or with factors they find the same bits if all do alike.
  if (cluster_ != nullptr) fits = cluster_->minimum(fits ? 1.0 : 0.0) > 0;
  if (fits)
    device_steps_ =
        std::make_unique<DeviceSteps<Real>>(devices.front()->device(), matrices_.M0, near_, options_.runs, cluster_);
  summation_.reserve_on_devices(fits ? needed : 0);
}

template <class Real>
void March<Real>::illuminate(const Illumination& l, std::size_t g, std::size_t run) {
  if (std::exchange(first_lit_, false)) return;
  const Stopwatch watch(times_.illumination);
  if (lit_ahead_) {
    const std::size_t at = run * static_cast<std::size_t>(options_.steps) + g;
    std::copy_n(ahead_.begin() + static_cast<std::ptrdiff_t>(at * rhs_.size()), rhs_.size(), rhs_.begin());
    return;
  }
  l(step() + 1 + static_cast<Index>(g), static_cast<Index>(run), rhs_);
}

template <class Real>
void March<Real>::look_ahead(const Illumination& l) {
  const Stopwatch watch(times_.illumination);
  const std::size_t n = rhs_.size(), runs = histories_.size();
  ahead_.resize(runs * static_cast<std::size_t>(options_.steps) * n);
  for (Index g = 0; g < options_.steps; ++g)
    for (std::size_t r = 0; r < runs; ++r)
      l(step() + 1 + options_.steps + g, static_cast<Index>(r),
        std::span(ahead_).subspan((r * static_cast<std::size_t>(options_.steps) + static_cast<std::size_t>(g)) * n, n));
  lit_ahead_ = true;
}

template <class Real>
void March<Real>::advance(Team& team, const Illumination& l, const std::function<void(Index)>& each) {
  choose_device(team);
  if (!std::exchange(far_restored_, true)) {
    for (History<Real>& h : far_histories_) h.restart(step());
    gather_far(team, histories_.front().reach() + 1, 0);
  }
  {
    const Stopwatch watch(times_.summation);
    summation_.add_up(team, histories_, 0, sums_);
    if (memory_summation_) {
      memory_summation_->add_up(team, memory_histories_, 0, memory_sums_);
      for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += memory_sums_[k];
    }
    add_far(team);
    times_.to_devices = summation_.streamed_to_devices();
  }
  rhs_.resize(static_cast<std::size_t>(unknowns()));
  if (cluster_ != nullptr) {
    cluster_->start_sum(sums_);
    illuminate(l, 0, 0);  // needs no sums
    first_lit_ = true;
    const Stopwatch watch(times_.summation);
    cluster_->finish_sum();
  }
  std::vector<double> right;
  if (!device_steps_ || !solve_steps_on_device(team, l, each, right)) solve_steps(team, l, each, right);
  gather_far(team, options_.steps, options_.steps);
  for (History<Real>& h : far_histories_) h.advance(options_.steps);
  for (History<Real>& h : histories_) h.advance(options_.steps);
  for (History<Real>& h : memory_histories_) h.advance(options_.steps);
}

template <class Real>
bool March<Real>::solve_steps_on_device(Team& team, const Illumination& l, const std::function<void(Index)>& each,
                                        std::vector<double>& given_up) {
  const auto n = static_cast<std::size_t>(unknowns()), steps = static_cast<std::size_t>(options_.steps);
  const std::span<double> right = device_steps_->right();
  for (std::size_t g = 0; g < steps; ++g)
    for (std::size_t r = 0; r < histories_.size(); ++r) {
      illuminate(l, g, r);
      const std::size_t at = (r * steps + g) * n;
      for (std::size_t i = 0; i < n; ++i) right[at + i] = rhs_[i] - sums_[at + i];
    }
  lit_ahead_ = false;
  {
    const Stopwatch watch(times_.on_device);
    device_steps_->start();
  }
  look_ahead(l);
  {
    const Stopwatch watch(times_.on_device);
    if (!device_steps_->finish()) {
      log::info("acoustic-bem: conjugate gradients did not converge on the device: processors take the steps");
      given_up.assign(right.begin(), right.end());
      device_steps_.reset();
      return false;
    }
    team.note("steps", device_steps_->kernel_seconds(), device_steps_->work(), Team::Who::devices,
              team.devices().front()->index());
  }
  const std::span<const double> a = device_steps_->result();
  for (std::size_t r = 0; r < histories_.size(); ++r)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t g = 0; g < steps; ++g)
        histories_[r].set(static_cast<Index>(j), static_cast<Index>(g) + 1,
                          static_cast<Real>(a[(r * steps + g) * n + j]));
  for (std::size_t g = 0; g < steps; ++g) {
    for (std::size_t r = 0; r < histories_.size(); ++r)
      std::copy_n(a.begin() + static_cast<std::ptrdiff_t>((r * steps + g) * n), n, current_[r].begin());
    if (each) each(step() + 1 + static_cast<Index>(g));
  }
  return true;
}

template <class Real>
void March<Real>::solve_steps(Team& team, const Illumination& l, const std::function<void(Index)>& each,
                              std::span<const double> right) {
  const Index N = unknowns();
  const auto n = static_cast<std::size_t>(N);
  const auto steps = static_cast<std::size_t>(options_.steps);
  const std::size_t columns = matrices_.memory_columns.size();
  past_steps_.assign(static_cast<std::size_t>(options_.runs) * steps * n, 0);
  past_memory_.assign(static_cast<std::size_t>(options_.runs) * steps * columns, 0);
  for (std::size_t g = 0; g < steps; ++g)
    for (std::size_t r = 0; r < histories_.size(); ++r) {
      const std::size_t own = (r * steps + g) * n;
      if (right.empty())
        illuminate(l, g, r);
      else
        std::copy_n(right.begin() + static_cast<std::ptrdiff_t>(own), n, rhs_.begin());
      const double* const sum = right.empty() ? sums_.data() + own : nullptr;
      double* const group = past_steps_.data() + r * steps * n;  // this group's steps, step-major
      {
        const Stopwatch watch(times_.radiation);
        double work = 0;
        for (std::size_t k = 1; k <= g; ++k) work += 1e-9 * static_cast<double>(near_[k - 1].value.size());
        for_range(team, "radiation", N, 256, work, [&](Interval rows) {
          for (Index i = rows.begin; i < rows.end; ++i) {
            const auto row = static_cast<std::size_t>(i);
            double s = sum != nullptr ? sum[row] : 0;
            const auto add = [&](const NearMatrix<Real>& m, const double* a) {
              for (auto at = static_cast<std::size_t>(m.begin[row]); at < static_cast<std::size_t>(m.begin[row + 1]);
                   ++at)
                s += static_cast<double>(m.value[at]) * a[m.column[at]];
            };
            for (std::size_t k = 1; k <= g; ++k) add(near_[k - 1], group + (g - k) * n);
            for (std::size_t k = 1; k <= g && columns > 0; ++k)
              add(near_memory_[k - 1], past_memory_.data() + (r * steps + g - k) * columns);
            rhs_[row] -= s;
          }
        });
      }
      {
        const Stopwatch watch(times_.solution);
        instant_.solve(rhs_, current_[r], team.threads());
        if (columns > 0) remember(g, r, current_[r].data(), g > 0 ? group + (g - 1) * n : nullptr);
        for (Index j = 0; j < N; ++j) {
          const double a = current_[r][static_cast<std::size_t>(j)];
          group[g * n + static_cast<std::size_t>(j)] = a;
          histories_[r].set(j, static_cast<Index>(g) + 1, static_cast<Real>(a));
        }
      }
      if (r + 1 == histories_.size() && each) each(step() + 1 + static_cast<Index>(g));
    }
  if (right.empty()) lit_ahead_ = false;
}

template <class Real>
void March<Real>::remember(std::size_t g, std::size_t run, const double* now, const double* before) {
  const std::size_t columns = matrices_.memory_columns.size();
  double* const out = past_memory_.data() + (run * static_cast<std::size_t>(options_.steps) + g) * columns;
  // As the histories hold them, so that a run that goes on from a checkpoint takes the same bits.
  const auto rounded = [](double v) { return static_cast<double>(static_cast<Real>(v)); };
  for (std::size_t c = 0; c < columns; ++c) {
    const MemoryColumn& column = matrices_.memory_columns[c];
    const double p_before = before != nullptr ? rounded(before[column.unknown])
                                              : static_cast<double>(histories_[run].value(column.unknown, 0));
    out[c] = matrices_.walls[static_cast<std::size_t>(column.wall)].advance(poles_[run].data() + first_pole_[c],
                                                                            rounded(now[column.unknown]), p_before);
    memory_histories_[run].set(static_cast<Index>(c), static_cast<Index>(g) + 1, static_cast<Real>(out[c]));
  }
}

template <class Real>
void March<Real>::restore_current() {
  far_restored_ = lit_ahead_ = false;
  for (std::size_t r = 0; r < histories_.size(); ++r)
    for (Index j = 0; j < unknowns(); ++j)
      current_[r][static_cast<std::size_t>(j)] = static_cast<double>(histories_[r].value(j, 0));
}

template class March<float>;
template class March<double>;

}  // namespace conoid::acoustic_bem
