// SPDX-License-Identifier: BSD-3-Clause
// One description of what is kept, visited by a writer and by a reader.
#include "render/scene/saved_view.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/json.hpp"

namespace conoid {
namespace {

constexpr std::size_t most_views = 1000, most_iso = 64, most_made = 32, most_annotations = 200;
constexpr Bytes most_bytes = Bytes{1} << 20;

/// Every member that is kept, with its name in the text. The first five say what is shown, the others how.
template <class View, class Visit>
void describe(View& view, Visit&& visit) {
  visit("part", view.part);
  visit("field", view.field);
  visit("component", view.value.component);
  visit("complex_part", view.value.part);
  visit("range", view.fixed_range, view.low, view.high);
  visit("map", view.color_map);
  visit("map_reversed", view.map_reversed);
  visit("map_log", view.map_log);
  visit("map_symmetric", view.map_symmetric);
  visit("map_steps", view.map_steps);
  visit("formulas", view.recipe.formulas);
  visit("planes", view.recipe.planes);
  visit("within", view.recipe.within);
  visit("cuts", view.cuts);
  visit("mesh_cuts", view.mesh_cuts);
  visit("iso", view.iso, 1.0);
  visit("iso_values", view.iso_values, 1e300);
  visit("volume", view.volume);
  visit("edges", view.edges);
  visit("smooth", view.smooth);
  visit("opacity", view.opacity);
  visit("clip", view.clip);
  visit("warp", view.warp_field);
  visit("warp_scale", view.warp_scale);
  visit("arrow_field", view.arrow_field);
  visit("arrows", view.arrows);
  visit("streamlines", view.streamlines);
  visit("context", view.context);
  visit("outline", view.outline);
  visit("color_bar", view.color_bar);
  visit("caption", view.caption);
  visit("triad", view.triad);
  visit("extents", view.extents);
  visit("annotations", view.annotations);
}

constexpr std::pair<ComplexPart, std::string_view> complex_parts[] = {
    {ComplexPart::instant, "wave"}, {ComplexPart::magnitude, "magnitude"}, {ComplexPart::phase, "phase"}};

struct Writer {
  Json& out;
  template <class T>
  void operator()(const char* key, const T& value) const {
    out[key] = value;
  }
  void operator()(const char* key, ComplexPart value) const {
    for (const auto& [part, word] : complex_parts)
      if (part == value) out[key] = word;
  }
  void operator()(const char* key, bool fixed, double low, double high) const {
    if (fixed) out[key] = {low, high};
  }
  void operator()(const char* key, const std::array<CutPlane, 3>& cuts) const {
    out[key] = Json::array();
    for (const CutPlane& cut : cuts) out[key].push_back(Json::array({cut.visible, cut.position}));
  }
  void operator()(const char* key, const std::vector<FormulaField>& formulas) const {
    if (!formulas.empty()) out[key] = Json::array();
    for (const FormulaField& f : formulas) out[key].push_back(f.name + "[" + f.unit + "] = " + f.formula);
  }
  void operator()(const char* key, const std::vector<ObliquePlane>& planes) const {
    if (!planes.empty()) out[key] = Json::array();
    for (const ObliquePlane& p : planes)
      out[key].push_back({p.normal[0], p.normal[1], p.normal[2], p.point[0], p.point[1], p.point[2]});
  }
  void operator()(const char* key, const std::vector<Annotation>& annotations) const {
    if (!annotations.empty()) out[key] = Json::array();
    for (const Annotation& a : annotations) out[key].push_back({{"text", a.text}, {"place", a.place}});
  }
  void operator()(const char* key, const std::optional<std::pair<double, double>>& within) const {
    if (within) out[key] = {std::max(within->first, -1e300), std::min(within->second, 1e300)};
  }
  void operator()(const char* key, const std::vector<double>& iso, double /*end*/) const {
    if (!iso.empty()) out[key] = iso;
  }
  void operator()(const char* key, const std::optional<ClipPlane>& clip) const {
    if (clip) out[key] = {clip->normal[0], clip->normal[1], clip->normal[2], clip->position};
  }
};

/// What was expected where.
struct Unfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number_in(const Json& value, double least, double most) {
  const double x = value.is_number() ? value.get<double>() : std::nan("");
  if (!(x >= least && x <= most)) throw Unfit(fmt::format("a number from {:g} to {:g}", least, most));
  return x;
}

constexpr double far = 1e15;

const Json& list_of(const Json& value, std::size_t count) {
  if (!value.is_array() || value.size() != count) throw Unfit(fmt::format("an array of {} values", count));
  return value;
}

struct Reader {
  const Json& in;
  std::set<std::string>& known;
  std::string& at;

