// SPDX-License-Identifier: BSD-3-Clause
// The log.
#include "app/panels/log_panel.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"

namespace conoid::app {
namespace {

HelpTopic topic_of(const QModelIndex& line) {
  const QVariant code = line.data(LogModel::code_role);
  const auto level = static_cast<LogLevel>(line.data(LogModel::level_role).toInt());
  const bool trouble = level == LogLevel::warning || level == LogLevel::error;
  return {trouble ? line.data(LogModel::pointer_role).toString().toStdString() : std::string(),
          code.isValid() ? std::optional(static_cast<ErrorCode>(code.toInt())) : std::nullopt};
}

/// Where the mark stands that opens the manual.
QRect help_mark(const QRect& line) {
  return {line.right() - 46, line.top() + 5, 14, 14};
}

/// Time, mark, text; the hint below in a fainter tone.
class LineDelegate final : public QStyledItemDelegate {
 public:
  LineDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}

  [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int width = std::max(120, static_cast<const QWidget*>(option.widget)->width() - left - right);
    const QFontMetrics metrics(option.font);
    int height = metrics.boundingRect(0, 0, width, 10000, Qt::TextWordWrap, index.data().toString()).height();
    if (const QString hint = index.data(LogModel::hint_role).toString(); !hint.isEmpty())
      height += metrics.boundingRect(0, 0, width, 10000, Qt::TextWordWrap, hint).height() + 2;
    return {100, std::max(height, 16) + 8};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QRect area = option.rect;
    if (option.state & QStyle::State_MouseOver && !index.data(LogModel::pointer_role).toString().isEmpty())
      painter->fillRect(area, look_.colour("hover"));
    painter->setFont(option.font);
    painter->setPen(look_.colour("faint"));
    painter->drawText(QRect(area.left() + 8, area.top() + 4, 64, 18), Qt::AlignRight | Qt::AlignVCenter,
                      in_figures(QString::number(index.data(LogModel::seconds_role).toDouble(), 'f', 2) + " s"));
    const auto level = static_cast<LogLevel>(index.data(LogModel::level_role).toInt());
    const char* icon = level == LogLevel::error ? "error" : level == LogLevel::warning ? "warning" : "";
    const char* colour = level == LogLevel::error ? "bad" : level == LogLevel::warning ? "caution" : "text";
    if (*icon) look_.icon(icon, colour).paint(painter, QRect(area.left() + 80, area.top() + 5, 14, 14));
    painter->setPen(look_.colour(level == LogLevel::debug ? "muted" : colour));
    const QRect box(area.left() + left, area.top() + 4, area.width() - left - right, area.height() - 8);
    QRect used;
    painter->drawText(box, Qt::TextWordWrap, index.data().toString(), &used);
    painter->setPen(look_.colour("muted"));
    painter->drawText(box.adjusted(0, used.height() + 2, 0, 0), Qt::TextWordWrap,
                      index.data(LogModel::hint_role).toString());
    if (!index.data(LogModel::pointer_role).toString().isEmpty())
      look_.icon("chevron-right", "muted").paint(painter, QRect(area.right() - 22, area.top() + 5, 14, 14));
    if (!topic_of(index).empty()) look_.icon("info", "muted").paint(painter, help_mark(area));
  }

 private:
  static constexpr int left = 102;
  static constexpr int right = 52;
  const Look& look_;
};

}  // namespace

LogModel::LogModel(RunModel& run, QObject* parent) : QAbstractListModel(parent), run_(run) {
  rows_ = static_cast<int>(run.log().size());
  connect(&run, &RunModel::log_grew, this, &LogModel::follow);
  connect(&run, &RunModel::started, this, [this] {
    beginResetModel();
    rows_ = static_cast<int>(run_.log().size());
    endResetModel();
  });
}

void LogModel::follow(int) {
  const int now = static_cast<int>(run_.log().size());
  if (now > rows_) {
    beginInsertRows({}, rows_, now - 1);
    rows_ = now;
    endInsertRows();
  } else {  // old lines were dropped at the front
    beginResetModel();
    rows_ = now;
    endResetModel();
  }
}

int LogModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (index.row() >= static_cast<int>(run_.log().size())) return {};
  const LogLine& line = run_.log()[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return translated(line.text);
    case level_role: return static_cast<int>(line.level);
    case seconds_role: return line.seconds;
    case pointer_role: return QString::fromStdString(line.pointer);
    case hint_role: return translated(line.hint);
    case code_role: return line.code ? QVariant(static_cast<int>(*line.code)) : QVariant();
    default: return {};
  }
}

