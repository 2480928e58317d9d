// SPDX-License-Identifier: BSD-3-Clause
// JSON as a person would write it.
#pragma once

#include <string>

#include "engine/case/document.hpp"

namespace conoid {

/// Two spaces a level, short lists of scalars on one line, newline at the end.
[[nodiscard]] std::string pretty_json(const Json& value);

}  // namespace conoid
