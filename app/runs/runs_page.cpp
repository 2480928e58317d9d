// SPDX-License-Identifier: BSD-3-Clause
// Runs: done, waiting, to be made.
#include "app/runs/runs_page.hpp"

#include <algorithm>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/table_page.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "app/runs/runs_chart.hpp"
#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/session/prolong.hpp"

namespace conoid::app {
namespace {

constexpr std::size_t most_axes = 3;

/// A mark before the state, by shape and colour.
class StateDelegate final : public QStyledItemDelegate {
 public:
  StateDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto state = static_cast<SessionState>(index.data(RunList::state_role).toInt());
    option->icon = index.data(RunList::computing_role).toBool() ? look_.icon("run", "accent")
                   : state == SessionState::finished            ? look_.icon("check", "good")
                   : state == SessionState::failed              ? look_.icon("error", "bad")
                                                                : look_.icon("pause", "caution");
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = {16, 16};
  }

 private:
  const Look& look_;
};

/// Fields that a sweep may run over: every number, choice, switch and text of the schema, of lists those that this case has.
void sweep_fields(const Json& node, const Json& value, const std::string& pointer, const QString& path,
                  std::vector<std::pair<QString, std::string>>& out, int depth = 0) {
  if (depth > 8 || out.size() > 400) return;
  const Json effective = node.contains("variants") ? effective_object(node, value) : node;
  const Json& properties = keyword_of(effective, "properties");
  if (properties.is_object()) {
    for (const auto& [key, child] : properties.items()) {
      if (!child.is_object() || key == "conoid" || key == "title" || key == "solver") continue;
      const Json* inner = value.is_object() && value.contains(key) ? &value.at(key) : nullptr;
      const QString label = label_of(key, child);
      sweep_fields(child, inner ? *inner : Json(), child_pointer(pointer, key),
                   path.isEmpty() ? label : path + QStringLiteral(" › ") + label, out, depth + 1);
    }
    return;
  }
  const std::string type = string_at(node, "type");
  if (type == "array" && value.is_array()) {
    const Json& items = keyword_of(node, "items");
    for (std::size_t i = 0; i < value.size() && i < 16; ++i)
      sweep_fields(items, value[i], child_pointer(pointer, i), path + " " + QString::number(i + 1), out, depth + 1);
    return;
  }
  if (node.contains("map") && value.is_object()) {
    for (const auto& [key, member] : value.items())
      sweep_fields(node["map"], member, child_pointer(pointer, key),
                   path + QStringLiteral(" › ") + QString::fromStdString(key), out, depth + 1);
    return;
  }
  if (type == "number" || type == "integer" || type == "boolean" || type == "string" || node.contains("enum"))
    out.emplace_back(path, pointer);
}

}  // namespace

// ---- SweepRow -------------------------------------------------------------------------------------------------------

SweepRow::SweepRow(CaseModel& model, const Look& look, QWidget* parent) : QWidget(parent), model_(model) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  field_ = make_calm_combo(this);
  field_->setEditable(true);
  field_->setInsertPolicy(QComboBox::NoInsert);
  field_->completer()->setFilterMode(Qt::MatchContains);
  field_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  field_->setAccessibleName(tr("Field of the case"));
  field_->setAccessibleDescription(tr("That takes each of the values in turn; typing searches"));
  field_->lineEdit()->setPlaceholderText(tr("which field"));
  auto* remove = make_icon_button(look, "remove", tr("Without this field"), this);
  row->addWidget(field_, 1);
  row->addWidget(remove);
  column->addLayout(row);
  values_ = new QLineEdit(this);
  values_->setPlaceholderText(tr("values: 1:0.5:3 GHz  or  1, 2, 5"));
  values_->setAccessibleName(tr("Values"));
  values_->setAccessibleDescription(tr("First, step and last with colons, or a list with commas"));
  column->addWidget(values_);
  connect(remove, &QToolButton::clicked, this, &SweepRow::remove_wanted);
  connect(field_, &QComboBox::currentIndexChanged, this, &SweepRow::edited);
  connect(values_, &QLineEdit::textChanged, this, &SweepRow::edited);
  refresh();
}

