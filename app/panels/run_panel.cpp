// SPDX-License-Identifier: BSD-3-Clause
// The run pane.
#include "app/panels/run_panel.hpp"

#include <algorithm>
#include <cmath>

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/compute_place.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

struct StateLook {
  QString text;
  const char* colour;
};

StateLook look_of(const RunModel& run) {
  if (run.is_stopping()) return {QObject::tr("Stopping…"), "caution"};
  if (run.is_elsewhere()) return {QObject::tr("Running elsewhere"), "accent"};
  switch (run.state()) {
    case SessionState::idle: return {QObject::tr("Not run yet"), "outline"};
    case SessionState::preparing: return {QObject::tr("Preparing"), "accent"};
    case SessionState::running: return {QObject::tr("Running"), "accent"};
    case SessionState::paused: return {QObject::tr("Paused"), "caution"};
    case SessionState::finishing: return {QObject::tr("Finishing"), "accent"};
    case SessionState::finished: return {QObject::tr("Finished"), "good"};
    case SessionState::stopped:
      return {run.has_checkpoint() ? QObject::tr("Stopped, can be resumed")
                                   : QObject::tr("Stopped before its first checkpoint"),
              "caution"};
    case SessionState::failed: return {QObject::tr("Failed"), "bad"};
  }
  return {{}, "outline"};
}

QString duration(double seconds) {
  return QString::fromStdString(format_duration(seconds));
}

/// A clock for a running figure: its width changes only when it must.
QString clock(double seconds) {
  if (seconds < 60) return QString::number(seconds, 'f', 1) + " s";
  return duration(std::floor(seconds));
}

/// An expectation to two figures, of minutes to ten seconds.
double rough(double seconds) {
  const double step = seconds >= 60 ? 10 : std::pow(10.0, std::floor(std::log10(std::max(seconds, 1e-3))) - 1);
  return std::round(seconds / step) * step;
}

QString expectation(double seconds) {
  return QObject::tr("about %1").arg(expected_duration(rough(seconds)));
}

/// How long a phase took: nobody needs its microseconds.
QString phase_time(double seconds) {
  return seconds < 0.05 ? QStringLiteral("< 0.1 s") : clock(seconds);
}

QWidget* make_box(const QString& title, QVBoxLayout** column, QWidget* parent) {
  auto* box = new QWidget(parent);
  *column = new QVBoxLayout(box);
  (*column)->setContentsMargins(0, 0, 0, 0);
  (*column)->setSpacing(6);
  if (!title.isEmpty()) (*column)->addWidget(make_label(title, "section", box));
  return box;
}

QGridLayout* add_grid(QVBoxLayout* column) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(12);
  grid->setVerticalSpacing(5);
  grid->setColumnStretch(0, 1);
  column->addLayout(grid);
  return grid;
}

/// A name and its value on one line; a value that is a sentence goes below its name and is wrapped.
void add_pair(QGridLayout* grid, const QString& name, const QString& value, QWidget* parent) {
  const int row = grid->rowCount();
  QLabel* left = make_label(name, "muted", parent);
  left->setWordWrap(true);
  constexpr qsizetype one_line = 20;
  if (value.size() > one_line) {
    grid->addWidget(left, row, 0, 1, 2);
    QLabel* sentence = make_label(value, "", parent);
    sentence->setWordWrap(true);
    grid->addWidget(sentence, row + 1, 0, 1, 2);
    return;
  }
  auto* right = new FigureLabel(value, Qt::AlignRight, parent);
  grid->addWidget(left, row, 0);
  grid->addWidget(right, row, 1, Qt::AlignRight | Qt::AlignTop);
}

}  // namespace

