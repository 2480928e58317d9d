// SPDX-License-Identifier: BSD-3-Clause
// Result numbers as people read them.
#pragma once

#include <QString>
#include <QStringList>

#include "engine/session/session.hpp"

namespace conoid::app {

/// "2.47·10⁹ Pa", "31.4 MiB", "4.4 s".
[[nodiscard]] QString number_text(const NumberEvent& number);

/// An expected time, in seconds: "4 min" where a measured one would be "4 min 00 s".
[[nodiscard]] QString expected_duration(double seconds);

/// What somebody typed as a number or a quantity, for parse_quantity(): a decimal comma is a point, where there is none yet. "1,500"
/// stays as it is, and is no number, where the language has a decimal point.
[[nodiscard]] QString typed_text(const QString& typed);

/// The same of numbers in a row. Semicolons part them anywhere; commas do, but those between digits where the language has a decimal
/// comma: "0,5; 1", "0.5, 1".
[[nodiscard]] QStringList typed_list(const QString& typed);

/// The values of a sweep as its axes are written: "0,5:0,25:2 GHz" is "0.5:0.25:2 GHz" and "0,5; 1" is "0.5, 1" where the language has a decimal
/// comma. JSON stays as it is.
[[nodiscard]] QString typed_sweep(const QString& typed);

}  // namespace conoid::app