void SweepRow::refresh() {
  const QString before = field_->currentData().toString();
  const QSignalBlocker quiet(field_);
  field_->clear();
  std::vector<std::pair<QString, std::string>> fields;
  if (model_.is_open()) sweep_fields(model_.schema(), model_.json(), "", {}, fields);
  for (const auto& [label, pointer] : fields) field_->addItem(label, QString::fromStdString(pointer));
  field_->setCurrentIndex(field_->findData(before));
}

void SweepRow::set(const QString& pointer, const QString& values) {
  field_->setCurrentIndex(field_->findData(pointer));
  values_->setText(values);
}

std::string SweepRow::text() const {
  if (field_->currentIndex() < 0 || values_->text().trimmed().isEmpty()) return {};
  return (field_->currentData().toString() + "=" + typed_sweep(values_->text().trimmed())).toStdString();
}

// ---- RunsPage -------------------------------------------------------------------------------------------------------

RunsPage::RunsPage(CaseModel& model, RunQueue& queue, const Settings& settings, const Look& look, QWidget* parent)
    : QWidget(parent), model_(model), queue_(queue), settings_(settings), look_(look), list_(new RunList(this)) {
  setObjectName("page");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(make_table(), 1);
  row->addWidget(make_rule(this, true));
  row->addWidget(make_side());
  connect(&queue, &RunQueue::run_ended, this, &RunsPage::refresh);
  connect(&queue, &RunQueue::changed, this, &RunsPage::refresh_buttons);
  connect(&queue, &QAbstractItemModel::dataChanged, this, [this] { set_own_run(own_run_); });
  constexpr int look_every_ms = 3000;
  auto* look_timer = new QTimer(this);
  look_timer->setInterval(look_every_ms);
  connect(look_timer, &QTimer::timeout, this, [this] {
    if (isVisible()) list_->look_again();
  });
  look_timer->start();
  connect(&model, &CaseModel::opened, this, [this] {
    for (SweepRow* one : rows_) one->refresh();
    refresh_sweep();
  });
  refresh_buttons();
  refresh_sweep();
  tab_as_laid_out(this);
}

