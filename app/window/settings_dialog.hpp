// SPDX-License-Identifier: BSD-3-Clause
// Settings: look, language, units, memory, autosave, folder of runs.
#pragma once

#include <QDialog>

#include "app/look/theme.hpp"
#include "app/model/settings.hpp"

namespace conoid::app {

/// Every change holds at once (the language at the next start, which the dialog says).
class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  SettingsDialog(Settings& settings, Look& look, QWidget* parent = nullptr);

 signals:
  void changed();
};

}  // namespace conoid::app