void LogFilter::set_least_level(int level) {
  least_ = level;
  invalidateFilter();
}

void LogFilter::set_words(const QString& words) {
  words_ = words;
  invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex index = sourceModel()->index(row, 0, parent);
  if (index.data(LogModel::level_role).toInt() < least_) return false;
  return words_.isEmpty() || index.data().toString().contains(words_, Qt::CaseInsensitive);
}

LogPanel::LogPanel(RunModel& run, const Look& look, QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(16, 8, 16, 4);
  row->setSpacing(8);
  auto* level = make_calm_combo(bar);
  level->setAccessibleName(tr("Least level"));
  level->setAccessibleDescription(tr("Lines of lesser weight are hidden"));
  level->addItem(tr("All, with details"), static_cast<int>(LogLevel::debug));
  level->addItem(tr("Information"), static_cast<int>(LogLevel::info));
  level->addItem(tr("Warnings and errors"), static_cast<int>(LogLevel::warning));
  level->addItem(tr("Errors"), static_cast<int>(LogLevel::error));
  level->setCurrentIndex(1);
  level->setFixedWidth(176);
  auto* words = new QLineEdit(bar);
  words->setAccessibleName(tr("Filter"));
  words->setAccessibleDescription(tr("Only lines with these words are shown"));
  words->setPlaceholderText(tr("Filter"));
  words->setClearButtonEnabled(true);
  words->setMaximumWidth(240);
  row->addWidget(level);
  row->addWidget(words, 1);
  row->addStretch(1);
  column->addWidget(bar);
  view_ = new QListView(this);
  view_->setSelectionMode(QAbstractItemView::NoSelection);
  view_->setResizeMode(QListView::Adjust);
  view_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->setMouseTracking(true);
  view_->setAccessibleName(tr("Log"));
  view_->setAccessibleDescription(tr("Enter on a line that speaks of a field goes to it, F1 to what helps"));
  column->addWidget(view_, 1);
  lines_ = new LogModel(run, this);
  filter_ = new LogFilter(this);
  filter_->setSourceModel(lines_);
  view_->setModel(filter_);
  view_->setItemDelegate(new LineDelegate(look, view_));
  connect(level, &QComboBox::activated, this,
          [this, level] { filter_->set_least_level(level->currentData().toInt()); });
  connect(words, &QLineEdit::textChanged, filter_, &LogFilter::set_words);
  connect(filter_, &QAbstractItemModel::rowsInserted, view_, &QListView::scrollToBottom, Qt::QueuedConnection);
  view_->viewport()->installEventFilter(this);
  const auto jump = [this](const QModelIndex& index) {
    if (const QString pointer = index.data(LogModel::pointer_role).toString(); !pointer.isEmpty())
      emit field_wanted(pointer);
  };
  connect(view_, &QListView::clicked, this, jump);
  connect(view_, &QListView::activated, this, jump);
  const auto count = [this, &run] {
    int errors = 0, warnings = 0;
    for (const LogLine& line : run.log()) {
      errors += line.level == LogLevel::error;
      warnings += line.level == LogLevel::warning;
    }
    emit problems_counted(errors, warnings);
  };
  connect(&run, &RunModel::log_grew, this, count);
  connect(&run, &RunModel::started, this, count);
}

HelpTopic LogPanel::topic() const {
  const QModelIndex line = view_->currentIndex();
  return line.isValid() ? topic_of(line) : HelpTopic();
}

bool LogPanel::eventFilter(QObject* watched, QEvent* event) {
  const bool pressed = event->type() == QEvent::MouseButtonPress, moved = event->type() == QEvent::MouseMove;
  if (watched == view_->viewport() && (pressed || moved)) {
    const QPoint at = static_cast<QMouseEvent*>(event)->position().toPoint();
    const QModelIndex line = view_->indexAt(at);
    constexpr int around = 6;  // pixels: a small mark is hit easily
    const bool mark = line.isValid() && !topic_of(line).empty() &&
                      help_mark(view_->visualRect(line)).adjusted(-around, -around, around, around).contains(at);
    view_->viewport()->setCursor(mark ? Qt::PointingHandCursor : Qt::ArrowCursor);
    view_->viewport()->setToolTip(mark ? tr("What helps") : QString());
    if (mark && pressed) {
      emit help_wanted(topic_of(line));
      return true;  // not a jump to the field
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace conoid::app