QWidget* RunsPage::make_table() {
  QVBoxLayout* column = nullptr;
  QHBoxLayout* head = nullptr;
  QWidget* box = make_table_page(tr("Runs"), &column, &head, this);
  auto* find = new QLineEdit(box);
  find->setPlaceholderText(tr("Find a run"));
  find->setAccessibleName(tr("Find a run"));
  find->setAccessibleDescription(tr("Only rows with these words are shown"));
  find->setClearButtonEnabled(true);
  find->setMinimumWidth(88);
  find->setMaximumWidth(200);
  open_ = new QPushButton(tr("Open"), box);
  compare_ = new QPushButton(tr("Compare two"), box);
  compare_->setIcon(look_.icon("compare"));
  chart_ = new QPushButton(tr("Chart…"), box);
  chart_->setIcon(look_.icon("chart"));
  chart_->setToolTip(tr("Any result over any value that differs between the runs"));
  export_ = new QPushButton(tr("Table"), box);
  export_->setIcon(look_.icon("table"));
  export_->setToolTip(tr("The whole table: all numbers, and what differs between the cases, with units"));
  auto* export_menu = new QMenu(export_);
  export_menu->addAction(tr("Copy for a spreadsheet"), this,
                         [this] { QGuiApplication::clipboard()->setText(runs_as_text(meant(), '\t')); });
  export_menu->addAction(tr("Save as CSV…"), this, [this] {
    const QString file = QFileDialog::getSaveFileName(this, tr("Save the table of runs"), "runs.csv", "*.csv");
    if (file.isEmpty()) return;
    if (const Status kept = write_file_atomically(file.toStdString(), runs_as_text(meant(), ',').toStdString()); !kept)
      difference_->setText(translated(kept.error().text));
  });
  export_->setMenu(export_menu);
  connect(chart_, &QPushButton::clicked, this, &RunsPage::show_chart);
  for (QWidget* one : std::initializer_list<QWidget*>{find, export_, chart_, compare_, open_}) {
    one->setFixedHeight(32);
    head->addWidget(one);
  }
  stack_ = new QStackedWidget(box);
  auto* empty =
      make_label(tr("No runs yet.\nOpen a case and press Run, or build a sweep at the right."), "muted", stack_);
  empty->setAlignment(Qt::AlignCenter);
  stack_->addWidget(empty);
  table_ = new QTableView(stack_);
  table_->setAccessibleName(tr("Runs"));
  table_->setAccessibleDescription(tr("A row each: Enter opens the run, two chosen rows can be compared"));
  filter_ = new QSortFilterProxyModel(this);
  filter_->setSourceModel(list_);
  filter_->setSortRole(RunList::sort_role);
  filter_->setFilterKeyColumn(-1);
  filter_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  table_->setModel(filter_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(RunList::started_column, Qt::DescendingOrder);
  make_calm(*table_, QAbstractItemView::ExtendedSelection);
  table_->verticalHeader()->setDefaultSectionSize(32);
  table_->setItemDelegateForColumn(RunList::state_column, new StateDelegate(look_, table_));
  stack_->addWidget(table_);
  column->addWidget(stack_, 1);
  difference_ = make_table_note(box);
  column->addWidget(difference_);
  connect(find, &QLineEdit::textChanged, filter_, &QSortFilterProxyModel::setFilterFixedString);
  connect(list_, &RunList::loaded, this, [this] {
    stack_->setCurrentIndex(list_->rowCount() > 0 ? 1 : 0);
    table_->resizeColumnsToContents();
    table_->setColumnWidth(RunList::title_column, std::clamp(table_->columnWidth(RunList::title_column), 160, 280));
    table_->setColumnWidth(RunList::changes_column, std::clamp(table_->columnWidth(RunList::changes_column), 120, 260));
    refresh_buttons();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPage::refresh_buttons);
  connect(table_, &QTableView::activated, this,
          [this](const QModelIndex& at) { emit run_chosen(at.data(RunList::folder_role).toString()); });
  connect(open_, &QPushButton::clicked, this, [this] {
    if (const QStringList folders = chosen(); !folders.isEmpty()) emit run_chosen(folders.front());
  });
  connect(compare_, &QPushButton::clicked, this, [this] {
    if (const QStringList folders = chosen(); folders.size() == 2) emit comparison_wanted(folders[0], folders[1]);
  });
  return box;
}

QWidget* RunsPage::make_side() {
  QVBoxLayout* column = nullptr;
  QWidget* side = make_side_page(&column, this);
  auto* sweep_title = make_label(tr("Sweep"), "title", side);
  sweep_title->setFixedHeight(32);  // on one line with the other heads
  column->addWidget(sweep_title);
  sweep_case_ = make_label({}, "muted", side);
  sweep_case_->setWordWrap(true);
  column->addWidget(sweep_case_);
  rows_column_ = new QVBoxLayout;
  rows_column_->setSpacing(12);
  column->addLayout(rows_column_);
  auto* more = new QPushButton(tr("Another field"), side);
  more->setIcon(look_.icon("add", "accent"));
  set_role(more, "link");
  column->addWidget(more, 0, Qt::AlignLeft);
  sweep_note_ = make_label({}, "small", side);
  sweep_note_->setWordWrap(true);
  column->addWidget(sweep_note_);
  sweep_add_ = new QPushButton(tr("Add to the queue"), side);
  set_role(sweep_add_, "primary");
  sweep_add_->setMinimumHeight(34);
  column->addWidget(sweep_add_);
  column->addSpacing(12);
  column->addWidget(make_rule(side));
  column->addSpacing(4);
  auto* head = new QHBoxLayout;
  head->addWidget(make_label(tr("Queue"), "title", side), 1);
  auto* hold = make_icon_button(look_, "pause", tr("Hold the queue: the run that goes on ends, no other begins"), side);
  hold->setCheckable(true);
  auto* remove = make_icon_button(look_, "remove", tr("Take out the chosen one; stops it when it is running"), side);
  auto* clear = make_icon_button(look_, "check", tr("Clear those that have ended"), side);
  for (QToolButton* button : {hold, clear, remove}) head->addWidget(button);
  column->addLayout(head);
  queue_note_ = make_label({}, "muted", side);
  queue_note_->setWordWrap(true);
  column->addWidget(queue_note_);
  queue_view_ = new QListView(side);
  queue_view_->setAccessibleName(tr("Queue"));
  queue_view_->setAccessibleDescription(
      tr("Runs that wait or have ended; those that wait go up and down with Alt and the arrows"));
  queue_view_->setModel(&queue_);
  queue_view_->setDragDropMode(QAbstractItemView::InternalMove);
  queue_view_->setDefaultDropAction(Qt::MoveAction);
  queue_view_->setTextElideMode(Qt::ElideRight);
  column->addWidget(queue_view_, 1);
  for (const auto& [keys, by] : {std::pair{"Alt+Up", -1}, std::pair{"Alt+Down", 1}}) {
    auto* action = new QAction(queue_view_);
    action->setShortcut(QKeySequence(keys));
    action->setShortcutContext(Qt::WidgetShortcut);
    queue_view_->addAction(action);
    connect(action, &QAction::triggered, this, [this, by = by] {
      const int row = queue_view_->currentIndex().row();
      // A place is named by what it stands before.
      if (row >= 0 && queue_.move(row, by < 0 ? row - 1 : row + 2))
        queue_view_->setCurrentIndex(queue_.index(row + by));
    });
  }
  connect(more, &QPushButton::clicked, this, &RunsPage::add_row);
  connect(sweep_add_, &QPushButton::clicked, this, [this] {
    if (const QString trouble = add_sweep(); !trouble.isEmpty()) sweep_note_->setText(trouble);
  });
  connect(hold, &QToolButton::clicked, this, [this](bool on) { queue_.set_active(!on); });
  connect(remove, &QToolButton::clicked, this, [this] { queue_.remove(queue_view_->currentIndex().row()); });
  connect(clear, &QToolButton::clicked, this, [this] { queue_.remove_ended(); });
  connect(queue_view_, &QListView::activated, this, [this](const QModelIndex& at) {
    if (const QString folder = at.data(RunQueue::folder_role).toString();
        !folder.isEmpty() && is_final(static_cast<SessionState>(at.data(RunQueue::state_role).toInt())))
      emit run_chosen(folder);
  });
  add_row();
  return side;
}

void RunsPage::add_row() {
  if (rows_.size() >= most_axes) return;
  auto* one = new SweepRow(model_, look_, this);
  rows_.push_back(one);
  rows_column_->addWidget(one);
  connect(one, &SweepRow::edited, this, &RunsPage::refresh_sweep);
  connect(one, &SweepRow::remove_wanted, this, [this, one] {
    if (rows_.size() == 1) return one->set({}, {});
    std::erase(rows_, one);
    one->deleteLater();
    refresh_sweep();
  });
  refresh_sweep();
  tab_as_laid_out(this);
}

void RunsPage::refresh_sweep() {
  sweep_case_->setText(model_.is_open() ? tr("Runs “%1” once for each combination of values.").arg(model_.title())
                                        : tr("Open a case first; then choose a field of it and its values."));
  std::vector<SweepAxis> axes;
  QString trouble;
  for (SweepRow* one : rows_) {
    if (one->text().empty()) continue;
    const auto axis = parse_sweep_axis(one->text());
    if (axis)
      axes.push_back(*axis);
    else
      trouble = translated(axis.error().text);
  }
  std::size_t count = 0;
  if (trouble.isEmpty() && !axes.empty()) {
    if (const auto size = sweep_size(axes))
      count = *size;
    else
      trouble = translated(size.error().text);
  }
  sweep_note_->setText(!trouble.isEmpty() ? trouble : count > 0 ? tr("%1 runs.").arg(count) : QString());
  sweep_add_->setText(count > 0 ? tr("Add %1 runs to the queue").arg(count) : tr("Add to the queue"));
  sweep_add_->setEnabled(model_.is_open() && count > 0);
}

QString RunsPage::add_sweep() {
  CaseDocument base = model_.document();
  const Schema schema = schema_of(base);
  std::vector<SweepAxis> axes;
  for (SweepRow* one : rows_) {
    if (one->text().empty()) continue;
    auto axis = parse_sweep_axis(one->text());
    if (!axis) return translated(axis.error().text);
    if (const Status named = take_names_of(base, schema, axis->pointer); !named) return translated(named.error().text);
    axes.push_back(std::move(axis).value());
  }
  auto points = expand_sweep(base, axes);
  if (!points) return translated(points.error().text);
  for (SweepPoint& point : *points) {
    QStringList parts;
    for (const auto& [pointer, value] : point.set)
      parts << QString::fromStdString(last_token(pointer)) + " = " + shown_text(value);
    queue_.add(model_.title(), parts.join(", "), std::move(point.document));
  }
  return {};
}

QStringList RunsPage::chosen() const {
  QStringList out;
  for (const QModelIndex& at : table_->selectionModel()->selectedRows())
    out << at.data(RunList::folder_role).toString();
  return out;
}

std::vector<ListedRun> RunsPage::meant() const {
  QStringList folders = chosen();
  if (folders.size() < 2) {
    folders.clear();
    for (int row = 0; row < filter_->rowCount(); ++row)
      folders << filter_->index(row, 0).data(RunList::folder_role).toString();
  }
  std::vector<ListedRun> out;
  for (const ListedRun& run : list_->runs())
    if (folders.contains(QString::fromStdString(run.card.folder.string()))) out.push_back(run);
  return out;
}

void RunsPage::show_chart() {
  auto* chart = new RunsChart(meant(), look_, ViewportKind::automatic, this);
  chart->setAttribute(Qt::WA_DeleteOnClose);
  chart->show();
}

void RunsPage::set_own_run(const QString& folder) {
  own_run_ = folder;
  QStringList own{folder};
  for (const QueuedRun& run : queue_.runs())
    if (run.state != SessionState::idle && !is_final(run.state))
      own << QString::fromStdString(run.folder.lexically_normal().string());
  list_->set_own(own);
}

void RunsPage::refresh() {
  set_own_run(own_run_);
  list_->refresh(settings_.runs_folder(), settings_.jobs_folder());
  for (SweepRow* one : rows_) one->refresh();  // the case may have other fields by now
}

void RunsPage::refresh_buttons() {
  const QStringList folders = chosen();
  open_->setEnabled(folders.size() == 1);
  chart_->setEnabled(list_->rowCount() > 1);
  export_->setEnabled(list_->rowCount() > 0);
  compare_->setEnabled(folders.size() == 2);
  compare_->setToolTip(folders.size() == 2 ? tr("Linked views and overlaid curves of the two")
                                           : tr("Choose two rows (Ctrl and click)"));
  QString text;
  if (folders.size() == 2) {
    const ListedRun* two[2] = {nullptr, nullptr};
    for (const ListedRun& run : list_->runs())
      for (int i = 0; i < 2; ++i)
        if (QString::fromStdString(run.card.folder.string()) == folders[i]) two[i] = &run;
    if (two[0] && two[1]) {
      const QStringList lines = differences(*two[0], *two[1]);
      text = lines.isEmpty() ? tr("The two cases are the same.") : lines.mid(0, 6).join("\n");
      if (lines.size() > 6) text += "\n" + tr("… and %1 more").arg(lines.size() - 6);
    }
  }
  if (folders.isEmpty() && list_->rowCount() > 0)
    text = tr("Choose a run to open it, or two (Ctrl and click) to compare them.");
  difference_->setText(text);
  difference_->setVisible(!text.isEmpty());
  queue_note_->setVisible(queue_.rowCount() == 0 || !queue_.is_active());
  queue_note_->setText(
      queue_.rowCount() == 0
          ? tr("Nothing waits. Sweeps, and cases added with “Add to the queue”, run here one after the other.")
          : tr("Held: nothing new begins."));
}

}  // namespace conoid::app
