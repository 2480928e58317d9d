// SPDX-License-Identifier: BSD-3-Clause
// What a script for gmsh does besides geometry: a .geo file is a program, and one from elsewhere may start others.
//
// The statements are those of the Gmsh reference manual (4.8 to 4.13), chapters "General scripting commands", "Mesh size fields" and
// "Gmsh options". What is not known here is held by the confinement that gmsh runs in (engine/core/confined_start.hpp).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace conoid {

struct ScriptAct {
  std::string word;  ///< as the script has it
  long line = 0;     ///< from 1
  std::string does;  ///< "starts a program", "reads another file", "writes a file"
};

/// The first statement that reaches out of the script, outside of comments and texts; programs go before files.
[[nodiscard]] std::optional<ScriptAct> reaches_out(std::string_view script);

}  // namespace conoid
