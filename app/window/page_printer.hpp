// SPDX-License-Identifier: BSD-3-Clause
// The page of a report on paper.
#pragma once

#include <QString>

#include "engine/core/error.hpp"

namespace conoid::app {

/// Writes an HTML page of `conoid report` as PDF: A4, its pictures as wide as the text. Nothing but the page itself is read; pictures
/// are those inside it (data:). Needs a QGuiApplication, no display.
[[nodiscard]] Status print_page(const QString& page, const QString& pdf);

}  // namespace conoid::app
