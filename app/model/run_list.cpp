// SPDX-License-Identifier: BSD-3-Clause
// The runs of a folder as a table.
#include "app/model/run_list.hpp"

#include <algorithm>
#include <set>

#include <QDateTime>

#include "app/look/translator.hpp"
#include "app/model/background.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"
#include "engine/session/jobs/job_news.hpp"
#include "engine/session/run_comparison.hpp"

namespace conoid::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_numbers = 12;

/// What is long is compared whole and shown by its beginning.
QString short_of(const QString& value) {
  constexpr qsizetype most = 80;
  return value.size() <= most ? value : value.left(most) + QStringLiteral("…");
}

QString state_word(SessionState state) {
  switch (state) {
    case SessionState::finished: return QObject::tr("finished");
    case SessionState::failed: return QObject::tr("failed");
    default: return QObject::tr("stopped");
  }
}

}  // namespace

std::vector<ListedRun> list_runs(const fs::path& folder, const fs::path& jobs, std::size_t limit) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_directory(ignored)) folders.push_back(entry.path());
  if (!jobs.empty())
    for (const fs::path& job : find_jobs(jobs))
      if (fs::is_directory(job / "run", ignored)) folders.push_back(job / "run");
  // By the time in the name, which of a job's run is that of the job.
  const auto name = [](const fs::path& one) {
    return (one.filename() == "run" ? one.parent_path() : one).filename().string();
  };
  std::sort(folders.begin(), folders.end(), [&](const fs::path& a, const fs::path& b) { return name(a) > name(b); });
  if (folders.size() > limit) folders.resize(limit);
  std::vector<ListedRun> out;
  for (const fs::path& one : folders) {
    auto card = read_run_card(one);
    if (!card) continue;
    ListedRun run;
    run.card = std::move(card).value();
    if (auto document = CaseDocument::read(one / "case.json"))
      for (auto& [pointer, text] : case_leaves(document->json())) run.values.emplace(pointer, std::move(text));
    out.push_back(std::move(run));
  }
  // What is not the same in all runs of one title.
  std::map<std::string, std::vector<ListedRun*>> groups;
  for (ListedRun& run : out) groups[run.card.solver + "\n" + run.card.title].push_back(&run);
  for (auto& [title, group] : groups) {
    std::set<std::string> pointers;
    for (const ListedRun* run : group)
      for (const auto& [pointer, value] : run->values) pointers.insert(pointer);
    for (const std::string& pointer : pointers) {
      const auto value_of = [&](const ListedRun* run) {
        const auto it = run->values.find(pointer);
        return it == run->values.end() ? std::string("–") : it->second;
      };
      const std::string first = value_of(group.front());
      if (std::all_of(group.begin(), group.end(), [&](const ListedRun* run) { return value_of(run) == first; }))
        continue;
      for (ListedRun* run : group) {
        if (!run->changes.isEmpty()) run->changes += ", ";
        run->changes +=
            QString::fromStdString(last_token(pointer)) + " = " + short_of(QString::fromStdString(value_of(run)));
      }
    }
  }
  return out;
}

QStringList differences(const ListedRun& a, const ListedRun& b) {
  QStringList out;
  std::set<std::string> pointers;
  for (const auto& [pointer, value] : a.values) pointers.insert(pointer);
  for (const auto& [pointer, value] : b.values) pointers.insert(pointer);
  for (const std::string& pointer : pointers) {
    const auto text = [&](const ListedRun& run) {
      const auto it = run.values.find(pointer);
      return it == run.values.end() ? QObject::tr("not given") : QString::fromStdString(it->second);
    };
    const QString was = text(a), is = text(b);
    if (was != is) out << QString::fromStdString(pointer) + ": " + short_of(was) + " → " + short_of(is);
  }
  return out;
}

RunList::RunList(QObject* parent) : QAbstractTableModel(parent) {}

void RunList::refresh(const fs::path& folder, const fs::path& jobs) {
  const std::uint64_t ticket = ++ticket_;
  in_background(
      this, [folder, jobs] { return list_runs(folder, jobs); },
      [ticket](RunList& self, std::vector<ListedRun> runs) {
        if (self.ticket_ == ticket) self.take(std::move(runs));
      });
}

void RunList::set_own(QStringList folders) {
  if (folders == own_) return;
  own_ = std::move(folders);
  if (!runs_.empty()) emit dataChanged(index(0, state_column), index(rowCount() - 1, state_column));
}

