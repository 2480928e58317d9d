// SPDX-License-Identifier: BSD-3-Clause
// The case at hand becomes a job: on which machine, and what is asked of it.
#pragma once

#include "app/jobs/host_form.hpp"
#include "app/look/theme.hpp"
#include "app/model/job_list.hpp"
#include "engine/case/document.hpp"

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace conoid::app {

class SubmitDialog : public WordyDialog {
  Q_OBJECT
 public:
  SubmitDialog(CaseDocument document, JobList& jobs, const Look& look, QWidget* parent = nullptr);
  /// The machine that is chosen, with what is asked of it this time.
  [[nodiscard]] ComputeHost host() const { return form_->host(); }
  /// The kept machine of this name; none: this machine.
  void choose(const QString& name);
  [[nodiscard]] HostForm& form() { return *form_; }
  /// The line of a shell that does the same.
  [[nodiscard]] QString command() const;

 private:
  void fill_places(const QString& chosen);
  void refresh();
  CaseDocument document_;
  JobList& jobs_;
  const Look& look_;
  QComboBox* place_;
  HostForm* form_;
  QLabel* note_;
  QLabel* command_;
  QPlainTextEdit* script_;
  QPushButton* submit_;
};

}  // namespace conoid::app
