// SPDX-License-Identifier: BSD-3-Clause
// One table of everything a person can do: menus, tool bar, palette and shortcut sheet read it.
#pragma once

#include <functional>
#include <vector>

#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>
#include <QString>
#include <QStringList>

#include "app/look/theme.hpp"

class QAction;
class QMenuBar;

namespace conoid::app {

/// One row. An empty text is a separator in its menu.
struct ActionRow {
  QString id;
  QString menu;  ///< "File"
  QString text;  ///< "Open…"
  QKeySequence shortcut;
  QString icon;  ///< name in resources/icons, or empty
  QString tip;   ///< one sentence; the text when empty
  std::function<void()> handler;
  bool checkable = false;
  QList<QKeySequence> also = {};  ///< other keys that do it, not shown
};

class ActionTable : public QObject {
  Q_OBJECT
 public:
  ActionTable(const Look& look, std::vector<ActionRow> rows, QObject* parent = nullptr);
  [[nodiscard]] const std::vector<ActionRow>& rows() const { return rows_; }
  [[nodiscard]] bool has(const QString& id) const { return actions_.contains(id); }
  [[nodiscard]] QStringList ids() const;
  /// The action of an id; a wrong id is a bug.
  [[nodiscard]] QAction* at(const QString& id) const;
  /// Makes the menus in the order in which the rows name them.
  void fill(QMenuBar& bar) const;

 private:
  std::vector<ActionRow> rows_;
  QHash<QString, QAction*> actions_;
};

}  // namespace conoid::app
