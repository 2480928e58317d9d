// SPDX-License-Identifier: BSD-3-Clause
// What a schema node says to people.
#include "app/forms/schema_text.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <QLocale>
#include <QObject>
#include <QRegularExpression>
#include <QStringList>

#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"

#include <QCoreApplication>

namespace conoid::app {
namespace {

bool is_number_node(const Json& node) {
  if (!node.is_object()) return false;
  const std::string type = string_at(node, "type");
  return type == "number" || type == "integer";
}

QString bound(const Json& node, const char* keyword, const QString& sign) {
  const auto it = node.find(keyword);
  return it == node.end() ? QString() : sign + QChar(0x00a0) + shown_text(*it);
}

/// What a schema says, in the language of the window where that has it.
QString in_words(const std::string& text) {
  return QCoreApplication::translate("schema", text.c_str());
}

}  // namespace

const Json& keyword_of(const Json& node, const char* keyword) {
  static const Json none;
  if (!node.is_object()) return none;
  const auto it = node.find(keyword);
  return it == node.end() ? none : *it;
}

bool is_true(const Json& node, const char* keyword) {
  if (!node.is_object()) return false;
  const auto it = node.find(keyword);
  return it != node.end() && it->is_boolean() && it->get<bool>();
}

std::string string_at(const Json& node, const char* keyword) {
  if (!node.is_object()) return {};
  const auto it = node.find(keyword);
  return it != node.end() && it->is_string() ? it->get<std::string>() : std::string();
}

QString label_of(const std::string& key, const Json& node) {
  if (const std::string title = string_at(node, "title"); !title.empty()) return in_words(title);
  QString label = QString::fromStdString(key).replace('_', ' ').replace('-', ' ');
  if (!label.isEmpty()) label[0] = label[0].toUpper();
  return label;
}

QString one_of(const QString& title, const QString& label) {
  const QString key = QStringLiteral("one: ") + title;
  const QString known = QCoreApplication::translate("schema", key.toUtf8().constData());
  return known == key ? label.toLower() : known;
}

QString choice_words(const Json& choice) {
  QString text = text_of(choice);
  if (!choice.is_string()) return shown_text(choice);
  const QString own = choice_name(choice.get<std::string>());
  text.replace('_', ' ');
  // Words of their own: "rigid" alone may be said of something else.
  const QString key = QStringLiteral("choice: ") + text;
  const QString known = QCoreApplication::translate("schema", key.toUtf8().constData());
  if (known != key) return known.left(1).toUpper() + known.mid(1);
  if (!own.isEmpty()) return own;
  // Words begin as such; units, axes and symbols are what they are.
  static const QRegularExpression word("^[a-z][a-z -]+$"), axes("^[xyz]+$");
  if (word.match(text).hasMatch() && !axes.match(text).hasMatch() && !known_unit(text.toStdString()))
    text[0] = text[0].toUpper();
  return text;
}

QString shown_text(const Json& value) {
  if (!value.is_array()) return in_figures(text_of(value));
  if (!has_decimal_comma()) return text_of(value);
  QStringList parts;
  for (const Json& v : value) parts << shown_text(v);
  return parts.join("; ");
}

Json json_from_typed(const QString& typed) {
  return json_from_text(typed_text(typed));
}

QString text_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "on" : "off";
  if (value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& v) { return v.is_primitive(); })) {
    QStringList parts;
    for (const Json& v : value) parts << text_of(v);
    return parts.join(", ");
  }
  if (value.is_number_float()) return QString::number(value.get<double>(), 'g', QLocale::FloatingPointShortest);
  return QString::fromStdString(compact_json(value));
}

Json json_from_text(const QString& text) {
  const std::string trimmed = text.trimmed().toStdString();
  Json number = read_json(trimmed);
  if (number.is_number()) return number;
  // ".5", "+3" and "1." are numbers to people, though not to JSON.
  bool ok = false;
  const double value = QString::fromStdString(trimmed).toDouble(&ok);
  if (ok && std::abs(value) <= 1e300) return value;
  return trimmed;
}

namespace {

/// What a field is, its default, range and units: a line each, plain text.
QStringList facts_of(const Json& node, const Json& fallback) {
  QStringList lines;
  if (const std::string description = string_at(node, "description"); !description.empty())
    lines << in_words(description);
  const std::string unit = string_at(node, "unit");
  const QString unit_text = unit.empty() || unit == "1" ? QString() : " " + QString::fromStdString(unit);
  if (!fallback.is_null() && fallback.is_primitive()) {
    const QString words = fallback.is_boolean()   ? (fallback.get<bool>() ? QObject::tr("on") : QObject::tr("off"))
                          : node.contains("enum") ? choice_words(fallback)
                          : is_number_node(node)  ? shown_text(fallback)
                                                  : text_of(fallback);
    lines << QObject::tr("Default: %1").arg(words + (fallback.is_number() ? unit_text : ""));
  }
  QStringList range;
  for (const auto& [keyword, sign] : {std::pair{"minimum", QChar(0x2265)}, std::pair{"exclusiveMinimum", QChar('>')},
                                      std::pair{"maximum", QChar(0x2264)}, std::pair{"exclusiveMaximum", QChar('<')}})
    if (const QString text = bound(node, keyword, sign); !text.isEmpty()) range << text;
  if (!range.isEmpty())
    lines << QObject::tr("Range: %1").arg(range.join(has_decimal_comma() ? "; " : ", ") + unit_text);
  if (!unit_text.isEmpty()) {
    QStringList units;
    for (const auto& u : units_for(unit)) units << QString::fromStdString(u);
    if (units.size() > 1) lines << QObject::tr("Units: %1").arg(units.join(", "));
  }
  return lines;
}

}  // namespace