RunPanel::RunPanel(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, QWidget* parent)
    : QWidget(parent), model_(model), run_(run), look_(look) {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  setMinimumWidth(280);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);
  auto* fixed = new QWidget(this);
  auto* fixed_column = new QVBoxLayout(fixed);
  fixed_column->setContentsMargins(16, 16, 16, 12);
  fixed_column->setSpacing(12);
  fixed_column->addWidget(make_controls(actions));
  obstacle_ = make_label({}, "note-bad", fixed);
  obstacle_->setWordWrap(true);
  fixed_column->addWidget(obstacle_);
  fixed_column->addWidget(make_progress());
  outer->addWidget(fixed);

  QVBoxLayout* column = nullptr;
  QScrollArea* scroll = make_scroll_page(this, &column);
  QWidget* scrolled = scroll->widget();
  column->setContentsMargins(16, 4, 16, 16);
  column->setSpacing(20);
  QVBoxLayout* inner = nullptr;
  // What came out first; how it was done below, and what only the curious want behind a fold.
  numbers_box_ = make_box(tr("Results"), &inner, scrolled);
  numbers_grid_ = add_grid(inner);
  phases_box_ = make_box(tr("Phases"), &inner, scrolled);
  phases_column_ = new QVBoxLayout;
  phases_column_->setSpacing(4);
  inner->addLayout(phases_column_);
  devices_box_ = make_box(tr("Memory of the devices"), &inner, scrolled);
  devices_grid_ = add_grid(inner);
  details_box_ = make_box({}, &inner, scrolled);
  auto* details = new QWidget(details_box_);
  auto* fold = new FoldButton(look, tr("Size and cost"), details, false, details_box_);
  inner->addWidget(fold);
  inner->addWidget(details);
  auto* details_column = new QVBoxLayout(details);
  details_column->setContentsMargins(0, 0, 0, 0);
  details_grid_ = add_grid(details_column);
  estimate_box_ = make_box(tr("Expected"), &inner, scrolled);
  estimate_grid_ = add_grid(inner);
  estimate_more_ = new QWidget(estimate_box_);
  auto* more_column = new QVBoxLayout(estimate_more_);
  more_column->setContentsMargins(0, 0, 0, 0);
  estimate_more_grid_ = add_grid(more_column);
  estimate_fold_ = new FoldButton(look, tr("More"), estimate_more_, false, estimate_box_);
  inner->addWidget(estimate_fold_);
  inner->addWidget(estimate_more_);
  hint_ = make_label({}, "small", scrolled);
  hint_->setWordWrap(true);
  column->addWidget(hint_);
  column->addWidget(numbers_box_);
  column->addWidget(phases_box_);
  column->addWidget(devices_box_);
  column->addWidget(details_box_);
  column->addWidget(estimate_box_);
  column->addStretch(1);
  outer->addWidget(scroll, 1);
  outer->addWidget(make_rule(this));
  outer->addWidget(make_command(actions));

  connect(&run, &RunModel::state_changed, this, &RunPanel::refresh_state);
  connect(&run, &RunModel::started, this, [this] {
    refresh_phases();
    refresh_numbers();
    refresh_devices();
  });
  connect(&run, &RunModel::balance_changed, this, &RunPanel::refresh_devices);
  connect(&run, &RunModel::progressed, this, &RunPanel::refresh_progress);
  connect(&run, &RunModel::numbers_changed, this, &RunPanel::refresh_numbers);
  connect(&model, &CaseModel::validated, this, [this] {
    refresh_state();
    refresh_estimate();
  });
  connect(&model, &CaseModel::changed, this, [this] {
    refresh_command();
    refresh_state();
  });
  const auto remember = [this] { case_of_run_ = run_.has_run() ? model_.json() : Json(); };
  connect(&run, &RunModel::started, this, remember);
  connect(&run, &RunModel::opened, this, remember);
  auto* tick = new QTimer(this);
  tick->setInterval(100);
  connect(tick, &QTimer::timeout, this, [this] {
    if (run_.is_active()) elapsed_->set_text(clock(run_.elapsed()));
  });
  tick->start();
  refresh_state();
  refresh_estimate();
  refresh_numbers();
  refresh_devices();
  set_place({}, {});
}

