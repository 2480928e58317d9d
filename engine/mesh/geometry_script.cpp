// SPDX-License-Identifier: BSD-3-Clause
// Words of a script, without comments and texts.
#include "engine/mesh/geometry_script.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace conoid {
namespace {

struct Token {
  std::string_view text;  ///< a word, or one sign; a text is its opening quote
  long line = 0;
};

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::vector<Token> tokens_of(std::string_view s) {
  std::vector<Token> out;
  long line = 1;
  const auto skip_to = [&](std::size_t from, std::size_t to) {
    line +=
        std::count(s.begin() + static_cast<std::ptrdiff_t>(from), s.begin() + static_cast<std::ptrdiff_t>(to), '\n');
    return to;
  };
  for (std::size_t at = 0; at < s.size();) {
    const std::string_view rest = s.substr(at);
    if (rest.starts_with("//")) {
      at = std::min(s.find('\n', at), s.size());
    } else if (rest.starts_with("/*")) {
      const auto end = s.find("*/", at + 2);
      at = skip_to(at, end == std::string_view::npos ? s.size() : end + 2);
    } else if (rest.front() == '"' || rest.front() == '\'') {
      out.push_back({rest.substr(0, 1), line});
      const auto end = s.find(rest.front(), at + 1);
      at = skip_to(at, end == std::string_view::npos ? s.size() : end + 1);
    } else if (in_word(rest.front())) {
      std::size_t n = 1;
      while (n < rest.size() && in_word(rest[n])) ++n;
      out.push_back({rest.substr(0, n), line});
      at += n;
    } else {
      if (std::isspace(static_cast<unsigned char>(rest.front())) == 0) out.push_back({rest.substr(0, 1), line});
      at = skip_to(at, at + 1);
    }
  }
  return out;
}

template <std::size_t n>
bool among(const std::array<std::string_view, n>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 9> starting = {"System",      "SystemCall",   "NonBlockingSystemCall",
                                                      "OnelabRun",   "OnelabAction", "ExternalProcess",
                                                      "CommandLine", "Solver",       "SendToServer"};
constexpr std::array<std::string_view, 7> reading = {
    "Include", "Merge", "MergeFile", "MergeWithBoundingBox", "MergeOnelab", "ShapeFromFile", "Open"};
constexpr std::array<std::string_view, 5> writing = {"Save", "SaveMesh", "SaveTopology", "SaveOptions", "LogFile"};

/// Whether the call whose name stands at `k` hands what it prints to a file: Printf("…", x) > "name".
bool goes_to_a_file(const std::vector<Token>& tokens, std::size_t k) {
  int depth = 0;
  for (++k; k < tokens.size(); ++k) {
    const std::string_view t = tokens[k].text;
    if (t == "(" || t == "[")
      ++depth;
    else if ((t == ")" || t == "]") && --depth <= 0)
      return k + 1 < tokens.size() && tokens[k + 1].text == ">";
    else if (depth == 0)
      return false;
  }
  return false;
}

std::string what_it_does(const std::vector<Token>& tokens, std::size_t k) {
  const std::string_view word = tokens[k].text;
  const std::string_view next = k + 1 < tokens.size() ? tokens[k + 1].text : std::string_view();
  const bool variable = next == "=" && !(k > 0 && tokens[k - 1].text == ".");  // a name that the script gives
  if (variable && word != "CommandLine") return {};
  if (among(starting, word)) return "starts a program";
  if (among(reading, word)) return "reads another file";
  if (among(writing, word)) return "writes a file";
  // "Print.Background = 1" is an option, "Print "x.png"" writes a picture.
  if (word == "Print" && next != ".") return "writes a file";
  if ((word == "Printf" || word == "Warning" || word == "Error") && goes_to_a_file(tokens, k)) return "writes a file";
  if (word.ends_with("FileName")) return "names another file";
  return {};
}

}  // namespace

std::optional<ScriptAct> reaches_out(std::string_view script) {
  const std::vector<Token> tokens = tokens_of(script);
  std::optional<ScriptAct> found;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    std::string does = what_it_does(tokens, k);
    const bool program = does == "starts a program";
    if (does.empty() || (found && !program)) continue;
    found = ScriptAct{std::string(tokens[k].text), tokens[k].line, std::move(does)};
    if (program) break;
  }
  return found;
}

}  // namespace conoid
