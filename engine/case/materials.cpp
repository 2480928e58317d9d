// SPDX-License-Identifier: BSD-3-Clause
// Files of materials, and how they fit a schema.
#include "engine/case/materials.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"

#include <algorithm>
#include <cstdlib>

namespace conoid {
namespace {

constexpr std::size_t largest_file = 1 << 22;

std::string text_of(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<std::vector<LibraryMaterial>> read_materials(const std::filesystem::path& file, bool own) {
  const auto text = read_file(file, largest_file);
  if (!text) return text.error();
  const Json json = read_json(*text);
  std::vector<LibraryMaterial> out;
  if (!json.is_object() || !json.contains("materials") || !json["materials"].is_array())
    return make_error(ErrorCode::invalid_input, "expected an object with a list \"materials\"",
                      "Compare with the program's own file, resources/materials.json.", {file.string(), 0, {}});
  for (const Json& entry : json["materials"]) {
    LibraryMaterial one{text_of(entry, "name"),
                        text_of(entry, "class"),
                        text_of(entry, "note"),
                        text_of(entry, "source"),
                        entry.value("values", Json::object()),
                        own};
    if (one.name.empty() || !one.values.is_object())
      return make_error(ErrorCode::invalid_input, "a material without a name or without values",
                        "Each has \"name\", \"values\" and \"source\".", {file.string(), 0, {}});
    out.push_back(std::move(one));
  }
  return out;
}

Status write_own(const std::vector<LibraryMaterial>& all) {
  const std::filesystem::path file = own_materials_file();
  if (file.empty())
    return make_error(ErrorCode::file, "there is no home to keep materials in", "Set HOME or XDG_CONFIG_HOME.");
  Json list = Json::array();
  for (const LibraryMaterial& one : all)
    list.push_back(
        {{"name", one.name}, {"class", one.kind}, {"note", one.note}, {"values", one.values}, {"source", one.source}});
  std::error_code failed;
  std::filesystem::create_directories(file.parent_path(), failed);
  return write_file_atomically(file, indented_json({{"materials", std::move(list)}}) + "\n");
}

Result<std::vector<LibraryMaterial>> own_materials() {
  std::error_code ignored;
  const std::filesystem::path file = own_materials_file();
  if (file.empty() || !std::filesystem::exists(file, ignored)) return std::vector<LibraryMaterial>();
  return read_materials(file, true);
}

struct Fit {
  Json value = Json::object();
  std::size_t taken = 0;  ///< values of the library
  bool first = false;     ///< what the place needs first is there
};

bool takes(const Json& node, const Json& value) {
  const std::string type = text_of(node, "type");
  if (type == "number" || type == "integer") return value.is_number() || value.is_string();
  return type == "array" && value.is_array();
}

bool in_one_group(const Json& node, const std::string& a, const std::string& b) {
  const auto groups = node.find("exclusive");
  return groups != node.end() && std::any_of(groups->begin(), groups->end(), [&](const Json& group) {
           return std::find(group.begin(), group.end(), a) != group.end() &&
                  std::find(group.begin(), group.end(), b) != group.end();
         });
}

std::optional<Fit> fit_of(const Json& node, const Json& values);

/// An object without variants of its own (or one variant of it).
std::optional<Fit> fit_members(const Json& node, const Json& values) {
  Fit out;
  std::size_t numbers = 0;
  std::string first;
  const auto properties = node.find("properties");
  if (properties == node.end()) return std::nullopt;
  for (const auto& [key, member] : properties->items()) {
    if (!member.is_object()) continue;
    if (member.contains("variants")) {
      if (const auto inner = fit_of(member, values)) {
        out.value[key] = inner->value;
        out.taken += inner->taken;
        out.first = out.first || first.empty();
      }
      if (first.empty()) first = key;
      continue;
    }
    if (!member.contains("type") || text_of(member, "type") == "string") continue;
    ++numbers;
    if (first.empty()) first = key;
    const auto given = values.find(key);
    if (given == values.end() || !takes(member, *given)) continue;
    const bool twice =
        std::any_of(out.value.items().begin(), out.value.items().end(),
                    [&node, &name = key](const auto& taken) { return in_one_group(node, taken.key(), name); });
    if (twice) continue;
    out.value[key] = *given;
    ++out.taken;
    out.first = out.first || key == first || in_one_group(node, key, first);
  }
  if (const auto required = node.find("required"); required != node.end())
    for (const Json& key : *required)
      if (key.is_string() && !out.value.contains(key.get<std::string>())) return std::nullopt;
  // One value of many describes nothing: a density is no explosive.
  constexpr std::size_t share = 5;
  if (!out.first || out.taken * share < numbers) return std::nullopt;
  return out;
}

std::optional<Fit> fit_of(const Json& node, const Json& values) {
  const auto variants = node.find("variants");
  if (variants == node.end()) return fit_members(node, values);
  std::optional<Fit> best;
  for (const auto& [name, variant] : variants->items()) {
    auto fit = fit_members(variant, values);
    if (!fit || (best && fit->taken <= best->taken)) continue;
    Json value = {{text_of(node, "discriminator"), name}};
    value.update(fit->value);
    fit->value = std::move(value);
    best = std::move(fit);
  }
  return best;
}

}  // namespace

std::filesystem::path own_materials_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return std::filesystem::path(config) / "conoid" / "materials.json";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::filesystem::path(home) / ".config" / "conoid" / "materials.json"
                                          : std::filesystem::path();
}

Result<std::vector<LibraryMaterial>> library_materials() {
  auto out = own_materials();
  if (!out) return out;
  auto program = read_materials(resources_folder() / "materials.json", false);
  if (!program) return program;
  out->insert(out->end(), std::make_move_iterator(program->begin()), std::make_move_iterator(program->end()));
  return out;
}

Status keep_own_material(const LibraryMaterial& material) {
  auto all = own_materials();
  if (!all) return all.error();
  std::erase_if(*all, [&](const LibraryMaterial& one) { return one.name == material.name; });
  all->push_back(material);
  return write_own(*all);
}

Status forget_own_material(const std::string& name) {
  auto all = own_materials();
  if (!all) return all.error();
  return std::erase_if(*all, [&](const LibraryMaterial& one) { return one.name == name; }) > 0 ? write_own(*all)
                                                                                               : Status();
}

std::optional<Json> material_for(const Json& node, const LibraryMaterial& material) {
  auto fit = fit_of(node, material.values);
  return fit ? std::optional(std::move(fit->value)) : std::nullopt;
}

Json values_of_material(const Json& value) {
  Json out = Json::object();
  if (!value.is_object()) return out;
  for (const auto& [key, member] : value.items()) {
    if (member.is_object())
      out.update(values_of_material(member));
    else if (member.is_number() || member.is_array() ||
             (member.is_string() && !member.get<std::string>().empty() &&
              std::string_view("-.0123456789").find(member.get<std::string>().front()) != std::string_view::npos))
      out[key] = member;
  }
  return out;
}

}  // namespace conoid
