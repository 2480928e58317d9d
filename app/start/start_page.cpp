// SPDX-License-Identifier: BSD-3-Clause
// The start page.
#include "app/start/start_page.hpp"

#include <algorithm>
#include <cmath>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/action_table.hpp"
#include "app/model/background.hpp"
#include "app/model/news.hpp"
#include "app/start/card_grid.hpp"
#include "engine/core/units.hpp"
#include "engine/run/run_reader.hpp"
#include "engine/session/jobs/job_news.hpp"
#include "engine/session/run_lock.hpp"
#include "engine/session/slowness.hpp"

namespace conoid::app {
namespace {

constexpr int page_width = 2080;  // six cards in a row
constexpr int recent_width = 280;
constexpr std::size_t recent_shown = 6;

/// A line that can be clicked: dot or icon, two texts.
class Line final : public QFrame {
 public:
  Line(QWidget* mark, const QString& title, const QString& detail, std::function<void()> on_click, QWidget* parent)
      : QFrame(parent), on_click_(std::move(on_click)) {
    setObjectName("runRow");
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(title + ", " + detail);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 6, 8, 6);
    row->setSpacing(10);
    mark->setParent(this);
    row->addWidget(mark, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(1);
    column->addWidget(new ElidedLabel(title, "", Qt::ElideRight, this));
    column->addWidget(new ElidedLabel(detail, "small", Qt::ElideRight, this));
    row->addLayout(column, 1);
    row->setAlignment(mark, Qt::AlignVCenter);
  }

 protected:
  void mouseReleaseEvent(QMouseEvent*) override { on_click_(); }
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space)
      on_click_();
    else
      QFrame::keyPressEvent(event);
  }

 private:
  std::function<void()> on_click_;
};

QString when(const QDateTime& time) {
  const qint64 days = time.date().daysTo(QDate::currentDate());
  const QString clock = words_locale().toString(time.time(), "HH:mm");
  if (days == 0) return QObject::tr("today %1").arg(clock);
  if (days == 1) return QObject::tr("yesterday %1").arg(clock);
  return words_locale().toString(time.date(), "d MMM");
}

}  // namespace

StartPage::StartPage(const Look& look, Settings& settings, const ActionTable& actions,
                     const std::filesystem::path& samples, QWidget* parent)
    : QWidget(parent), look_(look), settings_(settings), samples_(samples) {
  setObjectName("page");
  setAttribute(Qt::WA_StyledBackground);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  QVBoxLayout* page_column = nullptr;
  QScrollArea* scroll = make_scroll_page(this, &page_column);
  outer->addWidget(scroll);
  page_column->setContentsMargins(32, 32, 32, 32);
  QWidget* scrolled = scroll->widget();
  auto* centre = new QHBoxLayout;
  page_column->addLayout(centre);
  auto* content = new QWidget(scrolled);
  content->setMaximumWidth(page_width);
  centre->addStretch(1);
  centre->addWidget(content, 100);
  centre->addStretch(1);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(28);
  column->addWidget(make_head(actions));
  recovered_column_ = new QVBoxLayout;
  column->addLayout(recovered_column_);
  if (!settings.tour_seen()) column->addWidget(invitation_ = make_invitation(actions));
  auto* row = new QHBoxLayout;
  row->setSpacing(40);
  gallery_ = new QVBoxLayout;
  row->addLayout(gallery_, 1);
  show_gallery();
  row->addWidget(make_recent(actions), 0, Qt::AlignTop);
  column->addLayout(row);
  column->addStretch(1);
  connect(&settings, &Settings::runs_changed, this, &StartPage::refresh_recent);
  refresh_recent();
  constexpr int idle_ms = 1500;  // when the window stands, so that it is there no later
  QTimer::singleShot(idle_ms, this, &StartPage::measure_machine);
}

void StartPage::measure_machine() {
  in_background(
      this, [] { return rates_here(); }, [](StartPage& self, const MachineRates& rates) { self.set_rates(rates); });
}

void StartPage::set_rates(const MachineRates& rates) {
  if (!rates.known()) return;
  for (auto* card : findChildren<SampleCardWidget*>()) card->set_slowness(slowness_of(rates));
}

