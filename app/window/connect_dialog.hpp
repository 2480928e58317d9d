// SPDX-License-Identifier: BSD-3-Clause
// Where runs are computed: here, beside this program, or on another machine.
#pragma once

#include <QDialog>

#include "app/model/compute_place.hpp"
#include "app/model/settings.hpp"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QRadioButton;

namespace conoid::app {

class ConnectDialog : public QDialog {
  Q_OBJECT
 public:
  ConnectDialog(Settings& settings, const Look& look, QWidget* parent = nullptr);
  /// The place chosen at the moment, as the settings keep it.
  [[nodiscard]] QString place() const;
  void choose(const QString& place);
  /// Asks the place for its devices.
  void check();

 signals:
  void changed();

 protected:
  bool event(QEvent* event) override;

 private:
  void refresh();
  void complain(const QString& sentence);
  void show_answer(const FarEnd& far_end);

  Settings& settings_;
  const Look& look_;
  FarEndQuery query_;
  QRadioButton* inside_;
  QRadioButton* process_;
  QRadioButton* launched_;
  QLineEdit* line_;
  QLabel* note_;
  QPushButton* check_;
  QWidget* lock_;
  QLabel* answer_;
  QListWidget* devices_;
};

}  // namespace conoid::app
