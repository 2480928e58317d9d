// SPDX-License-Identifier: BSD-3-Clause
// The number π.
#pragma once

#include <numbers>

namespace conoid::maxwell_fem {

inline constexpr double pi = std::numbers::pi;

}  // namespace conoid::maxwell_fem
