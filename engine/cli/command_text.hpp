// SPDX-License-Identifier: BSD-3-Clause
// What the command line takes, as data: one source for its parser, its manual pages and its completion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/cli/output.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace conoid::cli {

/// Declares all verbs with their options for a parser. What they write to lives as long as `context` and the parser.
void declare_command(CLI::App& app, Context& context);

/// An option, or a positional argument.
struct OptionText {
  std::vector<std::string> names;    ///< "-o", "--out"; of a positional argument its one name, "CASE"
  std::string value;                 ///< "TEXT", "INT", "FLOAT"; empty for a flag
  std::string check;                 ///< what is asked of the value besides, "POSITIVE"; empty: nothing
  std::vector<std::string> choices;  ///< the only values, where they are few
  std::string initial;               ///< the default, where it is a word
  std::string help;
  bool required = false;
};

struct VerbText {
  std::string name, summary, examples;
  std::vector<OptionText> positionals, options;
};

struct CommandText {
  std::string description, exit_codes;
  std::vector<OptionText> options;
  std::vector<VerbText> verbs;
};

/// All verbs, in the order of the help. The options of `render` are those of conoid-render and not among them: options_of_sibling().
[[nodiscard]] CommandText command_text();

/// The options that a program beside this one prints with --help, read from that text; none where it is not installed.
[[nodiscard]] std::vector<OptionText> options_of_sibling(const std::string& program);

/// Options in a help text as CLI11 and Qt lay it out: two blanks, names and value, at least two blanks, words, which may go on in
/// indented lines.
[[nodiscard]] std::vector<OptionText> options_in_help(std::string_view help);

}  // namespace conoid::cli
