// SPDX-License-Identifier: BSD-3-Clause
// Tools of a picture.
#include "app/panels/mouse_tools.hpp"

#include <utility>

#include <QCoreApplication>

namespace conoid::app {

std::vector<MouseToolRow> mouse_tools() {
  const auto tr = [](const char* words) { return QCoreApplication::translate("MouseTools", words); };
  return {{MouseTool::probe, "probe", "probe", tr("Read values: point at the field; a click keeps one in the picture"),
           tr("Point at the field to read its value; click to keep it in the picture.")},
          {MouseTool::profile, "profile", "profile", tr("Draw a line: the values along it become a chart"),
           tr("Press, draw a line across the field, let go."), true},
          {MouseTool::measure, "measure", "ruler", tr("Ruler: the length between two clicks, the angle of three"),
           tr("Click two places for a length, a third for the angle at the second."), true, true},
          {MouseTool::place, "place", "place", tr("Place a receiver: click where it should be"),
           tr("Click where a receiver should be.")},
          {MouseTool::choose, "choose", "", {}, tr("Click a side of the body, or choose it in the list.")},
          {MouseTool::turn, "turn", "", {}, {}}};
}

MouseToolRow mouse_tool(MouseTool tool) {
  for (MouseToolRow& row : mouse_tools())
    if (row.tool == tool) return std::move(row);
  return {};
}

}  // namespace conoid::app
