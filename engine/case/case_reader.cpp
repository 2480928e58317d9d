// SPDX-License-Identifier: BSD-3-Clause
// Diagnostics at places of a case.
#include "engine/case/case_reader.hpp"

#include <map>

#include <fmt/core.h>

namespace conoid {

void CaseReader::fail(const Values& at, std::string text, std::string hint) const {
  out.push_back(input.error_at(at, std::move(text), std::move(hint)));
}

void CaseReader::warn(const Values& at, std::string text, std::string hint) const {
  out.push_back(input.warning_at(at, std::move(text), std::move(hint)));
}

void CaseReader::note(const Values& at, std::string text, std::string hint) const {
  warn(at, std::move(text), std::move(hint));
  out.back().severity = Severity::note;
}

void CaseReader::fail_in_file(const Values& at, Diagnostic what) const {
  if (what.place.file.empty()) return put(at.pointer(), std::move(what));
  what.hint += fmt::format(" (named at {})", at.pointer());
  out.push_back(std::move(what));
}

void CaseReader::fail(const Values& at, Diagnostic what) const {
  put(at.pointer(), std::move(what));
}

void CaseReader::fail_at(const Values& at, std::string_view key, Diagnostic what) const {
  put(fmt::format("{}/{}", at.pointer(), key), std::move(what));
}

void CaseReader::tell_apart(const Values& list, std::string_view what) const {
  std::map<std::string, std::size_t> first;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string name = list.at(k)["name"].text();
    if (name.empty()) continue;
    if (const auto [at, is_new] = first.emplace(name, k + 1); !is_new)
      warn(list.at(k)["name"], fmt::format("{} {} and {} are both called '{}'", what, at->second, k + 1, name),
           "Give each its own name: results are found by it.");
  }
}

void CaseReader::put(const std::string& pointer, Diagnostic what) const {
  // Under the name that the case was written with.
  what.place = input.error_at({nullptr, pointer}, {}, {}).place;
  out.push_back(std::move(what));
}

std::string name_or_number(const Values& item, std::string_view before, std::size_t number) {
  std::string name = item["name"].text();
  return name.empty() ? fmt::format("{}{}", before, number) : name;
}

}  // namespace conoid
