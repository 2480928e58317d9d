// SPDX-License-Identifier: BSD-3-Clause
// Lines of a template, one by one.
#include "engine/session/jobs/job_script.hpp"

#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/core.h>

namespace conoid {
namespace {

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";

/// A line filled; nothing where it is to be left out.
Result<std::optional<std::string>> filled(std::string_view line, const std::map<std::string, std::string>& values) {
  std::string out;
  bool lacks = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = line[at] == '@' ? line.find_first_not_of(letters, at + 1) : std::string_view::npos;
    if (end == std::string_view::npos || line[end] != '@' || end == at + 1) {
      out += line[at++];
      continue;
    }
    const std::string key(line.substr(at + 1, end - at - 1));
    const auto found = values.find(key);
    if (found == values.end()) {
      std::string known;
      for (const auto& [name, unused] : values) known += (known.empty() ? "@" : ", @") + name + "@";
      return make_error(ErrorCode::invalid_input, fmt::format("the template has @{}@, which is not known", key),
                        "Known are " + known + ".");
    }
    lacks = lacks || found->second.empty();
    out += found->second;
    at = end + 1;
  }
  if (lacks && line.starts_with("#SBATCH")) return std::optional<std::string>();
  return std::optional<std::string>(std::move(out));
}

}  // namespace

Result<std::string> fill_template(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    auto line = filled(text.substr(0, end), values);
    if (!line) return line.error();
    if (*line) out += **line + "\n";
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out;
}

std::string slurm_time(double seconds) {
  const auto all = static_cast<long>(std::ceil(seconds));
  return fmt::format("{}-{:02}:{:02}:{:02}", all / 86400, all / 3600 % 24, all / 60 % 60, all % 60);
}

std::string plain_name(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
    if (!plain && (out.empty() || out.back() == '-')) continue;
    if (out.empty() && (c == '-' || c == '.')) continue;
    out += plain ? c : '-';
    if (out.size() == 40) break;
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "case" : out;
}

}  // namespace conoid
