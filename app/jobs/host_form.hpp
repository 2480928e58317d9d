// SPDX-License-Identifier: BSD-3-Clause
// What is kept of a machine that jobs are given to, as fields; and a page to keep one.
#pragma once

#include <QDialog>
#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/job_list.hpp"

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace conoid::app {

class HostForm : public QWidget {
  Q_OBJECT
 public:
  /// `whole`: also how the machine is called and reached; else only what a job asks of it.
  HostForm(bool whole, QWidget* parent = nullptr);
  void set(const ComputeHost& host);
  [[nodiscard]] ComputeHost host() const;

 signals:
  void edited();

 private:
  QLineEdit* line(QFormLayout& form, const QString& name, const QString& placeholder, const QString& explained);
  QSpinBox* number(QFormLayout& form, const QString& name, int low, int high, const QString& none,
                   const QString& explained);
  void refresh();
  ComputeHost kept_;  ///< with what has no field here
  QFormLayout* form_;
  QLineEdit *name_ = nullptr, *host_ = nullptr, *ssh_ = nullptr, *program_ = nullptr;
  QComboBox* queue_ = nullptr;
  QSpinBox *ranks_, *threads_, *devices_;
  QLineEdit *time_, *partition_, *account_;
};

/// Sentences that break need more height than a dialog gives them of its own accord: in French, and at large text.
class WordyDialog : public QDialog {
 public:
  using QDialog::QDialog;

 protected:
  bool event(QEvent* event) override;
};

class HostDialog : public WordyDialog {
  Q_OBJECT
 public:
  HostDialog(const ComputeHost& host, JobList& jobs, const Look& look, QWidget* parent = nullptr);
  [[nodiscard]] HostForm& form() { return *form_; }
  /// Keeps what stands there; a sentence where it cannot be kept.
  QString keep();

 private:
  void show_answer(const HostQueue& queue, const QString& trouble);
  JobList& jobs_;
  std::string name_before_;
  HostForm* form_;
  QLabel* note_;
  QLabel* answer_;
};

}  // namespace conoid::app
