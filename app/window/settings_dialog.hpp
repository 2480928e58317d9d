// SPDX-License-Identifier: BSD-3-Clause
// Settings, each taken over at once: colours, size of text, language, units, who computes, memory, recovery, motion, folder.
#pragma once

#include <QDialog>

#include "app/model/compute_place.hpp"
#include "app/model/settings.hpp"

class QComboBox;
class QFormLayout;
class QLabel;

namespace conoid::app {

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  SettingsDialog(Settings& settings, Look& look, QWidget* parent = nullptr);
  /// Offers the devices that were found; `chosen` is what the settings say.
  void show_devices(const FarEnd& found, const QString& chosen);
  [[nodiscard]] QComboBox& workers() { return *workers_; }

 signals:
  void changed();  ///< anything that the window must take over

 private:
  QComboBox* add_choice(const QString& name, const QString& tip);
  void add_look();
  void offer_fonts(QComboBox* font);
  void add_words();  ///< language and units
  void add_workers();
  void add_memory();
  void add_habits();  ///< recovery and motion
  void add_folder();

  Settings& settings_;
  Look& look_;
  QFormLayout* form_;
  QComboBox* workers_;
  QLabel* workers_note_;
};

}  // namespace conoid::app
