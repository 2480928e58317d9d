// SPDX-License-Identifier: BSD-3-Clause
// Jobs as the window sees them.
#include "app/model/job_list.hpp"

#include <algorithm>
#include <map>

#include <QDateTime>

#include "app/look/translator.hpp"
#include "app/model/background.hpp"
#include "app/model/names.hpp"

namespace conoid::app {

namespace fs = std::filesystem;

QString job_word(const std::string& word) {
  if (word.empty()) return QObject::tr("not asked yet");
  if (word == "waiting") return QObject::tr("waiting");
  if (word == "running") return QObject::tr("running");
  if (word == "finished") return QObject::tr("finished");
  if (word == "stopped") return QObject::tr("stopped");
  if (word == "failed") return QObject::tr("failed");
  return QObject::tr("ended");
}

JobList::JobList(std::function<fs::path()> folder, fs::path program, QObject* parent)
    : QAbstractTableModel(parent), folder_(std::move(folder)), program_(std::move(program)) {
  constexpr int threads = 8;  // nearly all of the time they wait for a network
  pool_.setMaxThreadCount(threads);
  timer_.setInterval(ask_every_ms);
  connect(&timer_, &QTimer::timeout, this, [this] { ask(false); });
  follow_timer_.setSingleShot(true);
  follow_timer_.setInterval(follow_every_ms);
  connect(&follow_timer_, &QTimer::timeout, this, &JobList::bring_news);
  read_kept_hosts();
}

JobList::~JobList() {
  stop_.request_stop();
  pool_.waitForDone();
}

void JobList::read_kept_hosts() {
  auto hosts = read_hosts();
  hosts_trouble_ = hosts ? QString() : rendered(hosts.error());
  hosts_ = hosts ? std::move(hosts).value() : std::vector<ComputeHost>();
  emit hosts_changed();
}

void JobList::refresh() {
  const std::uint64_t ticket = ++ticket_;
  in_background(
      this,
      [folder = folder_()] {
        std::vector<JobNews> jobs;
        for (const fs::path& one : find_jobs(folder)) jobs.push_back(job_at(one));
        return jobs;
      },
      [ticket](JobList& self, std::vector<JobNews> jobs) {
        if (self.ticket_ == ticket) self.take(std::move(jobs));
      },
      &pool_);
}

void JobList::set_watched(bool on) {
  on ? timer_.start() : timer_.stop();
}

const JobNews* JobList::job(const QString& folder) const {
  const auto it = std::find_if(jobs_.begin(), jobs_.end(),
                               [at = fs::path(folder.toStdString())](const JobNews& j) { return j.folder == at; });
  return it == jobs_.end() ? nullptr : &*it;
}

void JobList::take(std::vector<JobNews> jobs) {
  // What a machine has said of a job stays until it is asked again.
  for (JobNews& fresh : jobs)
    if (const JobNews* known = job(QString::fromStdString(fresh.folder.string())); known && fresh.state.word.empty())
      fresh.state = known->state;
  beginResetModel();
  jobs_ = std::move(jobs);
  endResetModel();
  emit changed();
  ask(true);
}

void JobList::ask(bool all) {
  std::map<std::string, std::vector<JobNews>> places;
  for (const JobNews& job : jobs_) {
    const bool known = job.is_far() && !job.state.word.empty() && job.state.is_over() && !job.run().empty();
    if (job.record.number.empty() || known || (!all && !job.state.word.empty() && job.state.is_over())) continue;
    if (!asking_.contains(job.record.host)) places[job.record.host].push_back(job);
  }
  for (auto& [host, list] : places) {
    asking_.insert(host);
    in_background(
        this,
        [list = std::move(list), reach = reach_by(hosts_), stop = stop_.get_token()]() mutable {
          ask_for_jobs(list, reach, stop);
          return std::move(list);
        },
        [host = host](JobList& self, const std::vector<JobNews>& news) {
          self.asking_.erase(host);
          self.take_answer(news);
        },
        &pool_);
  }
}

void JobList::take_answer(const std::vector<JobNews>& news) {
  QStringList over;
  for (const JobNews& one : news)
    for (std::size_t row = 0; row < jobs_.size(); ++row) {
      JobNews& job = jobs_[row];
      if (job.folder != one.folder) continue;
      job.state = one.state;
      job.trouble = one.trouble;
      // What was looked at while it went on is brought whole.
      if (!job.trouble && job.state.is_over() && !job.so_far().empty() && job.run().empty())
        over << QString::fromStdString(job.folder.string());
      emit dataChanged(index(static_cast<int>(row), 0), index(static_cast<int>(row), columns - 1));
    }
  emit changed();
  for (const QString& folder : over)
    if (!is_busy(folder)) bring(folder);
}

void JobList::set_busy(const std::string& folder, bool on) {
  on ? static_cast<void>(busy_.insert(folder)) : static_cast<void>(busy_.erase(folder));
  emit changed();
}

QString JobList::where(const JobNews& job) const {
  for (const ComputeHost& host : hosts_)
    if (host.host == job.record.host && host.slurm == !job.record.queue.empty())
      return QString::fromStdString(host.name);
  return job.is_far() ? QString::fromStdString(job.record.host) : tr("this machine");
}

JobRequest JobList::request(const ComputeHost& host) const {
  JobRequest out{host, {}, {}};
  if (out.at.host.empty() && out.at.program.empty()) out.at.program = program_.string();
  return out;
}

Result<std::string> JobList::script(const CaseDocument& document, const ComputeHost& host) const {
  if (const Status sound = check_host(host); !sound) return sound.error();
  return job_script(request(host), job_name(document));
}

void JobList::submit(CaseDocument document, const ComputeHost& host) {
  ++submitting_;
  emit changed();
  const fs::path folder = folder_() / job_folder_name(job_name(document));
  in_background(
      this,
      [document = std::move(document), request = request(host), folder]() -> Result<JobRecord> {
        if (const Status sound = check_to_submit(document); !sound) return sound.error();
        return submit_job(document, request, folder);
      },
      [folder](JobList& self, const Result<JobRecord>& record) {
        --self.submitting_;
        emit self.changed();
        if (!record) return emit self.troubled(tr("The job was not submitted"), record.error());
        self.refresh();
        emit self.submitted(QString::fromStdString(folder.string()));
      },
      &pool_);
}

void JobList::bring(const QString& folder) {
  const JobNews* known = job(folder);
  if (!known || !known->is_far() || is_busy(folder)) return;
  set_busy(folder.toStdString(), true);
  in_background(
      this,
      [job = *known, reach = reach_by(hosts_), stop = stop_.get_token()]() mutable -> Result<fs::path> {
        // Whether it is over decides what is brought: as it is now.
        std::vector<JobNews> one{job};
        ask_for_jobs(one, reach, stop);
        if (one[0].trouble) return *one[0].trouble;
        return bring_run(one[0], reach, stop);
      },
      [folder](JobList& self, const Result<fs::path>& run) {
        self.set_busy(folder.toStdString(), false);
        if (!run) return emit self.troubled(tr("The run was not brought here"), run.error());
        self.refresh();
        emit self.brought(folder, QString::fromStdString(run->string()));
      },
      &pool_);
}

void JobList::follow(const QString& folder) {
  if (folder == followed_) return;
  followed_ = folder;
  if (folder.isEmpty()) return follow_timer_.stop();
  if (!job(folder)) refresh();
  follow_timer_.start();
}

void JobList::bring_news() {
  in_background(
      this,
      [folder = fs::path(followed_.toStdString()), reach = reach_by(hosts_), stop = stop_.get_token()] {
        std::vector<JobNews> one{job_at(folder)};
        ask_for_jobs(one, reach, stop);
        std::string run;
        // What is over is brought whole, see take_answer(). A machine that does not answer is asked again.
        if (!one[0].trouble && !one[0].state.is_over())
          if (const auto brought = bring_charts(one[0], reach, stop)) run = brought->string();
        return std::pair(std::move(one), std::move(run));
      },
      [folder = followed_](JobList& self, const std::pair<std::vector<JobNews>, std::string>& news) {
        if (self.followed_ != folder) return;
        const JobState& state = news.first[0].state;
        if (!news.second.empty()) emit self.charts_brought(folder, QString::fromStdString(news.second));
        self.take_answer(news.first);
        if (self.followed_ == folder && (news.first[0].trouble || !state.is_over())) self.follow_timer_.start();
      },
      &pool_);
}

void JobList::cancel(const QString& folder) {
  const JobNews* known = job(folder);
  if (!known || is_busy(folder)) return;
  set_busy(folder.toStdString(), true);
  in_background(
      this,
      [record = known->record, reach = reach_by(hosts_), stop = stop_.get_token()] {
        return cancel_job(record, reach, stop);
      },
      [folder](JobList& self, const Status& done) {
        self.set_busy(folder.toStdString(), false);
        if (!done) emit self.troubled(tr("The job was not cancelled"), done.error());
        self.ask(true);
      },
      &pool_);
}

void JobList::ask_queue(const ComputeHost& host) {
  const std::uint64_t ticket = ++queue_ticket_;
  in_background(
      this, [host, stop = stop_.get_token()] { return ask_for_queue(host, stop); },
      [ticket](JobList& self, const Result<HostQueue>& queue) {
        if (self.queue_ticket_ != ticket) return;
        emit self.queue_known(queue ? *queue : HostQueue(), queue ? QString() : rendered(queue.error()));
      },
      &pool_);
}

int JobList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(jobs_.size());
}
int JobList::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant JobList::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount()) return {};
  const JobNews& job = jobs_[static_cast<std::size_t>(at.row())];
  const auto text = [](const std::string& words) { return QString::fromStdString(words); };
  if (role == folder_role) return text(job.folder.string());
  if (role == word_role) return text(job.trouble ? "unknown" : job.state.word);
  if (role == Qt::ToolTipRole && job.trouble) return text(job.trouble->render());
  if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) return {};
  if (role == Qt::ToolTipRole && at.column() != says_column && at.column() != title_column) return {};
  switch (at.column()) {
    case state_column: return job.trouble ? tr("not known") : job_word(job.state.word);
    case title_column: return text(job.record.title.empty() ? job.folder.filename().string() : job.record.title);
    case where_column: return where(job);
    case number_column: return text(job.record.number);
    case submitted_column: {
      auto time = QDateTime::fromString(text(job.record.submitted), "yyyyMMdd'T'HHmmss'Z'");
      time.setTimeSpec(Qt::UTC);
      if (role == sort_role) return time;
      return time.isValid() ? words_locale().toString(time.toLocalTime(), "d MMM, HH:mm") : QString();
    }
    case time_column: return text(job.state.time);
    default: break;
  }
  if (job.trouble) return text(job.trouble->text);
  if (job.state.word == "waiting") return text(job.state.why);
  return text(job.state.says.empty() ? job.state.why : job.state.says).simplified();
}

QVariant JobList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case state_column: return tr("State");
    case title_column: return tr("Case");
    case where_column: return tr("Where");
    case number_column: return tr("Job");
    case submitted_column: return tr("Submitted");
    case time_column: return tr("Time");
    default: return tr("What it says");
  }
}

}  // namespace conoid::app
