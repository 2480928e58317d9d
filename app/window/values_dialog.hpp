// SPDX-License-Identifier: BSD-3-Clause
// Where values of a field are wanted over all frames: at a typed place, or over a part or a group of the mesh.
#pragma once

#include <QDialog>
#include <QStringList>

#include "app/model/run_values.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QRadioButton;

namespace conoid::app {

class ValuesDialog : public QDialog {
  Q_OBJECT
 public:
  /// `regions`: parts of the frames, then groups of the mesh.
  ValuesDialog(ValuesQuestion question, const QStringList& regions, QWidget* parent = nullptr);
  /// What is asked, once it has been accepted.
  [[nodiscard]] const ValuesQuestion& question() const { return question_; }

 private:
  void refresh();

  ValuesQuestion question_;
  QRadioButton* at_place_;
  QRadioButton* over_region_;
  QLineEdit* place_;
  QComboBox* region_;
  QLabel* note_;
  QLabel* command_;
  QPushButton* ok_;
};

}  // namespace conoid::app
