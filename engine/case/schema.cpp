// SPDX-License-Identifier: BSD-3-Clause
// Making, checking and looking through the schema of a case.
#include "engine/case/schema.hpp"

#include "engine/case/case.hpp"
#include "engine/case/schema_nodes.hpp"
#include "engine/case/validate.hpp"
#include "engine/core/units.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>

namespace conoid {

extern const std::string_view common_case_schema;  // engine/case/common.json

using namespace schema_nodes;

namespace {

// Beside those of schema.hpp: `rest`, of a map or list of conditions on groups of a surface, is what its faces in none of these are: a pointer
// ("/body/kind") to the key that says it, or the kind itself. `symmetry`, of an enum of coordinates, is for those that turn around a line
// or a point {"side": "y_min", "title": …}: the side of the box where the radius begins, and what it is where the radius is zero; it is then
// no boundary; neither is a condition there whose variant says `mirrors`: true. `turns` beside the side are the dimensions that are added, 2 of
// coordinates around a point (1 where it is not said). `thins`: true of an integer that is the most points of a volume that a frame keeps. All are
// for who looks at results (symmetry.hpp).
constexpr std::array keywords = {"type",
                                 "properties",
                                 "required",
                                 "items",
                                 "minItems",
                                 "maxItems",
                                 "enum",
                                 "default",
                                 "minimum",
                                 "maximum",
                                 "exclusiveMinimum",
                                 "pattern",
                                 "exclusiveMaximum",
                                 "title",
                                 "description",
                                 "unit",
                                 "live",
                                 "prolongs",
                                 "advanced",
                                 "thins",
                                 "idle_beside",
                                 "file",
                                 "group",
                                 "rest",
                                 "symmetry",
                                 "mirrors",
                                 "discriminator",
                                 "variants",
                                 "map",
                                 "minLength",
                                 "maxLength",
                                 "machine",
                                 "optional",
                                 "exclusive",
                                 "needs",
                                 "starts",
                                 "words",
                                 "list",
                                 "formerly",
                                 "deprecated",
                                 "examples",
                                 "$comment",
                                 "$schema"};

void remove_from(Json& node, std::string_view keyword, const std::string& name) {
  Json* list = node.contains(keyword) ? &node[std::string(keyword)] : nullptr;
  if (list == nullptr || !list->is_array()) return;
  Json kept = Json::array();
  for (Json& entry : *list) {
    if (entry.is_array()) {
      Json group = Json::array();
      for (const Json& e : entry)
        if (e != name) group.push_back(e);
      if (group.size() > 1) kept.push_back(std::move(group));
    } else if (entry != name) {
      kept.push_back(entry);
    }
  }
  *list = std::move(kept);
}

void lay_over(Json& base, const Json& over) {
  for (const auto& [keyword, value] : over.items()) {
    if (keyword == "properties" && value.is_object()) {
      Json& properties = base["properties"];
      if (!properties.is_object()) properties = Json::object();
      for (const auto& [name, node] : value.items()) {
        if (node == false) {
          properties.erase(name);
          remove_from(base, "required", name);
          remove_from(base, "exclusive", name);
        } else if (properties.contains(name) && properties[name].is_object() && node.is_object()) {
          lay_over(properties[name], node);
        } else {
          properties[name] = node;
        }
      }
    } else if (keyword == "required" && value.is_array()) {
      Json& list = base["required"];
      if (!list.is_array()) list = Json::array();
      for (const Json& name : value)
        if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
    } else {
      base[keyword] = value;
    }
  }
}

/// Puts the fragments of the common part in the place of what uses them, at any depth. Gives the name of one that is not there.
std::string lay_in_fragments(Json& node, const Json& fragments) {
  if (node.is_object() && get(node, "use") != nullptr) {
    const std::string name(word(node, "use"));
    const Json* fragment = get(fragments, name);
    if (fragment == nullptr) return name.empty() ? "?" : name;
    Json over = std::move(node);
    over.erase("use");
    node = *fragment;
    lay_over(node, over);
  }
  if (node.is_structured())
    for (Json& part : node)
      if (std::string unknown = lay_in_fragments(part, fragments); !unknown.empty()) return unknown;
  return {};
}

// Finds what is wrong with a schema itself; all of it is a programmer's error in a parameters.json.
class SchemaCheck {
 public:
  std::vector<std::string> faults;

