// SPDX-License-Identifier: BSD-3-Clause
// Jobs that were given to machines: which there are, what has become of them, new ones, runs brought here. All by the engine's own way
// (engine/session/jobs), as the commands `conoid submit` and `conoid jobs` do it.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <QAbstractTableModel>
#include <QThreadPool>
#include <QTimer>

#include "engine/session/jobs/job_news.hpp"
#include "engine/session/jobs/submit_job.hpp"

namespace conoid::app {

/// "waiting", "finished" … in the words of the window; "" is "not asked yet".
[[nodiscard]] QString job_word(const std::string& word);

/// Lives in the window's thread, which never waits: each machine is asked on a thread of its own, jobs that are not over every ten seconds
/// while somebody looks (set_watched). What a machine has to do is answered by `queue_known`.
class JobList : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column {
    state_column,
    title_column,
    where_column,
    number_column,
    submitted_column,
    time_column,
    says_column,
    columns
  };
  enum Role { folder_role = Qt::UserRole + 1, word_role, sort_role };
  static constexpr int ask_every_ms = 10'000;
  static constexpr int follow_every_ms = 5'000;

  /// `folder`: where jobs are kept at that moment. `program`: the conoid that computes on this machine.
  JobList(std::function<std::filesystem::path()> folder, std::filesystem::path program, QObject* parent = nullptr);
  /// Questions and transfers are given up; a job that is being submitted is waited for.
  ~JobList() override;

  /// Reads the folder again, then asks for all of its jobs.
  void refresh();
  /// Whether a person looks: then those that are not over are asked for again and again.
  void set_watched(bool on);
  [[nodiscard]] const std::vector<JobNews>& jobs() const { return jobs_; }
  [[nodiscard]] const JobNews* job(const QString& folder) const;
  [[nodiscard]] bool is_busy(const QString& folder) const { return busy_.contains(folder.toStdString()); }
  [[nodiscard]] bool is_submitting() const { return submitting_ > 0; }

  /// The machines that are kept, and why they cannot be read.
  [[nodiscard]] const std::vector<ComputeHost>& hosts() const { return hosts_; }
  [[nodiscard]] const QString& hosts_trouble() const { return hosts_trouble_; }
  void read_kept_hosts();
  /// A name for a host of a job: that under which it is kept.
  [[nodiscard]] QString where(const JobNews& job) const;

  /// The script that would compute; a sentence where there is none.
  [[nodiscard]] Result<std::string> script(const CaseDocument& document, const ComputeHost& host) const;
  /// `submitted` or `troubled` follows.
  void submit(CaseDocument document, const ComputeHost& host);
  /// Brings the run of another machine here; `brought` or `troubled` follows. One that goes on is brought again when it is over.
  void bring(const QString& folder);
  void cancel(const QString& folder);
  /// Keeps the charts of a run that was brought so far up to date while its job goes on: every few seconds they are brought again, and
  /// `charts_brought` follows. Once the job is over its run is brought whole. An empty folder: none.
  void follow(const QString& folder);
  [[nodiscard]] const QString& followed() const { return followed_; }
  /// `queue_known` follows. Only the newest question counts.
  void ask_queue(const ComputeHost& host);

 signals:
  void changed();
  void hosts_changed();
  void submitted(const QString& folder);
  void brought(const QString& folder, const QString& run);
  void charts_brought(const QString& folder, const QString& run);
  void troubled(const QString& title, const conoid::Error& error);
  void queue_known(const conoid::HostQueue& queue, const QString& trouble);

 public:
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void take(std::vector<JobNews> jobs);
  void take_answer(const std::vector<JobNews>& news);
  void ask(bool all);
  void bring_news();
  void set_busy(const std::string& folder, bool on);
  [[nodiscard]] JobRequest request(const ComputeHost& host) const;

  std::function<std::filesystem::path()> folder_;
  std::filesystem::path program_;
  std::vector<ComputeHost> hosts_;
  QString hosts_trouble_;
  std::vector<JobNews> jobs_;
  std::set<std::string> busy_;    ///< folders of jobs that are brought or cancelled
  std::set<std::string> asking_;  ///< machines
  std::uint64_t ticket_ = 0, queue_ticket_ = 0;
  int submitting_ = 0;
  QTimer timer_, follow_timer_;
  QString followed_;
  std::stop_source stop_;
  QThreadPool pool_;
};

}  // namespace conoid::app
