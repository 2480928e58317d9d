// SPDX-License-Identifier: BSD-3-Clause
// Jobs and machines.
#include "app/jobs/jobs_page.hpp"

#include <algorithm>

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/jobs/host_form.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/table_page.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"

namespace conoid::app {
namespace {

/// A mark before the state, by shape and colour.
class JobStateDelegate final : public QStyledItemDelegate {
 public:
  JobStateDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const QString word = index.data(JobList::word_role).toString();
    option->icon = word == "running"    ? look_.icon("run", "accent")
                   : word == "finished" ? look_.icon("check", "good")
                   : word == "failed"   ? look_.icon("error", "bad")
                   : word == "waiting"  ? look_.icon("queue", "muted")
                   : word == "unknown"  ? look_.icon("warning", "caution")
                                        : look_.icon("pause", "caution");
    option->features |= QStyleOptionViewItem::HasDecoration;
    option->decorationSize = {16, 16};
  }

 private:
  const Look& look_;
};

}  // namespace

JobsPage::JobsPage(JobList& jobs, const Look& look, QWidget* parent) : QWidget(parent), jobs_(jobs), look_(look) {
  setObjectName("page");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(make_table(), 1);
  row->addWidget(make_rule(this, true));
  row->addWidget(make_side());
  connect(&jobs, &QAbstractItemModel::modelAboutToBeReset, this, [this] { chosen_before_ = chosen(); });
  connect(&jobs, &QAbstractItemModel::modelReset, this, [this] {
    table_->resizeColumnsToContents();
    table_->setColumnWidth(JobList::title_column, std::clamp(table_->columnWidth(JobList::title_column), 120, 240));
    choose(chosen_before_);
  });
  connect(&jobs, &JobList::changed, this, &JobsPage::refresh);
  connect(&jobs, &JobList::hosts_changed, this, &JobsPage::fill_machines);
  connect(&jobs, &JobList::queue_known, this, &JobsPage::show_queue);
  connect(&jobs, &JobList::submitted, this, [this](const QString& folder) { chosen_before_ = folder; });
  connect(&jobs, &JobList::brought, this, [this](const QString& folder, const QString& run) {
    if (folder != wanted_) return;
    wanted_.clear();
    if (isVisible()) emit run_chosen(run);
  });
  connect(&jobs, &JobList::troubled, this, [this](const QString& title, const Error& error) {
    wanted_.clear();
    note_->setText(title + ": " + rendered(error));
  });
  fill_machines();
  refresh();
  tab_as_laid_out(this);
}

QWidget* JobsPage::make_table() {
  QVBoxLayout* column = nullptr;
  QHBoxLayout* head = nullptr;
  QWidget* box = make_table_page(tr("Jobs"), &column, &head, this);
  cancel_ = new QPushButton(tr("Cancel the job"), box);
  bring_ = new QPushButton(tr("Bring here"), box);
  bring_->setToolTip(
      tr("Copies the run from the other machine: whole when it is over, what there is while it goes on"));
  open_ = new QPushButton(tr("Open"), box);
  open_->setToolTip(tr("Shows the run; of another machine it is brought here first"));
  for (QPushButton* one : {cancel_, bring_, open_}) {
    one->setFixedHeight(32);
    head->addWidget(one);
  }
  stack_ = new QStackedWidget(box);
  auto* empty = make_label(tr("No jobs yet.\nOpen a case and choose Submit as a job… in the menu Run: it goes on when "
                              "the window is closed."),
                           "muted", stack_);
  empty->setAlignment(Qt::AlignCenter);
  empty->setWordWrap(true);
  stack_->addWidget(empty);
  table_ = new QTableView(stack_);
  table_->setAccessibleName(tr("Jobs"));
  table_->setAccessibleDescription(tr("A row each: Enter opens the run"));
  sorted_ = new QSortFilterProxyModel(this);
  sorted_->setSourceModel(&jobs_);
  sorted_->setSortRole(JobList::sort_role);
  table_->setModel(sorted_);
  make_calm(*table_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(JobList::submitted_column, Qt::DescendingOrder);
  table_->verticalHeader()->setDefaultSectionSize(32);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setItemDelegateForColumn(JobList::state_column, new JobStateDelegate(look_, table_));
  stack_->addWidget(table_);
  column->addWidget(stack_, 1);
  note_ = make_table_note(box);
  column->addWidget(note_);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    note_->setText({});
    refresh();
  });
  connect(table_, &QTableView::activated, this, &JobsPage::open_chosen);
  connect(open_, &QPushButton::clicked, this, &JobsPage::open_chosen);
  connect(bring_, &QPushButton::clicked, this, [this] { jobs_.bring(chosen()); });
  connect(cancel_, &QPushButton::clicked, this, [this] { jobs_.cancel(chosen()); });
  return box;
}

