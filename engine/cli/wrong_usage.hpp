// SPDX-License-Identifier: BSD-3-Clause
// What is said of a command line that CLI11 refuses: one way for conoid and conoid-render. For the file of a program that parses: it brings
// CLI11's headers.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"

namespace conoid::cli {

/// What an option that there is not was perhaps meant to be: of -o the first that begins with o, of --output --out, else the nearest
/// one; empty where none is near.
inline std::string meant_by(const std::string& name, const CLI::App& verb) {
  std::vector<std::string> known;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& one : option->get_lnames()) known.push_back("--" + one);
  const auto like = [&](const std::string& one) {
    return name.size() == 2 ? one[2] == name[1] : name.size() > 4 && (one.starts_with(name) || name.starts_with(one));
  };
  const auto found = std::find_if(known.begin(), known.end(), like);
  if (found != known.end()) return *found;
  return name.size() == 2 ? std::string() : nearest(name, known);
}

/// CLI11's own text; of words that were not expected the first option that there is not, with the one that was perhaps meant, else
/// those words in their order. `verb` is the command or the program itself, `called` how it is called ("conoid run"), `words` what
/// was typed behind the program's name.
inline Error wrong_usage(const CLI::ParseError& error, const CLI::App& verb, const std::string& called,
                         const std::vector<std::string>& words) {
  std::string text = error.what(), hint = fmt::format("`{} --help` shows what it takes.", called);
  const bool extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (!extras && dynamic_cast<const CLI::RequiredError*>(&error) == nullptr)
    return make_error(ErrorCode::command_line, std::move(text), std::move(hint));
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool option =
        name.size() > 1 && name[0] == '-' && (name[1] == '-' || std::isalpha(static_cast<unsigned char>(name[1])) != 0);
    if (!option || name == "--" || verb.get_option_no_throw(name) != nullptr) continue;
    if (const std::string near = meant_by(name, verb); !near.empty())
      hint = fmt::format("Did you mean {}? {}", near, hint);
    return make_error(ErrorCode::command_line, fmt::format("there is no option '{}'", name), std::move(hint));
  }
  if (!extras) return make_error(ErrorCode::command_line, std::move(text), std::move(hint));
  std::vector<std::string> extra = verb.remaining();
  std::sort(extra.begin(), extra.end(), [&](const std::string& a, const std::string& b) {
    return std::find(words.begin(), words.end(), a) < std::find(words.begin(), words.end(), b);
  });
  text = "not expected:";
  for (const std::string& word : extra) text += fmt::format(" '{}'", word);
  return make_error(ErrorCode::command_line, std::move(text), std::move(hint));
}

}  // namespace conoid::cli
