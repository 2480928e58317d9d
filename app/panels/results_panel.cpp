// SPDX-License-Identifier: BSD-3-Clause
// Below the picture: charts, balance, log.
#include "app/panels/results_panel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <QClipboard>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/panels/chart_dialog.hpp"
#include "app/panels/chart_table.hpp"
#include "app/panels/differences_panel.hpp"
#include "app/panels/fit_dialog.hpp"
#include "app/panels/log_panel.hpp"
#include "app/panels/measured_dialog.hpp"
#include "app/panels/picture_theme.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/run/run_reader.hpp"
#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "render/chart/chart_export.hpp"
#include "render/chart/chart_frame.hpp"
#include "render/chart/chart_rows.hpp"
#include "render/chart/chart_units.hpp"
#include "render/chart/spectrum.hpp"
#include "render/chart/sweep_chart.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

constexpr int least_tabs = 48, least_combo = 64;  // pixels, on a small screen
constexpr int least_names = 240;                  // for the names of charts beside the tools
constexpr int draw_every_ms = 150;
constexpr CsvLimits measured_limits{Bytes{64} << 20, 64, 4'000'000};
constexpr int rest_factor = 8;  // a chart may take one ninth of the window's time

const QString balance_id = "balance:";
const QString roofline_id = "roofline:";
const QString log_id = "log:";
const QString differences_id = "differences:";
const QString empty_id = "empty:";
const QString profile_id = "profile:";
const QString made_id = "made:";  // and its number

ChartWords chart_words() {
  ChartWords words;
  words.no_values = QObject::tr("No values yet").toStdString();
  words.no_passes = QObject::tr("No passes yet").toStdString();
  words.shares = QObject::tr("Time of the workers").toStdString();
  words.items = QObject::tr("Items held").toStdString();
  words.memory = QObject::tr("Memory of the devices").toStdString();
  words.streamed = QObject::tr("Streamed a pass").toStdString();
  words.pass = QObject::tr("Pass").toStdString();
  words.worker = QObject::tr("worker").toStdString();
  words.copying = QObject::tr("copying").toStdString();
  words.waiting = QObject::tr("waiting").toStdString();
  words.roofline = QObject::tr("Roofline").toStdString();
  words.intensity = QObject::tr("Operations a byte of memory").toStdString();
  words.rate = QObject::tr("Speed").toStdString();
  words.copies = QObject::tr("limit of its memory").toStdString();
  words.doubles = QObject::tr("limit of this machine, double precision").toStdString();
  words.singles = QObject::tr("limit of this machine, single precision").toStdString();
  return words;
}

/// Whether a chart is a history in time, so that it has a spectrum.
bool is_history(const ChartSpec& spec) {
  return spec.kind == ChartKind::lines && spec.x_unit == "s" && spec.x_scale == AxisScale::linear &&
         std::any_of(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.x.size() >= 4; });
}

bool is_over_angle(const ChartSpec& spec) {
  return spec.x_unit == "deg" || spec.x_unit == "°";
}

}  // namespace

ResultsPanel::ResultsPanel(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(run), look_(look), scene_(std::make_shared<ChartScene>()), kind_(kind) {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  setMinimumHeight(200);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_rule(this));
  head_ = new QBoxLayout(QBoxLayout::LeftToRight);
  head_->setContentsMargins(8, 0, 12, 0);
  head_->setSpacing(0);
  tabs_ = new QTabBar(this);
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(true);
  tabs_->setElideMode(Qt::ElideNone);
  tabs_->setAccessibleName(tr("Results"));
  tabs_->setAccessibleDescription(tr("Curves, balance of the workers and log of the run"));
  tabs_->setMinimumWidth(least_tabs);  // it scrolls
  head_->addWidget(tabs_, 1);
  QToolButton* more = make_tools();
  head_->addWidget(tools_, 0, Qt::AlignRight);
  column->addLayout(head_);
  column->addWidget(make_rule(this));

  make_pages();
  more->setMenu(make_more_menu());
  column->addWidget(stack_, 1);
  watch();
  apply_theme();
  refresh_tabs();
}

