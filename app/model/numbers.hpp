// SPDX-License-Identifier: BSD-3-Clause
// Result numbers as people read them.
#pragma once

#include <QString>

#include "engine/session/session.hpp"

namespace conoid::app {

/// "2.47·10⁹ Pa", "31.4 MiB", "4.4 s".
[[nodiscard]] QString number_text(const NumberEvent& number);

/// An expected time, in seconds: "4 min" where a measured one would be "4 min 00 s".
[[nodiscard]] QString expected_duration(double seconds);

/// What somebody typed as a number or a quantity, for parse_quantity(): a decimal comma is a point, where there is none yet.
[[nodiscard]] QString typed_text(const QString& typed);

}  // namespace conoid::app
