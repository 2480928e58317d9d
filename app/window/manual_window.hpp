// SPDX-License-Identifier: BSD-3-Clause
// The manual of a case's keys, made from the solver's schema: it is there without a network and opens at the field that has the focus.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <QDialog>

#include "app/look/theme.hpp"
#include "engine/core/json.hpp"

class QLineEdit;
class QTextBrowser;

namespace conoid::app {

/// The place of a schema ("/excitation/waves/*/direction") that a place of a case ("/excitation/waves/0/direction") is one of; empty
/// when there is none. Of a section or an element it is the first field within.
[[nodiscard]] std::string field_of(const std::vector<std::pair<std::string, Json>>& fields, const std::string& pointer);

class ManualWindow : public QDialog {
  Q_OBJECT
 public:
  /// `pages`: there is a documentation that its links can lead to.
  ManualWindow(const Look& look, bool pages, QWidget* parent = nullptr);
  /// Shows the keys of this solver's cases and goes to one of them.
  void open_at(const std::string& solver, const std::string& pointer);
  [[nodiscard]] const std::string& shown_field() const { return shown_; }
  [[nodiscard]] QTextBrowser& page() const { return *page_; }

 signals:
  /// A page of the documentation, as DocumentationWindow::open takes it.
  void page_wanted(const QString& page);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void write_page();
  /// Where the page has the look of another theme: its own, as soon as somebody sees it.
  void refresh();
  const Look& look_;
  bool pages_;
  bool stale_ = false;
  std::string solver_, shown_;
  std::vector<std::pair<std::string, Json>> fields_;
  QLineEdit* search_;
  QTextBrowser* page_;
};

}  // namespace conoid::app
