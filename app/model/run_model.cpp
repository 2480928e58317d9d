// SPDX-License-Identifier: BSD-3-Clause
// One run as the window sees it.
#include "app/model/run_model.hpp"

#include <algorithm>

namespace conoid::app {
namespace {

constexpr std::size_t log_limit = 20000;
constexpr std::size_t balance_limit = 20000;
constexpr std::size_t all_fields_bytes = std::size_t{16} << 20;  // a frame of all fields may be this big
constexpr Index viewed_points = 4'000'000;                       // more do not fit on a screen

LogLevel level_of(Severity severity) {
  switch (severity) {
    case Severity::note: return LogLevel::info;
    case Severity::warning: return LogLevel::warning;
    case Severity::error: break;
  }
  return LogLevel::error;
}

}  // namespace

RunModel::RunModel(StartSession start, QObject* parent) : QObject(parent), start_(std::move(start)) {
  timer_.setInterval(poll_ms);
  connect(&timer_, &QTimer::timeout, this, &RunModel::poll);
  timer_.start();
  subscription_ = log::subscribe([this](const LogEntry& entry) {
    const std::scoped_lock lock(inbox_mutex_);
    if (inbox_.size() < log_limit) inbox_.push_back({entry.level, entry.seconds, entry.text, {}, {}});
  });
}

RunModel::~RunModel() { subscription_.reset(); }

void RunModel::clear() {
  error_.reset();
  stopping_ = false;
  progress_ = {};
  phases_.clear();
  tables_.clear();
  workers_.clear();
  balance_.clear();
  numbers_.clear();
  catalog_.clear();
  frames_.clear();
  log_.clear();
  total_seconds_ = 0;
  chosen_only_ = false;
}

void RunModel::start(SessionOptions options) {
  if (is_active()) return;
  port_.reset();
  clear();
  state_ = SessionState::preparing;
  clock_.start();
  emit started();
  emit state_changed(state_);
  port_ = start_(std::move(options));
  folder_ = port_->folder();
  ask_for_frames();
  poll();
}

void RunModel::send(Command command) {
  if (!is_active()) return;
  if (command == Command::stop) stopping_ = true;
  port_->send(command);
  emit state_changed(state_);
}

double RunModel::elapsed() const {
  if (state_ == SessionState::idle) return 0;
  return is_final(state_) ? total_seconds_ : static_cast<double>(clock_.elapsed()) * 1e-3;
}

int RunModel::exit_code() const {
  if (state_ == SessionState::stopped) return static_cast<int>(ErrorCode::stopped);
  if (state_ == SessionState::failed)
    return static_cast<int>(error_ ? error_->code : ErrorCode::internal);
  return 0;
}

const RunTable* RunModel::table(const std::string& id) const {
  const auto it = std::find_if(tables_.begin(), tables_.end(), [&](const RunTable& t) { return t.info.id == id; });
  return it == tables_.end() ? nullptr : &*it;
}

void RunModel::add_log(LogLine line) {
  log_.push_back(std::move(line));
  while (log_.size() > log_limit) log_.pop_front();
  emit log_grew(1);
}

void RunModel::view(const std::string& part, const std::string& field) {
  if (part == part_ && field == field_) return;
  part_ = part;
  field_ = field;
  ask_for_frames();
}

void RunModel::ask_for_frames() {
  if (!port_) return;
  FrameRequest request;
  request.points_limit = viewed_points;
  if (chosen_only_ && !part_.empty()) {
    request.parts = {part_};
    if (!field_.empty()) request.fields = {field_};
  }
  port_->want_frames(request, pictures_per_second);
}

void RunModel::poll() {
  std::vector<LogLine> lines;
  {
    const std::scoped_lock lock(inbox_mutex_);
    lines.swap(inbox_);
  }
  if (!lines.empty()) {
    for (auto& line : lines) log_.push_back(std::move(line));
    while (log_.size() > log_limit) log_.pop_front();
    emit log_grew(static_cast<int>(lines.size()));
  }
  if (!port_) return;

  // The state is read first: when it is final, the events and the frame taken after it are the last ones.
  const bool last = is_final(port_->state());
  for (const auto& event : port_->take_events()) take(event);
  if (auto frame = port_->take_frame()) {
    if (!chosen_only_ && value_bytes(*frame) > all_fields_bytes) {
      chosen_only_ = true;
      ask_for_frames();
    }
    frames_.add(std::move(frame));
    emit frame_arrived();
  }
  if (last) {
    state_ = port_->state();
    folder_ = port_->folder();
    total_seconds_ = static_cast<double>(clock_.elapsed()) * 1e-3;
    close_phase();
    stopping_ = false;
    port_.reset();
    emit state_changed(state_);
    emit ended();
  }
}

void RunModel::take(const SessionEvent& event) {
  if (const auto* state = std::get_if<StateEvent>(&event)) take_state(*state);
  else if (const auto* progress = std::get_if<ProgressEvent>(&event)) take_progress(*progress);
  else if (const auto* table = std::get_if<TableEvent>(&event)) take_table(*table);
  else if (const auto* balance = std::get_if<BalanceEvent>(&event)) {
    workers_ = balance->workers;
    balance_.insert(balance_.end(), balance->samples.begin(), balance->samples.end());
    while (balance_.size() > balance_limit) balance_.pop_front();
    emit balance_changed();
  } else if (const auto* diagnostic = std::get_if<DiagnosticEvent>(&event)) {
    const Diagnostic& d = diagnostic->diagnostic;
    add_log({level_of(d.severity), elapsed(), d.text, d.hint, d.place.pointer});
  } else if (const auto* number = std::get_if<NumberEvent>(&event)) {
    const auto it = std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.name == number->name; });
    if (it == numbers_.end()) numbers_.push_back(*number);
    else *it = *number;
    emit numbers_changed();
  } else if (const auto* catalog = std::get_if<CatalogEvent>(&event)) {
    catalog_ = catalog->fields;
    emit catalog_changed();
  }
}