QToolButton* ResultsPanel::make_tools() {
  tools_ = new QWidget(this);
  auto* tools = new QHBoxLayout(tools_);
  tools->setContentsMargins(0, 0, 0, 0);
  tools->setSpacing(4);
  unit_ = make_calm_combo(tools_);
  unit_->setAccessibleName(tr("Unit of the curves"));
  unit_->setToolTip(tr("Unit of the curves"));
  unit_->hide();
  unit_->setMinimumWidth(least_combo);
  tools->addWidget(unit_);
  connect(unit_, &QComboBox::activated, this, [this] { set_unit(unit_->currentData().toString()); });
  traces_ = make_calm_combo(tools_);
  traces_->setAccessibleName(tr("Look of the traces"));
  traces_->setToolTip(tr("Curves on one axis, or a gather: traces beneath each other as colours, as wiggles, as both"));
  for (const auto& [words, look_of] : {std::pair{tr("Curves"), Traces::curves},
                                       {tr("Picture"), Traces::picture},
                                       {tr("Wiggles"), Traces::wiggles},
                                       {tr("Picture and wiggles"), Traces::both}})
    traces_->addItem(words, static_cast<int>(look_of));
  traces_->hide();
  traces_->setMinimumWidth(least_combo);
  tools->addWidget(traces_);
  connect(traces_, &QComboBox::activated, this,
          [this] { set_traces(static_cast<Traces>(traces_->currentData().toInt())); });
  spectrogram_curve_ = make_calm_combo(tools_);
  spectrogram_curve_->setAccessibleName(tr("Curve of the spectrogram"));
  spectrogram_curve_->setToolTip(tr("Curve of the spectrogram"));
  spectrogram_curve_->hide();
  spectrogram_curve_->setMinimumWidth(least_combo);
  tools->addWidget(spectrogram_curve_);
  connect(spectrogram_curve_, &QComboBox::activated, this, [this] {
    SpectrogramWish wish = spectrogram_wish();
    wish.curve = spectrogram_curve_->currentText().toStdString();
    set_spectrogram_wish(wish);
  });
  const auto toggle = [&](const char* icon, const QString& tip) {
    auto* button = make_icon_button(look_, icon, tip, tools_);
    button->setCheckable(true);
    tools->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this] { draw_chart(); });
    return button;
  };
  spectrum_ = toggle("spectrum", tr("Spectrum of the curves"));
  spectrogram_ = toggle("spectrogram", tr("Spectrogram: levels over time and frequency"));
  connect(spectrum_, &QToolButton::toggled, this,
          [this](bool on) { spectrogram_->setChecked(spectrogram_->isChecked() && !on); });
  connect(spectrogram_, &QToolButton::toggled, this,
          [this](bool on) { spectrum_->setChecked(spectrum_->isChecked() && !on); });
  log_axis_ = toggle("logarithm", tr("Logarithmic axis"));
  polar_ = toggle("polar", tr("Polar diagram"));
  difference_ = toggle("difference", tr("Difference: the second run less the first"));
  difference_->hide();
  copy_ =
      make_icon_button(look_, "copy", tr("Copy the chart: numbers for a spreadsheet, a picture for a text"), tools_);
  connect(copy_, &QToolButton::clicked, this, &ResultsPanel::copy_chart);
  tools->addWidget(copy_);
  auto* save = make_icon_button(look_, "export", tr("Save the chart"), tools_);
  save->setPopupMode(QToolButton::InstantPopup);
  auto* formats = new QMenu(save);
  for (const auto& [name, ending] :
       {std::pair{tr("Picture (PNG)…"), "png"}, std::pair{tr("Vector graphics (SVG)…"), "svg"},
        std::pair{tr("Document (PDF)…"), "pdf"}, std::pair{tr("Numbers (CSV)…"), "csv"}})
    formats->addAction(name, this, [this, ending = QString(ending)] { save_chart(ending); });
  formats->addAction(tr("Copy the chart"), this, &ResultsPanel::copy_chart);  // its button gives way to a choice
  save->setMenu(formats);
  tools->addWidget(save);
  auto* more =
      make_icon_button(look_, "more", tr("More for charts: limits, titles, numbers, charts beside each other"), tools_);
  more->setPopupMode(QToolButton::InstantPopup);
  tools->addWidget(more);
  maximise_ = make_icon_button(look_, "maximise", tr("Results alone, and back"), tools_);
  maximise_->setCheckable(true);
  tools->addWidget(maximise_);
  connect(maximise_, &QToolButton::clicked, this, [this](bool on) {
    scene_->set_title(on);
    emit maximise_wanted(on);
  });
  return more;
}

