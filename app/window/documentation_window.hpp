// SPDX-License-Identifier: BSD-3-Clause
// The documentation inside the window: the same pages as in a browser, read from where they are installed, without a network.
#pragma once

#include <filesystem>

#include <QDialog>

#include "app/look/theme.hpp"

class QLineEdit;
class QTextBrowser;

namespace conoid::app {

/// Guide, tutorials, theory and keys; links between them are followed here, those to elsewhere by the desktop. Where there are no
/// pages it says what makes them.
class DocumentationWindow : public QDialog {
  Q_OBJECT
 public:
  /// `pages` is the folder of index.html, usually documentation_folder(); empty where there is none.
  DocumentationWindow(const Look& look, std::filesystem::path pages, QWidget* parent = nullptr);
  /// A page, relative to the folder, with its place: "reference/keys-SOLVER.html#/grid/spacing".
  void open(const QString& page);
  [[nodiscard]] QTextBrowser& page() const { return *page_; }

 private:
  void search();
  const Look& look_;
  std::filesystem::path pages_;
  QLineEdit* search_;
  QTextBrowser* page_;
};

/// What a reader sees of a page: its article, without the lists of all pages and the links to headings.
[[nodiscard]] QString article_of(const QString& html);

/// Shows the documentation that is installed, at its first page.
void show_documentation(const Look& look, QWidget* parent);

}  // namespace conoid::app
