// SPDX-License-Identifier: BSD-3-Clause
// The command's numbers become charts.
#include "app/model/run_values.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <QCoreApplication>
#include <QStringList>

#include <fmt/core.h>

#include "app/look/translator.hpp"
#include "app/model/conoid_command.hpp"
#include "app/model/names.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/json_values.hpp"
#include "engine/core/place.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

QString tr(const char* words) {
  return QCoreApplication::translate("RunValues", words);
}

/// What the command answers, as numbers; not-a-number where there is none.
struct Answer {
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;
  std::vector<QString> warnings;
};

Result<Answer> answer_of(const std::string& said) {
  const Json json = read_json(said);
  Answer out;
  const auto list = [&json](const char* key) {
    const auto it = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && it != json.end() && it->is_array() ? *it : Json::array();
  };
  for (const Json& column : list("columns"))
    out.columns.push_back({text_at(column, "name"), text_at(column, "unit"), {}});
  for (const Json& row : list("rows")) {
    std::vector<double> numbers;
    for (const Json& number : row)
      numbers.push_back(number.is_number() ? number.get<double>() : std::numeric_limits<double>::quiet_NaN());
    if (numbers.size() == out.columns.size()) out.rows.push_back(std::move(numbers));
  }
  for (const Json& warning : list("warnings"))
    if (warning.is_string()) out.warnings.push_back(QString::fromStdString(warning.get<std::string>()));
  if (out.columns.size() < 3 || out.rows.empty())
    return make_error(ErrorCode::internal, "`conoid probe` gave no numbers", "Try it in a terminal.");
  return out;
}

/// "velocity_x_mean" → "x, mean".
QString words_of_column(std::string name, const std::string& field) {
  QStringList words;
  if (const auto at = name.find(field); at != std::string::npos) {
    // Of several parts each has its name before it.
    if (const QString part = QString::fromStdString(name.substr(0, at)).trimmed(); !part.isEmpty()) words << part;
    name.erase(0, at + field.size());
  }
  for (const QString& word : QString::fromStdString(name).split('_', Qt::SkipEmptyParts)) {
    const std::pair<const char*, QString> known[] = {
        {"re", tr("real part")}, {"im", tr("imaginary part")}, {"magnitude", tr("length")},
        {"phase", tr("phase")},  {"mean", tr("mean")},         {"min", tr("least")},
        {"max", tr("largest")},  {"integral", tr("integral")}, {"length", tr("length")},
        {"area", tr("area")},    {"volume", tr("volume")}};
    const auto it = std::find_if(std::begin(known), std::end(known), [&](const auto& k) { return word == k.first; });
    words << (it == std::end(known) ? word : it->second);
  }
  return words.join(", ");
}

QString place_words(const Vec3& place) {
  QString numbers = QString::fromStdString(place_text(place));
  return in_figures("(" + numbers.replace('-', QChar(0x2212)) + ") m");
}

QString field_words(const FieldInfo& field) {
  return translated(field.label.empty() ? field.name : field.label);
}

/// Columns from `first` on that `wanted` takes, over the moment (the second column).
template <class Wanted>
ChartSpec chart_over_frames(const Answer& answer, const ValuesQuestion& question, std::size_t first,
                            const Wanted& wanted) {
  ChartSpec out;
  const std::string axis = answer.columns[1].name;
  const std::string words = axis == "time" ? "Time" : axis == "frequency" ? "Frequency" : "Iteration";
  out.x_label = translated(words).toStdString();
  out.x_unit = answer.columns[1].unit;
  out.y_label = field_words(question.field).toStdString();
  for (std::size_t c = first; c < answer.columns.size(); ++c) {
    const Column& column = answer.columns[c];
    if (!wanted(column.name)) continue;
    Series curve;
    const QString named = words_of_column(column.name, question.field.name);
    curve.label = named.isEmpty() ? out.y_label : named.toStdString();
    curve.dots = answer.rows.size() <= 64;
    for (const auto& row : answer.rows) {
      curve.x.push_back(row[1]);
      curve.y.push_back(row[c]);
    }
    out.y_unit = column.unit;
    out.series.push_back(std::move(curve));
  }
  return out;
}

