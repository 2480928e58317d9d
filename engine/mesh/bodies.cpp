// SPDX-License-Identifier: BSD-3-Clause
// Bodies → statements of gmsh (reference manual 4.8, "Geometry commands", OpenCASCADE factory).
#include "engine/mesh/bodies.hpp"

#include "engine/core/units.hpp"
#include "engine/mesh/edit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/core.h>

namespace conoid {
namespace {

constexpr double needed = std::numeric_limits<double>::quiet_NaN();

/// The sizes of a body with what was not given; lengths in units of `metre`⁻¹ metres.
class Sizes {
 public:
  Sizes(const SimpleBody& body, const BodyKind& kind, double metre = 1) : body_(body), kind_(kind), metre_(metre) {}
  double operator[](std::string_view key) const {
    const auto size = std::find_if(kind_.sizes.begin(), kind_.sizes.end(), [&](const auto& s) { return s.key == key; });
    if (size == kind_.sizes.end()) return 0;
    const auto given = body_.sizes.find(std::string(key));
    return (given != body_.sizes.end() ? given->second : size->preset) * (size->unit == "m" ? metre_ : 1);
  }

 private:
  const SimpleBody& body_;
  const BodyKind& kind_;
  double metre_;
};

std::string list_of(const auto& all, const auto& name) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ", ") + std::string(name(one));
  return out;
}

Error no_such_kind(const std::string& kind) {
  return make_error(ErrorCode::invalid_input, fmt::format("there is no body of the kind '{}'", kind),
                    "Kinds: " + list_of(body_kinds(), [](const BodyKind& k) { return k.id; }));
}

const BodyKind* kind_named(std::string_view id) {
  for (const BodyKind& kind : body_kinds())
    if (kind.id == id) return &kind;
  return nullptr;
}

/// Sizes that make a body, and no others.
Status check(const SimpleBody& body, const BodyKind& kind) {
  const auto known = [&] { return list_of(kind.sizes, [](const BodySize& s) { return s.key; }); };
  for (const auto& [key, value] : body.sizes)
    if (std::none_of(kind.sizes.begin(), kind.sizes.end(), [&name = key](const BodySize& s) { return s.key == name; }))
      return make_error(ErrorCode::invalid_input, fmt::format("a {} has no '{}'", kind.id, key),
                        "Its sizes: " + known() + "; besides position, rotate and name.");
  const Sizes sizes(body, kind);
  for (const BodySize& size : kind.sizes) {
    const double value = sizes[size.key];
    if (std::isnan(value))
      return make_error(ErrorCode::invalid_input, fmt::format("the {} of the {} is missing", size.key, kind.id),
                        "Its sizes: " + known() + ".");
    if (!std::isfinite(value) || value < 0 || (value == 0 && !size.may_be_zero))
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the {} of the {} must be {} 0, found {}", size.key, kind.id,
                                    size.may_be_zero ? "at least" : "above", value),
                        "Give a size that it can have.");
  }
  if (body.kind == "shell" && sizes["opening"] >= std::numbers::pi)
    return make_error(ErrorCode::invalid_input, "an opening of 180 degrees and more leaves nothing of the shell",
                      "Give the angle between its axis and the rim, below 180 deg.");
  return {};
}

