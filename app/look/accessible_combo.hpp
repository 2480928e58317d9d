// SPDX-License-Identifier: BSD-3-Clause
// Choices by their names for those who cannot see: Qt tells the chosen value as the name of a combo box on Unix, so that six of them are
// all called "Sponge".
#pragma once

namespace conoid::app {

/// From now on every combo box says its accessible name as its name and what is chosen as its value. Once a program; the window's
/// thread.
void name_combo_boxes();

}  // namespace conoid::app