QWidget* RunPanel::make_controls(const ActionTable& actions) {
  auto* box = new QWidget(this);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  auto* start = new QPushButton(tr("Run"), box);
  start->setObjectName("runButton");
  set_role(start, "primary");
  start->setMinimumHeight(36);
  start->setIcon(look_.icon("run", "on_accent"));
  QAction* run_action = actions.at("run.start");
  connect(start, &QPushButton::clicked, run_action, &QAction::trigger);
  const auto follow = [start, run_action] {
    start->setEnabled(run_action->isEnabled());
    start->setText(run_action->text());
    start->setToolTip(run_action->toolTip());
  };
  connect(run_action, &QAction::changed, start, follow);
  follow();
  row->addWidget(start, 1);
  for (const char* id : {"run.pause", "run.step", "run.checkpoint", "run.stop"}) {
    auto* button = new QToolButton(box);
    button->setDefaultAction(actions.at(id));
    button->setIconSize({18, 18});
    button->setFixedSize(30, 34);
    button->setAccessibleName(actions.at(id)->text());
    row->addWidget(button);
  }
  return box;
}

QWidget* RunPanel::make_progress() {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* head = new QHBoxLayout;
  head->setSpacing(8);
  dot_ = new StateDot(look_, box);
  state_ = make_label({}, "heading", box);
  elapsed_ = new FigureLabel({}, Qt::AlignRight, box);
  head->addWidget(dot_);
  head->addWidget(state_, 1);
  head->addWidget(elapsed_);
  column->addLayout(head);
  progress_box_ = new QWidget(box);
  auto* inner = new QVBoxLayout(progress_box_);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(6);
  bar_ = new QProgressBar(progress_box_);
  bar_->setTextVisible(false);
  bar_->setRange(0, 1000);
  inner->addWidget(bar_);
  const auto pair = [&](FigureLabel*& left, FigureLabel*& right) {
    auto* row = new QHBoxLayout;
    left = new FigureLabel({}, Qt::AlignLeft, progress_box_);
    right = new FigureLabel({}, Qt::AlignRight, progress_box_);
    left->set_colour("muted", look_);
    right->set_colour("muted", look_);
    row->addWidget(left);
    row->addStretch(1);
    row->addWidget(right);
    inner->addLayout(row);
  };
  pair(count_, eta_);
  pair(rate_, criterion_);
  column->addWidget(progress_box_);
  error_ = make_label({}, "note-bad", box);
  error_->setWordWrap(true);
  error_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(error_);
  error_help_ = new QPushButton(tr("What helps"), box);
  set_role(error_help_, "link");
  error_help_->setAccessibleDescription(tr("Opens the page on this kind of failure, or the key that it is about"));
  column->addWidget(error_help_, 0, Qt::AlignLeft);
  connect(error_help_, &QPushButton::clicked, this, [this] {
    if (run_.error()) emit help_wanted(topic_of(*run_.error()));
  });
  return box;
}

QWidget* RunPanel::make_command(const ActionTable& actions) {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(16, 12, 16, 12);
  column->setSpacing(6);
  auto* place_row = new QHBoxLayout;
  place_row->setSpacing(8);
  place_row->addWidget(new IconLabel(look_, "connect", "muted", 16, box));
  place_text_ = new ElidedLabel({}, "small", Qt::ElideRight, box);
  auto* change = new QPushButton(tr("Change"), box);
  set_role(change, "link");
  change->setToolTip(actions.at("run.place")->toolTip());
  change->setAccessibleName(tr("Change where to compute"));
  connect(change, &QPushButton::clicked, actions.at("run.place"), &QAction::trigger);
  place_row->addWidget(place_text_, 1);
  place_row->addWidget(change);
  column->addLayout(place_row);
  column->addWidget(make_label(tr("The same in a terminal"), "section", box));
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  command_ = new ElidedLabel({}, "mono", Qt::ElideRight, box);
  command_->set_padding(8);
  QFont mono("DejaVu Sans Mono");
  mono.setStyleHint(QFont::Monospace);
  mono.setPixelSize(12);
  command_->setFont(mono);
  auto* copy = make_icon_button(look_, "copy", tr("Copy the command"), box);
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(line_); });
  row->addWidget(command_, 1);
  row->addWidget(copy);
  column->addLayout(row);
  auto* folder_row = new QHBoxLayout;
  folder_ = new ElidedLabel({}, "small", Qt::ElideLeft, box);
  open_folder_ = new QPushButton(tr("Open folder"), box);
  set_role(open_folder_, "link");
  connect(open_folder_, &QPushButton::clicked, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(run_.folder().string()))); });
  folder_row->addWidget(folder_, 1);
  folder_row->addWidget(open_folder_);
  column->addLayout(folder_row);
  return box;
}

