// SPDX-License-Identifier: BSD-3-Clause
// One HTML file that needs nothing beside it: style for screen (light and dark) and paper, tables, pictures inside the text.
//
// All text that a function here takes is escaped by it: cases, meshes and logs of others stand in a page as they were written.
// Threads: functions of their arguments; an object belongs to one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conoid::cli {

/// & < > " ' as HTML writes them; control characters that HTML forbids become U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}

  void heading(int level, std::string_view text);
  void paragraph(std::string_view text);
  void notice(std::string_view text);  ///< what a reader must not miss: a run that failed
  void code(std::string_view text);
  /// The first row is the heading; columns of numbers stand at the right.
  void table(const std::vector<std::vector<std::string>>& rows);
  /// `media`: "image/png" or "image/svg+xml". An SVG inside an image runs no script and loads nothing.
  void picture(std::string_view media, std::string_view bytes, std::string_view caption);
  void begin_pictures();  ///< pictures until end_pictures() stand side by side where there is room
  void end_pictures();
  void begin_details(std::string_view summary);  ///< folded until somebody opens it; printed as it stands
  void end_details();

  [[nodiscard]] std::string text() const;  ///< the whole file

 private:
  std::string title_, body_;
};

}  // namespace conoid::cli
