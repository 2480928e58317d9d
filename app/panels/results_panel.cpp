// SPDX-License-Identifier: BSD-3-Clause
// Below the picture: charts, balance, log.
#include "app/panels/results_panel.hpp"

#include <algorithm>

#include <QElapsedTimer>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/panels/log_panel.hpp"
#include "app/panels/viewport_panel.hpp"

namespace conoid::app {
namespace {

constexpr int draw_every_ms = 150;
constexpr int rest_factor = 8;  // a chart may take one ninth of the window's time

const QString balance_id = "balance:";
const QString log_id = "log:";
const QString empty_id = "empty:";

}  // namespace

ResultsPanel::ResultsPanel(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(run), look_(look), scene_(std::make_shared<ChartScene>()) {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  setMinimumHeight(200);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_rule(this));
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 0, 12, 0);
  tabs_ = new QTabBar(this);
  tabs_->setExpanding(false);
  tabs_->setUsesScrollButtons(true);
  tabs_->setElideMode(Qt::ElideNone);
  tabs_->setAccessibleName(tr("Results"));
  save_ = make_icon_button(look, "picture", tr("Save the chart"), this);
  head->addWidget(tabs_, 1);
  head->addWidget(save_);
  column->addLayout(head);
  column->addWidget(make_rule(this));

  stack_ = new QStackedWidget(this);
  auto* empty = make_label(tr("Curves are drawn here while a run goes on:\nreceivers, energies, the balance of the workers."), "muted", stack_);
  empty->setAlignment(Qt::AlignCenter);
  stack_->addWidget(empty);
  auto* chart_page = new QWidget(stack_);
  auto* chart_column = new QVBoxLayout(chart_page);
  chart_column->setContentsMargins(8, 4, 8, 4);
  viewport_ = make_viewport(chart_page, kind);
  chart_column->addWidget(viewport_->widget());
  stack_->addWidget(chart_page);
  log_ = new LogPanel(run, look, stack_);
  stack_->addWidget(log_);
  column->addWidget(stack_, 1);
  viewport_->set_scene(scene_);

  draw_timer_.setSingleShot(true);
  draw_timer_.setInterval(draw_every_ms);
  connect(&draw_timer_, &QTimer::timeout, this, &ResultsPanel::draw_chart);
  connect(tabs_, &QTabBar::currentChanged, this, &ResultsPanel::show_tab);
  connect(save_, &QToolButton::clicked, this, &ResultsPanel::save_chart);
  connect(log_, &LogPanel::field_wanted, this, &ResultsPanel::field_wanted);
  connect(log_, &LogPanel::problems_counted, this, [this](int errors, int warnings) {
    const int last = tabs_->count() - 1;
    if (last < 0) return;
    const int count = errors > 0 ? errors : warnings;
    tabs_->setTabText(last, count > 0 ? tr("Log (%1)").arg(count) : tr("Log"));
    tabs_->setTabIcon(last, errors > 0 ? look_.icon("error", "bad") : warnings > 0 ? look_.icon("warning", "caution") : QIcon());
  });
  connect(&run, &RunModel::tables_changed, this, [this] {
    refresh_tabs();
    draw_soon();
  });
  connect(&run, &RunModel::balance_changed, this, [this] {
    refresh_tabs();
    draw_soon();
  });
  connect(tabs_, &QTabBar::tabBarClicked, this, [this] { chosen_ = true; });
  connect(&run, &RunModel::started, this, &ResultsPanel::refresh_tabs);
  connect(&run, &RunModel::ended, this, [this] {
    draw_timer_.stop();
    draw_chart();
    if (run_.state() == SessionState::failed) show_log();
  });
  connect(&look, &Look::changed, this, &ResultsPanel::apply_theme);
  apply_theme();
  refresh_tabs();
}

void ResultsPanel::refresh_tabs() {
  std::vector<std::pair<QString, QString>> wanted;
  for (const RunTable& table : run_.tables())
    if (table.info.form != ChartForm::none)
      wanted.emplace_back(QString::fromStdString(table.info.id), QString::fromStdString(table.info.title));
  if (!run_.balance().empty()) wanted.emplace_back(balance_id, tr("Balance"));
  if (wanted.empty()) wanted.emplace_back(empty_id, tr("Curves"));
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

void ResultsPanel::show_tab(int index) {
  if (index < 0) return;
  const QString id = tabs_->tabData(index).toString();
  stack_->setCurrentIndex(id == empty_id ? 0 : id == log_id ? 2 : 1);
  save_->setVisible(id != empty_id && id != log_id);
  draw_chart();
}

void ResultsPanel::show_log() {
  chosen_ = true;
  tabs_->setCurrentIndex(tabs_->count() - 1);
}

void ResultsPanel::draw_soon() {
  if (!draw_timer_.isActive()) draw_timer_.start();
}

void ResultsPanel::draw_chart() {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  if (id == empty_id || id == log_id) return;
  QElapsedTimer clock;
  clock.start();
  if (id == balance_id) {
    std::vector<BalanceRow> rows;
    rows.reserve(run_.balance().size());
    for (const BalanceSample& s : run_.balance())
      rows.push_back({s.pass, s.worker, s.items, s.busy, s.waiting, s.copying});
    std::vector<std::string> workers;
    for (const WorkerSpec& w : run_.workers()) workers.push_back(w.name + ", " + std::to_string(w.threads) + " threads");
    scene_->set_chart(balance_chart(std::move(rows), std::move(workers)));
  } else if (const RunTable* table = run_.table(id.toStdString())) {
    scene_->set_chart(chart_of(table->info, table->rows));
  }
  viewport_->request_render();
  draw_timer_.setInterval(std::max<int>(draw_every_ms, rest_factor * static_cast<int>(clock.elapsed())));
}

void ResultsPanel::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "chart"));
  viewport_->request_render();
}

void ResultsPanel::save_chart() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  QString file = QFileDialog::getSaveFileName(this, tr("Save the chart"), folder + "/chart.png", tr("Pictures (*.png)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(".png")) file += ".png";
  scene_->set_theme(light_theme());
  const Image picture = viewport_->grab();
  apply_theme();
  const QImage image(picture.pixels.data(), picture.width, picture.height, picture.width * 4, QImage::Format_RGBA8888);
  const bool saved = !picture.empty() && image.save(file);
  run_.add_log({saved ? LogLevel::info : LogLevel::error, run_.elapsed(),
                (saved ? tr("Chart saved as %1") : tr("The chart could not be written to %1")).arg(file).toStdString(), {}, {}});
}

}  // namespace conoid::app
