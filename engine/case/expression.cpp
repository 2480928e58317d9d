// SPDX-License-Identifier: BSD-3-Clause
// Formulas on muParser.
#include "engine/case/expression.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <fmt/format.h>

#include "conoid/config.hpp"

#if CONOID_HAVE_MUPARSER
#include <muParser.h>
#endif

namespace conoid {

#if CONOID_HAVE_MUPARSER

struct Expression::Evaluator {
  mu::Parser parser;
  std::vector<double> values;
};

Result<Expression> Expression::parse(std::string_view text, std::vector<std::string> variables) {
  const std::string hint =
      fmt::format("Write a formula of {}; _pi is a constant, powers are ^.", fmt::join(variables, ", "));
  if (text.size() > 10000)
    return make_error(ErrorCode::invalid_input, "the formula is longer than 10000 characters", hint);
  Expression out;
  out.evaluator_ = std::make_shared<Evaluator>();
  auto& e = *out.evaluator_;
  e.values.assign(variables.size(), 0.5);
  try {
    for (std::size_t i = 0; i < variables.size(); ++i) e.parser.DefineVar(variables[i], &e.values[i]);
    e.parser.SetExpr(std::string(text));
    (void)e.parser.Eval();
  } catch (const mu::Parser::exception_type& problem) {
    return make_error(ErrorCode::invalid_input,
                      fmt::format("the formula \"{}\" cannot be read: {}", text, problem.GetMsg()), hint);
  }
  return out;
}

double Expression::operator()(std::span<const double> values) const {
  std::copy_n(values.begin(), std::min(values.size(), evaluator_->values.size()), evaluator_->values.begin());
  return evaluator_->parser.Eval();
}

#else

struct Expression::Evaluator {};

Result<Expression> Expression::parse(std::string_view text, std::vector<std::string>) {
  return make_error(ErrorCode::resources,
                    fmt::format("the formula \"{}\" cannot be read: this build of Conoid has no formula parser", text),
                    "Write numbers, or build with CONOID_WITH_MUPARSER=ON (Debian: libmuparser-dev).");
}

double Expression::operator()(std::span<const double>) const {
  return 0;
}

#endif

}  // namespace conoid
