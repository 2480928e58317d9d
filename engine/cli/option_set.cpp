// SPDX-License-Identifier: BSD-3-Clause
// Options by CLI11.
#include "engine/cli/option_set.hpp"

#include <utility>

#include <CLI/CLI.hpp>

namespace conoid::cli {

DeclaredOption DeclaredOption::required() {
  option_->required();
  return *this;
}

DeclaredOption DeclaredOption::repeated() {
  option_->take_all()->allow_extra_args(false);
  return *this;
}

DeclaredOption DeclaredOption::separated_by(char sign) {
  option_->delimiter(sign);
  return *this;
}

DeclaredOption DeclaredOption::takes(int words) {
  option_->expected(words);
  return *this;
}

DeclaredOption DeclaredOption::may_stand_alone() {
  option_->expected(0, 1);
  return *this;
}

DeclaredOption DeclaredOption::within(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

DeclaredOption DeclaredOption::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

DeclaredOption DeclaredOption::one_of(std::vector<std::string> words) {
  option_->check(CLI::IsMember(std::move(words)));
  return *this;
}

DeclaredOption DeclaredOption::shown_default() {
  option_->capture_default_str();
  return *this;
}

DeclaredOption OptionSet::value(const char* name, std::string& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}
DeclaredOption OptionSet::value(const char* name, int& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}
DeclaredOption OptionSet::value(const char* name, std::size_t& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}
DeclaredOption OptionSet::value(const char* name, double& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}
DeclaredOption OptionSet::value(const char* name, std::vector<std::string>& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}
DeclaredOption OptionSet::value(const char* name, std::vector<std::size_t>& value, const char* help) {
  return DeclaredOption(*app_->add_option(name, value, help));
}

void OptionSet::flag(const char* name, bool& value, const char* help) {
  app_->add_flag(name, value, help);
}

void OptionSet::on_use(std::function<void()> action) {
  app_->callback(std::move(action));
}

void OptionSet::take_all_words() {
  app_->prefix_command();
}

std::vector<std::string> OptionSet::words() const {
  std::vector<std::string> out = app_->remaining();
  if (!out.empty() && out.front() == words_follow) out.erase(out.begin());
  return out;
}

}  // namespace conoid::cli