  void node(const Json& node, const std::string& where, bool variant = false) {
    if (!node.is_object()) return fault(where, "expected an object");
    for (const auto& [keyword, value] : node.items())
      if (std::find(keywords.begin(), keywords.end(), keyword) == keywords.end())
        fault(where, "unknown keyword " + in_quotes(keyword));
    for (const char* keyword : {"title", "description", "unit", "pattern", "discriminator", "group", "rest", "file",
                                "type", "deprecated", "list", "idle_beside"})
      if (const Json* value = get(node, keyword); value != nullptr && !value->is_string())
        fault(where, std::string(keyword) + " must be a text");
    for (const char* keyword : {"live", "prolongs", "advanced", "machine", "optional", "thins"})
      if (const Json* value = get(node, keyword); value != nullptr && !value->is_boolean())
        fault(where, std::string(keyword) + " must be true or false");
    for (const char* keyword : {"minItems", "maxItems", "minLength", "maxLength"})
      if (const Json* value = get(node, keyword); value != nullptr && !value->is_number_unsigned() &&
                                                  !(value->is_number_integer() && value->get<std::int64_t>() >= 0))
        fault(where, std::string(keyword) + " must be a count");
    for (const char* keyword : {"required", "enum", "words", "exclusive", "needs", "formerly"})
      if (const Json* value = get(node, keyword);
          value != nullptr && (!value->is_array() || (value->empty() && std::string_view(keyword) == "enum")))
        fault(where, std::string(keyword) + " must be a list");
    if (const Json* names = get(node, "formerly"); names != nullptr && names->is_array())
      for (const Json& name : *names)
        if (!name.is_string()) fault(where, "formerly must be a list of names");
    if (const Json* turns = get(node, "symmetry"); turns != nullptr) symmetry(*turns, node, where);
    if (!faults.empty() && faults.size() > 20) return;

    const std::string_view t = variant && type(node).empty() ? "object" : type(node);
    if (t == "object")
      object(node, where);
    else if (t == "array")
      array(node, where);
    else if (t == "number" || t == "integer")
      number(node, where);
    else if (t == "string")
      text(node, where);
    else if (t != "boolean")
      fault(where, "type must be object, array, number, integer, string or boolean, found " + in_quotes(t));

    if (const Json* preset = get(node, "default"); preset != nullptr && faults.empty()) {
      std::vector<Diagnostic> errors;
      SchemaWalker(nullptr, &errors).walk(node, *preset, SchemaWalker::Path{}, nullptr);
      if (!errors.empty()) fault(where, "the default does not hold: " + errors.front().text);
    }
  }

 private:
  void symmetry(const Json& turns, const Json& coordinates, const std::string& where) {
    if (!turns.is_object()) return fault(where, "symmetry must be an object");
    const Json* values = get(coordinates, "enum");
    for (const auto& [value, said] : turns.items()) {
      if (values == nullptr || std::find(values->begin(), values->end(), Json(value)) == values->end())
        fault(where, "symmetry of " + in_quotes(value) + ", which is not in the enum");
      const std::string_view side = said.is_object() ? word(said, "side") : std::string_view();
      if ((side != "x_min" && side != "y_min" && side != "z_min") || word(said, "title").empty())
        fault(where, "symmetry must give a side x_min, y_min or z_min and a title");
      if (const Json* times = said.is_object() ? get(said, "turns") : nullptr;
          times != nullptr && *times != Json(1) && *times != Json(2))
        fault(where, "the turns of a symmetry must be 1 or 2");
    }
  }

