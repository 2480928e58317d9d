// SPDX-License-Identifier: BSD-3-Clause
// Pages of tables, put together.
#include "app/look/table_page.hpp"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"

namespace conoid::app {

QVBoxLayout* make_page_column(QWidget* page, int spacing) {
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(spacing);
  return column;
}

QWidget* make_table_page(const QString& title, QVBoxLayout** column, QHBoxLayout** head, QWidget* parent) {
  auto* page = new QWidget(parent);
  *column = make_page_column(page);
  *head = new QHBoxLayout;
  (*head)->setSpacing(8);
  (*head)->addWidget(make_label(title, "title", page));
  (*head)->addStretch(1);
  (*column)->addLayout(*head);
  return page;
}

QWidget* make_side_page(QVBoxLayout** column, QWidget* parent) {
  constexpr int width = 376;
  auto* side = new QWidget(parent);
  side->setObjectName("surface");
  side->setAttribute(Qt::WA_StyledBackground);
  side->setFixedWidth(width);
  *column = make_page_column(side);
  return side;
}

QLabel* make_table_note(QWidget* parent) {
  auto* note = make_label({}, "small", parent);
  note->setWordWrap(true);
  note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return note;
}

void make_calm(QTableView& table, QAbstractItemView::SelectionMode mode) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(mode);
  table.setEditTriggers(QAbstractItemView::NoEditTriggers);
  table.setShowGrid(false);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.horizontalHeader()->setHighlightSections(false);
  table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace conoid::app
