// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers of a case.
#include "app/model/markers.hpp"

#include <cmath>

#include <QObject>

#include "app/forms/schema_text.hpp"
#include "app/model/json_path.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

constexpr std::size_t marker_limit = 2000;

/// A position in metres from an array of numbers or quantities.
std::optional<Vec3> position_of(const Json& value) {
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (value[i].is_number()) {
      out[i] = value[i].get<double>();
    } else if (value[i].is_string()) {
      const auto quantity = parse_quantity(value[i].get<std::string>(), "m");
      if (!quantity) return std::nullopt;
      out[i] = quantity->value;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

void collect(const Json& value, bool excitation, std::vector<Marker>& out) {
  if (out.size() >= marker_limit) return;
  if (value.is_object()) {
    if (const auto it = value.find("position"); it != value.end())
      if (const auto position = position_of(*it)) {
        std::string label;
        if (const auto name = value.find("name"); name != value.end() && name->is_string())
          label = name->get<std::string>();
        out.push_back({*position, excitation ? MarkerKind::source : MarkerKind::receiver, label});
      }
    for (const auto& [key, member] : value.items())
      if (member.is_structured()) collect(member, excitation || key == "excitation", out);
  } else if (value.is_array()) {
    for (const auto& member : value)
      if (member.is_object()) collect(member, excitation, out);
  }
}

std::optional<std::string> find_list(const Json& node, const std::string& pointer, int depth) {
  if (!node.is_object() || depth > 4) return std::nullopt;
  const Json& items = keyword_of(node, "items");
  if (string_at(node, "type") == "array" && vector_size(keyword_of(keyword_of(items, "properties"), "position")) == 3)
    return pointer;
  const Json& properties = keyword_of(node, "properties");
  if (!properties.is_object()) return std::nullopt;
  for (const auto& [key, child] : properties.items()) {
    if (key == "excitation") continue;
    if (auto found = find_list(child, child_pointer(pointer, key), depth + 1)) return found;
  }
  return std::nullopt;
}

/// A coordinate as a person would have typed it: four digits of the largest.
double tidy(double value, double size) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(size, 1e-300))) - 3);
  return std::round(value / unit) * unit == 0
             ? 0
             : std::stod(QString::number(std::round(value / unit) * unit, 'g', 12).toStdString());
}

}  // namespace

std::vector<Marker> markers_of(const Json& json) {
  std::vector<Marker> out;
  collect(json, false, out);
  return out;
}

std::optional<std::string> receiver_list(const Json& schema) {
  return find_list(schema, "", 0);
}

bool place_receiver(CaseModel& model, const Vec3& place) {
  const auto pointer = receiver_list(model.schema());
  if (!pointer) return false;
  const Json* now = model.value(*pointer);
  Json list = now && now->is_array() ? *now : Json::array();
  Json item = Json::object();
  const double size = std::max({std::abs(place[0]), std::abs(place[1]), std::abs(place[2]), 1e-9});
  const Json* node = &model.schema();
  for (const std::string& step : pointer_steps(*pointer))
    node = &keyword_of(keyword_of(*node, "properties"), step.c_str());
  if (keyword_of(keyword_of(*node, "items"), "properties").contains("name"))
    item["name"] = "R" + std::to_string(list.size() + 1);
  item["position"] = {tidy(place[0], size), tidy(place[1], size), tidy(place[2], size)};
  list.push_back(std::move(item));
  model.set(*pointer, std::move(list), QObject::tr("placement of a receiver"));
  return true;
}

std::optional<Vec3> place_from(const QString& typed) {
  const QStringList parts = typed.split(typed.contains(';') ? ';' : ',');
  if (parts.size() != 3) return std::nullopt;
  Vec3 out{};
  for (qsizetype a = 0; a < 3; ++a) {
    const auto read = parse_quantity(QString(parts[a]).replace(',', '.').trimmed().toStdString(), "m");
    if (!read) return std::nullopt;
    out[static_cast<std::size_t>(a)] = read->value;
  }
  return out;
}

}  // namespace conoid::app