void RunPanel::refresh_state() {
  const StateLook look = look_of(run_);
  dot_->set_colour(look.colour);
  const bool edited = run_.has_run() && case_of_run_.is_object() && case_of_run_ != model_.json();
  state_->setText(edited && is_final(run_.state()) ? tr("%1, before your edits").arg(look.text) : look.text);
  state_->setToolTip(edited ? tr("The case has been edited since: what is shown belongs to the case as it was run.")
                            : QString());
  elapsed_->set_text(run_.has_run() ? clock(run_.elapsed()) : QString());
  const QString obstacle = run_.is_active() ? QString() : model_.obstacle();
  obstacle_->setText(obstacle);
  obstacle_->setVisible(!obstacle.isEmpty() && model_.is_open());
  std::string trouble;
  if (run_.error()) {
    const Error said = translated(*run_.error());
    trouble = said.text + (said.hint.empty() ? "" : "\n" + said.hint);
  } else if (run_.state() == SessionState::failed) {
    // Of a run read from its folder the log knows.
    const auto& log = run_.log();
    const auto last =
        std::find_if(log.rbegin(), log.rend(), [](const LogLine& line) { return line.level == LogLevel::error; });
    if (last != log.rend()) trouble = translated(last->text).toStdString();
  }
  error_->setText(QString::fromStdString(trouble));
  error_->setVisible(!trouble.empty());
  error_help_->setVisible(run_.error().has_value());
  progress_box_->setVisible(run_.is_active() || (run_.state() == SessionState::stopped && !run_.is_elsewhere()));
  folder_->set_text(QString::fromStdString(run_.folder().filename().string()));
  folder_->setVisible(run_.has_run());
  open_folder_->setVisible(run_.has_run());
  hint_->setText(run_.is_elsewhere()
                     ? tr("Another program computes this run. What it has written so far is shown; when it has ended, "
                          "all of it is read.")
                     : tr("Press Run: the field, the curves and the numbers appear while it computes."));
  hint_->setVisible(run_.is_elsewhere() || (!run_.has_run() && obstacle.isEmpty()));
  estimate_box_->setVisible(!run_.is_active() && run_.state() != SessionState::finished && model_.report() != nullptr);
  refresh_progress();
  refresh_phases();
}

void RunPanel::refresh_progress() {
  const ProgressEvent& p = run_.progress();
  const Index done = p.progress.total > 0 ? p.progress.done : p.step;
  const Index total = p.progress.total > 0 ? p.progress.total : p.steps;
  const QString unit = translated(p.progress.unit.empty() ? std::string("steps") : p.progress.unit);
  const QLocale locale(QLocale::English);
  const auto grouped = [&](Index n) { return locale.toString(static_cast<qlonglong>(n)).replace(',', QChar(0x202f)); };
  if (total > 0) {
    bar_->setRange(0, 1000);
    bar_->setValue(static_cast<int>(1000.0 * static_cast<double>(std::min(done, total)) / static_cast<double>(total)));
    count_->set_text(tr("%1 of %2 %3").arg(grouped(done), grouped(total), unit));
  } else {
    bar_->setRange(0, run_.is_active() ? 0 : 1000);
    count_->set_text(done > 0 ? tr("%1 %2").arg(grouped(done), unit) : QString());
  }
  eta_->set_text(p.eta && run_.state() == SessionState::running ? tr("%1 left").arg(duration(std::ceil(*p.eta)))
                                                                : QString());
  rate_->set_text(p.progress.items_per_second > 0 ? QString::number(p.progress.items_per_second, 'g', 3) + " " +
                                                        translated(p.progress.item_name) + "/s"
                                                  : QString());
  criterion_->set_text(
      p.progress.criterion != 0
          ? QString::number(p.progress.criterion, 'g', 3) +
                (p.progress.target != 0 ? " → " + QString::number(p.progress.target, 'g', 2) : QString())
          : QString());
  refresh_phases();
}

