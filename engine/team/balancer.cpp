// SPDX-License-Identifier: BSD-3-Clause
// Policies that move the borders between the workers' intervals.
//
//   greedy  Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 6.2
//   offset  Dong et al., "Hydrodynamic computation with hybrid programming on CPU-GPU clusters", section 3.4
//   fixed   equal shares by weight
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

#include "engine/team/team.hpp"

namespace conoid {
namespace {

/// Contiguous intervals whose sizes are proportional to `shares`, rounded so that they cover [0, items) exactly.
std::vector<Interval> intervals_from(const std::vector<double>& shares, Index items) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<Interval> out;
  double passed = 0;
  Index begin = 0;
  for (std::size_t w = 0; w < shares.size(); ++w) {
    passed += shares[w];
    const bool last = w + 1 == shares.size();
    const Index end = last ? items
                           : std::clamp<Index>(std::llround(passed / total * static_cast<double>(items)), begin, items);
    out.push_back({begin, end});
    begin = end;
  }
  return out;
}

double slowest(std::span<const BalanceSample> samples) {
  double t = 0;
  for (const auto& s : samples) t = std::max(t, s.busy);
  return t;
}

class FixedBalancer final : public Balancer {
 public:
  explicit FixedBalancer(std::vector<double> weights) : weights_(std::move(weights)) {}
  [[nodiscard]] std::string_view name() const override { return "fixed"; }
  [[nodiscard]] std::vector<Interval> split(Index items, std::span<const BalanceSample>) override {
    return intervals_from(weights_, items);
  }

 private:
  std::vector<double> weights_;
};

/// Learns for `learning_passes`, then keeps the best borders seen; learns anew when they stop being good.
class GreedyBalancer final : public Balancer {
 public:
  explicit GreedyBalancer(std::vector<double> weights) : weights_(std::move(weights)) {}
  [[nodiscard]] std::string_view name() const override { return "greedy"; }

  [[nodiscard]] std::vector<Interval> split(Index items, std::span<const BalanceSample> last) override {
    if (last.empty() || items != items_) {
      items_ = items;
      restart();
      return intervals_from(weights_, items);
    }
    const double wall = slowest(last);
    if (settled_) {
      // One slow pass is noise; three in a row mean that a worker has changed.
      disappointments_ = wall > 1.15 * best_wall_ ? disappointments_ + 1 : 0;
      if (disappointments_ < 3) {
        best_wall_ = std::min(best_wall_ * 1.001, std::max(wall, best_wall_ * 0.9));
        return best_;
      }
      restart();
    }
    if (best_.empty() || wall < best_wall_) {
      best_wall_ = wall;
      best_.clear();
      for (const auto& s : last) best_.push_back(s.items);
    }
    if (++passes_ >= learning_passes) {
      settled_ = true;
      return best_;
    }
    return moved(items, last);
  }

 private:
  static constexpr int learning_passes = 20;

  void restart() {
    best_.clear();
    best_wall_ = 0;
    passes_ = 0;
    disappointments_ = 0;
    settled_ = false;
  }

  /// One iteration of section 6.2: workers above the average time t_a drop r_i = (t_i - t_a)/c_i items, the others ask
  /// for o_i = (t_a - t_i)/c_i and receive o_i * sum(r)/sum(o).
  [[nodiscard]] static std::vector<Interval> moved(Index items, std::span<const BalanceSample> last) {
    const auto workers = last.size();
    double average = 0;
    for (const auto& s : last) average += s.busy;
    average /= static_cast<double>(workers);
    std::vector<double> size(workers);
    std::vector<double> ask(workers, 0);
    double removed = 0;
    double asked = 0;
    for (std::size_t w = 0; w < workers; ++w) {
      const auto& s = last[w];
      size[w] = static_cast<double>(s.items.size());
      // A worker that had nothing to do has no measured cost: it asks for an equal share.
      const double cost = s.items.empty() || s.busy <= 0 ? 0 : s.busy / size[w];
      if (cost > 0 && s.busy > average) {
        const double drop = (s.busy - average) / cost;
        size[w] -= drop;
        removed += drop;
      } else {
        ask[w] = cost > 0 ? (average - s.busy) / cost : static_cast<double>(items) / static_cast<double>(workers);
        asked += ask[w];
      }
    }
    if (asked <= 0) return from_samples(last);
    for (std::size_t w = 0; w < workers; ++w) size[w] += ask[w] * removed / asked;
    return intervals_from(size, items);
  }