QString sentence_of_last(const Answer& answer, const ValuesQuestion& question, std::size_t first, const QString& name) {
  const auto& row = answer.rows.back();
  QStringList parts;
  for (std::size_t c = first; c < answer.columns.size(); ++c) {
    const QString words = words_of_column(answer.columns[c].name, question.field.name);
    const QString value = QString::fromStdString(readable(row[c], answer.columns[c].unit));
    parts << (words.isEmpty() ? value : words + ' ' + value);
  }
  const QString moment = answer.columns[1].unit.empty()
                             ? tr("iteration %1").arg(row[1])
                             : (answer.columns[1].name == "time" ? "t = " : "f = ") +
                                   QString::fromStdString(readable(row[1], answer.columns[1].unit));
  return in_figures(
      QString("%1, %2, %3: %4").arg(field_words(question.field), name, moment, parts.join(QStringLiteral("; "))));
}

}  // namespace

ValuesQuestion question_of(const FieldInfo& field, const FieldView& view) {
  ValuesQuestion out;
  out.field = field;
  out.part = view.part;
  const bool length = field.components > 1 && view.value.component < 0;
  if (field.components > 1)
    out.component = length ? "magnitude" : std::string(1, static_cast<char>('x' + std::min(view.value.component, 2)));
  if (field.is_complex) {
    if (length || view.value.part == ComplexPart::magnitude)
      out.show = "magnitude";
    else if (view.value.part == ComplexPart::phase)
      out.show = "phase";
  }
  for (const FormulaField& f : view.recipe.formulas)
    if (f.name == field.name) out.formulas.push_back(f.name + "[" + f.unit + "] = " + f.formula);
  return out;
}

std::vector<std::string> arguments_of(const ValuesQuestion& question) {
  std::vector<std::string> out{
      "probe", absolute_path(question.run).string(), "--field", question.field.name, "--frames", "all"};
  const auto option = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {name, value});
  };
  if (question.place) {
    const Vec3& p = *question.place;
    // One word: a place may begin with a minus.
    out.push_back(fmt::format("--point={},{},{}", p[0], p[1], p[2]));
  } else {
    out.push_back("--over=" + (question.over.empty() ? std::string("all") : question.over));
  }
  if (question.place) option("--part", question.part);
  option("--component", question.component);
  option("--show", question.show);
  for (const std::string& formula : question.formulas) option("--formula", formula);
  return out;
}

Result<RunValues> ask_values(const ValuesQuestion& question, std::filesystem::path program, std::stop_token stop) {
  constexpr double longest = 1800;
  auto arguments = arguments_of(question);
  arguments.push_back("--json");
  const auto said = ask_conoid(std::move(arguments), std::move(program), longest, std::move(stop));
  if (!said) return said.error();
  auto answer = answer_of(*said);
  if (!answer) return answer.error();
  RunValues out;
  out.warnings = std::move(answer->warnings);
  const std::size_t first = question.place ? 6 : 2;  // frame, moment, and of points their number and place
  if (question.place) {
    out.name = tr("At %1").arg(place_words(*question.place));
    out.charts.push_back(chart_over_frames(*answer, question, first, [](const std::string&) { return true; }));
  } else {
    out.name = tr("Over %1").arg(
        question.over.empty() || question.over == "all" ? tr("everything") : QString::fromStdString(question.over));
    const auto ends_with = [](const std::string& name, std::initializer_list<const char*> words) {
      return std::any_of(words.begin(), words.end(), [&](const char* w) { return name.ends_with(w); });
    };
    out.charts.push_back(chart_over_frames(*answer, question, first, [&](const std::string& name) {
      return ends_with(name, {"_mean", "_min", "_max"});
    }));
    out.charts.push_back(chart_over_frames(*answer, question, first,
                                           [&](const std::string& name) { return ends_with(name, {"_integral"}); }));
  }
  out.sentence = sentence_of_last(*answer, question, first, out.name);
  for (std::size_t i = 0; i < out.charts.size(); ++i)
    out.charts[i].title = (i == 0 ? out.name : tr("Integral: %1").arg(out.name)).toStdString();
  return out;
}

}  // namespace conoid::app