  void fault(const std::string& where, const std::string& text) { faults.push_back(where + ": " + text); }

  void object(const Json& node, const std::string& where) {
    if (const Json* schema = get(node, "map")) {
      if (get(node, "properties") != nullptr || get(node, "variants") != nullptr)
        fault(where, "map stands alone, without properties and variants");
      return this->node(*schema, where + "/*");
    }
    const Json* properties = get(node, "properties");
    if (properties != nullptr) {
      if (!properties->is_object()) return fault(where, "properties must be an object");
      for (const auto& [name, schema] : properties->items()) {
        if (name == word(node, "discriminator")) continue;
        this->node(schema, pointer_join(where, name));
      }
    }
    const Json* variants = get(node, "variants");
    if ((variants != nullptr) != (get(node, "discriminator") != nullptr))
      return fault(where, "discriminator and variants belong together");
    if (variants != nullptr) {
      if (!variants->is_object() || variants->empty())
        return fault(where, "variants must be an object with one or more");
      for (const auto& [name, schema] : variants->items()) {
        this->node(schema, where + "<" + name + ">", true);
        if (get(schema, "variants") != nullptr || get(schema, "map") != nullptr)
          fault(where + "<" + name + ">", "a variant has plain properties only");
      }
      if (const Json* own = properties != nullptr ? get(*properties, word(node, "discriminator")) : nullptr) {
        if (!own->is_object()) return fault(where, "the discriminator's own schema is no object");
        this->node(discriminator_node(node), pointer_join(where, word(node, "discriminator")));
      }
    }
    if (const std::string_view list = word(node, "list"); !list.empty())
      if (const Json* member = property(node, nullptr, list); member == nullptr || type(*member) != "array")
        fault(where, "list names " + in_quotes(list) + ", which is no list");
    // A required name may stand in the node or in the variant; a variant's own list is checked with the
    // variant.
    if (const Json* required = get(node, "required"); required != nullptr && required->is_array())
      for (const Json& name : *required)
        if (!name.is_string() ||
            (property(node, nullptr, name.get<std::string>()) == nullptr && name != word(node, "discriminator")))
          fault(where, "required names " + json_text(name) + ", which is no property");
    for (const char* keyword : {"exclusive", "needs"})
      if (const Json* groups = get(node, keyword); groups != nullptr && groups->is_array())
        for (const Json& group : *groups) {
          if (!group.is_array() || group.size() < 2)
            return fault(where, std::string(keyword) + " must hold lists of two or more names");
          for (const Json& name : group)
            if (!name.is_string() || property(node, nullptr, name.get<std::string>()) == nullptr)
              fault(where, std::string(keyword) + " names " + json_text(name) + ", which is no property");
        }
  }

  void array(const Json& node, const std::string& where) {
    const Json* items = get(node, "items");
    if (items == nullptr) return fault(where, "a list needs items");
    this->node(*items, where + "/*");
  }

