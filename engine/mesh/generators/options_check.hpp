// SPDX-License-Identifier: BSD-3-Clause
// Checks that every generator makes of its options.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/core.h>

namespace conoid::generators {

/// Collects the first complaint; `error()` is empty when the options are sound.
class OptionsCheck {
 public:
  explicit OptionsCheck(std::string_view generator) : generator_(generator) {}

  OptionsCheck& positive(std::string_view name, double value) {
    if (!(std::isfinite(value) && value > 0))
      complain(fmt::format("'{}' must be a positive length, found {}", name, value));
    return *this;
  }
  OptionsCheck& finite(std::string_view name, const Vec3& v) {
    if (!(std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2])))
      complain(fmt::format("'{}' must be three finite numbers", name));
    return *this;
  }
  OptionsCheck& ascending(std::string_view name, double low, double high) {
    if (!(std::isfinite(low) && std::isfinite(high) && low < high))
      complain(fmt::format("'{}' must grow, found {} to {}", name, low, high));
    return *this;
  }
  OptionsCheck& count(std::string_view name, Index value, Index lowest = 1, Index highest = 1 << 20) {
    if (value < lowest || value > highest)
      complain(fmt::format("'{}' must be {} to {}, found {}", name, lowest, highest, value));
    return *this;
  }
  /// Products of divisions as doubles, so that they cannot wrap.
  OptionsCheck& cells(double total) {
    if (total > 2147483648.0) complain(fmt::format("{:.3g} cells asked for, the limit is 2^31", total));
    return *this;
  }
  OptionsCheck& order(int value) { return count("order", value, 1, 2); }
  OptionsCheck& require(bool condition, std::string text) {
    if (!condition) complain(std::move(text));
    return *this;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  void complain(std::string text) {
    if (!error_)
      error_ = make_error(ErrorCode::invalid_input, fmt::format("mesh generator '{}': {}", generator_, text),
                          "Change this option of the mesh.");
  }
  std::string_view generator_;
  std::optional<Error> error_;
};

}  // namespace conoid::generators
