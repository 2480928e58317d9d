// SPDX-License-Identifier: BSD-3-Clause
// conoid bench balance: Table 1 of the blocking paper.
#include <algorithm>

#include <fmt/core.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/team/balance_study.hpp"

namespace conoid::cli {
namespace {

constexpr int workers = 6, passes = 40, third = 13, slowed_at = 20;
constexpr Index items = 10000;
constexpr std::uint32_t seed = 7;
constexpr double floor_percent = 99.8;  // 0.2 % extra, the paper's largest

double least(const std::vector<double>& walls, int from, int to) {
  return *std::min_element(walls.begin() + from, walls.begin() + to);
}

/// Mean and worst over the table, of one policy after some passes.
struct Summary {
  double mean = 0, worst = 100;
};

}  // namespace

Status bench_balance(const TestRun& how, const BenchSink& sink) {
  struct Policy {
    const char* name;
    int passes;
  };
  how.doing("balancing virtual workers");
  for (const Policy& policy : {Policy{"greedy:40", passes}, Policy{"model", third}, Policy{"offset:1", passes}}) {
    const std::string name = std::string(policy.name).substr(0, std::string_view(policy.name).find(':'));
    Summary all;
    int cases = 0;
    for (const std::string& shape : worker_shapes())
      for (const std::string& work : work_shapes()) {
        const BalanceStudy study = make_study(shape, work, workers, items, seed);
        auto balancer = make_balancer(policy.name, std::vector<double>(workers, 1.0));
        if (!balancer) return balancer.error();
        const auto walls = play(**balancer, study, policy.passes);
        const double share = 100 * optimal_wall(study) / least(walls, 0, policy.passes);
        all.mean += share;
        all.worst = std::min(all.worst, share);
        ++cases;
        const bool has_floor = name != "offset";  // of the other paper, which gives no figure
        sink({fmt::format("{}, {} passes: {} workers, {} work", name, policy.passes, shape, work), share, "%",
              share / 100, has_floor ? floor_percent : 0, "optimum", "size of an item"});
      }
    sink({fmt::format("{}: mean of the table", name), all.mean / cases, "%", all.mean / cases / 100, 0, "optimum", ""});
    sink({fmt::format("{}: worst of the table", name), all.worst, "%", all.worst / 100, 0, "optimum", ""});
  }
  for (const char* policy : {"greedy", "model"}) {
    double slowest = 0;
    for (std::size_t slow = 0; slow < workers; ++slow) {
      const BalanceStudy study = make_study("random", "up-down", workers, items, seed);
      BalanceStudy later = study;
      later.factor[slow] *= 3;
      auto balancer = make_balancer(policy, std::vector<double>(workers, 1.0));
      if (!balancer) return balancer.error();
      const auto walls = play(**balancer, study, passes, [&](int pass, BalanceStudy& s) {
        if (pass == slowed_at) s = later;
      });
      const double good = 1.1 * optimal_wall(later);
      int answered = slowed_at;
      while (answered < passes && walls[static_cast<std::size_t>(answered)] > good) ++answered;
      slowest = std::max(slowest, static_cast<double>(answered - slowed_at));
    }
    sink({fmt::format("{}: a worker slowed 3 times, passes until 10 % above the optimum; 5 over these", policy),
          5 / std::max(slowest, 1.0), "x", 5 / std::max(slowest, 1.0), 1, fmt::format("{:.0f} passes", slowest), ""});
  }
  return {};
}

std::span<const EngineBench> engine_benches() {
  static constexpr EngineBench benches[] = {
      {"balance", "Balancers on virtual workers, share of the optimum", bench_balance},
      {"emulated", "The emulated device", bench_emulated},
      {"pictures", "Pictures of a million cells, 1280 x 720", bench_pictures},
      {"window", "Calculation windows against the disk", bench_windows},
  };
  return benches;
}

}  // namespace conoid::cli