QWidget* JobsPage::make_side() {
  QVBoxLayout* column = nullptr;
  QWidget* side = make_side_page(&column, this);
  auto* head = new QHBoxLayout;
  auto* title = make_label(tr("Machines"), "title", side);
  title->setFixedHeight(32);  // on one line with the other heads
  head->addWidget(title, 1);
  auto* add = make_icon_button(look_, "add", tr("Keep a machine"), side);
  edit_ = make_icon_button(look_, "settings", tr("Change the chosen machine"), side);
  forget_ = make_icon_button(look_, "remove", tr("Keep the chosen machine no longer; its jobs stay"), side);
  for (QToolButton* one : {add, edit_, forget_}) head->addWidget(one);
  column->addLayout(head);
  machines_ = new QListWidget(side);
  machines_->setAccessibleName(tr("Machines"));
  machines_->setAccessibleDescription(tr("Those that are kept; the queue of the chosen one is shown below"));
  machines_->setFixedHeight(120);
  column->addWidget(machines_);
  auto* queue_head = new QHBoxLayout;
  queue_head->addWidget(make_label(tr("Its queue"), "title", side), 1);
  auto* again = make_icon_button(look_, "loop", tr("Ask the machine again"), side);
  queue_head->addWidget(again);
  column->addLayout(queue_head);
  queue_note_ = make_label({}, "muted", side);
  queue_note_->setWordWrap(true);
  column->addWidget(queue_note_);
  queue_ = new QTableWidget(side);
  queue_->setAccessibleName(tr("Queue of the machine"));
  queue_->setAccessibleDescription(tr("Jobs of everybody, as the machine has told"));
  make_calm(*queue_);
  queue_->setColumnCount(5);
  queue_->setHorizontalHeaderLabels({tr("Job"), tr("State"), tr("User"), tr("Time"), tr("Name")});
  queue_->horizontalHeader()->setStretchLastSection(true);
  queue_->verticalHeader()->setDefaultSectionSize(26);
  column->addWidget(queue_, 1);
  column->addStretch(0);
  connect(add, &QToolButton::clicked, this, [this] { edit_machine(ComputeHost()); });
  connect(edit_, &QToolButton::clicked, this, [this] {
    if (const ComputeHost* one = machine()) edit_machine(*one);
  });
  connect(machines_, &QListWidget::itemActivated, this, [this] {
    if (const ComputeHost* one = machine()) edit_machine(*one);
  });
  connect(forget_, &QToolButton::clicked, this, [this] {
    const ComputeHost* one = machine();
    if (!one) return;
    if (const Status gone = forget_host(one->name); !gone) return note_->setText(rendered(gone.error()));
    jobs_.read_kept_hosts();
  });
  connect(machines_, &QListWidget::currentRowChanged, this, &JobsPage::ask_queue);
  connect(again, &QToolButton::clicked, this, &JobsPage::ask_queue);
  return side;
}

const ComputeHost* JobsPage::machine() const {
  const int row = machines_->currentRow();
  return row < 0 || row >= static_cast<int>(jobs_.hosts().size()) ? nullptr
                                                                  : &jobs_.hosts()[static_cast<std::size_t>(row)];
}

void JobsPage::edit_machine(const ComputeHost& host) {
  HostDialog dialog(host, jobs_, look_, this);
  dialog.exec();
  ask_queue();
}

void JobsPage::fill_machines() {
  const QString before = machines_->currentItem() ? machines_->currentItem()->data(Qt::UserRole).toString() : QString();
  {
    const QSignalBlocker quiet(machines_);
    machines_->clear();
    for (const ComputeHost& host : jobs_.hosts()) {
      const QString name = QString::fromStdString(host.name);
      QString words = host.host.empty() ? tr("this machine") : QString::fromStdString(host.host);
      words += ", " + (host.slurm ? tr("Slurm") : tr("starts at once"));
      if (host.ranks > 1) words += ", " + tr("%1 ranks").arg(host.ranks);
      auto* item =
          new QListWidgetItem(look_.icon(host.host.empty() ? "home" : "connect"), name + ":  " + words, machines_);
      item->setData(Qt::UserRole, name);
      item->setToolTip(words);
      if (name == before) machines_->setCurrentItem(item);
    }
    if (!machines_->currentItem() && machines_->count() > 0) machines_->setCurrentRow(0);
  }
  const bool any = machine() != nullptr;
  edit_->setEnabled(any);
  forget_->setEnabled(any);
  ask_queue();
}

