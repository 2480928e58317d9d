// SPDX-License-Identifier: BSD-3-Clause
// Two runs as a table.
#include "app/panels/differences_panel.hpp"

#include <cmath>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/background.hpp"
#include "app/model/names.hpp"
#include "app/model/run_list.hpp"

namespace conoid::app {
namespace {

constexpr int pointer_role = Qt::UserRole + 1;
constexpr int what_width = 300, value_width = 190;

QString tr(const char* text) {
  return QCoreApplication::translate("conoid::app::DifferencesPanel", text);
}

QString number(double value) {
  return words_locale().toString(value, 'g', 6);
}

QString with_unit(double value, const std::string& unit) {
  return number(value) + (unit.empty() || unit == "1" ? QString() : ' ' + QString::fromStdString(unit));
}

QString shown(const std::string& text) {
  constexpr qsizetype most = 200;
  const QString whole = QString::fromStdString(text);
  return text.empty() ? tr("not given") : whole.size() > most ? whole.left(most) + u'…' : whole;
}

/// The part of its scale that a distance is; empty where there is no scale.
QString share(double apart, double scale) {
  return scale > 0 ? QString::number(100 * apart / scale, 'g', 3) + " %" : QString();
}

void add_distance(std::vector<DifferenceRow>& out, const QString& what, const std::string& unit,
                  const Distance& distance) {
  DifferenceRow row;
  row.what = what;
  row.first = tr("up to %1").arg(with_unit(distance.scale, unit));
  row.second = tr("apart by up to %1").arg(with_unit(distance.largest, unit));
  const QString rms = share(distance.rms, distance.rms_scale);
  row.apart = distance.values == 0 ? tr("not comparable")
              : rms.isEmpty()      ? number(distance.rms)
                                   : tr("%1 rms").arg(rms);
  out.push_back(std::move(row));
}

}  // namespace

std::vector<DifferenceRow> rows_of(const RunComparison& c) {
  std::vector<DifferenceRow> out;
  const auto head = [&](const QString& title) { out.push_back({true, title, {}, {}, {}, {}}); };
  head(c.keys.empty() ? tr("The cases are the same") : tr("Keys of the case"));
  for (const KeyDifference& key : c.keys)
    out.push_back({false,
                   QString::fromStdString(key.pointer).mid(1).replace('/', '.'),
                   shown(key.first),
                   shown(key.second),
                   {},
                   key.pointer});
  if (!c.numbers.empty()) head(tr("Results"));
  for (const NumberPair& pair : c.numbers) {
    DifferenceRow row;
    row.what = number_words(pair.name);
    row.first = pair.first ? with_unit(*pair.first, pair.unit) : tr("not given");
    row.second = pair.second ? with_unit(*pair.second, pair.unit) : tr("not given");
    if (pair.first && pair.second)
      row.apart = *pair.first == *pair.second ? tr("equal") : share(*pair.second - *pair.first, std::abs(*pair.first));
    out.push_back(std::move(row));
  }
  if (!c.curves.empty()) head(tr("Curves"));
  for (const CurveDistance& curve : c.curves)
    add_distance(out, words_of(curve.table) + " · " + translated(curve.column), curve.unit, curve.distance);
  if (!c.fields.empty()) head(tr("Fields of the last frame"));
  for (const FieldDistance& field : c.fields)
    add_distance(out, words_of(field.field) + " · " + QString::fromStdString(field.part), field.unit, field.distance);
  if (!c.notes.empty()) head(tr("Notes"));
  for (const std::string& note : c.notes) out.push_back({false, QString::fromStdString(note), {}, {}, {}, {}});
  return out;
}

DifferenceTable::DifferenceTable(QWidget* parent) : QTreeWidget(parent) {
  setColumnCount(4);
  setRootIsDecorated(false);
  setUniformRowHeights(true);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setTextElideMode(Qt::ElideMiddle);
  setAccessibleName(tr("What differs"));
  setAccessibleDescription(tr("A row each; Enter goes to a key in the case, Ctrl+C copies the chosen rows, or all"));
  header()->setStretchLastSection(true);
  header()->resizeSection(0, what_width);
  header()->resizeSection(1, value_width);
  header()->resizeSection(2, value_width);
}

QString DifferenceTable::as_text() const {
  const QTreeWidgetItem* head = headerItem();
  const auto line = [](const QTreeWidgetItem& item) {
    QStringList cells;
    for (int c = 0; c < 4; ++c) cells << item.text(c);
    return cells.join('\t') + '\n';
  };
  QString out = line(*head);
  const bool some = !selectedItems().isEmpty();
  for (int i = 0; i < topLevelItemCount(); ++i)
    if (!some || topLevelItem(i)->isSelected()) out += line(*topLevelItem(i));
  return out;
}

void DifferenceTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) return QGuiApplication::clipboard()->setText(as_text());
  QTreeWidget::keyPressEvent(event);
}

DifferencesPanel::DifferencesPanel(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  table_ = new DifferenceTable(this);
  column->addWidget(table_, 1);
  words_ = make_label({}, "small", this);
  words_->setContentsMargins(16, 6, 16, 6);
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(words_);
  const auto go = [this](const QTreeWidgetItem* item) {
    if (const QString pointer = item->data(0, pointer_role).toString(); !pointer.isEmpty()) emit field_wanted(pointer);
  };
  connect(table_, &QTreeWidget::itemActivated, this, go);
}

void DifferencesPanel::compare(const std::filesystem::path& first, const std::filesystem::path& second) {
  const std::uint64_t ticket = ++ticket_;
  table_->clear();
  words_->clear();
  if (first.empty() || second.empty()) return;
  words_->setText(tr("The two runs are being compared…"));
  in_background(
      this,
      [first, second]() -> Result<RunComparison> {
        try {
          return compare_runs(first, second);
        } catch (...) {
          return current_exception_as_error();
        }
      },
      [ticket, first, second](DifferencesPanel& self, const Result<RunComparison>& compared) {
        if (self.ticket_ == ticket) self.show_rows(first, second, compared);
      });
}

void DifferencesPanel::show_rows(const std::filesystem::path& first, const std::filesystem::path& second,
                                 const Result<RunComparison>& compared) {
  if (!compared) return words_->setText(sentence_of(compared.error()));
  const auto [own, other] = names_of_two(first, second);
  table_->setHeaderLabels({tr("What"), own, other, tr("Apart")});
  for (const DifferenceRow& row : rows_of(*compared)) {
    auto* item = new QTreeWidgetItem(table_, {row.what, row.first, row.second, row.apart});
    for (int c = 0; c < 4; ++c) item->setToolTip(c, item->text(c));
    item->setData(0, pointer_role, QString::fromStdString(row.pointer));
    if (!row.head) continue;
    item->setFirstColumnSpanned(true);
    item->setFlags(Qt::ItemIsEnabled);
    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    item->setFont(0, bold);
  }
  words_->setText("conoid compare " + QString::fromStdString(first.string()) + ' ' +
                  QString::fromStdString(second.string()));
}

}  // namespace conoid::app
