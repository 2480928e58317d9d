// SPDX-License-Identifier: BSD-3-Clause
// The offset balancer: Dong et al., "Hydrodynamic computation with hybrid programming on CPU-GPU clusters", section 3.4.
#include "engine/team/balancer.hpp"

#include <algorithm>
#include <numeric>

namespace conoid {
namespace {

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
    for (const auto& s : last) time_[static_cast<std::size_t>(s.worker)] += s.seconds();
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

std::unique_ptr<Balancer> balancers::offset(std::vector<double> weights, int period) {
  return std::make_unique<OffsetBalancer>(std::move(weights), period);
}

}  // namespace conoid