  const Json* find(const char* key) const {
    known.insert(key);
    at = key;
    const auto found = in.find(key);
    return found == in.end() ? nullptr : &*found;
  }
  void operator()(const char* key, bool& value) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_boolean()) throw Unfit("true or false");
    value = text->get<bool>();
  }
  void operator()(const char* key, std::string& value) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_string()) throw Unfit("a text");
    value = text->get<std::string>();
  }
  void operator()(const char* key, double& value) const {
    if (const Json* text = find(key))
      value = number_in(*text, 0, std::string_view(key) == "opacity" || std::string_view(key) == "volume" ? 1 : far);
  }
  void operator()(const char* key, int& value) const {
    const bool arrows = std::string_view(key) == "arrows", steps = std::string_view(key) == "map_steps";
    if (const Json* text = find(key))
      value = static_cast<int>(number_in(*text, arrows ? 1 : steps ? 0 : -1, arrows ? 1e5 : steps ? 256 : 2));
  }
  void operator()(const char* key, ComplexPart& value) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    for (const auto& [part, word] : complex_parts)
      if (text->is_string() && text->get<std::string>() == word) {
        value = part;
        return;
      }
    throw Unfit("\"wave\", \"magnitude\" or \"phase\"");
  }
  void operator()(const char* key, bool& fixed, double& low, double& high) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    const Json& ends = list_of(*text, 2);
    low = number_in(ends[0], -1e300, 1e300);
    high = number_in(ends[1], -1e300, 1e300);
    if (!(low < high)) throw Unfit("two numbers, the smaller one first");
    fixed = true;
  }
  void operator()(const char* key, std::array<CutPlane, 3>& cuts) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    list_of(*text, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      const Json& one = list_of((*text)[k], 2);
      if (!one[0].is_boolean()) throw Unfit("three pairs [shown, place], shown true or false");
      cuts[k] = {one[0].get<bool>(), number_in(one[1], 0, 1)};
    }
  }
  void operator()(const char* key, std::vector<FormulaField>& formulas) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_array() || text->size() > most_made)
      throw Unfit(fmt::format("an array of at most {} formulas", most_made));
    formulas.clear();
    for (const Json& one : *text) {
      const auto read = one.is_string() ? parse_formula(one.get<std::string>()) : Result<FormulaField>(Error{});
      if (!read) throw Unfit("texts \"NAME[UNIT] = FORMULA\"");
      formulas.push_back(*read);
    }
  }
  void operator()(const char* key, std::vector<ObliquePlane>& planes) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_array() || text->size() > most_made)
      throw Unfit(fmt::format("an array of at most {} planes", most_made));
    planes.clear();
    for (const Json& one : *text) {
      const Json& six = list_of(one, 6);
      ObliquePlane plane;
      for (std::size_t k = 0; k < 3; ++k) {
        plane.normal[k] = number_in(six[k], -far, far);
        plane.point[k] = number_in(six[k + 3], -far, far);
      }
      if (!(std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]) > 0))
        throw Unfit("a normal that is not zero");
      planes.push_back(plane);
    }
  }
  void operator()(const char* key, std::optional<std::pair<double, double>>& within) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    const Json& ends = list_of(*text, 2);
    within = std::pair{number_in(ends[0], -1e300, 1e300), number_in(ends[1], -1e300, 1e300)};
    if (!(within->first < within->second)) throw Unfit("two numbers, the smaller one first");
  }
  void operator()(const char* key, std::vector<Annotation>& annotations) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_array() || text->size() > most_annotations)
      throw Unfit(fmt::format("an array of at most {} texts with places", most_annotations));
    annotations.clear();
    for (const Json& one : *text) {
      const auto words = one.is_object() ? one.find("text") : one.end();
      const auto place = one.is_object() ? one.find("place") : one.end();
      if (!one.is_object() || one.size() != 2 || words == one.end() || place == one.end() || !words->is_string())
        throw Unfit("objects {\"text\": \"…\", \"place\": [x, y, z]}");
      Annotation a{words->get<std::string>(), {}};
      list_of(*place, 3);
      for (std::size_t k = 0; k < 3; ++k) a.place[k] = number_in((*place)[k], -far, far);
      if (!a.text.empty()) annotations.push_back(std::move(a));
    }
  }
  void operator()(const char* key, std::vector<double>& iso, double end) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    if (!text->is_array() || text->size() > most_iso)
      throw Unfit(fmt::format("an array of at most {} numbers", most_iso));
    iso.clear();
    for (const Json& level : *text) iso.push_back(number_in(level, -end, end));
  }
  void operator()(const char* key, std::optional<ClipPlane>& clip) const {
    const Json* text = find(key);
    if (text == nullptr) return;
    const Json& four = list_of(*text, 4);
    ClipPlane plane;
    for (std::size_t k = 0; k < 3; ++k) plane.normal[k] = number_in(four[k], -far, far);
    plane.position = number_in(four[3], 0, 1);
    if (!(std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]) > 0)) throw Unfit("a normal that is not zero");
    clip = plane;
  }
};

