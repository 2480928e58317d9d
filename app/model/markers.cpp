// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers of a case.
#include "app/model/markers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <QObject>

#include "app/forms/schema_text.hpp"
#include "app/model/json_path.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

constexpr std::size_t marker_limit = 2000;

/// A position in metres from an array of numbers or quantities; of a case in the plane, or on a line, the rest is 0.
std::optional<Vec3> position_of(const Json& value) {
  if (!value.is_array() || value.empty() || value.size() > 3) return std::nullopt;
  Vec3 out{};
  for (std::size_t i = 0; i < value.size(); ++i) {
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

/// Of one or more numbers, or of an angle with a unit, rad.
std::optional<double> angle_of(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end()) return std::nullopt;
  if (it->is_number()) return it->get<double>();
  if (!it->is_string()) return std::nullopt;
  const auto read = parse_quantity(it->get<std::string>(), "rad");
  return read ? std::optional(read->value) : std::nullopt;
}

/// Whether an excitation is a wave from a direction in angles: by its schema, or because it says one. `sources`: it has some with places,
/// which take a wave's stead where none is said.
bool comes_from_angles(const Json& excitation, const Json& schema, bool sources) {
  if (excitation.contains("monostatic")) return false;  // from many directions
  if (excitation.contains("theta") || excitation.contains("phi")) return true;
  if (sources) return false;
  const Json& known = keyword_of(keyword_of(keyword_of(schema, "properties"), "excitation"), "properties");
  const auto is_angle = [&](const char* key) { return string_at(keyword_of(known, key), "unit") == "rad"; };
  return known.is_object() && is_angle("theta") && is_angle("phi");
}

Marker wave_from_angles(const Json& excitation) {
  const double theta = angle_of(excitation, "theta").value_or(0), phi = angle_of(excitation, "phi").value_or(0);
  Marker wave;
  wave.kind = MarkerKind::wave;
  wave.key = "/excitation";
  const double across = std::sin(theta);
  wave.direction = {-across * std::cos(phi), -across * std::sin(phi), -std::cos(theta)};
  const std::string how = string_at(excitation, "polarisation");
  if (how != "H")
    wave.polarisations.push_back({std::cos(theta) * std::cos(phi), std::cos(theta) * std::sin(phi), -std::sin(theta)});
  if (how != "V") wave.polarisations.push_back({-std::sin(phi), std::cos(phi), 0});
  return wave;
}

void collect(const Json& value, const std::string& pointer, bool excitation, std::vector<Marker>& out) {
  if (out.size() >= marker_limit) return;
  if (value.is_object()) {
    const auto position = value.find("position"), direction = value.find("direction");
    const auto place = position == value.end() ? std::nullopt : position_of(*position);
    const auto along = direction == value.end() || direction->size() != 3 ? std::nullopt : position_of(*direction);
    if (place || (excitation && along && position == value.end())) {
      Marker marker;
      marker.kind = !place ? MarkerKind::wave : excitation ? MarkerKind::source : MarkerKind::receiver;
      if (place) marker.position = *place;
      if (along && excitation) marker.direction = *along;
      marker.label = string_at(value, "name");
      marker.key = pointer;
      out.push_back(std::move(marker));
    }
    for (const auto& [key, member] : value.items())
      if (member.is_structured()) collect(member, child_pointer(pointer, key), excitation || key == "excitation", out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      if (value[i].is_object()) collect(value[i], child_pointer(pointer, std::to_string(i)), excitation, out);
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

std::vector<Marker> markers_of(const Json& json, const Json& schema) {
  std::vector<Marker> out;
  collect(json, "", false, out);
  const bool sources = std::ranges::any_of(out, [](const Marker& m) { return m.kind == MarkerKind::source; });
  if (const Json& excitation = keyword_of(json, "excitation");
      excitation.is_object() && comes_from_angles(excitation, schema, sources))
    out.push_back(wave_from_angles(excitation));
  return out;
}

bool move_marker(CaseModel& model, const Marker& marker, const Vec3& place, const Vec3& direction) {
  if (marker.key.empty() || marker.kind == MarkerKind::boundary || !model.value(marker.key)) return false;
  const auto triple = [](const Vec3& v, double size) {
    return Json::array({tidy(v[0], size), tidy(v[1], size), tidy(v[2], size)});
  };
  if (marker.kind != MarkerKind::wave) {
    const double size = std::max({std::abs(place[0]), std::abs(place[1]), std::abs(place[2]), 1e-9});
    const QString words =
        marker.kind == MarkerKind::source ? QObject::tr("move of a source") : QObject::tr("move of a receiver");
    Json moved = triple(place, size);
    // In a case of fewer dimensions it stays in them.
    if (const Json* now = model.value(marker.key + "/position"); now && now->is_array())
      while (moved.size() > now->size()) moved.erase(moved.size() - 1);
    model.set(marker.key + "/position", std::move(moved), words);
    return true;
  }
  const QString words = QObject::tr("turn of a wave");
  if (model.value(marker.key + "/direction")) {
    model.set(marker.key + "/direction", triple(direction, 1), words);
    return true;
  }
  // From where it comes, in degrees to a tenth; both angles are one step.
  Json excitation = *model.value(marker.key);
  const auto degrees = [](double radians) {
    const double tenths = std::round(radians * 1800 / std::numbers::pi) / 10;
    return QString::number(tenths == 0 ? 0.0 : tenths, 'g', 6).toStdString() + " deg";
  };
  excitation["theta"] = degrees(std::acos(std::clamp(-direction[2], -1.0, 1.0)));
  const bool pole = std::hypot(direction[0], direction[1]) < 1e-3;
  const double phi = pole ? 0 : std::atan2(-direction[1], -direction[0]);
  excitation["phi"] = degrees(phi < 0 ? phi + 2 * std::numbers::pi : phi);
  model.set(marker.key, std::move(excitation), words);
  return true;
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
  const QStringList parts = typed_list(typed);
  if (parts.size() != 3) return std::nullopt;
  Vec3 out{};
  for (qsizetype a = 0; a < 3; ++a) {
    const auto read = parse_quantity(parts[a].toStdString(), "m");
    if (!read) return std::nullopt;
    out[static_cast<std::size_t>(a)] = read->value;
  }
  return out;
}

}  // namespace conoid::app
