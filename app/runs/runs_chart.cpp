// SPDX-License-Identifier: BSD-3-Clause
// Runs as numbers.
#include "app/runs/runs_chart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/panels/chart_tile.hpp"
#include "engine/core/units.hpp"
#include "engine/session/prolong.hpp"

namespace conoid::app {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Pointers whose values are not the same in all runs.
std::vector<std::string> differing(const std::vector<ListedRun>& runs) {
  std::map<std::string, std::set<std::string>> seen;
  for (const ListedRun& run : runs)
    for (const auto& [pointer, text] : run.values) seen[pointer].insert(text);
  std::vector<std::string> out;
  for (const auto& [pointer, texts] : seen) {
    const bool all = std::all_of(runs.begin(), runs.end(),
                                 [&key = pointer](const ListedRun& run) { return run.values.contains(key); });
    if (pointer != "/title" && (texts.size() > 1 || !all)) out.push_back(pointer);
  }
  return out;
}

std::string unit_at(const std::vector<ListedRun>& runs, const std::string& pointer) {
  for (const ListedRun& run : runs) {
    const auto document = CaseDocument::read(run.card.folder / "case.json");
    if (!document) continue;
    const Json node = schema_of(*document).node(pointer, document->json());
    if (node.is_object()) return node.value("unit", "") == "1" ? "" : node.value("unit", "");
  }
  return {};
}

double number_of(std::string text, const std::string& unit) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  const auto read = parse_quantity(text, unit.empty() ? "1" : unit);
  return read ? read->value : none;
}

}  // namespace

SweepTable table_of_runs(const std::vector<ListedRun>& runs) {
  SweepTable out;
  for (const std::string& pointer : differing(runs)) {
    const std::string unit = unit_at(runs, pointer);
    // A column of texts alone is no axis.
    const bool numbers = std::any_of(runs.begin(), runs.end(), [&](const ListedRun& run) {
      const auto at = run.values.find(pointer);
      return at != run.values.end() && std::isfinite(number_of(at->second, unit));
    });
    if (numbers) out.columns.push_back({pointer, unit, {}});
  }
  out.swept = out.columns.size();
  for (const ListedRun& run : runs)
    for (const NumberEvent& number : run.card.numbers)
      if (std::none_of(out.columns.begin(), out.columns.end(), [&](const Column& c) { return c.name == number.name; }))
        out.columns.push_back({number.name, number.unit == "1" ? "" : number.unit, {}});
  out.columns.push_back({"seconds", "s", {}});
  for (const ListedRun& run : runs) {
    std::vector<double> row(out.columns.size(), none);
    for (std::size_t c = 0; c < out.swept; ++c)
      if (const auto at = run.values.find(out.columns[c].name); at != run.values.end())
        row[c] = number_of(at->second, out.columns[c].unit);
    for (const NumberEvent& number : run.card.numbers)
      for (std::size_t c = out.swept; c < out.columns.size(); ++c)
        if (out.columns[c].name == number.name) row[c] = number.value;
    row.back() = run.card.seconds > 0 ? run.card.seconds : none;
    out.rows.push_back(std::move(row));
  }
  return out;
}

QString runs_as_text(const std::vector<ListedRun>& runs, QChar separator) {
  const SweepTable table = table_of_runs(runs);
  const auto cell = [&](QString text) {
    return text.contains(separator) || text.contains('"') || text.contains('\n') ? '"' + text.replace('"', "\"\"") + '"'
                                                                                 : text;
  };
  QStringList head{"run", "title", "state", "started"};
  for (const Column& column : table.columns) head << cell(QString::fromStdString(csv_heading(column)));
  QString out = head.join(separator) + '\n';
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const StoredRun& card = runs[r].card;
    QStringList row{cell(QString::fromStdString(card.folder.filename().string())),
                    cell(QString::fromStdString(card.title)),
                    card.state == SessionState::finished ? "finished"
                    : card.state == SessionState::failed ? "failed"
                                                         : "stopped",
                    QString::fromStdString(card.started)};
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const double value = table.rows[r][c];
      const auto text = runs[r].values.find(table.columns[c].name);
      row << (std::isfinite(value)                              ? QString::number(value, 'g', 12)
              : c < table.swept && text != runs[r].values.end() ? cell(QString::fromStdString(text->second))
                                                                : QString());
    }
    out += row.join(separator) + '\n';
  }
  return out;
}

RunsChart::RunsChart(const std::vector<ListedRun>& runs, const Look& look, ViewportKind kind, QWidget* parent)
    : QDialog(parent), table_(table_of_runs(runs)) {
  setWindowTitle(tr("Chart of runs"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  const auto combo = [&](const QString& name) {
    auto* out = make_calm_combo(this);
    out->setAccessibleName(name);
    row->addWidget(make_label(name, "muted", this));
    row->addWidget(out, 1);
    return out;
  };
  y_ = combo(tr("Result"));
  x_ = combo(tr("over"));
  for (std::size_t c = 0; c < table_.columns.size(); ++c) {
    const QString name = QString::fromStdString(table_.columns[c].name);
    const QString words =
        c < table_.swept ? name.mid(1).replace('/', QStringLiteral(" › ")) : number_words(name.toStdString());
    (c < table_.swept ? x_ : y_)->addItem(words, name);
  }
  // Results may be seen over each other, too: error over time.
  for (std::size_t c = table_.swept; c < table_.columns.size(); ++c) {
    const std::string& name = table_.columns[c].name;
    x_->addItem(number_words(name), QString::fromStdString(name));
  }
  column->addLayout(row);
  tile_ = new ChartTile(look, kind, false, this);
  column->addWidget(tile_, 1);
  note_ = make_label({}, "bad", this);
  note_->setWordWrap(true);
  note_->hide();
  column->addWidget(note_);
  constexpr int width = 760, height = 520;
  resize(width, height);
  for (QComboBox* one : {x_, y_}) connect(one, &QComboBox::currentIndexChanged, this, &RunsChart::draw);
  draw();
}

void RunsChart::draw() {
  const auto spec =
      table_.swept == 0
          ? Result<ChartSpec>(make_error(ErrorCode::command_line,
                                         tr("Between the cases of these runs no number differs.").toStdString()))
          : sweep_chart(table_, x_->currentData().toString().toStdString(), y_->currentData().toString().toStdString());
  note_->setVisible(!spec.ok());
  if (!spec) return note_->setText(translated(spec.error().text));
  ChartSpec shown = *spec;
  shown.x_label = x_->currentText().toStdString();
  shown.y_label = y_->currentText().toStdString();
  shown.title = tr("%1 over %2").arg(y_->currentText(), x_->currentText()).toStdString();
  tile_->show_chart(std::move(shown));
}

}  // namespace conoid::app