void ResultsPanel::make_pages() {
  stack_ = new QStackedWidget(this);
  auto* empty =
      make_label(tr("Curves are drawn here while a run goes on:\nreceivers, energies, the balance of the workers."),
                 "muted", stack_);
  empty->setAlignment(Qt::AlignCenter);
  stack_->addWidget(empty);
  auto* chart_page = new QWidget(stack_);
  auto* chart_column = new QVBoxLayout(chart_page);
  chart_column->setContentsMargins(8, 4, 8, 4);
  beside_ = new QSplitter(Qt::Horizontal, chart_page);
  beside_->setChildrenCollapsible(false);
  beside_->setHandleWidth(1);
  viewport_ = make_viewport(beside_, kind_);
  beside_->addWidget(viewport_->widget());
  numbers_ = new NumbersTable(beside_);
  numbers_->hide();
  beside_->addWidget(numbers_);
  beside_->setStretchFactor(0, 3);
  beside_->setStretchFactor(1, 2);
  chart_column->addWidget(beside_);
  stack_->addWidget(chart_page);
  log_ = new LogPanel(run_, look_, stack_);
  stack_->addWidget(log_);
  differences_ = new DifferencesPanel(stack_);
  stack_->addWidget(differences_);
  viewport_->set_scene(scene_);
  viewport_->widget()->setAccessibleName(tr("Chart"));
  viewport_->widget()->setAccessibleDescription(
      tr("The curves of the chosen tab; its numbers can be copied or saved as a table"));
  scene_->set_title(false);  // the tab says it
  link(*scene_, nullptr, nullptr);
  connect(tabs_, &QTabBar::tabBarDoubleClicked, this, [this](int index) {
    const QString id = tabs_->tabData(index).toString();
    if (is_chart(id)) edit_style(id, forms(), {ChartPlace::Part::title, {}});
  });
}

void ResultsPanel::fit_head() {
  // On a small screen the names of the charts have a row of their own.
  int wide = tools_->sizeHint().width();
  if (copy_->isHidden()) wide += copy_->sizeHint().width() + tools_->layout()->spacing();
  const bool narrow = !tools_->isHidden() && width() - wide < least_names;
  head_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  copy_->setHidden(narrow && wide > width());
}

void ResultsPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_head();
}

void ResultsPanel::watch() {
  draw_timer_.setSingleShot(true);
  draw_timer_.setInterval(draw_every_ms);
  connect(&draw_timer_, &QTimer::timeout, this, &ResultsPanel::draw_chart);
  connect(tabs_, &QTabBar::currentChanged, this, &ResultsPanel::show_tab);
  connect(log_, &LogPanel::field_wanted, this, &ResultsPanel::field_wanted);
  connect(differences_, &DifferencesPanel::field_wanted, this, &ResultsPanel::field_wanted);
  connect(log_, &LogPanel::help_wanted, this, &ResultsPanel::help_wanted);
  connect(log_, &LogPanel::problems_counted, this, [this](int errors, int warnings) {
    const int last = tabs_->count() - 1;
    if (last < 0) return;
    const int count = errors > 0 ? errors : warnings;
    tabs_->setTabText(last, count > 0 ? tr("Log (%1)").arg(count) : tr("Log"));
    tabs_->setTabIcon(last, errors > 0     ? look_.icon("error", "bad")
                            : warnings > 0 ? look_.icon("warning", "caution")
                                           : QIcon());
  });
  connect(&run_, &RunModel::tables_changed, this, [this] {
    refresh_tabs();
    draw_soon();
  });
  connect(&run_, &RunModel::balance_changed, this, [this] {
    refresh_tabs();
    draw_soon();
  });
  connect(tabs_, &QTabBar::tabBarClicked, this, [this] { chosen_ = true; });
  connect(&run_, &RunModel::started, this, [this] {
    profile_ = {};
    made_.clear();
    chosen_ = false;
    if (!run_.is_active()) measured_.clear();  // another case, another run; the same case computed again keeps them
    refresh_tabs();
  });
  connect(&run_, &RunModel::ended, this, [this] {
    draw_timer_.stop();
    draw_chart();
    if (run_.state() == SessionState::failed) show_log();
  });
  connect(&look_, &Look::changed, this, &ResultsPanel::apply_theme);
}

