// SPDX-License-Identifier: BSD-3-Clause
// The built-in themes and what a theme file may change.
#include "render/scene/theme.hpp"

#include <array>
#include <filesystem>
#include <utility>

#include "engine/core/json.hpp"

namespace conoid {

namespace {

Rgb rgb(unsigned hex) {
  return {((hex >> 16) & 255U) / 255.0, ((hex >> 8) & 255U) / 255.0, (hex & 255U) / 255.0};
}

// Inter where it is installed, so that pictures and window share one family; its licence (OFL) asks nothing of a
// picture.
void choose_font(Theme& theme) {
  static const std::pair<std::string, std::string> found = [] {
    const std::array<const char*, 3> folders = {"/usr/share/fonts/opentype/inter", "/usr/share/fonts/truetype/inter",
                                                "/usr/share/fonts/inter"};
    for (const char* folder : folders)
      for (const char* ending : {".otf", ".ttf"}) {
        const auto base = std::filesystem::path(folder);
        const auto regular = base / (std::string("Inter-Regular") + ending);
        const auto bold = base / (std::string("Inter-SemiBold") + ending);
        std::error_code ignored;
        if (std::filesystem::exists(regular, ignored) && std::filesystem::exists(bold, ignored))
          return std::pair{regular.string(), bold.string()};
      }
    return std::pair<std::string, std::string>{};
  }();
  theme.font_file = found.first;
  theme.font_bold_file = found.second;
}

Status read_color(const Json& from, const char* key, const std::string& file, Rgb& to) {
  const auto it = from.find(key);
  if (it == from.end() || !it->is_string()) return {};
  auto color = parse_rgb(it->get<std::string>());
  if (!color) {
    Error error = color.error();
    error.place = {file, 0, std::string("/colours/") + key};
    return error;
  }
  to = *color;
  return {};
}

Status overlay(Theme& theme, const std::filesystem::path& path) {
  auto text = read_file(path, Bytes{1} << 20);
  if (!text) return text.error();
  const auto json = read_json(*text, JsonComments::skipped);
  if (!json.is_object())
    return make_error(ErrorCode::invalid_input, "a theme must be a JSON object", {}, {path.string(), 0, {}});
  const auto colors = json.contains("colours") && json["colours"].is_object() ? json["colours"] : json;
  const std::array<std::pair<const char*, Rgb*>, 7> keys = {{{"viewport", &theme.background},
                                                             {"chart", &theme.chart_background},
                                                             {"text", &theme.text},
                                                             {"muted", &theme.muted},
                                                             {"grid", &theme.grid},
                                                             {"mesh", &theme.surface},
                                                             {"accent", &theme.accent}}};
  for (const auto& [key, color] : keys)
    if (auto status = read_color(colors, key, path.string(), *color); !status) return status;
  if (json.contains("series") && json["series"].is_array()) {
    std::vector<Rgb> series;
    for (const auto& entry : json["series"])
      if (entry.is_string())
        if (auto color = parse_rgb(entry.get<std::string>()); color) series.push_back(*color);
    if (!series.empty()) theme.series = std::move(series);
  }
  return {};
}

}  // namespace

Result<Rgb> parse_rgb(std::string_view text) {
  const auto bad = [&] {
    return make_error(ErrorCode::invalid_input,
                      "expected a colour like \"#1f6feb\", found \"" + std::string(text) + "\"");
  };
  if (text.empty() || text.front() != '#' || (text.size() != 7 && text.size() != 4)) return bad();
  unsigned value = 0;
  for (const char c : text.substr(1)) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<unsigned>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<unsigned>(c - 'A') + 10;
    else
      return bad();
    value = value * 16 + digit;
    if (text.size() == 4) value = value * 16 + digit;
  }
  return rgb(value);
}

Rgb mix(const Rgb& a, const Rgb& b, double share) {
  return {share * a[0] + (1 - share) * b[0], share * a[1] + (1 - share) * b[1], share * a[2] + (1 - share) * b[2]};
}

Theme paper(Theme theme) {
  theme.background = theme.chart_background = rgb(0xffffff);
  return theme;
}

Theme light_theme() {
  Theme theme;
  theme.text = rgb(0x1c2128);
  theme.muted = rgb(0x656d76);
  theme.grid = rgb(0xe4e7eb);
  theme.surface = rgb(0xc9ced6);
  theme.accent = rgb(0x2563c9);
  // The curves of resources/themes, which differ for the colour-blind, too.
  theme.series = {rgb(0x0b7080), rgb(0xe65d07), rgb(0x4a4baa), rgb(0xbf0965),
                  rgb(0x73984e), rgb(0x88643e), rgb(0x0376da), rgb(0x898b8c)};
  choose_font(theme);
  return theme;
}

Theme dark_theme() {
  Theme theme;
  theme.name = "dark";
  theme.dark = true;
  theme.background = rgb(0x15181d);
  theme.chart_background = rgb(0x15181d);
  theme.text = rgb(0xe6e9ed);
  theme.muted = rgb(0x8d96a0);
  theme.grid = rgb(0x2a2f37);
  theme.surface = rgb(0x6b7480);
  theme.accent = rgb(0x5b9bff);
  theme.series = {rgb(0x3fb6c6), rgb(0xed741b), rgb(0x9a99fc), rgb(0xcd7b9f),
                  rgb(0xadd746), rgb(0xcfa878), rgb(0xa1c8ff), rgb(0xbcb8b2)};
  theme.signed_map = "swing-dark";
  theme.magnitude_map = "depth-dark";
  choose_font(theme);
  return theme;
}

Result<Theme> find_theme(std::string_view name) {
  Theme theme = name == "dark" ? dark_theme() : light_theme();
  const auto path = resources_folder() / "themes" / (std::string(name) + ".json");
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    if (auto status = overlay(theme, path); !status) return status.error();
  } else if (name != "light" && name != "dark") {
    return make_error(ErrorCode::command_line, "there is no theme \"" + std::string(name) + "\"",
                      "Themes: light, dark.");
  }
  return theme;
}

}  // namespace conoid
