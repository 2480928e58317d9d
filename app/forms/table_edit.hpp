// SPDX-License-Identifier: BSD-3-Clause
// A list of the case as a table: cells are typed, copied, pasted from a spreadsheet; every step can be undone.
#pragma once

#include <vector>

#include <QAbstractTableModel>
#include <QDialog>

#include "app/forms/field_editor.hpp"
#include "app/forms/paste_rows.hpp"

class QLabel;
class QPushButton;
class QTableView;

namespace conoid::app {

/// The list at a pointer of the case; keeps nothing, reads and writes the case.
class ListTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  ListTable(const FormContext& context, std::string pointer, Json items_node, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  /// One undoable step each.
  void add_row();
  void remove(const std::vector<int>& rows);
  /// Cells of a spreadsheet from (row, column) on; rows that are not there yet are made. What it could not use, as a
  /// sentence; empty when all went in.
  QString paste(int row, int column, const QString& text);
  [[nodiscard]] QString copy(const QModelIndexList& cells) const;

 private:
  [[nodiscard]] Json list() const;
  [[nodiscard]] std::string place(int row, const TableColumn& column) const;
  /// Puts a text into an element; false when the column cannot take it.
  bool put(Json& element, const TableColumn& column, const QString& text) const;
  void write(Json list, const QString& what);
  void refresh();
  const FormContext& context_;
  std::string pointer_;
  Json node_;
  std::vector<TableColumn> columns_;
  int rows_ = 0;
};

class TableDialog : public QDialog {
  Q_OBJECT
 public:
  TableDialog(const FormContext& context, const std::string& pointer, const Json& items_node, const QString& title,
              QWidget* parent = nullptr);
  [[nodiscard]] QTableView& view() { return *view_; }
  [[nodiscard]] ListTable& table() { return *table_; }
  void paste_clipboard();
  void copy_cells();

 private:
  void refresh_note();
  const FormContext& context_;
  std::string pointer_;
  ListTable* table_;
  QTableView* view_;
  QLabel* note_;
  QString trouble_;
};

}  // namespace conoid::app