QWidget* StartPage::make_head(const ActionTable& actions) {
  auto* head = new QWidget(this);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(16);
  row->addWidget(new IconLabel(look_, "conoid", "accent", 48, head), 0, Qt::AlignVCenter);
  auto* words = new QVBoxLayout;
  words->setSpacing(2);
  words->addWidget(make_label("Conoid", "display", head));
  words->addWidget(new ElidedLabel(tr("Waves and shocks, from a case to a picture"), "muted", Qt::ElideRight, head));
  row->addLayout(words, 1);
  auto* open = new QPushButton(tr("Open a case…"), head);
  open->setIcon(look_.icon("open", "text"));
  open->setMinimumHeight(34);
  connect(open, &QPushButton::clicked, actions.at("file.open"), &QAction::trigger);
  row->addWidget(open);
  auto* mesh = new QPushButton(tr("New from a mesh or model…"), head);
  mesh->setIcon(look_.icon("mesh", "text"));
  mesh->setMinimumHeight(34);
  connect(mesh, &QPushButton::clicked, actions.at("file.mesh"), &QAction::trigger);
  row->addWidget(mesh);
  auto* body = new QPushButton(tr("New from sizes…"), head);
  body->setIcon(look_.icon("add", "text"));
  body->setMinimumHeight(34);
  connect(body, &QPushButton::clicked, actions.at("file.body"), &QAction::trigger);
  row->addWidget(body);
  return head;
}

void StartPage::hide_invitation() {
  if (invitation_) invitation_->hide();
}

QWidget* StartPage::make_invitation(const ActionTable& actions) {
  auto* bar = new QFrame(this);
  bar->setObjectName("card");
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(16, 10, 12, 10);
  row->setSpacing(12);
  row->addWidget(new IconLabel(look_, "info", "accent", 18, bar));
  row->addWidget(make_label(tr("New here? A tour of five steps shows where everything is."), "", bar), 1);
  auto* later = new QPushButton(tr("No, thank you"), bar);
  auto* take = new QPushButton(tr("Take the tour"), bar);
  row->addWidget(later);
  row->addWidget(take);
  connect(later, &QPushButton::clicked, this, [this, bar] {
    settings_.set_tour_seen();
    bar->hide();
  });
  connect(take, &QPushButton::clicked, actions.at("help.tour"), &QAction::trigger);
  return bar;
}

QWidget* StartPage::make_news(const ActionTable& actions) {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  const auto news = load_news();
  if (news.empty()) return box;
  column->addWidget(make_label(tr("What is new"), "title", box));
  constexpr qsizetype shown = 3;
  for (const QString& item : news.front().items.mid(0, shown)) {
    auto* label = make_label(item, "muted", box);
    label->setWordWrap(true);
    column->addWidget(label);
  }
  auto* all = new QPushButton(tr("All that is new"), box);
  set_role(all, "link");
  connect(all, &QPushButton::clicked, actions.at("help.news"), &QAction::trigger);
  column->addWidget(all, 0, Qt::AlignLeft);
  return box;
}

void StartPage::show_gallery() {
  clear_layout(gallery_);
  groups_.clear();
  physics_ = nullptr;
  gallery_->addWidget(make_samples(samples_));
}

QWidget* StartPage::make_samples(const std::filesystem::path& samples) {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(make_label(tr("Start from a sample"), "title", box));
  std::vector<SampleCard> cards = load_templates();
  std::vector<SampleCard> program = load_gallery(samples);
  cards.insert(cards.end(), program.begin(), program.end());
  if (program.empty()) {
    auto* note =
        make_label(tr("No sample cases were found in %1.\nOpen a case of your own, or set CONOID_RESOURCES to the "
                      "folder that holds “cases”.")
                       .arg(QString::fromStdString(samples.string())),
                   "note", box);
    note->setWordWrap(true);
    column->addWidget(note);
  } else {
    column->addWidget(make_filters(box));
  }
  // One grid a physics; within it the quickest first. What the user has kept stands before them.
  for (std::size_t i = 0; i < cards.size();) {
    const SampleCard& first = cards[i];
    std::size_t end = i;
    while (end < cards.size() && cards[end].own == first.own &&
           (first.own || (cards[end].solver == first.solver && cards[end].available == first.available)))
      ++end;
    Group group;
    group.title = make_label(first.own ? tr("Your own templates") : first.solver, "section", box);
    column->addWidget(group.title);
    group.grid = new CardGrid(box);
    for (; i < end; ++i) {
      auto* widget = new SampleCardWidget(look_, cards[i], group.grid);
      connect(widget, &SampleCardWidget::chosen, this, &StartPage::case_chosen);
      group.cards.push_back(widget);
      if (physics_ && physics_->findData(cards[i].group) < 0 && cards[i].available)
        physics_->addItem(cards[i].solver, cards[i].group);
    }
    group.grid->set_cards({group.cards.begin(), group.cards.end()});
    column->addWidget(group.grid);
    groups_.push_back(std::move(group));
  }
  none_ = make_label(tr("No sample is like this. Take a filter back."), "muted", box);
  none_->hide();
  column->addWidget(none_);
  column->addStretch(1);
  return box;
}