QString sentence_of(const Diagnostic& diagnostic) {
  const Diagnostic d = translated(diagnostic);
  if (d.hint.empty()) return QString::fromStdString(d.text);
  const bool ends = !d.text.empty() && std::string_view(".!?:").find(d.text.back()) != std::string_view::npos;
  return QString::fromStdString(d.text + (ends ? " " : ". ") + d.hint);
}

const Diagnostic& worst_of(const std::vector<Diagnostic>& diagnostics) {
  return *std::max_element(diagnostics.begin(), diagnostics.end(),
                           [](const Diagnostic& a, const Diagnostic& b) { return a.severity < b.severity; });
}

QString tooltip_of(const std::string& pointer, const Json& node, const Json& fallback) {
  QStringList lines{"<b>" + label_of(pointer.substr(pointer.rfind('/') + 1), node).toHtmlEscaped() + "</b>"};
  for (const QString& fact : facts_of(node, fallback)) lines << fact.toHtmlEscaped();
  lines << "<code>" + QString::fromStdString(pointer).toHtmlEscaped() + "</code>";
  return lines.join("<br>");
}

QString description_of(const std::string& pointer, const Json& node, const Json& fallback) {
  const QStringList facts = facts_of(node, fallback);
  return facts.isEmpty() ? QString::fromStdString(pointer) : facts.join('\n');
}

Json initial_value(const Json& node) {
  if (const auto it = node.find("default"); it != node.end()) return *it;
  const std::string type = string_at(node, "type");
  if (type == "array") {
    Json array = Json::array();
    const Json& least = keyword_of(node, "minItems");
    const Json& items = keyword_of(node, "items");
    if (least.is_number_integer() && items.is_object())
      for (int i = 0; i < std::min(least.get<int>(), 64); ++i) array.push_back(initial_value(items));
    return array;
  }
  if (type == "number" || type == "integer") {
    const auto least = node.find("minimum");
    return least == node.end() ? Json(0) : *least;
  }
  if (type == "boolean") return false;
  if (type == "string") {
    const auto choices = node.find("enum");
    return choices != node.end() && !choices->empty() ? choices->front() : Json("");
  }
  Json object = Json::object();
  if (const std::string kind = string_at(node, "discriminator"); !kind.empty())
    if (const auto variants = node.find("variants"); variants != node.end() && !variants->empty())
      object[kind] = variants->begin().key();
  return object;
}

namespace {

/// A value as a form shows it: a choice, figures, or what somebody wrote, which stays as it is.
QString words_of_value(const Json& value, const Json& node) {
  if (node.is_object() && node.contains("enum")) return choice_words(value);
  return value.is_string() && !is_number_node(node) ? text_of(value) : shown_text(value);
}

}  // namespace

QString summary_of(const Json& value, const Json& node) {
  if (value.is_primitive()) return words_of_value(value, node);
  QStringList parts;
  const std::string kind = string_at(node, "discriminator");
  const std::string own = kind.empty() || !value.is_object() ? std::string() : string_at(value, kind.c_str());
  const Json& variant = keyword_of(keyword_of(node, "variants"), own.c_str());
  for (const auto& [key, member] : value.items()) {
    const bool flat = member.is_primitive() ||
                      (member.is_array() && member.size() <= 3 && !member.empty() &&
                       std::all_of(member.begin(), member.end(), [](const Json& v) { return v.is_primitive(); }));
    if (member.is_boolean()) continue;
    const Json& of_all = keyword_of(keyword_of(node, "properties"), key.c_str());
    const Json& property = of_all.is_object() ? of_all : keyword_of(keyword_of(variant, "properties"), key.c_str());
    if (!kind.empty() && key == kind && variant.is_object())
      parts << label_of(own, variant);
    else if (flat)
      parts << words_of_value(member, property);
    if (parts.size() == 3) break;
  }
  return parts.join(QStringLiteral(" · "));
}

Json fallback_for(const std::string& key, const Json& node, const Json& object_fallback) {
  if (object_fallback.is_object())
    if (const auto it = object_fallback.find(key); it != object_fallback.end()) return *it;
  if (node.is_object())
    if (const auto it = node.find("default"); it != node.end()) return *it;
  return {};
}

bool is_required(const std::string& key, const Json& object_node) {
  const auto required = object_node.find("required");
  return required != object_node.end() && required->is_array() &&
         std::find(required->begin(), required->end(), Json(key)) != required->end();
}

bool has_demands(const Json& node) {
  if (!node.is_object() || node.contains("default")) return false;
  if (const std::string kind = string_at(node, "discriminator"); !kind.empty()) {
    const std::string usual = string_at(keyword_of(keyword_of(node, "properties"), kind.c_str()), "default");
    if (usual.empty() || has_demands(keyword_of(keyword_of(node, "variants"), usual.c_str()))) return true;
  }
  const auto properties = node.find("properties");
  if (properties == node.end()) return false;
  for (const auto& [key, child] : properties->items())
    if (is_required(key, node) && !child.contains("default")) return true;
  return false;
}

int vector_size(const Json& node) {
  const Json& least = keyword_of(node, "minItems");
  if (!least.is_number_integer() || least != keyword_of(node, "maxItems") || !is_number_node(keyword_of(node, "items")))
    return 0;
  const int size = least.get<int>();
  return size >= 2 && size <= 4 ? size : 0;
}

}  // namespace conoid::app