void RunModel::take_state(const StateEvent& event) {
  if (event.error) {
    error_ = event.error;
    const auto& e = *event.error;
    const bool known = std::any_of(log_.begin(), log_.end(), [&](const LogLine& l) { return l.text == e.text; });
    if (!known) add_log({LogLevel::error, elapsed(), e.text, e.hint, e.place.pointer});
  }
  // A final state is told by poll() when everything before it has been taken.
  if (is_final(event.state)) return;
  state_ = event.state;
  emit state_changed(state_);
}

void RunModel::close_phase() {
  if (phases_.empty() || phases_.back().finished) return;
  phases_.back().seconds = static_cast<double>(clock_.elapsed()) * 1e-3 - phases_.back().began;
  phases_.back().finished = true;
}

void RunModel::take_progress(const ProgressEvent& event) {
  const double now = static_cast<double>(clock_.elapsed()) * 1e-3;
  if (!event.progress.phase.empty() && (phases_.empty() || phases_.back().name != event.progress.phase)) {
    close_phase();
    phases_.push_back({event.progress.phase, now, 0, false});
  }
  if (!phases_.empty() && !phases_.back().finished) phases_.back().seconds = now - phases_.back().began;
  progress_ = event;
  emit progressed();
}

void RunModel::take_table(const TableEvent& event) {
  auto it = std::find_if(tables_.begin(), tables_.end(), [&](const RunTable& t) { return t.info.id == event.info.id; });
  if (it == tables_.end()) {
    tables_.push_back({event.info, {}});
    it = tables_.end() - 1;
  }
  it->info = event.info;
  if (event.first_row < it->rows.size()) it->rows.resize(event.first_row);
  it->rows.insert(it->rows.end(), event.rows.begin(), event.rows.end());
  emit tables_changed();
}

}  // namespace conoid::app
