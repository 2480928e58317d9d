// SPDX-License-Identifier: BSD-3-Clause
// One run as the window sees it.
#include "app/model/run_model.hpp"

#include <algorithm>

#include <QThreadPool>

#include "app/model/background.hpp"
#include "app/model/heap.hpp"
#include "app/model/names.hpp"
#include "app/model/stored_run.hpp"
#include "engine/session/run_lock.hpp"

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

RunModel::~RunModel() {
  subscription_.reset();
  if (pool_) pool_->waitForDone();
}

QThreadPool& RunModel::reading_pool() {
  if (!pool_) {
    pool_ = std::make_unique<QThreadPool>();
    pool_->setMaxThreadCount(1);
  }
  return *pool_;
}

void RunModel::clear() {
  error_.reset();
  stopping_ = false;
  has_checkpoint_ = false;
  progress_ = {};
  phases_.clear();
  tables_.clear();
  workers_.clear();
  balance_.clear();
  rates_ = {};
  device_rates_.clear();
  numbers_.clear();
  catalog_.clear();
  frames_.clear();
  log_.clear();
  total_seconds_ = 0;
  chosen_only_ = false;
  opened_ = false;
  elsewhere_ = false;
  wanted_.reset();
  search_.reset();
  ++generation_;
  // The reading thread may still hold it; the last one lets it go.
  reader_.reset();
}

void RunModel::reset() {
  if (is_active()) return;
  port_.reset();
  clear();
  folder_.clear();
  trim_heap();
  state_ = SessionState::idle;
  emit started();
  emit state_changed(state_);
  emit numbers_changed();
}

void RunModel::open(const std::filesystem::path& folder) {
  if (is_active()) return;
  const std::uint64_t ticket = ++generation_;
  in_background(
      this, [folder] { return read_stored_run(folder); },
      [ticket](RunModel& self, Result<StoredRun> run) {
        if (self.generation_ != ticket || self.is_active()) return;
        if (run)
          self.show(std::move(run).value());
        else
          emit self.open_failed(run.error());
      },
      &reading_pool());
}

void RunModel::read_curves_again() {
  if (is_active() || !is_stored()) return;
  in_background(
      this, [folder = folder_] { return read_run_curves(folder); },
      [folder = folder_](RunModel& self, Result<StoredRun> run) {
        if (!run || self.is_active() || !self.is_stored() || self.folder_ != folder) return;
        self.tables_ = std::move(run->tables);
        self.numbers_ = std::move(run->numbers);
        self.balance_.assign(run->balance.begin(), run->balance.end());
        const int grown = static_cast<int>(run->log.size()) - static_cast<int>(self.log_.size());
        if (grown > 0) self.log_.assign(run->log.begin(), run->log.end());
        emit self.tables_changed();
        emit self.numbers_changed();
        if (!self.balance_.empty()) emit self.balance_changed();
        if (grown > 0) emit self.log_grew(grown);
      },
      &reading_pool());
}

void RunModel::show(StoredRun run) {
  if (is_active()) return;
  port_.reset();
  clear();
  opened_ = true;
  elsewhere_ = run.computing;
  since_looked_.start();
  state_ = run.state;
  folder_ = run.folder;
  has_checkpoint_ = RunFolder::has_checkpoint(folder_);
  total_seconds_ = run.seconds;
  phases_ = std::move(run.phases);
  tables_ = std::move(run.tables);
  numbers_ = std::move(run.numbers);
  workers_ = std::move(run.workers);
  balance_.assign(run.balance.begin(), run.balance.end());
  rates_ = run.rates;
  device_rates_ = run.device_rates;
  catalog_ = std::move(run.catalog);
  reader_ = std::move(run.reader);
  log_.assign(run.log.begin(), run.log.end());
  progress_.step = progress_.steps = run.steps;
  std::vector<Moment> moments;
  moments.reserve(run.frames.size());
  for (const StoredFrame& frame : run.frames) moments.push_back({frame.number, frame.value, frame.axis});
  first_shown_ = run.first_shown;
  frames_.set_stored(std::move(moments));
  emit started();
  emit state_changed(state_);
  emit log_grew(static_cast<int>(log_.size()));
  emit catalog_changed();
  emit tables_changed();
  if (!balance_.empty()) emit balance_changed();
  emit numbers_changed();
  emit progressed();
  emit opened();
}

void RunModel::look_elsewhere() {
  constexpr int look_every_ms = 2000;
  if (is_active() || since_looked_.elapsed() < look_every_ms) return;
  since_looked_.start();
  if (RunLock::is_held(folder_)) return;
  elsewhere_ = false;
  open(folder_);
}

void RunModel::fetch(std::size_t index) {
  if (!frames_.is_stored() || index >= frames_.size()) return;
  if (frames_.at(index)) return emit frame_loaded(index);
  wanted_ = index;
  if (!reading_) read_wanted();
}

void RunModel::find_range(std::string part, std::string field, ValueSelection selection, double percent) {
  ++search_ticket_;
  search_.reset();
  if (!frames_.is_stored() || frames_.size() < 2 || !reader_) return;
  constexpr std::size_t most = 500;
  search_ =
      RangeSearch{std::move(part), std::move(field), selection, percent, 0, (frames_.size() + most - 1) / most, {}};
  if (!reading_) search_on();
}

