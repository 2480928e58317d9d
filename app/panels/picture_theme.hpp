// SPDX-License-Identifier: BSD-3-Clause
// The window's colours as scenes and charts take them.
#pragma once

#include <QString>

#include "app/look/theme.hpp"
#include "render/scene/theme.hpp"

namespace conoid::app {

/// `background`: the id of a colour of the window, "viewport" or "chart".
[[nodiscard]] conoid::Theme picture_theme(const Theme& theme, const QString& background);

/// What is exported on white.
[[nodiscard]] conoid::Theme white_theme();

}  // namespace conoid::app
