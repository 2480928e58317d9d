// SPDX-License-Identifier: BSD-3-Clause
// Frequencies and speeds by name.
#include "engine/session/wave_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/core/units.hpp"

namespace conoid {
namespace {

/// All values of fields of one name, in their SI unit.
void collect(const Json& value, const char* name, const char* unit, std::vector<double>& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (key == name && member.is_number()) out.push_back(member.get<double>());
      if (key == name && member.is_string())
        if (const auto q = parse_quantity(member.get<std::string>(), unit)) out.push_back(q->value);
      if (member.is_structured()) collect(member, name, unit, out);
    }
  } else if (value.is_array()) {
    for (const auto& member : value)
      if (member.is_structured()) collect(member, name, unit, out);
  }
}

const Json* section(const Json& document, const char* name) {
  return document.is_object() && document.contains(name) ? &document[name] : nullptr;
}

}  // namespace

double highest_frequency(const Json& document) {
  std::vector<double> values{0};
  const Json* parameters = section(document, "parameters");
  const Json* output = section(document, "output");
  const Json* excitation = section(document, "excitation");
  for (const Json* place : {excitation, parameters ? section(*parameters, "frequencies") : nullptr, output})
    if (place != nullptr)
      for (const char* name : {"frequency", "to"}) collect(*place, name, "Hz", values);
  for (const Json* place : {excitation, parameters, output})  // given one by one
    if (const Json* frequencies = place != nullptr ? section(*place, "frequencies") : nullptr; frequencies != nullptr)
      if (const Json* list = section(*frequencies, "values"); list != nullptr && list->is_array())
        for (const Json& one : *list) collect(Json{{"value", one}}, "value", "Hz", values);
  return *std::max_element(values.begin(), values.end());
}

double lowest_speed(const Json& document, const Json& schema) {
  const Json* materials = section(document, "materials");
  std::vector<double> values;
  for (const Json* place : {materials, section(document, "medium")})
    if (place != nullptr)
      for (const char* name : {"speed", "shear_speed", "s_speed"}) collect(*place, name, "m/s", values);
  std::erase_if(values, [](double v) { return !(v > 0); });
  if (!values.empty()) return *std::min_element(values.begin(), values.end());
  // Where materials have a permittivity it is light, slowest in the densest of them.
  const Json* properties = section(schema, "properties");
  if (properties == nullptr || compact_json(*properties).find("\"permittivity\"") == std::string::npos) return 0;
  std::vector<double> permittivities{1}, permeabilities{1};
  if (materials != nullptr) {
    collect(*materials, "permittivity", "1", permittivities);
    collect(*materials, "permeability", "1", permeabilities);
  }
  constexpr double light = 299'792'458;  // m/s
  return light / std::sqrt(*std::max_element(permittivities.begin(), permittivities.end()) *
                           *std::max_element(permeabilities.begin(), permeabilities.end()));
}

}  // namespace conoid