void RunPanel::refresh_phases() {
  // A sweep goes through the same phases again and again: one line each, with the sum of their times.
  struct Line {
    std::string name;
    double seconds = 0;
    int times = 0;
    bool finished = true, failed = false;
  };
  std::vector<Line> lines;
  const auto& phases = run_.phases();
  for (std::size_t i = 0; i < phases.size(); ++i) {
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.name == phases[i].name; });
    if (line == lines.end()) line = lines.insert(lines.end(), {phases[i].name});
    line->seconds += phases[i].seconds;
    ++line->times;
    line->finished = phases[i].finished;
    line->failed = run_.state() == SessionState::failed && i + 1 == phases.size();
  }
  phases_box_->setVisible(!lines.empty());
  if (lines.size() < phase_rows_.size()) {
    clear_layout(phases_column_);
    phase_rows_.clear();
  }
  for (std::size_t i = phase_rows_.size(); i < lines.size(); ++i) {
    auto* line = new QWidget(phases_box_);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* icon = new IconLabel(look_, "live", "accent", 14, line);
    auto* name = new ElidedLabel({}, "", Qt::ElideRight, line);
    auto* seconds = new FigureLabel({}, Qt::AlignRight, line);
    seconds->set_colour("muted", look_);
    row->addWidget(icon);
    row->addWidget(name, 1);
    row->addWidget(seconds);
    phases_column_->addWidget(line);
    phase_rows_.push_back({icon, name, seconds});
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    phase_rows_[i].icon->set_icon(line.failed     ? "error"
                                  : line.finished ? "check"
                                                  : "live",
                                  line.failed     ? "bad"
                                  : line.finished ? "good"
                                                  : "accent");
    const QString name = phase_words(line.name);
    phase_rows_[i].name->set_text(line.times > 1 ? tr("%1, %2 times").arg(name).arg(line.times) : name);
    phase_rows_[i].seconds->set_text(line.seconds >= 0.05 || line.finished ? phase_time(line.seconds) : QString());
  }
}

void RunPanel::refresh_devices() {
  // The newest word of each device; built anew only when a word changes.
  QStringList words;
  for (std::size_t w = 0; w < run_.workers().size(); ++w) {
    const auto& samples = run_.balance();
    const auto newest = std::find_if(samples.rbegin(), samples.rend(),
                                     [w](const BalanceSample& s) { return s.worker == static_cast<int>(w); });
    if (newest == samples.rend() || newest->held == 0) continue;
    words << QString::fromStdString(run_.workers()[w].name) << QString::fromStdString(format_bytes(newest->held));
  }
  if (words == device_words_ && devices_box_->isVisibleTo(this) == !words.isEmpty()) return;
  device_words_ = words;
  clear_layout(devices_grid_);
  for (qsizetype i = 0; i + 1 < words.size(); i += 2) add_pair(devices_grid_, words[i], words[i + 1], devices_box_);
  devices_box_->setVisible(!words.isEmpty());
}

