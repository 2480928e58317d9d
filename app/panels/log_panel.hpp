// SPDX-License-Identifier: BSD-3-Clause
// The log: newest at the bottom, filtered by level and words; a diagnostic jumps to its field.
#pragma once

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/run_model.hpp"

class QListView;

namespace conoid::app {

/// The lines of a RunModel as rows.
class LogModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { level_role = Qt::UserRole + 1, seconds_role, pointer_role, hint_role, code_role };
  explicit LogModel(RunModel& run, QObject* parent = nullptr);
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

 private:
  void follow(int lines);
  RunModel& run_;
  int rows_ = 0;
};

class LogFilter : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_least_level(int level);
  void set_words(const QString& words);

 protected:
  [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  int least_ = static_cast<int>(LogLevel::info);
  QString words_;
};

class LogPanel : public QWidget {
  Q_OBJECT
 public:
  LogPanel(RunModel& run, const Look& look, QWidget* parent = nullptr);
  /// What the line at hand is about; empty of a line that tells no trouble.
  [[nodiscard]] HelpTopic topic() const;
  [[nodiscard]] QListView& list() { return *view_; }

 signals:
  void field_wanted(const QString& pointer);
  /// The mark at the right of a line of trouble was clicked.
  void help_wanted(const conoid::app::HelpTopic& topic);
  void problems_counted(int errors, int warnings);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  LogModel* lines_;
  LogFilter* filter_;
  QListView* view_;
};

}  // namespace conoid::app
