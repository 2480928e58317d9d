// SPDX-License-Identifier: BSD-3-Clause
// The buttons below a dialog: one that does what it was opened for, and "Cancel".
#pragma once

#include <QString>

class QDialog;
class QDialogButtonBox;
class QPushButton;
class QVBoxLayout;

namespace conoid::app {

struct DialogButtons {
  QDialogButtonBox* box;  ///< its accepted() is for who wants to look before the dialog closes
  QPushButton* act;       ///< the default button
};

/// Whether the act accepts the dialog at once, or somebody asks first.
enum class Acts : bool { at_once, asks };

/// Adds them at the end of `column`, and whose they are is `dialog`. "Cancel" rejects it.
DialogButtons add_dialog_buttons(QDialog& dialog, QVBoxLayout& column, const QString& act, Acts acts = Acts::at_once);

}  // namespace conoid::app
