// SPDX-License-Identifier: BSD-3-Clause
// Result numbers and names as people read them.
#pragma once

#include <string>

#include <QString>

#include "engine/session/session.hpp"

namespace conoid::app {

/// "energy_last" → "Energy last".
[[nodiscard]] QString words_of(std::string name);
/// "2.47·10⁹ Pa", "31.4 MiB", "4.4 s".
[[nodiscard]] QString number_text(const NumberEvent& number);

}  // namespace conoid::app
