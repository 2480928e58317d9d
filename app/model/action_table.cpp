// SPDX-License-Identifier: BSD-3-Clause
// One table of everything a person can do.
#include "app/model/action_table.hpp"

#include <QAction>
#include <QMenu>
#include <QMenuBar>

#include "engine/core/error.hpp"

namespace conoid::app {

ActionTable::ActionTable(const Look& look, std::vector<ActionRow> rows, QObject* parent)
    : QObject(parent), rows_(std::move(rows)) {
  for (const ActionRow& row : rows_) {
    if (row.text.isEmpty()) continue;
    auto* action = new QAction(row.text, this);
    if (!row.icon.isEmpty()) action->setIcon(look.icon(row.icon));
    action->setIconVisibleInMenu(false);
    action->setShortcuts(QList<QKeySequence>{row.shortcut} + row.also);
    action->setCheckable(row.checkable);
    QString tip = row.tip.isEmpty() ? QString(row.text).remove(QStringLiteral("…")) : row.tip;
    if (!row.shortcut.isEmpty()) tip += " (" + row.shortcut.toString(QKeySequence::NativeText) + ")";
    action->setToolTip(tip);
    connect(action, &QAction::triggered, this, row.handler);
    verify(!actions_.contains(row.id), "action ids are unique");
    actions_[row.id] = action;
  }
}

QStringList ActionTable::ids() const {
  QStringList out;
  for (const ActionRow& row : rows_)
    if (!row.text.isEmpty()) out << row.id;
  return out;
}

QAction* ActionTable::at(const QString& id) const {
  verify(actions_.contains(id), "the action exists: " + id.toStdString());
  return actions_[id];
}

void ActionTable::fill(QMenuBar& bar) const {
  QHash<QString, QMenu*> menus;
  for (const ActionRow& row : rows_) {
    QMenu*& menu = menus[row.menu];
    if (!menu) menu = bar.addMenu(row.menu);
    row.text.isEmpty() ? static_cast<void>(menu->addSeparator()) : menu->addAction(actions_[row.id]);
  }
}

}  // namespace conoid::app
