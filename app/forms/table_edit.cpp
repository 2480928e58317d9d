// SPDX-License-Identifier: BSD-3-Clause
// Lists as tables.
#include "app/forms/table_edit.hpp"

#include <algorithm>
#include <functional>

#include <QAction>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {
namespace {

constexpr int most_rows = 100000;

}  // namespace

ListTable::ListTable(const FormContext& context, std::string pointer, Json items_node, QObject* parent)
    : QAbstractTableModel(parent), context_(context), pointer_(std::move(pointer)), node_(std::move(items_node)),
      columns_(columns_of(node_)) {
  rows_ = static_cast<int>(list().size());
  connect(&context.model, &CaseModel::changed, this, &ListTable::refresh);
  connect(&context.model, &CaseModel::validated, this, [this] {
    if (rows_ > 0 && !columns_.empty()) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
  });
}

Json ListTable::list() const {
  const Json* now = context_.model.value(pointer_);
  return now && now->is_array() ? *now : Json::array();
}

int ListTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}
int ListTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

std::string ListTable::place(int row, const TableColumn& column) const {
  std::string out = child_pointer(pointer_, static_cast<std::size_t>(row));
  if (!column.key.empty()) out = child_pointer(out, column.key);
  if (column.component >= 0) out = child_pointer(out, static_cast<std::size_t>(column.component));
  return out;
}

QVariant ListTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.column() >= columnCount()) return {};
  const std::string at = place(index.row(), columns_[static_cast<std::size_t>(index.column())]);
  const auto problem = [&]() -> const Diagnostic* {
    for (const Diagnostic& d : context_.model.diagnostics())
      if (d.place.pointer == at && d.severity != Severity::note) return &d;
    return nullptr;
  };
  switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole: {
      const Json* value = context_.model.value(at);
      if (!value) return QString();
      return columns_[static_cast<std::size_t>(index.column())].is_text ? text_of(*value) : shown_text(*value);
    }
    case Qt::BackgroundRole:
      if (const Diagnostic* d = problem())
        return context_.look.colour(d->severity == Severity::error ? "bad_soft" : "caution_soft");
      return {};
    case Qt::ToolTipRole:
      if (const Diagnostic* d = problem()) return sentence_of(*d);
      return {};
    case Qt::TextAlignmentRole:
      return static_cast<int>(
          (columns_[static_cast<std::size_t>(index.column())].is_text ? Qt::AlignLeft : Qt::AlignRight) |
          Qt::AlignVCenter);
    default: return {};
  }
}

QVariant ListTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  const TableColumn& column = columns_[static_cast<std::size_t>(section)];
  const QString unit = column.unit.empty() || column.unit == "1"
                           ? QString()
                           : QStringLiteral(" [%1]").arg(QString::fromStdString(column.unit));
  QString name = column.key.empty()
                     ? QString()
                     : label_of(column.key, keyword_of(keyword_of(node_, "properties"), column.key.c_str()));
  if (column.component >= 0) name += (name.isEmpty() ? "" : " ") + QStringLiteral("xyzw").mid(column.component, 1);
  if (name.isEmpty()) name = tr("Value");
  return name + unit;
}

Qt::ItemFlags ListTable::flags(const QModelIndex& index) const {
  return QAbstractTableModel::flags(index) | Qt::ItemIsEditable;
}

bool ListTable::put(Json& element, const TableColumn& column, const QString& text) const {
  const QString trimmed = text.trimmed();
  if (trimmed.isEmpty() && (column.component >= 0 || column.key.empty())) return false;
  const Json value = column.is_text ? Json(trimmed.toStdString()) : json_from_typed(trimmed);
  if (column.key.empty() && column.component < 0) {
    element = value;
    return true;
  }
  if (!column.key.empty() && !element.is_object()) element = initial_value(node_);
  Json& member = column.key.empty() ? element : element[column.key];
  if (column.component >= 0) {
    if (!member.is_array()) member = Json::array();
    while (member.size() <= static_cast<std::size_t>(column.component)) member.push_back(0);
    member[static_cast<std::size_t>(column.component)] = value;
  } else if (trimmed.isEmpty()) {
    element.erase(column.key);  // back to the default
  } else {
    member = value;
  }
  return true;
}