  void number(const Json& node, const std::string& where) {
    if (const std::string_view unit = word(node, "unit"); !unit.empty() && !known_unit(unit))
      fault(where, "unknown unit " + in_quotes(unit));
    for (const char* keyword : {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
      if (get(node, keyword) != nullptr && !bound(node, keyword))
        fault(where, std::string(keyword) + " is no number of this unit");
  }

  void text(const Json& node, const std::string& where) {
    if (const std::string_view file = word(node, "file"); !file.empty())
      if (file != "mesh" && file != "geometry" && file != "model" && file != "signal" && file != run_folder_kind)
        fault(where, "file must be mesh, geometry, model, signal or run, found " + in_quotes(file));
    if (const std::string_view pattern = word(node, "pattern"); !pattern.empty()) {
      try {
        const std::regex compiled(pattern.begin(), pattern.end());
      } catch (const std::regex_error&) {
        fault(where, "pattern " + in_quotes(pattern) + " is no regular expression");
      }
    }
  }
};

bool is_leaf(const Json& node) {
  const std::string_view t = type(node);
  if (t == "object") return false;
  if (t != "array") return true;
  const Json* items = get(node, "items");
  return items == nullptr || is_leaf(*items);
}

using Fields = std::vector<std::pair<std::string, Json>>;

void collect(const Json& node, const std::string& pointer, const std::string& when, bool mandatory, Fields& out) {
  const auto leaf = [&](const Json& field, const std::string& at) {
    Json copy = field;
    if (!when.empty()) copy["when"] = when;
    if (mandatory && get(field, "default") == nullptr) copy["mandatory"] = true;
    out.emplace_back(at, std::move(copy));
  };
  if (is_leaf(node)) return leaf(node, pointer);
  if (type(node) == "array") return collect(node["items"], pointer + "/*", when, false, out);
  if (const Json* schema = get(node, "map")) return collect(*schema, pointer + "/*", when, false, out);
  const std::string discriminator(word(node, "discriminator"));
  const auto members = [&](const Json& part, const std::string& condition) {
    const Json* properties = get(part, "properties");
    if (properties == nullptr) return;
    const Json* required = get(part, "required");
    for (const auto& [name, schema] : properties->items()) {
      if (name == discriminator) continue;
      const std::string& key = name;
      const bool must = required != nullptr &&
                        std::any_of(required->begin(), required->end(), [&](const Json& r) { return r == key; });
      collect(schema, pointer_join(pointer, name), condition, must, out);
    }
  };
  if (!discriminator.empty()) collect(discriminator_node(node), pointer_join(pointer, discriminator), when, true, out);
  members(node, when);
  if (const Json* variants = get(node, "variants"))
    for (const auto& [name, variant] : variants->items()) {
      std::string condition = discriminator;
      condition += " = ";
      condition += name;
      members(variant, when.empty() ? condition : when + ", " + condition);
    }
}

std::string default_text(const Json& preset) {
  return preset.is_string() ? (preset.get_ref<const std::string&>().empty() ? "empty" : preset.get<std::string>())
                            : json_text(preset);
}

}  // namespace

Result<Schema> Schema::for_solver(std::string_view solver_id, std::string_view parameters_json) {
  const std::string name = solver_id.empty() ? "common" : std::string(solver_id);
  const auto bug = [&](std::string text) {
    return make_error(ErrorCode::internal, "the schema of solver " + in_quotes(name) + ": " + std::move(text),
                      "Correct the solver's parameters.json.");
  };
  auto common = parse_json(common_case_schema);
  if (!common) return bug("common.json: " + common.error().text);
  Json merged = std::move(common).value();
  auto own = parse_json(parameters_json);
  if (!own) return bug("line " + std::to_string(own.error().place.line) + ", " + own.error().text);
  if (!own->is_object()) return bug("expected an object at the top");

  Json over = std::move(own).value();
  Json fragments = Json::object();
  if (Json* given = merged.contains("fragments") ? &merged["fragments"] : nullptr) {
    fragments = std::move(*given);
    merged.erase("fragments");
  }
  for (Json* part : {&merged, &over})
    if (Json* sections = part->contains("properties") ? &(*part)["properties"] : nullptr)
      if (const std::string unknown = lay_in_fragments(*sections, fragments); !unknown.empty())
        return bug("there is no fragment " + in_quotes(unknown) + " to use");
  if (const Json* sections = get(over, "properties")) {
    if (!sections->is_object()) return bug("properties must be an object");
    for (const char* fixed : {"conoid", "title", "solver"})
      if (get(*sections, fixed) != nullptr)
        return bug(std::string(fixed) + " is common to all cases and cannot be replaced");
  }
  over.erase("$schema");
  lay_over(merged, over);
  merged["type"] = "object";
  // What describes the problem comes before what is kept of it and how it is computed: the order of forms and
  // pages.
  Json& sections = merged["properties"];
  for (const char* last : {"output", "compute"})
    if (Json* section = sections.contains(last) ? &sections[last] : nullptr) {
      Json moved = std::move(*section);
      sections.erase(last);
      sections[last] = std::move(moved);
    }
  if (!solver_id.empty()) merged["properties"]["solver"]["enum"] = Json::array({std::string(solver_id)});

  SchemaCheck check;
  check.node(merged, "");
  if (!check.faults.empty()) return bug(check.faults.front());
  return Schema(std::make_shared<const Json>(std::move(merged)));
}

Json Schema::node(const std::string& pointer, const Json& document) const {
  Json here = *json_;
  const Json* value = &document;
  for (const std::string& step : pointer_steps(pointer)) {
    Json next;
    if (type(here) == "array") {
      if (get(here, "items") == nullptr) return {};
      const bool digits = !step.empty() && step.size() < 10 &&
                          std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits && step != "*") return {};
      next = here["items"];
      const std::size_t index = digits ? std::stoul(step) : 0;
      value = value != nullptr && value->is_array() && index < value->size() ? &(*value)[index] : nullptr;
    } else if (const Json* schema = get(here, "map")) {
      next = *schema;
      value = value != nullptr ? get(*value, step) : nullptr;
    } else {
      auto found = property_copy(here, value, step);
      if (!found) return {};
      next = std::move(*found);
      value = value != nullptr ? get(*value, step) : nullptr;
    }
    here = std::move(next);
  }
  return here;
}

std::vector<std::pair<std::string, Json>> Schema::fields() const {
  Fields out;
  collect(*json_, "", "", false, out);
  return out;
}

Json effective_object(const Json& node, const Json& value) {
  Json out = node;
  out.erase("variants");
  out.erase("discriminator");
  if (get(node, "variants") == nullptr) return out;
  Json properties = Json::object();
  properties[std::string(word(node, "discriminator"))] = discriminator_node(node);
  const Json* variant = variant_of(node, &value);
  for (const std::string& name : property_names(node, variant))
    if (!properties.contains(name)) properties[name] = *property(node, variant, name);
  out["properties"] = std::move(properties);
  if (variant != nullptr) {
    for (const char* keyword : {"required", "exclusive"})
      if (const Json* list = get(*variant, keyword)) {
        Json& all = out[keyword];
        if (!all.is_array()) all = Json::array();
        for (const Json& entry : *list) all.push_back(entry);
      }
  }
  return out;
}

std::string describe(const Json& node) {
  const std::string_view t = type(node);
  const std::string_view unit = word(node, "unit");
  std::string out;
  if (t == "number")
    out = "a number";
  else if (t == "integer")
    out = "a whole number";
  else if (t == "boolean")
    out = "true or false";
  else if (t == "string")
    out = word(node, "file") == run_folder_kind ? "the name of a run folder"
          : get(node, "file") != nullptr        ? "the name of a " + std::string(word(node, "file")) + " file"
          : get(node, "group") != nullptr       ? "the name of a group of the mesh"
                                                : "a text";
  else if (t == "object")
    out = get(node, "map") != nullptr ? "an object { } of named entries" : "an object { }";
  else if (t == "array") {
    const auto low = bound(node, "minItems");
    const auto high = bound(node, "maxItems");
    out = "a list";
    if (low && high && *low == *high)
      out += " of " + number_text(*low, {});
    else if (low && *low > 0)
      out += " of at least " + number_text(*low, {});
    const Json* items = get(node, "items");
    if (items != nullptr) {
      const std::string_view item = type(*items);
      const std::string_view item_unit = word(*items, "unit");
      out += out == "a list" ? " of " : " ";
      out += item == "number"    ? "numbers"
             : item == "integer" ? "whole numbers"
             : item == "string"  ? "texts"
             : item == "boolean" ? "true or false"
             : item == "array"   ? "lists"
                                 : "objects";
      if (!item_unit.empty() && item_unit != "1") out += " in " + std::string(item_unit);
    }
  }
  if (const Json* list = get(node, "enum")) out = (list->size() > 1 ? "one of " : "") + choices(*list);
  if (!unit.empty() && unit != "1") out += " in " + std::string(unit);
  if (const Json* words = get(node, "words")) out += " or " + choices(*words);
  if (const std::string range = range_text(node); !range.empty()) out += ", " + range;
  return out;
}

std::string Schema::manual() const {
  std::string out;
  std::string section;
  const auto wrap = [&](std::string_view text) {
    std::size_t column = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view piece = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (piece.empty()) continue;
      if (column == 0 || column + 1 + piece.size() > 76) {
        out += column == 0 ? "    " : "\n    ";
        column = 0;
      } else {
        out += ' ';
        ++column;
      }
      out += piece;
      column += piece.size();
    }
    out += '\n';
  };
  if (const std::string_view title = word(*json_, "title"); !title.empty()) {
    out += title;
    out += '\n';
  }
  if (const std::string_view text = word(*json_, "description"); !text.empty()) wrap(text);
  for (const auto& [pointer, node] : fields()) {
    const auto steps = pointer_steps(pointer);
    if (steps.front() != section) {
      section = steps.front();
      out += "\n" + section;
      const Json* top = get(*json_, "properties") != nullptr ? get((*json_)["properties"], section) : nullptr;
      if (top != nullptr && steps.size() > 1 && !word(*top, "description").empty())
        out += " - " + std::string(word(*top, "description"));
      out += "\n";
    }
    out += "\n  " + pointer;
    if (const std::string_view when = word(node, "when"); !when.empty()) out += "   (if " + std::string(when) + ")";
    out += "\n";
    std::string type_line = describe(node);
    if (!type_line.empty()) type_line[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type_line[0])));
    if (flag(node, "mandatory")) type_line += "; must be given";
    if (const Json* preset = get(node, "default")) type_line += "; default " + default_text(*preset);
    if (flag(node, "live")) type_line += "; may be changed during a run";
    if (flag(node, "prolongs")) type_line += "; may be changed with `conoid resume RUN --set KEY=VALUE`";
    type_line += ".";
    if (const std::string_view unit = word(node, "unit"); !unit.empty() && unit != "1") {
      type_line += " Units:";
      for (const auto& u : units_for(unit)) type_line += " " + u;
      type_line += ".";
    }
    wrap(type_line);
    if (const std::string_view text = word(node, "description"); !text.empty()) wrap(text);
  }
  return out;
}

Changes changes(const CaseDocument& before, const CaseDocument& after, const Schema& schema) {
  Changes out;
  const std::function<void(const Json*, const Json*, const std::string&)> compare = [&](const Json* a, const Json* b,
                                                                                        const std::string& pointer) {
    if (a != nullptr && b != nullptr && *a == *b) return;
    if (a != nullptr && b != nullptr && a->is_object() && b->is_object()) {
      for (const auto& [key, value] : a->items()) compare(&value, get(*b, key), pointer_join(pointer, key));
      for (const auto& [key, value] : b->items())
        if (get(*a, key) == nullptr) compare(nullptr, &value, pointer_join(pointer, key));
      return;
    }
    out.pointers.push_back(pointer);
    // A live section makes everything in it live.
    bool live = false;
    std::string upto;
    for (const std::string& step : pointer_steps(pointer)) {
      upto = pointer_join(upto, step);
      live = live || flag(schema.node(upto, after.json()), "live");
    }
    out.all_live = out.all_live && live;
  };
  compare(&before.json(), &after.json(), "");
  return out;
}

}  // namespace conoid
