// SPDX-License-Identifier: BSD-3-Clause
// What the pages of tables (runs, jobs) and dialogs have alike: margins, heads, the side beside a table, how a table behaves.
#pragma once

#include <QAbstractItemView>

class QHBoxLayout;
class QLabel;
class QTableView;
class QVBoxLayout;

namespace conoid::app {

/// The column of a page or a dialog, with its margins.
[[nodiscard]] QVBoxLayout* make_page_column(QWidget* page, int spacing = 12);
/// A page's head at the top of its column: the title at the left, room for buttons at the right, which `head` gets.
[[nodiscard]] QWidget* make_table_page(const QString& title, QVBoxLayout** column, QHBoxLayout** head, QWidget* parent);
/// The surface beside a table, as wide on every page.
[[nodiscard]] QWidget* make_side_page(QVBoxLayout** column, QWidget* parent);
/// A line below a table that can be copied; empty at first.
[[nodiscard]] QLabel* make_table_note(QWidget* parent);
/// A table of rows that are chosen whole and not edited, without lines, on which Tab leaves.
void make_calm(QTableView& table, QAbstractItemView::SelectionMode mode = QAbstractItemView::SingleSelection);

}  // namespace conoid::app