bool ListTable::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid()) return false;
  if (data(index, Qt::EditRole).toString() == value.toString()) return true;
  Json now = list();
  const auto row = static_cast<std::size_t>(index.row());
  if (row >= now.size()) return false;
  const TableColumn& column = columns_[static_cast<std::size_t>(index.column())];
  if (!put(now[row], column, value.toString())) return false;
  write(std::move(now), tr("change of %1 in row %2").arg(heading(column)).arg(index.row() + 1));
  return true;
}

void ListTable::write(Json list, const QString& what) {
  context_.model.set(pointer_, std::move(list), what);
}

void ListTable::refresh() {
  const int now = static_cast<int>(list().size());
  if (now == rows_) {
    if (rows_ > 0 && !columns_.empty()) emit dataChanged(index(0, 0), index(rows_ - 1, columnCount() - 1));
    return;
  }
  beginResetModel();
  rows_ = now;
  endResetModel();
}

void ListTable::add_row() {
  Json now = list();
  now.push_back(now.empty() ? initial_value(node_) : now.back());
  write(std::move(now), tr("addition of a row"));
}

void ListTable::remove(const std::vector<int>& rows) {
  Json now = list();
  std::vector<int> order = rows;
  std::sort(order.begin(), order.end(), std::greater<>());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  for (const int row : order)
    if (row >= 0 && row < static_cast<int>(now.size())) now.erase(static_cast<std::size_t>(row));
  if (!order.empty()) write(std::move(now), tr("removal of %1 rows").arg(order.size()));
}

QString ListTable::paste(int row, int column, const QString& text) {
  QStringList lines = text.split('\n');
  while (!lines.isEmpty() && lines.back().trimmed().isEmpty()) lines.removeLast();
  if (lines.isEmpty()) return tr("There is no text to paste. Copy cells of a spreadsheet first.");
  const QChar separator = lines.front().contains('\t')  ? QChar('\t')
                          : lines.front().contains(';') ? QChar(';')
                                                        : QChar(',');
  Json now = list();
  row = std::clamp(row, 0, static_cast<int>(now.size()));
  if (lines.size() > most_rows - row) return tr("These are more than %1 rows. Paste fewer at a time.").arg(most_rows);
  int left_out = 0;
  for (qsizetype l = 0; l < lines.size(); ++l) {
    const auto at = static_cast<std::size_t>(row) + static_cast<std::size_t>(l);
    if (at >= now.size()) now.push_back(now.empty() ? initial_value(node_) : now.back());
    const QStringList cells = lines[l].remove('\r').split(separator);
    for (qsizetype c = 0; c < cells.size(); ++c) {
      const auto k = static_cast<std::size_t>(column) + static_cast<std::size_t>(c);
      if (k >= columns_.size() || !put(now[at], columns_[k], cells[c])) ++left_out;
    }
  }
  write(std::move(now), tr("pasting of %1 rows").arg(lines.size()));
  return left_out == 0 ? QString() : tr("%1 cells were empty or had no column and were left out.").arg(left_out);
}

QString ListTable::copy(const QModelIndexList& cells) const {
  if (cells.isEmpty()) return {};
  int top = cells.front().row(), bottom = top, left = cells.front().column(), right = left;
  for (const QModelIndex& cell : cells) {
    top = std::min(top, cell.row()), bottom = std::max(bottom, cell.row());
    left = std::min(left, cell.column()), right = std::max(right, cell.column());
  }
  QStringList lines;
  for (int r = top; r <= bottom; ++r) {
    QStringList line;
    for (int c = left; c <= right; ++c)
      line << (cells.contains(index(r, c)) ? data(index(r, c), Qt::EditRole).toString() : QString());
    lines << line.join('\t');
  }
  return lines.join('\n');
}