void ResultsPanel::refresh_tabs() {
  std::vector<std::pair<QString, QString>> wanted;
  // First curves beside exact ones; those that watch over an iteration (log axis) come last.
  std::vector<const RunTable*> tables;
  for (const RunTable& table : run_.tables())
    if (table.info.form != ChartForm::none) tables.push_back(&table);
  const auto worth = [](const RunTable* t) {
    return t->info.y_scale == AxisScale::log ? 0 : t->info.exact.empty() ? 1 : 2;
  };
  std::stable_sort(tables.begin(), tables.end(),
                   [&](const RunTable* a, const RunTable* b) { return worth(a) > worth(b); });
  for (const RunTable* shown : tables) {
    const RunTable& table = *shown;
    // The same curves twice are told apart by how they are drawn.
    const bool twin = std::count_if(tables.begin(), tables.end(),
                                    [&](const RunTable* t) { return t->info.title == table.info.title; }) > 1;
    const QString title = translated(table.info.title);
    wanted.emplace_back(QString::fromStdString(table.info.id),
                        twin && table.info.form == ChartForm::polar ? tr("%1, polar").arg(title) : title);
  }
  // Of a field that is a line itself it is the picture.
  if (!profile_.series.empty())
    wanted.emplace(profile_.x_label == "x" ? wanted.begin() : wanted.end(), profile_id,
                   profile_.x_label == "x" ? tr("Along x") : tr("Along the line"));
  for (std::size_t i = 0; i < made_.size(); ++i)
    wanted.emplace_back(made_id + QString::number(i), QString::fromStdString(made_[i].title));
  if (!run_.balance().empty()) wanted.emplace_back(balance_id, tr("Balance"));
  if (std::any_of(run_.balance().begin(), run_.balance().end(),
                  [](const BalanceSample& s) { return s.work.flops > 0; }))
    wanted.emplace_back(roofline_id, tr("Roofline"));
  if (wanted.empty()) wanted.emplace_back(empty_id, tr("Curves"));
  if (other_) wanted.emplace_back(differences_id, tr("What differs"));
  wanted.emplace_back(log_id, tr("Log"));
  const auto same = [&] {
    if (static_cast<int>(wanted.size()) != tabs_->count()) return false;
    for (int i = 0; i < tabs_->count(); ++i)
      if (tabs_->tabData(i).toString() != wanted[static_cast<std::size_t>(i)].first) return false;
    return true;
  };
  if (same()) return;
  const QString before = tabs_->currentIndex() < 0 ? QString() : tabs_->tabData(tabs_->currentIndex()).toString();
  const QString log_text = tabs_->count() ? tabs_->tabText(tabs_->count() - 1) : tr("Log");
  const QIcon log_icon = tabs_->count() ? tabs_->tabIcon(tabs_->count() - 1) : QIcon();
  int current = 0;
  {
    const QSignalBlocker quiet(tabs_);
    while (tabs_->count() > 0) tabs_->removeTab(0);
    for (const auto& [id, title] : wanted) {
      const int index = tabs_->addTab(title);
      tabs_->setTabData(index, id);
      if (id == before && chosen_) current = index;
    }
    tabs_->setTabText(tabs_->count() - 1, log_text);
    tabs_->setTabIcon(tabs_->count() - 1, log_icon);
    tabs_->setCurrentIndex(current);
  }
  show_tab(current);
}

bool ResultsPanel::is_chart(const QString& id) {
  return id != empty_id && id != log_id && id != differences_id;
}

void ResultsPanel::show_tab(int index) {
  if (index < 0) return;
  const QString id = tabs_->tabData(index).toString();
  stack_->setCurrentIndex(id == empty_id ? 0 : id == log_id ? 2 : id == differences_id ? 3 : 1);
  tools_->setVisible(is_chart(id));
  scene_->set_hidden({});
  const ChartSpec spec = spec_of(id);
  log_axis_->setChecked(spec.y_scale == AxisScale::log);
  polar_->setChecked(spec.kind == ChartKind::polar);
  draw_chart();
}

void ResultsPanel::show_log() {
  chosen_ = true;
  tabs_->setCurrentIndex(tabs_->count() - 1);
}

void ResultsPanel::show_differences() {
  for (int i = 0; i < tabs_->count(); ++i)
    if (tabs_->tabData(i).toString() == differences_id) {
      chosen_ = true;
      tabs_->setCurrentIndex(i);
    }
}

void ResultsPanel::draw_soon() {
  if (!draw_timer_.isActive()) draw_timer_.start();
}

namespace {

std::vector<ChartTable> tables_of(const RunModel& run) {
  std::vector<ChartTable> out;
  for (const RunTable& table : run.tables()) out.push_back({&table.info, &table.rows});
  return out;
}

}  // namespace

ChartSpec ResultsPanel::table_chart(const RunModel& run, const RunTable& table) const {
  const QString unit = units_.value(QString::fromStdString(table.info.id));
  ChartSpec spec = chart_in_unit({&table.info, &table.rows}, tables_of(run), unit.toStdString());
  spec.words = chart_words();
  for (std::string* text : {&spec.title, &spec.x_label, &spec.y_label}) *text = translated(*text).toStdString();
  for (Series& series : spec.series) series.label = translated(series.label).toStdString();
  return spec;
}