/// Statements that make the body about the origin: a volume v, or a surface s where it is a sheet.
std::string shape_of(const SimpleBody& body, const Sizes& k) {
  const std::string& kind = body.kind;
  if (kind == "box")
    return fmt::format("v = newv; Box(v) = {{{}, {}, {}, {}, {}, {}}};\n", -k["length"] / 2, -k["width"] / 2,
                       -k["height"] / 2, k["length"], k["width"], k["height"]);
  if (kind == "barrier")
    return fmt::format("v = newv; Box(v) = {{{}, {}, 0, {}, {}, {}}};\n", -k["length"] / 2, -k["thickness"] / 2,
                       k["length"], k["thickness"], k["height"]);
  if (kind == "sphere") return fmt::format("v = newv; Sphere(v) = {{0, 0, 0, {}}};\n", k["radius"]);
  if (kind == "ellipsoid")
    return fmt::format(
        "v = newv; Sphere(v) = {{0, 0, 0, 1}};\nDilate {{{{0, 0, 0}}, {{{}, {}, {}}}}} {{ Volume{{v}}; }}\n", k["a"],
        k["b"], k["c"]);
  if (kind == "cylinder")
    return fmt::format("v = newv; Cylinder(v) = {{0, 0, {}, 0, 0, {}, {}}};\n", -k["height"] / 2, k["height"],
                       k["radius"]);
  if (kind == "cone")
    return fmt::format("v = newv; Cone(v) = {{0, 0, {}, 0, 0, {}, {}, {}}};\n", -k["height"] / 2, k["height"],
                       k["radius"], k["top_radius"]);
  if (kind == "plate")
    return fmt::format("s = news; Rectangle(s) = {{{}, {}, 0, {}, {}}};\n", -k["length"] / 2, -k["width"] / 2,
                       k["length"], k["width"]);
  if (kind == "disc") return fmt::format("s = news; Disk(s) = {{0, 0, 0, {}}};\n", k["radius"]);
  // A shell: a sphere without what lies above its rim; its wall alone is kept.
  return fmt::format("v = newv; Sphere(v) = {{0, 0, 0, {}, -Pi/2, Pi/2 - {}, 2*Pi}};\n", k["radius"], k["opening"]);
}

/// The longest side, which elements go by where no size is given.
double longest(const SimpleBody& body, const Sizes& k) {
  const std::string& kind = body.kind;
  if (kind == "ellipsoid") return 2 * std::max({k["a"], k["b"], k["c"]});
  if (kind == "box") return std::max({k["length"], k["width"], k["height"]});
  if (kind == "barrier") return std::max(k["length"], k["height"]);
  if (kind == "plate") return std::max(k["length"], k["width"]);
  if (kind == "cone") return std::max(2 * std::max(k["radius"], k["top_radius"]), k["height"]);
  if (kind == "cylinder") return std::max(2 * k["radius"], k["height"]);
  return 2 * k["radius"];
}

/// Where the body stands: rotations about its own position, then there.
std::string placed(const SimpleBody& body, std::string_view what, double metre) {
  constexpr const char* axes[] = {"1, 0, 0", "0, 1, 0", "0, 0, 1"};
  std::string out;
  for (std::size_t a = 0; a < 3; ++a)
    if (body.rotate[a] != 0)
      out += fmt::format("Rotate {{{{{}}}, {{0, 0, 0}}, {}}} {{ {}; }}\n", axes[a], body.rotate[a], what);
  if (body.position != Vec3{})
    out += fmt::format("Translate {{{}, {}, {}}} {{ {}; }}\n", body.position[0] * metre, body.position[1] * metre,
                       body.position[2] * metre, what);
  return out;
}

/// Names stand between quotes in the script.
std::string plain(std::string name) {
  std::erase_if(name, [](unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; });
  return name;
}

/// The faces of a body that is closed at its top or not, and open where it stands.
std::string groups_of(const SimpleBody& body, const BodyKind& kind, const Sizes& sizes, const std::string& prefix,
                      int& number) {
  std::string out;
  const auto group = [&](std::string_view face, const std::string& surfaces) {
    out += fmt::format("Physical Surface(\"{}{}\", {}) = {{{}}};\n", prefix, face, ++number, surfaces);
  };
  if (!kind.closed && body.kind != "shell") {
    group(kind.faces.front(), "s");
    return out;
  }
  out += "f() = Boundary { Volume{v}; };\n";
  if (body.kind == "barrier") {
    group("wall", sizes["foot"] > 0 ? "f(0), f(1), f(2), f(3), f(4), f(5)" : "f(0), f(1), f(2), f(3), f(5)");
    return out;
  }
  for (std::size_t i = 0; i < kind.faces.size(); ++i) {
    // A cone with a tip has no top.
    if (kind.id == "cone" && sizes["top_radius"] == 0 && kind.faces[i] == "top") continue;
    const std::size_t at = kind.id == "cone" && sizes["top_radius"] == 0 && i > 1 ? i - 1 : i;
    group(kind.faces[i], fmt::format("f({})", at));
  }
  return out;
}

