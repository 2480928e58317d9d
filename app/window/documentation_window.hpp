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

 signals:
  /// A key of the reference was clicked: the manual of such cases says what it takes, in the language of the window.
  void key_wanted(const QString& solver, const QString& field);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void search();
  /// Where the page has the look of another theme: its own, as soon as somebody sees it.
  void refresh();
  const Look& look_;
  std::filesystem::path pages_;
  bool stale_ = false;
  QLineEdit* search_;
  QTextBrowser* page_;
};

/// What a reader sees of a page: its article, without the lists of all pages and the links to headings.
[[nodiscard]] QString article_of(const QString& html);

/// The article of a reference, its keys as links that `link_of_key` reads.
[[nodiscard]] QString with_linked_keys(const QString& article, const QString& solver);

/// The window of the documentation that is installed, one for its parent: shown at a page, or where it was.
DocumentationWindow& show_documentation(const Look& look, QWidget* parent, const QString& page = {});

}  // namespace conoid::app
