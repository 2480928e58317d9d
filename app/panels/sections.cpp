// SPDX-License-Identifier: BSD-3-Clause
// Sorts the top-level keys of a schema into the sections of the case pane.
#include "app/panels/sections.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <QObject>

#include "app/forms/schema_text.hpp"

namespace conoid::app {
namespace {

struct Home {
  const char* title;
  std::array<std::string_view, 6> keys;
};

// "format", title and solver stand in the head of the pane.
constexpr std::array<std::string_view, 3> head_keys = {"conoid", "title", "solver"};
constexpr std::array<Home, 4> before = {{
    {QT_TRANSLATE_NOOP("Sections", "Geometry"), {"geometry", "mesh", "grid", "domain", "regions"}},
    {QT_TRANSLATE_NOOP("Sections", "Materials"), {"materials", "material", "medium"}},
    {QT_TRANSLATE_NOOP("Sections", "Boundaries"), {"boundaries", "boundary"}},
    {QT_TRANSLATE_NOOP("Sections", "Excitation"), {"excitation", "sources", "incident", "loads", "initial"}},
}};
constexpr std::array<Home, 3> after = {{
    {QT_TRANSLATE_NOOP("Sections", "Discretisation"), {"parameters", "discretisation", "time", "solution"}},
    {QT_TRANSLATE_NOOP("Sections", "Output"), {"output", "receivers", "probes"}},
    {QT_TRANSLATE_NOOP("Sections", "Compute"), {"compute"}},
}};

template <class Homes>
bool has_home(const Homes& homes, std::string_view key) {
  return std::any_of(homes.begin(), homes.end(), [&](const Home& home) {
    return std::find(home.keys.begin(), home.keys.end(), key) != home.keys.end();
  });
}

}  // namespace

std::vector<CaseSection> sections_of(const Json& schema) {
  std::vector<CaseSection> sections;
  const auto properties = schema.is_object() ? schema.find("properties") : schema.end();
  if (!schema.is_object() || properties == schema.end()) return sections;
  const auto add_homes = [&](const auto& homes) {
    for (const Home& home : homes) {
      CaseSection section{QObject::tr(home.title), {}};
      for (const auto& [key, node] : properties->items())
        if (node.is_object() && std::find(home.keys.begin(), home.keys.end(), key) != home.keys.end())
          section.keys.push_back(key);
      if (!section.keys.empty()) sections.push_back(std::move(section));
    }
  };
  add_homes(before);
  for (const auto& [key, node] : properties->items()) {
    const bool in_head = std::find(head_keys.begin(), head_keys.end(), key) != head_keys.end();
    if (node.is_object() && !in_head && !has_home(before, key) && !has_home(after, key))
      sections.push_back({label_of(key, node), {key}});
  }
  add_homes(after);
  return sections;
}

}  // namespace conoid::app
