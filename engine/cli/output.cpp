// SPDX-License-Identifier: BSD-3-Clause
// Text and JSON of the command line.
#include "engine/cli/output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace conoid::cli {

void Context::write(std::string_view line) const {
  if (!talks() || json) return;
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

void Context::object(const Json& value) const {
  if (!json || !talks()) return;
  const std::string text = indented_json(value);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

void Context::fail(const Error& error) {
  exit = static_cast<int>(error.code);
  if (talks()) print_error(error);
  object({{"exit", exit}, {"error", to_json(error)}});
}

void print_error(const Error& error) {
  const std::string text = fmt::format("conoid: error: {}\n", error.render());
  std::fwrite(text.data(), 1, text.size(), stderr);
}

Json to_json(const Diagnostic& d) {
  static constexpr const char* severities[] = {"note", "warning", "error"};
  Json out = {{"severity", severities[static_cast<int>(d.severity)]}, {"code", static_cast<int>(d.code)}};
  if (!d.place.file.empty()) out["file"] = d.place.file;
  if (d.place.line > 0) out["line"] = d.place.line;
  if (!d.place.pointer.empty()) out["pointer"] = d.place.pointer;
  out["text"] = d.text;
  if (!d.hint.empty()) out["hint"] = d.hint;
  return out;
}

Json number_json(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c];
      if (c + 1 < row.size()) line.append(widths[c] - width(row[c]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  if (!out.empty()) out.pop_back();
  return out;
}

bool talks() {
  static const bool leads = [] {
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK"})
      if (const char* rank = std::getenv(name)) return std::atoi(rank) == 0;
    return true;
  }();
  return leads;
}

}  // namespace conoid::cli
