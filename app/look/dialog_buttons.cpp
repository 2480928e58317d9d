// SPDX-License-Identifier: BSD-3-Clause
// The two buttons.
#include "app/look/dialog_buttons.hpp"

#include <QDialog>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/look/theme.hpp"

namespace conoid::app {

DialogButtons add_dialog_buttons(QDialog& dialog, QVBoxLayout& column, const QString& act, Acts acts) {
  auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, &dialog);
  QPushButton* button = box->button(QDialogButtonBox::Ok);
  button->setText(act);
  button->setDefault(true);
  set_role(button, "primary");
  box->button(QDialogButtonBox::Cancel)->setText(QDialog::tr("Cancel"));
  column.addWidget(box);
  QObject::connect(box, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  if (acts == Acts::at_once) QObject::connect(box, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  return {box, button};
}

}  // namespace conoid::app