  [[nodiscard]] static std::vector<Interval> from_samples(std::span<const BalanceSample> last) {
    std::vector<Interval> out;
    for (const auto& s : last) out.push_back(s.items);
    return out;
  }

  std::vector<double> weights_;
  std::vector<Interval> best_;
  double best_wall_ = 0;
  Index items_ = -1;
  int passes_ = 0;
  int disappointments_ = 0;
  bool settled_ = false;
};

/// Every `period` passes moves a tenth of the items from the slowest to the fastest worker while the ratio of their
/// times lies outside [0.9, 1.1]; the tenth is halved whenever the direction turns round.
class OffsetBalancer final : public Balancer {
 public:
  OffsetBalancer(std::vector<double> weights, int period) : shares_(std::move(weights)), period_(period) {
    const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    for (double& s : shares_) s /= total;
    time_.assign(shares_.size(), 0);
  }
  [[nodiscard]] std::string_view name() const override { return "offset"; }

  [[nodiscard]] std::vector<Interval> split(Index items, std::span<const BalanceSample> last) override {
    for (const auto& s : last) time_[static_cast<std::size_t>(s.worker)] += s.busy;
    if (!last.empty() && ++passes_ >= period_) {
      move_border();
      passes_ = 0;
      std::fill(time_.begin(), time_.end(), 0.0);
    }
    return intervals_from(shares_, items);
  }

 private:
  void move_border() {
    const auto slow = static_cast<std::size_t>(std::max_element(time_.begin(), time_.end()) - time_.begin());
    const auto fast = static_cast<std::size_t>(std::min_element(time_.begin(), time_.end()) - time_.begin());
    if (slow == fast || time_[fast] / time_[slow] >= 0.9) return;
    if (from_ == fast && to_ == slow) offset_ /= 2;
    from_ = slow;
    to_ = fast;
    const double moved = std::min(offset_, 0.9 * shares_[slow]);
    shares_[slow] -= moved;
    shares_[fast] += moved;
  }

  std::vector<double> shares_;
  std::vector<double> time_;
  int period_;
  int passes_ = 0;
  double offset_ = 0.1;
  std::size_t from_ = ~std::size_t{0};
  std::size_t to_ = ~std::size_t{0};
};

}  // namespace

Result<std::unique_ptr<Balancer>> make_balancer(std::string_view name, std::vector<double> weights) {
  verify(!weights.empty(), "a balancer needs at least one worker");
  if (name == "greedy") return std::unique_ptr<Balancer>(std::make_unique<GreedyBalancer>(std::move(weights)));
  if (name == "fixed") return std::unique_ptr<Balancer>(std::make_unique<FixedBalancer>(std::move(weights)));
  if (name == "offset" || name.starts_with("offset:")) {
    int period = 40;  // Dong et al.: one sampling period is forty iterations
    const auto digits = name.substr(std::min<std::size_t>(name.size(), 7));
    if (!digits.empty()) {
      const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), period);
      if (error != std::errc{} || rest != digits.data() + digits.size() || period < 1)
        return make_error(ErrorCode::invalid_input, fmt::format("balancer '{}': '{}' is not a number of passes", name, digits),
                          "Write for example offset:40.");
    }
    return std::unique_ptr<Balancer>(std::make_unique<OffsetBalancer>(std::move(weights), period));
  }
  return make_error(ErrorCode::invalid_input, fmt::format("there is no balancer '{}'", name),
                    "Choose greedy, offset, offset:<passes> or fixed.");
}

}  // namespace conoid
