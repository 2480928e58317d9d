// SPDX-License-Identifier: BSD-3-Clause
// Formulas in a case: "6 - rho*y", "0.02*exp(-2*_pi*y^2)*cos(2*_pi*x)".
#pragma once

#include "engine/core/error.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// A compiled formula of named variables; _pi and _e are known, functions are muParser's (sin, exp, sqrt, min, cond ? a : b …).
/// Copies share one evaluator and must not be used from two threads at once.
class Expression {
 public:
  /// The error says what was not understood and where, and lists the variables.
  [[nodiscard]] static Result<Expression> parse(std::string_view text, std::vector<std::string> variables);
  /// `values` in the order of the variables. Not finite where the formula is not (1/0).
  [[nodiscard]] double operator()(std::span<const double> values) const;

 private:
  struct Evaluator;
  std::shared_ptr<Evaluator> evaluator_;
};

}  // namespace conoid