void ResultsPanel::set_traces(Traces look) {
  traces_by_table_[tabs_->tabData(tabs_->currentIndex()).toString()] = static_cast<int>(look);
  draw_chart();
}

ResultsPanel::Traces ResultsPanel::traces_of(const QString& id, const ChartSpec& spec) const {
  // Two runs are compared curve by curve.
  if (other_ || !run_.table(id.toStdString()) || !can_be_gather(spec)) return Traces::curves;
  if (traces_by_table_.contains(id)) return static_cast<Traces>(traces_by_table_.value(id));
  const auto count = static_cast<std::size_t>(
      std::count_if(spec.series.begin(), spec.series.end(), [](const Series& s) { return !s.overlay; }));
  constexpr std::size_t dense = 64;  // wiggles would cover the picture
  return count < gather_from ? Traces::curves : count > dense ? Traces::picture : Traces::both;
}

void ResultsPanel::set_unit(const QString& unit) {
  units_[tabs_->tabData(tabs_->currentIndex()).toString()] = unit;
  draw_chart();
}

ChartSpec ResultsPanel::spec_of(const QString& id) const {
  if (id == profile_id) return profile_;
  if (id.startsWith(made_id)) {
    const auto i = static_cast<std::size_t>(id.mid(made_id.size()).toUInt());
    return i < made_.size() ? made_[i] : ChartSpec();
  }
  if (id == balance_id || id == roofline_id) {
    std::vector<BalanceRow> rows;
    rows.reserve(run_.balance().size());
    std::map<std::string, std::string> phases;  // there are thousands of rows and a handful of phases
    for (const BalanceSample& s : run_.balance()) {
      auto phase = phases.find(s.phase);
      if (phase == phases.end()) phase = phases.emplace(s.phase, phase_words(s.phase).toStdString()).first;
      rows.push_back({s.pass, s.worker, s.items, s.busy, s.waiting, s.copying, phase->second, s.work.flops,
                      s.work.bytes, static_cast<double>(s.held), static_cast<double>(s.streamed)});
    }
    std::vector<std::string> workers;
    for (const WorkerSpec& w : run_.workers())
      workers.push_back(w.threads == 0 ? w.name
                        : w.threads == 1
                            ? tr("%1, one thread").arg(QString::fromStdString(w.name)).toStdString()
                            : tr("%1, %2 threads").arg(QString::fromStdString(w.name)).arg(w.threads).toStdString());
    if (id == roofline_id) return roofline_chart(rows, workers, run_.rates(), chart_words(), run_.device_rates());
    return balance_chart(std::move(rows), std::move(workers), chart_words());
  }
  const RunTable* table = run_.table(id.toStdString());
  if (!table) return {};
  ChartSpec spec = table_chart(run_, *table);
  for (const Series& curve : measured_.value(table_key(id))) spec.series.push_back(curve);
  return spec;
}

ChartSpec ResultsPanel::compared(const QString& id, ChartSpec spec, bool difference) const {
  const RunTable* there = other_ ? other_->table(id.toStdString()) : nullptr;
  if (!there) return spec;
  ChartSpec second = table_chart(*other_, *there);
  if (difference) {
    spec = difference_chart(spec, second);
    spec.title = tr("%1: %2 less %3").arg(QString::fromStdString(spec.title), other_name_, own_name_).toStdString();
    return spec;
  }
  int colour = 0;
  // Whose curve it is stands behind its name, before what is said of it: "north – first run, exact".
  std::vector<std::string> named;
  const std::string own = " – " + own_name_.toStdString();
  for (std::size_t i = 0; i < spec.series.size(); ++i) {
    const auto curve = curve_of_overlay(spec, i);
    std::string label = spec.series[i].label;
    if (!spec.series[i].overlay)
      label += own;
    else if (curve)
      label.insert(spec.series[*curve].label.size(), own);
    named.push_back(std::move(label));
  }
  for (std::size_t i = 0; i < named.size(); ++i) spec.series[i].label = named[i];
  for (Series& s : spec.series)
    if (!s.overlay) s.color = colour++;
  colour = 0;
  for (Series& s : second.series) {
    if (s.overlay) continue;  // the exact curve is the same in both
    s.overlay = true;
    s.color = colour++;
    s.label += " – " + other_name_.toStdString();
    spec.series.push_back(std::move(s));
  }
  return spec;
}