void JobsPage::ask_queue() {
  const ComputeHost* one = machine();
  queue_->setRowCount(0);
  queue_->hide();
  if (!one) {
    queue_note_->setText(jobs_.hosts_trouble().isEmpty()
                             ? tr("Keep a machine: a cluster with Slurm, or a workstation that ssh reaches.")
                             : jobs_.hosts_trouble());
    return;
  }
  if (!isVisible()) return;  // a network is asked when somebody looks
  queue_note_->setText(tr("Asking…"));
  jobs_.ask_queue(*one);
}

void JobsPage::show_queue(const HostQueue& queue, const QString& trouble) {
  if (!machine()) return;
  if (!trouble.isEmpty()) return queue_note_->setText(trouble);
  QStringList words{tr("%1 cores, load %2").arg(queue.cores).arg(words_locale().toString(queue.load, 'f', 1))};
  for (const QueuePart& part : queue.parts)
    words << tr("%1: %2 nodes %3")
                 .arg(QString::fromStdString(part.name), QString::fromStdString(part.nodes),
                      QString::fromStdString(part.state));
  if (machine()->slurm && queue.jobs.empty()) words << tr("The queue is empty.");
  queue_note_->setText(words.join("\n"));
  queue_->setRowCount(static_cast<int>(queue.jobs.size()));
  for (int row = 0; row < queue_->rowCount(); ++row) {
    const QueuedJob& job = queue.jobs[static_cast<std::size_t>(row)];
    const QString cells[] = {QString::fromStdString(job.number), job_word(job.word), QString::fromStdString(job.user),
                             QString::fromStdString(job.time), QString::fromStdString(job.name)};
    for (int c = 0; c < 5; ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      item->setToolTip(QString::fromStdString(job.why));
      queue_->setItem(row, c, item);
    }
  }
  queue_->resizeColumnsToContents();
  queue_->setVisible(queue_->rowCount() > 0);
}

QString JobsPage::chosen() const {
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? QString() : rows.front().data(JobList::folder_role).toString();
}

void JobsPage::choose(const QString& folder) {
  for (int row = 0; row < sorted_->rowCount(); ++row)
    if (sorted_->index(row, 0).data(JobList::folder_role).toString() == folder) return table_->selectRow(row);
  if (sorted_->rowCount() > 0) table_->selectRow(0);
}

void JobsPage::open_chosen() {
  const JobNews* job = jobs_.job(chosen());
  if (!job) return;
  if (!job->run().empty()) return emit run_chosen(QString::fromStdString(job->run().string()));
  if (!job->is_far()) return note_->setText(tr("Its run has not begun yet."));
  if (job->state.word == "waiting") return note_->setText(tr("Its run has not begun yet."));
  wanted_ = chosen();
  jobs_.bring(wanted_);
}

void JobsPage::refresh() {
  stack_->setCurrentIndex(jobs_.rowCount() > 0 ? 1 : 0);
  const JobNews* job = jobs_.job(chosen());
  const bool busy = job && jobs_.is_busy(chosen());
  open_->setEnabled(job && !busy);
  bring_->setEnabled(job && !busy && job->is_far() && job->state.word != "waiting");
  bring_->setVisible(!job || job->is_far());
  cancel_->setEnabled(job && !busy && !job->state.word.empty() && !job->state.is_over());
  if (busy)
    note_->setText(tr("Asking the machine…"));
  else if (jobs_.is_submitting())
    note_->setText(tr("A job is being submitted…"));
  else if (note_->text() == tr("Asking the machine…") || note_->text() == tr("A job is being submitted…"))
    note_->setText({});
}

void JobsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  jobs_.set_watched(true);
  jobs_.refresh();
  ask_queue();
}

void JobsPage::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  jobs_.set_watched(false);
  wanted_.clear();
}

}  // namespace conoid::app
