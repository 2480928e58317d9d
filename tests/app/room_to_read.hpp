// SPDX-License-Identifier: BSD-3-Clause
// What of a window is cut off or covered: texts that are wider than their place, parts of a layout that lie over each other, pages
// that are wider than the area that scrolls them up and down.
#pragma once

#include <algorithm>

#include <QAbstractButton>
#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QLayout>
#include <QMainWindow>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QStringList>
#include <QToolButton>

#include "app/look/small_widgets.hpp"

namespace conoid::app::test {

inline QString words_for(const QWidget& widget, const QString& text) {
  QString where;
  for (const QWidget* at = widget.parentWidget(); at && where.count('<') < 3; at = at->parentWidget())
    where += QString(" < ") + at->metaObject()->className();
  return QString("“%1” (%2%3)").arg(text.left(60), widget.metaObject()->className(), where);
}

/// The innermost of what needs more than the width of an area that scrolls, up to three.
inline QStringList too_wide(const QScrollArea& area) {
  QStringList out;
  const auto beyond = [&area](const QWidget* inner) {
    return inner->isVisibleTo(area.widget()) &&
           inner->mapTo(area.widget(), QPoint(inner->minimumSizeHint().width(), 0)).x() > area.viewport()->width();
  };
  for (const QWidget* inner : area.widget()->findChildren<QWidget*>()) {
    if (!beyond(inner) || out.size() == 3) continue;
    const QList<QWidget*> within = inner->findChildren<QWidget*>();
    if (std::any_of(within.begin(), within.end(), beyond)) continue;
    QStringList parts{inner->accessibleName()};
    for (const QWidget* part : within)
      if (part->isVisibleTo(inner) && part->parentWidget() == inner)
        parts << (part->accessibleName().isEmpty() ? part->property("text").toString() : part->accessibleName());
    out << words_for(*inner, parts.join('|'));
  }
  return out;
}

/// Each in words; none for a window that can be read.
inline QStringList cut_or_covered(const QWidget& window) {
  QStringList out;
  constexpr int rounding = 1;
  for (const QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisibleTo(&window) || widget->visibleRegion().isEmpty()) continue;
    if (const auto* label = qobject_cast<const QLabel*>(widget)) {
      const bool rich = label->textFormat() == Qt::RichText || Qt::mightBeRichText(label->text());
      if (rich || label->wordWrap() || label->text().isEmpty() || qobject_cast<const ElidedLabel*>(label)) continue;
      const int need = label->fontMetrics().size(Qt::TextShowMnemonic, label->text()).width();
      if (need > label->contentsRect().width() + rounding)
        out << words_for(*label, label->text()) +
                   QString(": %1 of %2 pixels").arg(label->contentsRect().width()).arg(need);
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget); button && !button->text().isEmpty()) {
      const auto* tool = qobject_cast<const QToolButton*>(button);
      if (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly) continue;
      const bool known = tool || qobject_cast<const QPushButton*>(button) || qobject_cast<const QCheckBox*>(button) ||
                         qobject_cast<const QRadioButton*>(button);
      const int need = button->fontMetrics().size(Qt::TextShowMnemonic, button->text()).width();
      if (known && need > button->width() + rounding)
        out << words_for(*button, button->text()) + QString(": %1 of %2 pixels").arg(button->width()).arg(need);
    } else if (const auto* scroll = qobject_cast<const QScrollArea*>(widget)) {
      const bool sideways = scroll->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff;
      if (!sideways && scroll->widget() && scroll->widget()->width() > scroll->viewport()->width() + rounding)
        out << words_for(*scroll, scroll->objectName()) + QString(": %1 of %2 pixels: %3")
                                                              .arg(scroll->viewport()->width())
                                                              .arg(scroll->widget()->width())
                                                              .arg(too_wide(*scroll).join(", "));
    }
  }
  const auto apart = [&](const std::vector<const QWidget*>& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const QRect both = parts[i]->geometry() & parts[j]->geometry();
        if (both.width() > rounding && both.height() > rounding)
          out << words_for(*parts[i], parts[i]->accessibleName()) + " lies over " +
                     words_for(*parts[j], parts[j]->accessibleName());
      }
  };
  for (const QLayout* layout : window.findChildren<QLayout*>()) {
    if (qobject_cast<const QStackedLayout*>(layout) || layout->inherits("QMainWindowLayout")) continue;
    std::vector<const QWidget*> parts;
    for (int i = 0; i < layout->count(); ++i)
      if (const QWidget* part = layout->itemAt(i)->widget(); part && part->isVisibleTo(&window)) parts.push_back(part);
    apart(parts);
  }
  // Panes around a centre: a layout of its own kind, which squeezes them below what they need rather than grow the window.
  for (const QMainWindow* frame : window.findChildren<QMainWindow*>()) {
    std::vector<const QWidget*> parts;
    for (const QDockWidget* dock : frame->findChildren<QDockWidget*>(Qt::FindDirectChildrenOnly))
      if (dock->isVisibleTo(&window)) parts.push_back(dock);
    if (frame->centralWidget() && frame->centralWidget()->isVisibleTo(&window)) parts.push_back(frame->centralWidget());
    apart(parts);
    for (const QWidget* part : parts) {
      const int room = part->width(), need = part->minimumSizeHint().width();
      if (need > room + rounding && part->minimumWidth() == 0)
        out << words_for(*part, part->objectName()) + QString(": %1 of %2 pixels").arg(room).arg(need);
      if (!frame->rect().contains(part->geometry()))
        out << words_for(*part, part->objectName()) + " reaches out of the window";
    }
  }
  return out;
}

}  // namespace conoid::app::test
