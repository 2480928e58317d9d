// SPDX-License-Identifier: BSD-3-Clause
// Fields of a machine.
#include "app/jobs/host_form.hpp"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/table_page.hpp"
#include "app/model/names.hpp"

namespace conoid::app {
namespace {

QString line_of(const std::string& words) {
  return QString::fromStdString(words);
}
std::string trimmed_text(const QLineEdit* line) {
  return line->text().trimmed().toStdString();
}

}  // namespace

HostForm::HostForm(bool whole, QWidget* parent) : QWidget(parent), form_(new QFormLayout(this)) {
  form_->setContentsMargins(0, 0, 0, 0);
  form_->setHorizontalSpacing(16);
  form_->setVerticalSpacing(8);
  form_->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
  if (whole) {
    name_ = line(*form_, tr("Name"), tr("cluster"), tr("By which it is called here, and by conoid submit --on"));
    host_ = line(*form_, tr("Machine"), tr("me@cluster; empty: this one"), tr("As ssh knows it"));
    ssh_ = line(*form_, tr("Reached by"), "ssh", tr("The words in front of the machine: ssh -p 2222"));
    queue_ = make_calm_combo(this);
    queue_->setAccessibleName(tr("Queue"));
    queue_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);  // as wide as the lines around it
    queue_->setAccessibleDescription(tr("Whether jobs wait in Slurm's queue, or start at once"));
    queue_->addItem(tr("None: jobs start at once, detached"), false);
    queue_->addItem(tr("Slurm"), true);
    form_->addRow(tr("Queue"), queue_);
    connect(queue_, &QComboBox::currentIndexChanged, this, &HostForm::refresh);
  }
  ranks_ = number(*form_, tr("Ranks"), 1, most_ranks, {}, tr("Processes of mpirun"));
  threads_ = number(*form_, tr("Threads"), 0, most_threads, tr("all cores"), tr("Of each rank"));
  devices_ = number(*form_, tr("Devices"), 0, most_devices, tr("none asked"), tr("GPUs a node, asked of the queue"));
  time_ = line(*form_, tr("Time"), tr("12h; empty: the queue's own"),
               tr("Asked of the queue; the run stops 5 min before, and is queued again"));
  partition_ = line(*form_, tr("Partition"), tr("the queue's own"), tr("Partition of the queue"));
  account_ = line(*form_, tr("Account"), tr("the queue's own"), tr("Account that the queue charges"));
  if (whole) program_ = line(*form_, tr("Program"), "conoid", tr("The conoid that computes there"));
  set(ComputeHost());
}

QLineEdit* HostForm::line(QFormLayout& form, const QString& name, const QString& placeholder,
                          const QString& explained) {
  auto* edit = new QLineEdit(this);
  edit->setPlaceholderText(placeholder);
  edit->setAccessibleName(name);
  edit->setAccessibleDescription(explained);
  edit->setToolTip(explained);
  form.addRow(name, edit);
  connect(edit, &QLineEdit::textChanged, this, &HostForm::edited);
  return edit;
}

QSpinBox* HostForm::number(QFormLayout& form, const QString& name, int low, int high, const QString& none,
                           const QString& explained) {
  auto* box = new QSpinBox(this);
  box->setRange(low, high);
  box->setSpecialValueText(none);
  box->setAccessibleName(name);
  box->setAccessibleDescription(explained);
  box->setToolTip(explained);
  box->setFocusPolicy(Qt::StrongFocus);
  constexpr int room = 136;  // for the longest word, in any language
  box->setMinimumWidth(room);
  form.addRow(name, box);
  connect(box, &QSpinBox::valueChanged, this, &HostForm::edited);
  return box;
}

void HostForm::set(const ComputeHost& host) {
  QSignalBlocker quiet(this);
  kept_ = host;
  if (name_) {
    name_->setText(line_of(host.name));
    host_->setText(line_of(host.host));
    ssh_->setText(host.ssh == "ssh" ? QString() : line_of(host.ssh));
    queue_->setCurrentIndex(host.slurm ? 1 : 0);
    program_->setText(line_of(host.program));
  }
  ranks_->setValue(host.ranks);
  threads_->setValue(host.threads);
  devices_->setValue(host.devices);
  time_->setText(line_of(host.time));
  partition_->setText(line_of(host.partition));
  account_->setText(line_of(host.account));
  quiet.unblock();
  refresh();
}

