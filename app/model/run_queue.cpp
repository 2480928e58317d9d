// SPDX-License-Identifier: BSD-3-Clause
// One session after the other.
#include "app/model/run_queue.hpp"
#include "app/model/names.hpp"

#include <algorithm>

#include <QMimeData>

namespace conoid::app {
namespace {

constexpr int poll_ms = 200;
const QString row_type = "application/x-conoid-queue-row";

QString word_of(SessionState state) {
  switch (state) {
    case SessionState::idle: return QObject::tr("waiting");
    case SessionState::finished: return QObject::tr("finished");
    case SessionState::stopped: return QObject::tr("stopped");
    case SessionState::failed: return QObject::tr("failed");
    default: return QObject::tr("running");
  }
}

}  // namespace

RunQueue::RunQueue(StartSession start, std::filesystem::path runs, std::function<bool()> is_busy, QObject* parent)
    : QAbstractListModel(parent), start_(std::move(start)), runs_folder_(std::move(runs)),
      is_busy_(std::move(is_busy)) {
  timer_.setInterval(poll_ms);
  connect(&timer_, &QTimer::timeout, this, &RunQueue::poll);
}

RunQueue::~RunQueue() = default;

void RunQueue::add(QString title, QString detail, CaseDocument document) {
  const int row = static_cast<int>(queue_.size());
  beginInsertRows({}, row, row);
  QueuedRun run;
  run.title = std::move(title);
  run.detail = std::move(detail);
  run.document = std::move(document);
  queue_.push_back(std::move(run));
  endInsertRows();
  emit changed();
  timer_.start();
}

void RunQueue::remove(int row) {
  if (row < 0 || row >= static_cast<int>(queue_.size())) return;
  if (row == running_) {
    if (port_) port_->send(Command::stop);
    return;
  }
  beginRemoveRows({}, row, row);
  queue_.erase(queue_.begin() + row);
  if (running_ > row) --running_;
  endRemoveRows();
  emit changed();
}

void RunQueue::remove_ended() {
  for (int row = static_cast<int>(queue_.size()) - 1; row >= 0; --row)
    if (is_final(queue_[static_cast<std::size_t>(row)].state)) remove(row);
}

void RunQueue::set_active(bool on) {
  active_ = on;
  if (on) timer_.start();
  emit changed();
}

int RunQueue::waiting() const {
  return static_cast<int>(
      std::count_if(queue_.begin(), queue_.end(), [](const QueuedRun& r) { return r.state == SessionState::idle; }));
}

void RunQueue::start_next() {
  if (!active_ || port_ || (is_busy_ && is_busy_())) return;
  const auto next =
      std::find_if(queue_.begin(), queue_.end(), [](const QueuedRun& r) { return r.state == SessionState::idle; });
  if (next == queue_.end()) {
    timer_.stop();
    return;
  }
  running_ = static_cast<int>(next - queue_.begin());
  next->state = SessionState::preparing;
  SessionOptions options;
  options.document = next->document;
  options.runs = runs_folder_;
  port_ = start_(std::move(options));
  port_->want_frames({}, 0);
  emit dataChanged(index(running_), index(running_));
  emit changed();
}

void RunQueue::poll() {
  if (!port_) return start_next();
  QueuedRun& run = queue_[static_cast<std::size_t>(running_)];
  // The state is read first: when it is final, the events taken after it are the last ones.
  const SessionState state = port_->state();
  for (const auto& event : port_->take_events()) {
    if (const auto* progress = std::get_if<ProgressEvent>(&event); progress && progress->steps > 0)
      run.share = static_cast<double>(progress->step) / static_cast<double>(progress->steps);
    if (const auto* now = std::get_if<StateEvent>(&event); now && now->error)
      run.trouble = translated(now->error->text);
    if (const auto* d = std::get_if<DiagnosticEvent>(&event);
        d && d->diagnostic.severity == Severity::error && run.trouble.isEmpty())
      run.trouble = translated(d->diagnostic.text);
  }
  run.state = state;
  run.folder = port_->folder();
  emit dataChanged(index(running_), index(running_));
  if (!is_final(state)) return;
  port_.reset();
  running_ = -1;
  const QString folder = QString::fromStdString(run.folder.string());
  emit changed();
  if (!folder.isEmpty()) emit run_ended(folder);
  start_next();
}

int RunQueue::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(queue_.size());
}

QVariant RunQueue::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= static_cast<int>(queue_.size())) return {};
  const QueuedRun& run = queue_[static_cast<std::size_t>(at.row())];
  switch (role) {
    case Qt::DisplayRole: {
      QString text = run.detail.isEmpty() ? run.title : run.title + ": " + run.detail;
      text += " – " + word_of(run.state);
      if (at.row() == running_ && run.share > 0) text += QStringLiteral(" %1 %").arg(qRound(100 * run.share));
      return text;
    }
    case Qt::ToolTipRole: return run.trouble.isEmpty() ? run.detail : run.trouble;
    case state_role: return static_cast<int>(run.state);
    case detail_role: return run.detail;
    case share_role: return run.share;
    case folder_role: return QString::fromStdString(run.folder.string());
    default: return {};
  }
}

Qt::ItemFlags RunQueue::flags(const QModelIndex& at) const {
  if (!at.isValid()) return Qt::ItemIsDropEnabled;
  Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
  if (queue_[static_cast<std::size_t>(at.row())].state == SessionState::idle) flags |= Qt::ItemIsDragEnabled;
  return flags;
}

QMimeData* RunQueue::mimeData(const QModelIndexList& indexes) const {
  if (indexes.isEmpty()) return nullptr;
  auto* content = new QMimeData;
  content->setData(row_type, QByteArray::number(indexes.front().row()));
  return content;
}

bool RunQueue::dropMimeData(const QMimeData* content, Qt::DropAction action, int row, int, const QModelIndex& parent) {
  if (action != Qt::MoveAction || !content->hasFormat(row_type)) return false;
  const int to = row >= 0 ? row : parent.isValid() ? parent.row() : rowCount();
  move(content->data(row_type).toInt(), to);
  return false;  // the row has been moved here: the view must not take it away
}

bool RunQueue::move(int from, int to) {
  const int count = rowCount();
  if (from < 0 || from >= count || to < 0 || to > count || to == from || to == from + 1) return false;
  if (queue_[static_cast<std::size_t>(from)].state != SessionState::idle) return false;
  // Never before something that runs or has ended.
  int first = 0;
  while (first < count && queue_[static_cast<std::size_t>(first)].state != SessionState::idle) ++first;
  to = std::max(to, first);
  if (to == from || to == from + 1) return false;
  if (!beginMoveRows({}, from, from, {}, to)) return false;
  QueuedRun moved = std::move(queue_[static_cast<std::size_t>(from)]);
  queue_.erase(queue_.begin() + from);
  queue_.insert(queue_.begin() + (to > from ? to - 1 : to), std::move(moved));
  endMoveRows();
  return true;
}

}  // namespace conoid::app
