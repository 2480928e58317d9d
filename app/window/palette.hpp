// SPDX-License-Identifier: BSD-3-Clause
// The command palette: type a few letters of an action, press Enter.
#pragma once

class QWidget;

namespace conoid::app {

class ActionTable;

void show_palette(QWidget& window, const ActionTable& actions);

}  // namespace conoid::app