TableDialog::TableDialog(const FormContext& context, const std::string& pointer, const Json& items_node,
                         const QString& title, QWidget* parent)
    : QDialog(parent), context_(context), pointer_(pointer) {
  setWindowTitle(title);
  resize(760, 480);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(4);
  const auto button = [&](const char* icon, const QString& words, const QKeySequence& keys, auto&& act) {
    auto* one = new QPushButton(words, this);
    one->setIcon(context.look.icon(icon, "accent"));
    set_role(one, "link");
    one->setAutoDefault(false);
    if (!keys.isEmpty()) one->setToolTip(words + " (" + keys.toString(QKeySequence::NativeText) + ")");
    connect(one, &QPushButton::clicked, this, act);
    auto* action = new QAction(this);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, act);
    addAction(action);
    bar->addWidget(one);
    return one;
  };
  table_ = new ListTable(context, pointer, items_node, this);
  view_ = new QTableView(this);
  view_->setModel(table_);
  view_->setAccessibleName(title);
  view_->setSelectionMode(QAbstractItemView::ContiguousSelection);
  view_->setAlternatingRowColors(true);
  view_->setTabKeyNavigation(true);
  view_->verticalHeader()->setDefaultSectionSize(30);
  view_->verticalHeader()->setDefaultAlignment(Qt::AlignCenter);
  view_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  view_->horizontalHeader()->setMinimumSectionSize(96);
  button("add", tr("Add a row"), {}, [this] { table_->add_row(); });
  button("remove", tr("Remove rows"), {}, [this] {
    std::vector<int> rows;
    for (const QModelIndex& cell : view_->selectionModel()->selectedIndexes()) rows.push_back(cell.row());
    table_->remove(rows);
  });
  button("copy", tr("Copy cells"), QKeySequence::Copy, [this] { copy_cells(); });
  button("paste", tr("Paste cells"), QKeySequence::Paste, [this] { paste_clipboard(); });
  bar->addStretch(1);
  QUndoStack& undo = context.model.undo_stack();
  auto* back = button("undo", tr("Undo"), QKeySequence::Undo, [&undo] { undo.undo(); });
  auto* again = button("redo", tr("Redo"), QKeySequence("Ctrl+Shift+Z"), [&undo] { undo.redo(); });
  connect(&undo, &QUndoStack::canUndoChanged, back, &QWidget::setEnabled);
  connect(&undo, &QUndoStack::canRedoChanged, again, &QWidget::setEnabled);
  back->setEnabled(undo.canUndo());
  again->setEnabled(undo.canRedo());
  column->addLayout(bar);
  column->addWidget(view_, 1);
  note_ = make_label({}, "small", this);
  note_->setWordWrap(true);
  column->addWidget(note_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::accept);
  column->addWidget(buttons);
  connect(&context.model, &CaseModel::validated, this, &TableDialog::refresh_note);
  connect(&context.model, &CaseModel::changed, this, [this] { trouble_.clear(); });
  refresh_note();
  tab_as_laid_out(this);
}

void TableDialog::paste_clipboard() {
  const QModelIndex at = view_->currentIndex();
  const QString text = QGuiApplication::clipboard()->text();
  // Without a chosen cell the rows are added at the end.
  const QString trouble =
      at.isValid() ? table_->paste(at.row(), at.column(), text) : table_->paste(table_->rowCount(), 0, text);
  trouble_ = trouble;
  refresh_note();
}

void TableDialog::copy_cells() {
  QGuiApplication::clipboard()->setText(table_->copy(view_->selectionModel()->selectedIndexes()));
}

void TableDialog::refresh_note() {
  QString words = trouble_;
  for (const Diagnostic& d : context_.model.diagnostics())
    if (words.isEmpty() && d.severity == Severity::error && is_within(d.place.pointer, pointer_))
      words = sentence_of(d);
  set_role(note_, words.isEmpty() ? "small" : "bad");
  note_->setText(words.isEmpty() ? tr("Cells take units: 2 km, 30 deg. Rows pasted below the last are added.") : words);
}

}  // namespace conoid::app
