// SPDX-License-Identifier: BSD-3-Clause
// Sections of schema and case side by side.
#include "engine/case/symmetry.hpp"

#include <string_view>

#include "engine/case/schema_nodes.hpp"

namespace conoid {

using namespace schema_nodes;

std::optional<CaseSymmetry> symmetry_of(const Json& document, const Json& schema) {
  const Json* sections = get(schema, "properties");
  if (sections == nullptr || !document.is_object()) return std::nullopt;
  for (const auto& [name, section] : sections->items()) {
    const Json* said = get(document, name);
    const Json* properties = get(section, "properties");
    if (said == nullptr || !said->is_object() || properties == nullptr) continue;
    for (const auto& [key, property] : properties->items()) {
      const Json* turns = get(property, "symmetry");
      if (turns == nullptr) continue;
      const std::string_view own = word(*said, key), value = own.empty() ? word(property, "default") : own;
      const Json* here = get(*turns, value);
      if (here == nullptr) continue;
      const std::string_view side = word(*here, "side");
      const Json* times = get(*here, "turns");
      CaseSymmetry out;
      out.axis = side.empty() ? 1 : side.front() - 'x';
      out.turns = times != nullptr && times->is_number_integer() ? times->get<int>() : 1;
      out.value = value;
      out.title = word(*here, "title");
      return out;
    }
  }
  return std::nullopt;
}

}  // namespace conoid