void RunPanel::refresh_estimate() {
  clear_layout(estimate_grid_);
  clear_layout(estimate_more_grid_);
  const CheckReport* report = model_.report();
  estimate_box_->setVisible(report && !run_.is_active() && run_.state() != SessionState::finished);
  if (!report) return;
  if (report->estimated) {
    const Estimate& e = report->estimate;
    const auto bytes = [](Bytes n) { return QString::fromStdString(format_bytes(n)); };
    const auto below = [&](const QString& text) {
      QLabel* label = make_label(text, "small", estimate_box_);
      label->setWordWrap(true);
      estimate_grid_->addWidget(label, estimate_grid_->rowCount(), 0, 1, 2);
    };
    add_pair(estimate_grid_, tr("Memory"), bytes(e.host_memory), estimate_box_);
    add_pair(estimate_grid_, tr("Memory of the devices"),
             e.device_memory > 0 ? tr("up to %1").arg(bytes(e.device_memory)) : tr("none used"), estimate_box_);
    add_pair(estimate_grid_, tr("Disk"), bytes(e.disk), estimate_box_);
    add_pair(estimate_grid_, tr("Streamed"), e.streams.empty() ? tr("nothing") : bytes(e.streamed), estimate_box_);
    if (!e.streams.empty())
      below(e.slower >= 1.05
                ? tr("%1, about %2 times as long as in memory").arg(translated(e.streams)).arg(e.slower, 0, 'g', 2)
                : translated(e.streams));
    add_pair(estimate_grid_, tr("Time"),
             e.seconds <= 0             ? tr("not known")
             : e.expected_seconds() < 1 ? tr("less than 1 s")
                                        : expectation(e.expected_seconds()),
             estimate_box_);
    if (!e.basis.empty()) below(translated(e.basis));
  }
  for (const auto& [name, text] : report->estimate.details)
    add_pair(estimate_more_grid_, translated(words_of(name)), translated(text), estimate_more_);
  for (const PhaseEstimate& phase : report->estimate.phases)
    add_pair(estimate_more_grid_, tr("Time: %1").arg(phase_words(phase.name)), expectation(phase.seconds),
             estimate_more_);
  estimate_fold_->setVisible(!report->estimate.details.empty());
  estimate_box_->setVisible(estimate_grid_->count() > 0 && estimate_box_->isVisibleTo(this));
}

void RunPanel::refresh_numbers() {
  clear_layout(numbers_grid_);
  clear_layout(details_grid_);
  for (const NumberEvent& number : run_.numbers()) {
    const bool folded = is_detail(number);
    add_pair(folded ? details_grid_ : numbers_grid_, number_words(number.name), number_text(number),
             folded ? details_grid_->parentWidget() : numbers_box_);
  }
  numbers_box_->setVisible(numbers_grid_->count() > 0);
  details_box_->setVisible(details_grid_->count() > 0);
}

void RunPanel::refresh_command() {
  QString line = model_.command_line();
  // A case that is no file yet is kept by its run.
  if (model_.document().file().empty())
    line = "conoid run " + shell_quoted(QString::fromStdString((run_.folder() / "case.json").string()));
  if (!is_inside(place_))
    line += " --launcher " + shell_quoted(place_ == "process" ? QStringLiteral("conoid-worker") : place_);
  // A case that names its workers goes before the settings; a flag would not.
  const bool named = names_workers(model_.document());
  if (!workers_.isEmpty() && !is_far(place_) && !named) line += " --workers " + shell_quoted(workers_);
  if (line == line_) return;
  line_ = line;
  // Of a long path the end says most.
  static const QRegularExpression folders("(^|[ '])(/|\\.\\./)[^ ']*/([^/ ']+/[^/ ']+)");
  command_->set_text(QString(line).replace(folders, QStringLiteral("\\1…/\\3")), line);
}

void RunPanel::set_place(const QString& place, const QString& workers) {
  place_ = place;
  workers_ = workers;
  place_text_->set_text(workers.isEmpty() || is_far(place) ? words_of_place(place)
                                                           : words_of_place(place) + ", " + workers);
  refresh_command();
}

}  // namespace conoid::app