Result<double> length_from(const Json& value, std::string_view unit, const std::string& key) {
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
  if (value.is_string())
    if (const auto read = parse_quantity(value.get<std::string>(), unit)) return read->value;
  return make_error(
      ErrorCode::invalid_input,
      fmt::format("{}: expected a {}, found {}", key, unit == "rad" ? "angle" : "length", compact_json(value)),
      unit == "rad" ? "For example \"90 deg\"." : "For example \"0.5 m\".");
}

}  // namespace

const std::vector<BodyKind>& body_kinds() {
  static const std::vector<BodyKind> all{
      {"sphere", "a ball; its position is its centre", {{"radius", "m", needed}}, true, {"surface"}},
      {"ellipsoid",
       "half axes a, b, c along x, y, z; its position is its centre",
       {{"a", "m", needed}, {"b", "m", needed}, {"c", "m", needed}},
       true,
       {"surface"}},
      {"box",
       "length along x, width along y, height along z; its position is its centre",
       {{"length", "m", needed}, {"width", "m", needed}, {"height", "m", needed}},
       true,
       {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"}},
      {"cylinder",
       "along z; its position is its centre",
       {{"radius", "m", needed}, {"height", "m", needed}},
       true,
       {"side", "top", "bottom"}},
      {"cone",
       "along z, the radius below, another one above or a tip; its position is the middle of its axis",
       {{"radius", "m", needed}, {"height", "m", needed}, {"top_radius", "m", 0, true}},
       true,
       {"side", "top", "bottom"}},
      {"plate",
       "a flat sheet normal to z, length along x and width along y; its position is its centre",
       {{"length", "m", needed}, {"width", "m", needed}},
       false,
       {"sheet"}},
      {"disc",
       "a flat round sheet normal to z; its position is its centre",
       {{"radius", "m", needed}},
       false,
       {"sheet"}},
      {"barrier",
       "a wall along x, open where it stands on the ground unless it has a foot; its position is the middle of its "
       "foot",
       {{"length", "m", needed}, {"height", "m", needed}, {"thickness", "m", 0.2}, {"foot", "1", 0, true}},
       true,
       {"wall"}},
      {"shell",
       "a round sheet with an opening towards z, by the angle between z and its rim; its position is its centre",
       {{"radius", "m", needed}, {"opening", "rad", std::numbers::pi / 4, true}},
       false,
       {"sheet"}},
  };
  return all;
}

Result<BodiesScript> bodies_script(const std::vector<SimpleBody>& bodies, double size) {
  if (bodies.empty())
    return make_error(ErrorCode::invalid_input, "the list of bodies is empty",
                      "Add one: " + list_of(body_kinds(), [](const BodyKind& k) { return k.id; }));
  double smallest = std::numeric_limits<double>::infinity();
  for (const SimpleBody& body : bodies) {
    const BodyKind* kind = kind_named(body.kind);
    if (kind == nullptr) return no_such_kind(body.kind);
    if (const Status good = check(body, *kind); !good) return good.error();
    for (const BodySize& length : kind->sizes)
      if (const double value = Sizes(body, *kind)[length.key]; length.unit == "m" && value > 0)
        smallest = std::min(smallest, value);
  }
  // No size below a thousandth of the unit: ten thousand times what the kernel takes as one point.
  const auto [unit, metre] = smallest >= 1e-3   ? std::pair("m", 1.0)
                             : smallest >= 1e-6 ? std::pair("mm", 1e3)
                                                : std::pair("um", 1e6);
  std::string out = fmt::format("// Made by Conoid from sizes, in {}.\nSetFactory(\"OpenCASCADE\");\n", unit);
  int number = 0;
  constexpr double parts = 10, finest = 10;  // along a body; elements at a tip, whose curvature has no bound
  double least = std::numeric_limits<double>::infinity();
  size *= metre;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const SimpleBody& body = bodies[i];
    const BodyKind& kind = *kind_named(body.kind);
    const Sizes sizes(body, kind, metre);
    const bool sheet = !kind.closed && body.kind != "shell";
    const char* const what = sheet ? "Surface{s}" : "Volume{v}";
    const std::string name = body.name.empty() ? fmt::format("{} {}", body.kind, i + 1) : plain(body.name);
    out += shape_of(body, sizes) + placed(body, what, metre);
    out += groups_of(body, kind, sizes, bodies.size() > 1 ? name + " " : std::string(), number);
    least = std::min(least, longest(body, sizes) / parts / finest);
    out +=
        fmt::format("MeshSize {{ PointsOf {{ {}; }} }} = {};\n", what, size > 0 ? size : longest(body, sizes) / parts);
  }
  // Elements of the size that is given, or of each body's own; finer where it is curved.
  if (size > 0) out += fmt::format("Mesh.MeshSizeMax = {};\n", size);
  out += fmt::format("Mesh.MeshSizeFromCurvature = {};\nMesh.MeshSizeMin = {};\n", elements_a_turn,
                     size > 0 ? std::min(least, size) : least);
  return BodiesScript{out + "Mesh.Algorithm = 6;\n", unit};
}

Result<std::vector<SimpleBody>> bodies_from(const Json& list) {
  std::vector<SimpleBody> out;
  if (!list.is_array())
    return make_error(ErrorCode::invalid_input, "bodies: expected a list", "[{\"kind\": \"sphere\", \"radius\": 1}]");
  for (const Json& entry : list) {
    SimpleBody body;
    if (!entry.is_object() || !entry.contains("kind") || !entry["kind"].is_string()) return no_such_kind("");
    body.kind = entry["kind"].get<std::string>();
    const BodyKind* kind = kind_named(body.kind);
    if (kind == nullptr) return no_such_kind(body.kind);
    for (const auto& [key, value] : entry.items()) {
      if (key == "kind") continue;
      if (key == "name") {
        if (value.is_string()) body.name = value.get<std::string>();
      } else if (key == "position" || key == "rotate") {
        if (!value.is_array() || value.size() != 3)
          return make_error(ErrorCode::invalid_input, key + ": expected three values", "For example [0, 0, \"1 m\"].");
        for (std::size_t a = 0; a < 3; ++a) {
          const auto read = length_from(value[a], key == "rotate" ? "rad" : "m", key);
          if (!read) return read.error();
          (key == "rotate" ? body.rotate : body.position)[a] = *read;
        }
      } else {
        std::string_view unit = "m";
        for (const BodySize& size : kind->sizes)
          if (size.key == key) unit = size.unit;
        const auto read = length_from(value, unit, key);
        if (!read) return read.error();
        body.sizes[key] = *read;
      }
    }
    out.push_back(std::move(body));
  }
  return out;
}

Result<SimpleBody> body_from_words(std::string_view words) {
  Json entry = Json::object();
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word(words.substr(at, end - at));
    at = end + 1;
    if (word.empty()) continue;
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos && !entry.contains("kind")) {
      entry["kind"] = word;
      continue;
    }
    if (sign == std::string::npos)
      return make_error(ErrorCode::invalid_input, fmt::format("expected a size, found '{}'", word),
                        "For example \"cylinder radius=10cm height=1m\".");
    const std::string key = word.substr(0, sign), value = word.substr(sign + 1);
    if (key != "position" && key != "rotate") {
      entry[key] = value;
      continue;
    }
    Json list = Json::array();
    for (std::size_t i = 0; i <= value.size();) {
      const std::size_t comma = std::min(value.find(',', i), value.size());
      list.push_back(value.substr(i, comma - i));
      i = comma + 1;
    }
    entry[key] = std::move(list);
  }
  auto bodies = bodies_from(Json::array({std::move(entry)}));
  if (!bodies) return bodies.error();
  return std::move(bodies->front());
}

}  // namespace conoid
