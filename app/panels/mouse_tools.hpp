// SPDX-License-Identifier: BSD-3-Clause
// The tools of a picture in one table: the buttons above it, the hints within it and tutorials read it.
#pragma once

#include <vector>

#include <QString>

namespace conoid::app {

/// What the left mouse button does in the picture.
enum class MouseTool { turn, probe, profile, place, choose, measure };

struct MouseToolRow {
  MouseTool tool;
  const char* id;          ///< as tutorials name it ("tool:probe")
  const char* icon;        ///< empty: no button of its own, other panes take it in hand
  QString tip;             ///< of the button
  QString hint;            ///< in the picture while it is in hand
  bool has_line = false;   ///< places of a line may be typed
  bool has_angle = false;  ///< a third place, too
};

/// In the order of the buttons, in the language of now; turning, which is no tool, comes last and has no words.
[[nodiscard]] std::vector<MouseToolRow> mouse_tools();
[[nodiscard]] MouseToolRow mouse_tool(MouseTool tool);

}  // namespace conoid::app
