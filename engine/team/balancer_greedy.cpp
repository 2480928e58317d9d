// SPDX-License-Identifier: BSD-3-Clause
// The greedy balancer: Bramas, Coulaud, Sylvand, Parallel Computing 49 (2015), section 6.2.
#include "engine/team/balancer.hpp"

#include <algorithm>

namespace conoid {
namespace {

double slowest(std::span<const BalanceSample> samples) {
  double t = 0;
  for (const auto& s : samples) t = std::max(t, s.seconds());
  return t;
}

/// Learns for some passes, then keeps the best borders seen; learns anew when they stop being good.
class GreedyBalancer final : public Balancer {
 public:
  GreedyBalancer(std::vector<double> weights, int passes) : weights_(std::move(weights)), learning_passes_(passes) {}
  [[nodiscard]] std::string_view name() const override { return "greedy"; }

  [[nodiscard]] std::vector<Interval> split(Index items, std::span<const BalanceSample> last) override {
    if (last.empty() || items != items_) {
      items_ = items;
      restart();
      return intervals_from(weights_, items);
    }
    const double wall = slowest(last);
    if (settled_) {
      // One slow pass is noise; two in a row mean that a worker has changed.
      disappointments_ = wall > 1.15 * best_wall_ ? disappointments_ + 1 : 0;
      if (disappointments_ < 2) {
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
    if (++passes_ >= learning_passes_) {
      settled_ = true;
      return best_;
    }
    return moved(items, last);
  }

 private:
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
    for (const auto& s : last) average += s.seconds();
    average /= static_cast<double>(workers);
    std::vector<double> size(workers);
    std::vector<double> ask(workers, 0);
    double removed = 0;
    double asked = 0;
    for (std::size_t w = 0; w < workers; ++w) {
      const auto& s = last[w];
      size[w] = static_cast<double>(s.items.size());
      // A worker that had nothing to do has no measured cost: it asks for an equal share.
      const double cost = s.items.empty() || s.seconds() <= 0 ? 0 : s.seconds() / size[w];
      if (cost > 0 && s.seconds() > average) {
        const double drop = (s.seconds() - average) / cost;
        size[w] -= drop;
        removed += drop;
      } else {
        ask[w] = cost > 0 ? (average - s.seconds()) / cost : static_cast<double>(items) / static_cast<double>(workers);
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
  int learning_passes_;
  std::vector<Interval> best_;
  double best_wall_ = 0;
  Index items_ = -1;
  int passes_ = 0;
  int disappointments_ = 0;
  bool settled_ = false;
};

}  // namespace

std::unique_ptr<Balancer> balancers::greedy(std::vector<double> weights, int passes) {
  return std::make_unique<GreedyBalancer>(std::move(weights), passes);
}

}  // namespace conoid
