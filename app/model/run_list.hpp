// SPDX-License-Identifier: BSD-3-Clause
// The runs of a folder as a table: state, time, what differs between cases of one title, result numbers.
#pragma once

#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include <QAbstractTableModel>
#include <QString>
#include <QStringList>

#include "app/model/stored_run.hpp"
#include "engine/case/document.hpp"

namespace conoid::app {

struct ListedRun {
  StoredRun card;
  std::map<std::string, std::string> values;  ///< leaves of its case as text, by pointer
  QString changes;                            ///< those that differ from other runs of the same title
};

/// Reads all runs below a folder, and those of the jobs below another that lie here, newest first, at most `limit`. Any thread.
[[nodiscard]] std::vector<ListedRun> list_runs(const std::filesystem::path& folder,
                                               const std::filesystem::path& jobs = {}, std::size_t limit = 500);

/// What differs between two cases, a line each: "/excitation/frequency: 1 GHz → 2 GHz".
[[nodiscard]] QStringList differences(const ListedRun& a, const ListedRun& b);

/// Lives in the window's thread; reads in the background.
class RunList : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { state_column, title_column, started_column, seconds_column, changes_column, first_number };
  enum Role { sort_role = Qt::UserRole + 1, folder_role, state_role, computing_role };
  explicit RunList(QObject* parent = nullptr);
  /// Folders in which this window computes; the others that somebody computes in are said to run elsewhere.
  void set_own(QStringList folders);
  /// Reads the folder again; `loaded` follows.
  void refresh(const std::filesystem::path& folder, const std::filesystem::path& jobs = {});
  /// Reads those again in whose folder somebody computes: has it ended?
  void look_again();
  void take(std::vector<ListedRun> runs);
  [[nodiscard]] const std::vector<ListedRun>& runs() const { return runs_; }
  /// Result numbers that get a column, the most common ones first.
  [[nodiscard]] const std::vector<std::string>& numbers() const { return numbers_; }

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void loaded();

 private:
  [[nodiscard]] bool is_own(const ListedRun& run) const;
  std::vector<ListedRun> runs_;
  std::vector<std::string> numbers_;
  QStringList own_;
  std::uint64_t ticket_ = 0;
};

/// How two runs are called beside each other: by their folders, with as many of those above as tell them apart ("a/run", "b/run").
[[nodiscard]] std::pair<QString, QString> names_of_two(const std::filesystem::path& first,
                                                       const std::filesystem::path& second);

}  // namespace conoid::app
