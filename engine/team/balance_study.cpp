// SPDX-License-Identifier: BSD-3-Clause
// Virtual workers, and the optimum by dynamic programming.
#include "engine/team/balance_study.hpp"

#include <algorithm>
#include <random>

namespace conoid {
namespace {

/// Values of a shape at n places, from 1 to `highest`.
std::vector<double> shaped(std::string_view shape, std::size_t n, double highest, std::mt19937& random) {
  std::vector<double> out(n, 1.0);
  std::uniform_real_distribution<double> any(1.0, highest);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = n < 2 ? 0 : static_cast<double>(i) / static_cast<double>(n - 1);
    double level = 0;
    if (shape == "up") level = x;
    if (shape == "up-down") level = 1 - std::abs(2 * x - 1);
    if (shape == "up-up") level = x < 0.5 ? 2 * x : 2 * x - 1;
    out[i] = shape == "random" ? any(random) : 1 + level * (highest - 1);
  }
  return out;
}

std::vector<double> sums_of(const std::vector<double>& cost) {
  std::vector<double> sum(cost.size() + 1, 0);
  for (std::size_t i = 0; i < cost.size(); ++i) sum[i + 1] = sum[i] + cost[i];
  return sum;
}

}  // namespace

const std::vector<std::string>& worker_shapes() {
  static const std::vector<std::string> shapes = {"up-down", "up-up", "up", "random", "stable"};
  return shapes;
}

const std::vector<std::string>& work_shapes() {
  static const std::vector<std::string> shapes = {"stable", "up", "up-down", "random"};
  return shapes;
}

BalanceStudy make_study(std::string_view workers, std::string_view work, int worker_count, Index items,
                        std::uint32_t seed) {
  std::mt19937 random(seed);
  BalanceStudy study;
  study.factor = shaped(workers, static_cast<std::size_t>(worker_count), worker_count, random);
  study.cost = shaped(work, static_cast<std::size_t>(items), 10, random);
  return study;
}

double optimal_wall(const BalanceStudy& study) {
  const std::vector<double> sum = sums_of(study.cost);
  const std::size_t n = study.cost.size();
  // wall[i]: least wall time of the workers so far over the first i items.
  std::vector<double> wall(n + 1), next(n + 1);
  for (std::size_t i = 0; i <= n; ++i) wall[i] = study.factor[0] * sum[i];
  for (std::size_t w = 1; w < study.factor.size(); ++w) {
    for (std::size_t i = 0; i <= n; ++i) {
      // max(wall[j], f (sum[i] − sum[j])): the first grows with j, the second falls; the least is where they cross.
      std::size_t low = 0, high = i;
      while (low < high) {
        const std::size_t j = (low + high) / 2;
        if (wall[j] >= study.factor[w] * (sum[i] - sum[j]))
          high = j;
        else
          low = j + 1;
      }
      next[i] = std::max(wall[low], study.factor[w] * (sum[i] - sum[low]));
      if (low > 0) next[i] = std::min(next[i], std::max(wall[low - 1], study.factor[w] * (sum[i] - sum[low - 1])));
    }
    wall.swap(next);
  }
  return wall[n];
}

std::vector<double> play(Balancer& balancer, BalanceStudy study, int passes,
                         const std::function<void(int, BalanceStudy&)>& before) {
  const std::vector<double> sum = sums_of(study.cost);
  std::vector<BalanceSample> last;
  std::vector<double> walls;
  for (int pass = 0; pass < passes; ++pass) {
    if (before) before(pass, study);
    const std::vector<Interval> intervals = balancer.split(static_cast<Index>(study.cost.size()), last);
    last.clear();
    double wall = 0;
    for (std::size_t w = 0; w < intervals.size(); ++w) {
      const double t = study.factor[w] * (sum[static_cast<std::size_t>(intervals[w].end)] -
                                          sum[static_cast<std::size_t>(intervals[w].begin)]);
      wall = std::max(wall, t);
      last.push_back({static_cast<std::uint64_t>(pass), static_cast<int>(w), intervals[w], t, 0, 0});
    }
    for (BalanceSample& s : last) s.waiting = wall - s.busy;
    walls.push_back(wall);
  }
  return walls;
}

}  // namespace conoid