void RunList::look_again() {
  std::vector<fs::path> folders;
  for (const ListedRun& run : runs_)
    if (run.card.computing) folders.push_back(run.card.folder);
  if (folders.empty()) return;
  in_background(
      this,
      [folders = std::move(folders)] {
        std::vector<StoredRun> cards;
        for (const fs::path& folder : folders)
          if (auto card = read_run_card(folder)) cards.push_back(std::move(card).value());
        return cards;
      },
      [ticket = ticket_](RunList& self, std::vector<StoredRun> cards) {
        if (self.ticket_ != ticket) return;
        for (StoredRun& card : cards)
          for (std::size_t i = 0; i < self.runs_.size(); ++i) {
            if (self.runs_[i].card.folder != card.folder) continue;
            self.runs_[i].card = std::move(card);
            emit self.dataChanged(self.index(static_cast<int>(i), 0),
                                  self.index(static_cast<int>(i), self.columnCount() - 1));
            break;
          }
      });
}

bool RunList::is_own(const ListedRun& run) const {
  return own_.contains(QString::fromStdString(run.card.folder.string()));
}

void RunList::take(std::vector<ListedRun> runs) {
  beginResetModel();
  runs_ = std::move(runs);
  std::map<std::string, int> counts;
  std::vector<std::string> order;
  std::map<std::string, bool> details;
  for (const ListedRun& run : runs_)
    for (const NumberEvent& number : run.card.numbers)
      if (counts[number.name]++ == 0) {
        order.push_back(number.name);
        details[number.name] = is_detail(number);
      }
  // What came out before how it was done; of those the commonest first.
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    return details[a] != details[b] ? details[b] : counts[a] > counts[b];
  });
  if (order.size() > most_numbers) order.resize(most_numbers);
  numbers_ = std::move(order);
  endResetModel();
  emit loaded();
}

int RunList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}
int RunList::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : first_number + static_cast<int>(numbers_.size());
}

QVariant RunList::data(const QModelIndex& at, int role) const {
  if (!at.isValid() || at.row() >= rowCount()) return {};
  const ListedRun& run = runs_[static_cast<std::size_t>(at.row())];
  if (role == folder_role) return QString::fromStdString(run.card.folder.string());
  if (role == state_role) return static_cast<int>(run.card.state);
  if (role == computing_role) return run.card.computing;
  if (role == Qt::TextAlignmentRole && at.column() >= first_number)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole && role != sort_role && role != Qt::ToolTipRole) return {};
  if (role == Qt::ToolTipRole && at.column() == state_column && run.card.computing && !is_own(run))
    return tr("Another program computes this run now. It can be looked at, and resumed here once it has ended.");
  if (role == Qt::ToolTipRole && at.column() != changes_column && at.column() != title_column) return {};
  switch (at.column()) {
    case state_column:
      if (run.card.computing) return is_own(run) ? tr("running") : tr("running elsewhere");
      return state_word(run.card.state);
    case title_column:
      return QString::fromStdString(run.card.title.empty() ? run.card.folder.filename().string() : run.card.title);
    case started_column: {
      const auto time = QDateTime::fromString(QString::fromStdString(run.card.started), Qt::ISODate).toLocalTime();
      if (role == sort_role) return time;
      return time.isValid() ? words_locale().toString(time, "d MMM, HH:mm") : QString();
    }
    case seconds_column:
      if (role == sort_role) return run.card.seconds;
      return run.card.seconds > 0 ? in_figures(QString::fromStdString(format_duration(run.card.seconds))) : QString();
    case changes_column: return run.changes;
    default: break;
  }
  const std::string& name = numbers_[static_cast<std::size_t>(at.column() - first_number)];
  for (const NumberEvent& number : run.card.numbers)
    if (number.name == name)
      return role == sort_role ? QVariant(number.value) : QVariant(in_figures(number_text(number)));
  return {};
}

QVariant RunList::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && section >= first_number)
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case state_column: return tr("State");
    case title_column: return tr("Case");
    case started_column: return tr("Started");
    case seconds_column: return tr("Time");
    case changes_column: return tr("What differs");
    default: return number_words(numbers_[static_cast<std::size_t>(section - first_number)]);
  }
}

std::pair<QString, QString> names_of_two(const fs::path& first, const fs::path& second) {
  const auto normal = [](const fs::path& folder) {
    const fs::path out = absolute_path(folder).lexically_normal();
    return out.has_filename() ? out : out.parent_path();
  };
  fs::path a = normal(first), b = normal(second), of_a = a.filename(), of_b = b.filename();
  while (of_a == of_b && a != b && a.has_relative_path() && b.has_relative_path()) {
    a = a.parent_path();
    b = b.parent_path();
    of_a = a.filename() / of_a;
    of_b = b.filename() / of_b;
  }
  return {QString::fromStdString(of_a.string()), QString::fromStdString(of_b.string())};
}

}  // namespace conoid::app