ComputeHost HostForm::host() const {
  ComputeHost out = kept_;
  if (name_) {
    out.name = trimmed_text(name_);
    out.host = trimmed_text(host_);
    out.ssh = trimmed_text(ssh_).empty() ? "ssh" : trimmed_text(ssh_);
    out.slurm = queue_->currentData().toBool();
    out.program = trimmed_text(program_);
  }
  out.ranks = ranks_->value();
  out.threads = threads_->value();
  // Without a queue nothing is asked of it, whatever was typed before.
  out.devices = out.slurm ? devices_->value() : 0;
  out.time = out.slurm ? trimmed_text(time_) : std::string();
  out.partition = out.slurm ? trimmed_text(partition_) : std::string();
  out.account = out.slurm ? trimmed_text(account_) : std::string();
  return out;
}

void HostForm::refresh() {
  const bool queue = queue_ ? queue_->currentData().toBool() : kept_.slurm;
  for (QWidget* field : std::initializer_list<QWidget*>{devices_, time_, partition_, account_}) {
    field->setVisible(queue);
    if (QWidget* label = form_->labelForField(field)) label->setVisible(queue);
  }
  emit edited();
}

bool WordyDialog::event(QEvent* event) {
  const bool handled = QDialog::event(event);
  if (layout() &&
      (event->type() == QEvent::Show || event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest))
    setMinimumHeight(layout()->totalHeightForWidth(width()));
  return handled;
}

// ---- HostDialog -----------------------------------------------------------------------------------------------------

HostDialog::HostDialog(const ComputeHost& host, JobList& jobs, const Look& look, QWidget* parent)
    : WordyDialog(parent), jobs_(jobs), name_before_(host.name), form_(new HostForm(true, this)) {
  setWindowTitle(host.name.empty() ? tr("Keep a machine") : tr("The machine “%1”").arg(line_of(host.name)));
  setMinimumWidth(520);
  QVBoxLayout* column = make_page_column(this);
  auto* what =
      make_label(tr("Jobs go there by ssh, which asks for no password here: set up a key first. conoid must be "
                    "installed there."),
                 "muted", this);
  what->setWordWrap(true);
  column->addWidget(what);
  column->addWidget(form_);
  form_->set(host);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  answer_ = make_label({}, "small", this);
  answer_->setWordWrap(true);
  auto* try_it = new QPushButton(tr("Try it"), this);
  try_it->setIcon(look.icon("connect"));
  row->addWidget(answer_, 1);
  row->addWidget(try_it);
  column->addLayout(row);
  note_ = make_label({}, "bad", this);
  note_->setWordWrap(true);
  note_->hide();
  column->addWidget(note_);
  column->addStretch(1);
  auto* buttons = add_dialog_buttons(*this, *column, tr("Keep"), Acts::asks).box;
  connect(buttons, &QDialogButtonBox::accepted, this, [this] {
    const QString trouble = keep();
    note_->setText(trouble);
    note_->setVisible(!trouble.isEmpty());
    if (trouble.isEmpty()) accept();
  });
  connect(form_, &HostForm::edited, note_, &QWidget::hide);
  connect(try_it, &QPushButton::clicked, this, [this] {
    if (const Status sound = check_host(form_->host()); !sound) return answer_->setText(rendered(sound.error()));
    answer_->setText(tr("Asking…"));
    jobs_.ask_queue(form_->host());
  });
  connect(&jobs, &JobList::queue_known, this, &HostDialog::show_answer);
}

void HostDialog::show_answer(const HostQueue& queue, const QString& trouble) {
  answer_->setText(trouble.isEmpty()
                       ? tr("It answers: %1 cores, %2 jobs in its queue.").arg(queue.cores).arg(queue.jobs.size())
                       : trouble);
}

QString HostDialog::keep() {
  const ComputeHost host = form_->host();
  if (const Status kept = keep_host(host); !kept) return rendered(kept.error());
  if (!name_before_.empty() && name_before_ != host.name) static_cast<void>(forget_host(name_before_).ok());
  jobs_.read_kept_hosts();
  return {};
}

}  // namespace conoid::app
