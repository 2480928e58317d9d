// SPDX-License-Identifier: BSD-3-Clause
// The options of a verb: a thin face over CLI11, so that a verb's file need not compile that library's headers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace conoid::cli {

/// An option just declared; the calls refine it and can be chained. A handle: copy it freely.
class DeclaredOption {
 public:
  explicit DeclaredOption(CLI::Option& option) : option_(&option) {}
  DeclaredOption required();
  DeclaredOption repeated();               ///< once a value: --set a=1 --set b=2
  DeclaredOption separated_by(char sign);  ///< several values in one word: 1,2,5
  DeclaredOption takes(int words);         ///< so many words behind the name, whatever they begin with
  DeclaredOption may_stand_alone();        ///< --name alone gives an empty text
  DeclaredOption within(int low, int high);
  DeclaredOption positive();
  DeclaredOption one_of(std::vector<std::string> words);
  DeclaredOption shown_default();  ///< the value's present content stands in the help as the default

 private:
  CLI::Option* option_;
};

/// Declares what a verb takes. `name` is "--name" for an option and "NAME" for a positional argument; `value` receives
/// what was typed and must outlive the parsing. A handle: copy it freely while the parser lives.
class OptionSet {
 public:
  explicit OptionSet(CLI::App& app) : app_(&app) {}
  DeclaredOption value(const char* name, std::string& value, const char* help);
  DeclaredOption value(const char* name, int& value, const char* help);
  DeclaredOption value(const char* name, std::size_t& value, const char* help);
  DeclaredOption value(const char* name, double& value, const char* help);
  DeclaredOption value(const char* name, std::vector<std::string>& value, const char* help);
  DeclaredOption value(const char* name, std::vector<std::size_t>& value, const char* help);
  void flag(const char* name, bool& value, const char* help);

  void on_use(std::function<void()> action);  ///< runs once the verb's words are parsed
  void take_all_words();                      ///< nothing is parsed; words() has everything behind the verb
  [[nodiscard]] std::vector<std::string> words() const;
  /// Stands before words that begin with "--", and is left out of words().
  static constexpr const char* words_follow = "(words)";

 private:
  CLI::App* app_;
};

}  // namespace conoid::cli