void ResultsPanel::refresh_tools() {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  const ChartSpec spec = spec_of(id);
  spectrum_->setVisible(is_history(spec));
  spectrogram_->setVisible(can_be_spectrogram(spec));
  difference_->setVisible(other_ && other_->table(id.toStdString()) != nullptr);
  polar_->setVisible(is_over_angle(spec) && spec.kind != ChartKind::balance);
  const bool spectrogram = spectrogram_->isChecked() && can_be_spectrogram(spec);
  const bool spectrum = spectrogram || (spectrum_->isChecked() && is_history(spec));
  refresh_spectrogram_curves(id, spectrogram);
  const Traces traces = traces_of(id, spec);
  traces_->setVisible(!other_ && !spectrum && run_.table(id.toStdString()) && can_be_gather(spec));
  traces_->setCurrentIndex(traces_->findData(static_cast<int>(traces)));
  log_axis_->setVisible(spec.kind == ChartKind::lines && id != roofline_id && !spectrogram &&
                        (spectrum || traces == Traces::curves));
  std::vector<std::string> units;
  if (const RunTable* table = run_.table(id.toStdString()))
    units = units_of({&table->info, &table->rows}, tables_of(run_));
  unit_->setVisible(units.size() > 1);
  // Filled anew only when the choice is another: a list that is open must not close while a run goes on.
  QStringList key;
  for (const std::string& unit : units) key << QString::fromStdString(unit);
  const QSignalBlocker quiet(unit_);
  if (unit_->property("units").toStringList() != key) unit_->clear();
  unit_->setProperty("units", key);
  for (const std::string& unit : unit_->count() > 0 ? std::vector<std::string>() : units) {
    // Of a table of several quantities the first of its unit is told with it: "density [kg/m³]".
    const QString name = translated(quantity_of(run_.table(id.toStdString())->info, unit));
    const QString words = QString::fromStdString(readable_unit(unit));
    unit_->addItem(name.isEmpty()    ? words
                   : words.isEmpty() ? name
                                     : name + " [" + words + "]",
                   QString::fromStdString(unit));
  }
  qsizetype longest = 6;
  for (int i = 0; i < unit_->count(); ++i) longest = std::max(longest, unit_->itemText(i).size());
  unit_->setMinimumContentsLength(static_cast<int>(std::min<qsizetype>(longest, 16)));
  unit_->setCurrentIndex(std::max(0, unit_->findData(units_.value(id))));
  fit_head();
  numbers_->setVisible(numbers_->property("wanted").toBool() && spec.kind != ChartKind::balance && !spectrogram);
}

void ResultsPanel::set_spectrum(bool on) {
  spectrum_->setChecked(on);
  draw_chart();
}

void ResultsPanel::take_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                                const QString& moment, bool whole) {
  profile_ = {};
  profile_.title =
      ((whole ? tr("Along x") : tr("Along the line")) + (moment.isEmpty() ? "" : ", " + moment)).toStdString();
  profile_.x_label = whole ? "x" : tr("Distance").toStdString();
  profile_.x_unit = "m";
  profile_.y_label = label.toStdString();
  profile_.y_unit = unit.toStdString();
  Series curve;
  curve.label = label.toStdString();
  for (const ProfilePoint& p : points) {
    curve.x.push_back(p.distance);
    curve.y.push_back(p.value);
  }
  profile_.series.push_back(std::move(curve));
}

void ResultsPanel::follow_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                                  const QString& moment, bool whole) {
  take_profile(points, label, unit, moment, whole);
  refresh_tabs();
  if (const int now = tabs_->currentIndex(); now >= 0 && tabs_->tabData(now).toString() == profile_id) draw_soon();
}

void ResultsPanel::show_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                                const QString& moment) {
  take_profile(points, label, unit, moment, false);
  chosen_ = true;
  refresh_tabs();
  for (int i = 0; i < tabs_->count(); ++i)
    if (tabs_->tabData(i).toString() == profile_id) tabs_->setCurrentIndex(i);
  draw_chart();
}

void ResultsPanel::show_made(std::vector<ChartSpec> charts) {
  made_ = std::move(charts);
  std::erase_if(made_, [](const ChartSpec& chart) { return chart.series.empty(); });
  chosen_ = true;
  refresh_tabs();
  for (int i = 0; i < tabs_->count(); ++i) {
    const QString id = tabs_->tabData(i).toString();
    // The tabs may be those of before, with charts of other places.
    if (id.startsWith(made_id)) tabs_->setTabText(i, QString::fromStdString(spec_of(id).title));
    if (id == made_id + '0') tabs_->setCurrentIndex(i);
  }
  draw_chart();
}

