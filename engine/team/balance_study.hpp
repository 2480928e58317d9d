// SPDX-License-Identifier: BSD-3-Clause
// Balancers on virtual workers: how far from the optimum, as Table 1 of Bramas et al. (2015) does it.
//
// A study is two arrays: the cost of each item and the seconds a worker takes for a unit of it. A worker's virtual time is the
// sum of the costs of its interval times its factor; the wall time of a pass is that of the slowest worker. The optimum over
// all contiguous intervals in the workers' order comes from dynamic programming.
#pragma once

#include "engine/team/balancer.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

struct BalanceStudy {
  std::vector<double> cost;    ///< per item
  std::vector<double> factor;  ///< per worker
};

/// The paper's shapes: "stable", "up" (from 1 to 10 for costs, to the number of workers for factors), "up-down", "up-up" (two rises), "random".
[[nodiscard]] const std::vector<std::string>& worker_shapes();  ///< five
[[nodiscard]] const std::vector<std::string>& work_shapes();    ///< four: without "up-up"
[[nodiscard]] BalanceStudy make_study(std::string_view workers, std::string_view work, int worker_count, Index items,
                                      std::uint32_t seed);

/// Least possible wall time. O(workers · items · log items).
[[nodiscard]] double optimal_wall(const BalanceStudy& study);

/// Runs `passes` passes; `before` may change the study between passes. Returns the wall time of each pass.
[[nodiscard]] std::vector<double> play(Balancer& balancer, BalanceStudy study, int passes,
                                       const std::function<void(int pass, BalanceStudy&)>& before = {});

}  // namespace conoid
