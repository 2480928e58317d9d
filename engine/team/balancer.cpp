// SPDX-License-Identifier: BSD-3-Clause
// Balancers by name, and the fixed one.
#include "engine/team/balancer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/core.h>

namespace conoid {
namespace {

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

/// The number behind the colon of "greedy:40", `usual` without one.
Result<int> passes_of(std::string_view name, std::string_view policy, int usual) {
  if (name == policy) return usual;
  const auto digits = name.substr(policy.size() + 1);
  int passes = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), passes);
  if (error != std::errc{} || rest != digits.data() + digits.size() || passes < 1)
    return make_error(ErrorCode::invalid_input,
                      fmt::format("balancer '{}': '{}' is not a number of passes", name, digits),
                      fmt::format("Write for example {}:40.", policy));
  return passes;
}

bool is(std::string_view name, std::string_view policy) {
  return name == policy || (name.starts_with(policy) && name.substr(policy.size()).starts_with(":"));
}

}  // namespace

std::vector<Interval> intervals_from(const std::vector<double>& shares, Index items) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<Interval> out;
  double passed = 0;
  Index begin = 0;
  for (std::size_t w = 0; w < shares.size(); ++w) {
    passed += shares[w];
    const bool last = w + 1 == shares.size();
    const Index end =
        last ? items : std::clamp<Index>(std::llround(passed / total * static_cast<double>(items)), begin, items);
    out.push_back({begin, end});
    begin = end;
  }
  return out;
}

Result<std::unique_ptr<Balancer>> make_balancer(std::string_view name, std::vector<double> weights) {
  verify(!weights.empty(), "a balancer needs at least one worker");
  if (name == "fixed") return balancers::fixed(std::move(weights));
  if (name == "model") return balancers::model(std::move(weights));
  if (is(name, "greedy")) {
    const auto passes = passes_of(name, "greedy", 20);
    if (!passes) return passes.error();
    return balancers::greedy(std::move(weights), *passes);
  }
  if (is(name, "offset")) {
    const auto period = passes_of(name, "offset", 40);  // Dong et al.: one sampling period is forty iterations
    if (!period) return period.error();
    return balancers::offset(std::move(weights), *period);
  }
  return make_error(ErrorCode::invalid_input, fmt::format("there is no balancer '{}'", name),
                    "Choose greedy, greedy:<passes>, offset, offset:<passes>, model or fixed.");
}

std::unique_ptr<Balancer> balancers::fixed(std::vector<double> weights) {
  return std::make_unique<FixedBalancer>(std::move(weights));
}

}  // namespace conoid