void ResultsPanel::compare_with(const RunModel* other, const QString& name, const QString& own) {
  if (other_) disconnect(other_, nullptr, this, nullptr);
  other_ = other;
  other_name_ = name;
  own_name_ = own;
  if (other) {
    connect(other, &RunModel::tables_changed, this, &ResultsPanel::draw_soon);
    connect(other, &QObject::destroyed, this, [this] {
      other_ = nullptr;
      refresh_tabs();
    });
  }
  if (!other) differences_->compare({}, {});
  refresh_tabs();
  draw_soon();
}

QString ResultsPanel::balance_as_text(QChar separator) const {
  const auto cell = [&](QString text) {
    return text.contains(separator) || text.contains('"') ? '"' + text.replace('"', "\"\"") + '"' : text;
  };
  QString out = QStringList{"pass",        "worker", "begin",      "end",       "busy [s]", "waiting [s]",
                            "copying [s]", "phase",  "operations", "moved [B]", "held [B]", "streamed [B]"}
                    .join(separator) +
                "\n";
  for (const BalanceRow& row : scene_->chart().balance)
    out += QStringList{QString::number(row.pass),         QString::number(row.worker),
                       QString::number(row.items.begin),  QString::number(row.items.end),
                       QString::number(row.busy),         QString::number(row.waiting),
                       QString::number(row.copying),      cell(QString::fromStdString(row.phase)),
                       QString::number(row.flops),        QString::number(row.bytes),
                       QString::number(row.held, 'f', 0), QString::number(row.streamed, 'f', 0)}
               .join(separator) +
           "\n";
  return out;
}

QString ResultsPanel::chart_as_text(QChar separator) const {
  const ChartSpec& spec = scene_->chart();
  if (spec.kind == ChartKind::balance) return balance_as_text(separator);
  // As it is seen: what is hidden, or outside of the axis, is left out.
  std::optional<std::pair<double, double>> within;
  if (spec.kind != ChartKind::polar && (scene_->is_zoomed() || spec.limits.x_low || spec.limits.x_high)) {
    const ChartScene::View view = scene_->view();
    const double slack = 1e-9 * std::max(std::abs(view.x_low), std::abs(view.x_high));
    within = std::pair{view.x_low - slack, view.x_high + slack};
  }
  ChartSpec seen = spec;
  if (spec.kind == ChartKind::spectrogram && scene_->is_zoomed()) {
    seen.limits.y_low = scene_->view().y_low;
    seen.limits.y_high = scene_->view().y_high;
  }
  return QString::fromStdString(text_of(rows_of_chart(seen, scene_->hidden(), within), separator.toLatin1()));
}

ChartSpec ResultsPanel::plain_spec(const QString& id, const ChartForms& forms) const {
  ChartSpec spec = spec_of(id);
  if (run_.table(id.toStdString())) spec = compared(id, std::move(spec), forms.difference);
  if (forms.spectrogram && can_be_spectrogram(spec)) {
    spec = spectrogram_of(id, spec);
  } else if (forms.spectrum && is_history(spec)) {
    spec = spectrum_chart(spec);
    spec.x_label = tr("Frequency").toStdString();
  } else if (const Traces traces = traces_of(id, spec); traces != Traces::curves) {
    spec = gather_chart(std::move(spec),
                        traces == Traces::picture   ? GatherLook::picture
                        : traces == Traces::wiggles ? GatherLook::wiggles
                                                    : GatherLook::both,
                        tr("Trace").toStdString());
  } else if (spec.kind == ChartKind::lines) {
    if (id != roofline_id) spec.y_scale = forms.log ? AxisScale::log : AxisScale::linear;
  }
  if (is_over_angle(spec) && spec.kind != ChartKind::balance)
    spec.kind = forms.polar ? ChartKind::polar : ChartKind::lines;
  return spec;
}

ChartSpec ResultsPanel::shown_spec(const QString& id, const ChartForms& forms) const {
  ChartSpec spec = plain_spec(id, forms);
  if (spec.kind == ChartKind::lines && spec.x_unit == "s")
    for (const FitWish& wish : fits_.value(table_key(id)))
      if (auto fit = fitted(spec, wish, fit_words())) spec.series.push_back(std::move(fit->curve));
  const auto style = styles_.constFind(style_key(id, forms));
  return style == styles_.constEnd() ? spec : styled(std::move(spec), *style);
}

QString ResultsPanel::style_key(const QString& id, const ChartForms& forms) const {
  return table_key(id) + (forms.spectrum ? "\nspectrum" : "") + (forms.spectrogram ? "\nspectrogram" : "") +
         (forms.difference ? "\ndifference" : "");
}