SavedView read_view(const Json& in, std::string& at) {
  at = "name";
  if (!in.is_object()) throw Unfit("an object a view");
  SavedView out;
  std::set<std::string> known{"name", "camera"};
  const auto name = in.find("name");
  if (name == in.end() || !name->is_string() || name->get<std::string>().empty())
    throw Unfit("a text that is not empty");
  out.name = name->get<std::string>();
  at = "camera";
  const auto camera = in.find("camera");
  if (camera == in.end()) throw Unfit("an array of 11 values");
  list_of(*camera, out.camera.size());
  for (std::size_t k = 0; k < out.camera.size(); ++k) out.camera[k] = number_in((*camera)[k], -far, far);
  if (!(out.camera[9] > 0)) throw Unfit("a height above zero as its tenth number");
  describe(out.view, Reader{in, known, at});
  for (const auto& [key, value] : in.items())
    if (!known.contains(key)) {
      at = key;
      std::string names;
      for (const std::string& one : known) names += (names.empty() ? "" : ", ") + one;
      throw Unfit("one of the keys " + names);
    }
  return out;
}

}  // namespace

std::string saved_views_text(std::span<const SavedView> views) {
  if (views.empty()) return {};
  Json all = Json::array();
  for (const SavedView& saved : views) {
    Json one{{"name", saved.name}, {"camera", saved.camera}};
    describe(saved.view, Writer{one});
    all.push_back(std::move(one));
  }
  return compact_json(all);
}

Result<std::vector<SavedView>> parse_saved_views(std::string_view text) {
  static constexpr const char* hint =
      "The window writes such files: the menu Views of a picture, \"Save the views to a file\".";
  const Json all = read_json(text);
  if (!all.is_array() || all.size() > most_views)
    return make_error(ErrorCode::invalid_input, fmt::format("expected views: a JSON array of at most {}", most_views),
                      hint);
  std::vector<SavedView> out;
  std::string at;
  try {
    for (const Json& one : all) out.push_back(read_view(one, at));
  } catch (const Unfit& error) {
    return make_error(ErrorCode::invalid_input,
                      fmt::format("view {}, \"{}\": expected {}", out.size() + 1, at, error.what()), hint);
  }
  return out;
}

Result<std::vector<SavedView>> read_saved_views(const std::filesystem::path& file) {
  const auto text = read_file(file, most_bytes);
  if (!text) return text.error();
  auto views = parse_saved_views(*text);
  if (!views) return make_error(views.error().code, file.string() + ": " + views.error().text, views.error().hint);
  return views;
}

FieldView seen_by(const SavedView& saved, const FieldView& now) {
  FieldView out = saved.view;
  if (saved.view.field != now.field) out.iso_values.clear();  // values of another field
  out.part = now.part;
  out.field = now.field;
  out.value = now.value;
  out.label = now.label;
  out.iteration_word = now.iteration_word;
  out.phase_word = now.phase_word;
  out.thinned_words = now.thinned_words;
  out.title = now.title;
  out.keep_range = now.keep_range;
  out.fixed_range = now.fixed_range;
  out.low = now.low;
  out.high = now.high;
  // What somebody wrote since is not lost to a view that was kept before.
  for (const Annotation& a : now.annotations)
    if (std::find(out.annotations.begin(), out.annotations.end(), a) == out.annotations.end())
      out.annotations.push_back(a);
  return out;
}

}  // namespace conoid