QWidget* StartPage::make_filters(QWidget* parent) {
  auto* box = new QWidget(parent);
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  search_ = new QLineEdit(box);
  search_->setPlaceholderText(tr("Sphere, blast …"));
  search_->setAccessibleName(tr("Search the samples"));
  search_->setAccessibleDescription(tr("Words of titles, physics and authors; what has all of them stays"));
  search_->setClearButtonEnabled(true);
  search_->setMinimumWidth(96);
  search_->addAction(look_.icon("search", "muted"), QLineEdit::LeadingPosition);
  physics_ = make_calm_combo(box);
  physics_->setAccessibleName(tr("Physics"));
  physics_->setAccessibleDescription(tr("Only samples of this physics"));
  physics_->addItem(tr("All physics"), QString());
  physics_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  physics_->setMinimumContentsLength(11);
  time_ = make_calm_combo(box);
  time_->setAccessibleName(tr("Time"));
  time_->setAccessibleDescription(tr("Only samples that take no longer"));
  time_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  time_->addItem(tr("Any time"), 0.0);
  for (const double seconds : {10.0, 20.0, 40.0}) time_->addItem(tr("Up to %1 s").arg(seconds), seconds);
  devices_ = new QCheckBox(tr("On devices"), box);
  devices_->setToolTip(tr("Only what graphics cards compute, too"));
  row->addWidget(search_, 2);
  row->addWidget(physics_, 1);
  row->addWidget(time_);
  row->addWidget(devices_);
  for (QWidget* one : {static_cast<QWidget*>(physics_), static_cast<QWidget*>(time_)})
    one->setSizePolicy(one == physics_ ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(search_, &QLineEdit::textChanged, this, &StartPage::filter);
  connect(physics_, &QComboBox::currentIndexChanged, this, &StartPage::filter);
  connect(time_, &QComboBox::currentIndexChanged, this, &StartPage::filter);
  connect(devices_, &QCheckBox::toggled, this, &StartPage::filter);
  return box;
}

void StartPage::filter() {
  const GalleryFilter wanted{search_->text(), physics_->currentData().toString(), time_->currentData().toDouble(),
                             devices_->isChecked()};
  bool any = false;
  for (const Group& group : groups_) {
    bool here = false;
    for (SampleCardWidget* card : group.cards) {
      const bool shown = passes(card->card(), wanted);
      card->setVisible(shown);
      here = here || shown;
    }
    group.title->setVisible(here);
    group.grid->arrange();
    any = any || here;
  }
  none_->setVisible(!any);
}

QWidget* StartPage::make_recent(const ActionTable& actions) {
  auto* box = new QWidget(this);
  box->setFixedWidth(recent_width);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(make_label(tr("Recent runs"), "title", box));
  runs_column_ = new QVBoxLayout;
  runs_column_->setSpacing(2);
  column->addLayout(runs_column_);
  jobs_column_ = new QVBoxLayout;
  column->addLayout(jobs_column_);
  column->addSpacing(16);
  column->addWidget(make_label(tr("Recent cases"), "title", box));
  cases_column_ = new QVBoxLayout;
  cases_column_->setSpacing(2);
  column->addLayout(cases_column_);
  column->addSpacing(16);
  column->addWidget(make_news(actions));
  return box;
}

void StartPage::refresh_recent() {
  static const QHash<QString, const char*> colours = {{"finished", "good"},
                                                      {"stopped", "caution"},
                                                      {"failed", "bad"},
                                                      {"interrupted", "caution"},
                                                      {"running", "accent"}};
  clear_layout(runs_column_);
  clear_layout(cases_column_);
  const auto runs = settings_.recent_runs();
  for (auto* card : findChildren<SampleCardWidget*>())
    for (const RecentRun& run : runs)
      if (run.state == "finished" && run.seconds > 0 && run.case_file.toStdString() == card->card().case_file) {
        card->set_measured(run.seconds);
        break;  // the newest
      }
  for (std::size_t i = 0; i < std::min(runs.size(), recent_shown); ++i) {
    const RecentRun& run = runs[i];
    auto* dot = new StateDot(look_);
    const bool computing = RunLock::is_held(run.folder.toStdString());
    const QString state = computing ? QStringLiteral("running") : run.state;
    dot->set_colour(colours.value(state, "outline"));
    // The words are kept in English; the window says them in its own language.
    QString detail = QCoreApplication::translate("RunState", state.toUtf8().constData());
    if (run.seconds > 0 && !computing) detail += tr(" in %1").arg(QString::fromStdString(format_duration(run.seconds)));
    detail += ", " + when(run.started);
    runs_column_->addWidget(new Line(
        dot, run.title, detail, [this, run] { emit run_chosen(run); }, this));
  }
  if (runs.empty()) {
    auto* note = make_label(tr("None yet. Choose a sample and press Run: the result is listed here."), "muted", this);
    note->setWordWrap(true);
    runs_column_->addWidget(note);
  }
  in_background(
      this, [folder = settings_.jobs_folder()] { return find_jobs(folder).size(); },
      [](StartPage& self, std::size_t jobs) { self.show_jobs(jobs); });
  int shown = 0;
  for (const QString& file : settings_.recent_cases()) {
    if (!QFileInfo::exists(file) || shown == static_cast<int>(recent_shown)) continue;
    ++shown;
    const QFileInfo info(file);
    auto* icon = new IconLabel(look_, "open", "muted", 16);
    // Samples are all called case.json; their folder tells them apart.
    const QString name = info.fileName() == "case.json" ? info.dir().dirName() : info.completeBaseName();
    cases_column_->addWidget(new Line(
        icon, name, info.path(), [this, file] { emit case_chosen(file); }, this));
  }
  if (shown == 0) {
    auto* note = make_label(tr("Cases that you open are listed here."), "muted", this);
    note->setWordWrap(true);
    cases_column_->addWidget(note);
  }
}

void StartPage::show_jobs(std::size_t jobs) {
  clear_layout(jobs_column_);
  if (jobs == 0) return;
  jobs_column_->addWidget(new Line(
      new IconLabel(look_, "connect", "muted", 16), tr("%1 jobs on machines").arg(jobs),
      tr("See what has become of them"), [this] { emit jobs_wanted(); }, this));
}

void StartPage::show_recovered(const std::vector<RecoveredCase>& recovered) {
  clear_layout(recovered_column_);
  for (const RecoveredCase& one : recovered) {
    auto* bar = new QFrame(this);
    bar->setObjectName("card");
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(16, 10, 12, 10);
    row->setSpacing(12);
    row->addWidget(new IconLabel(look_, "info", "caution", 18, bar));
    row->addWidget(new ElidedLabel(tr("Unsaved edits of “%1” from %2 were kept.").arg(one.title, when(one.saved)), "",
                                   Qt::ElideRight, bar),
                   1);
    auto* restore = new QPushButton(tr("Restore"), bar);
    auto* discard = new QPushButton(tr("Discard"), bar);
    row->addWidget(discard);
    row->addWidget(restore);
    connect(restore, &QPushButton::clicked, this, [this, one, bar] {
      bar->hide();
      emit recovery_chosen(one);
    });
    connect(discard, &QPushButton::clicked, this, [one, bar] {
      Recovery::discard(one);
      bar->hide();
    });
    recovered_column_->addWidget(bar);
  }
}

}  // namespace conoid::app