ChartForms ResultsPanel::forms() const {
  return {spectrum_->isChecked(), log_axis_->isChecked(), polar_->isChecked(), difference_->isChecked(),
          spectrogram_->isChecked()};
}

void ResultsPanel::draw_chart() {
  draw_tiles();
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  if (!is_chart(id)) return;
  QElapsedTimer clock;
  clock.start();
  scene_->set_chart(shown_spec(id, forms()));
  mark_moment(*scene_);
  refresh_tools();
  if (numbers_->isVisible()) numbers_->take(rows_of_chart(scene_->chart(), scene_->hidden()));
  viewport_->request_render();
  draw_timer_.setInterval(std::max<int>(draw_every_ms, rest_factor * static_cast<int>(clock.elapsed())));
}

void ResultsPanel::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "chart"));
  viewport_->request_render();
}

Status ResultsPanel::write_chart(const QString& file) {
  const std::filesystem::path path = file.toStdString();
  if (file.endsWith(".csv")) return write_file_atomically(path, chart_as_text(',').toStdString());
  // A scene of its own, on white: the one on the screen stays as it is.
  auto scene = std::make_shared<ChartScene>();
  scene->set_theme(white_theme());
  scene->set_crosshair(false);
  scene->set_chart(scene_->chart());
  scene->set_hidden(scene_->hidden());
  if (scene_->is_zoomed()) scene->set_view(scene_->view());
  const int width = std::max(640, viewport_->widget()->width());
  const int height = std::max(400, viewport_->widget()->height());
  if (!file.endsWith(".png")) return export_chart(scene, path, width, height);
  auto image = take_picture(scene, {width, height, 2, false});
  if (!image) return image.error();
  return write_png(path, *image, {{"run", run_.folder().filename().string()}});
}

Status ResultsPanel::lay_over(const QString& file, const MeasuredChoice& choice) {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  const ChartSpec spec = spec_of(id);
  if (!run_.table(id.toStdString()) || spec.kind == ChartKind::balance)
    return make_error(ErrorCode::command_line, tr("This chart takes no other curves.").toStdString(),
                      tr("Choose a chart of a result first.").toStdString());
  const auto table = read_csv(file.toStdString(), measured_limits);
  if (!table) return table.error();
  auto curves =
      measured_curves(*table, choice, spec, QFileInfo(file).fileName().toStdString(), tr("measured").toStdString());
  if (!curves) return curves.error();
  auto& kept = measured_[table_key(id)];
  kept.insert(kept.end(), std::make_move_iterator(curves->begin()), std::make_move_iterator(curves->end()));
  draw_chart();
  return {};
}

void ResultsPanel::choose_measured() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  const QString file = QFileDialog::getOpenFileName(this, tr("Lay a measured curve over the chart"), folder,
                                                    tr("Tables (*.csv *.txt *.dat);;All files (*)"));
  if (file.isEmpty()) return;
  const auto tell = [this](const Error& error) {
    run_.add_log({LogLevel::error, run_.elapsed(), error.text, error.hint, {}});
    show_log();
  };
  const auto table = read_csv(file.toStdString(), measured_limits);
  if (!table) return tell(table.error());
  MeasuredDialog dialog(*table, spec_of(tabs_->tabData(tabs_->currentIndex()).toString()), QFileInfo(file).fileName(),
                        this);
  if (dialog.exec() != QDialog::Accepted) return;
  if (const Status laid = lay_over(file, dialog.choice()); !laid) tell(laid.error());
}

void ResultsPanel::save_chart(const QString& ending) {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  QString file = QFileDialog::getSaveFileName(this, tr("Save the chart"), folder + "/chart." + ending, "*." + ending);
  if (file.isEmpty()) return;
  if (!file.endsWith("." + ending)) file += "." + ending;
  const Status written = write_chart(file);
  if (written)
    run_.add_log({LogLevel::info, run_.elapsed(), tr("Chart saved as %1").arg(file).toStdString(), {}, {}});
  else
    run_.add_log({LogLevel::error, run_.elapsed(), written.error().text, written.error().hint, {}});
}

void ResultsPanel::copy_chart() {
  auto* content = new QMimeData;
  content->setText(chart_as_text('\t'));
  const Image picture = viewport_->grab();
  if (!picture.empty())
    content->setImageData(
        QImage(picture.pixels.data(), picture.width, picture.height, picture.width * 4, QImage::Format_RGBA8888)
            .copy());
  QGuiApplication::clipboard()->setMimeData(content);
}

}  // namespace conoid::app