void RunModel::search_on() {
  if (!search_ || !reader_) return;
  if (search_->next >= frames_.size()) {
    const RangeSearch done = *std::exchange(search_, std::nullopt);
    if (const auto all = range_over_frames(done.ranges))
      emit range_known(done.part, done.field, all->first, all->second);
    return;
  }
  reading_ = true;
  in_background(
      this,
      [reader = reader_, s = *search_]() -> std::optional<std::pair<double, double>> {
        FrameRequest request;
        if (!s.part.empty()) request.parts = {s.part};
        request.fields = {s.field};
        const auto frame = reader->read(s.next, request);
        return frame ? range_in_frame(**frame, s.part, s.field, s.selection, s.percent) : std::nullopt;
      },
      [ticket = search_ticket_, generation = generation_](RunModel& self, const auto& range) {
        self.reading_ = false;
        if (ticket == self.search_ticket_ && generation == self.generation_ && self.search_) {
          if (range) self.search_->ranges.push_back(*range);
          self.search_->next += self.search_->step;
        }
        self.read_wanted();
      },
      &reading_pool());
}

void RunModel::read_wanted() {
  // Whoever hears of a frame may have asked for the next already: one read at a time, or a search would count frames twice and miss others.
  if (reading_) return;
  if (!wanted_ || !reader_) return search_on();
  const std::size_t index = *wanted_;
  wanted_.reset();
  reading_ = true;
  FrameRequest request;
  if (chosen_only_ && !part_.empty()) {
    request.parts = {part_};
    if (!field_.empty()) request.fields = {field_};
  }
  in_background(
      this, [reader = reader_, request, index] { return reader->read(index, request); },
      [index, generation = generation_](RunModel& self, auto frame) {
        self.take_read(index, generation, frame ? *frame : nullptr, frame ? QString() : rendered(frame.error()));
      },
      &reading_pool());
}

void RunModel::take_read(std::size_t index, std::uint64_t generation, const std::shared_ptr<const Frame>& frame,
                         const QString& trouble) {
  reading_ = false;
  if (generation != generation_) return read_wanted();
  if (frame) {
    if (!chosen_only_ && value_bytes(*frame) > all_fields_bytes) chosen_only_ = true;
    frames_.put(index, frame);
    emit frame_loaded(index);
  } else {
    add_log({LogLevel::error, 0, trouble.toStdString(), {}, {}});
  }
  read_wanted();
}

void RunModel::start(SessionOptions options) {
  if (is_active()) return;
  port_.reset();
  clear();
  state_ = SessionState::preparing;
  clock_.start();
  began_ = log::seconds();
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
  if (state_ == SessionState::failed) return static_cast<int>(error_ ? error_->code : ErrorCode::internal);
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
  if (frames_.is_stored() && chosen_only_) {
    // Of a big run only the chosen field was read.
    ++generation_;
    frames_.forget_read();
  }
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
    for (auto& line : lines) {
      // Of the run, as everything else that stands in its log.
      line.seconds = is_active() ? std::max(0.0, line.seconds - began_) : elapsed();
      log_.push_back(std::move(line));
    }
    while (log_.size() > log_limit) log_.pop_front();
    emit log_grew(static_cast<int>(lines.size()));
  }
  if (elsewhere_) look_elsewhere();
  if (!port_) return;

  // The state is read first: when it is final, the events and the frame taken after it are the last ones.
  const bool last = is_final(port_->state());
  if (folder_.empty()) folder_ = port_->folder();  // made when the case has been read
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
    has_checkpoint_ = !folder_.empty() && RunFolder::has_checkpoint(folder_);
    total_seconds_ = static_cast<double>(clock_.elapsed()) * 1e-3;
    close_phase();
    // Of phases shorter than the pace of the events some were never told: the summary has them all.
    if (auto exact = read_phases(folder_); !exact.empty()) phases_ = std::move(exact);
    stopping_ = false;
    port_.reset();
    trim_heap();
    emit state_changed(state_);
    emit ended();
  }
}

void RunModel::take(const SessionEvent& event) {
  if (const auto* state = std::get_if<StateEvent>(&event))
    take_state(*state);
  else if (const auto* progress = std::get_if<ProgressEvent>(&event))
    take_progress(*progress);
  else if (const auto* table = std::get_if<TableEvent>(&event))
    take_table(*table);
  else if (const auto* balance = std::get_if<BalanceEvent>(&event)) {
    workers_ = balance->workers;
    if (balance->rates.known()) rates_ = balance->rates;
    if (!balance->device_rates.empty()) device_rates_ = balance->device_rates;
    balance_.insert(balance_.end(), balance->samples.begin(), balance->samples.end());
    while (balance_.size() > balance_limit) balance_.pop_front();
    emit balance_changed();
  } else if (const auto* diagnostic = std::get_if<DiagnosticEvent>(&event)) {
    const Diagnostic& d = diagnostic->diagnostic;
    const bool failure = d.severity == Severity::error;
    add_log({level_of(d.severity), elapsed(), d.text, d.hint, d.place.pointer,
             failure ? std::optional(d.code) : std::nullopt});
  } else if (const auto* number = std::get_if<NumberEvent>(&event)) {
    const auto it =
        std::find_if(numbers_.begin(), numbers_.end(), [&](const auto& n) { return n.name == number->name; });
    if (it == numbers_.end())
      numbers_.push_back(*number);
    else
      *it = *number;
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
    if (!known) add_log({LogLevel::error, elapsed(), e.text, e.hint, e.place.pointer, e.code});
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
