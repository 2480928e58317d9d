// SPDX-License-Identifier: BSD-3-Clause
// The colour maps compiled in from resources/colormaps.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

namespace conoid::embedded {

/// Name and JSON text of each.
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> colormaps();

}  // namespace conoid::embedded
