// SPDX-License-Identifier: BSD-3-Clause
// Asks how a picture or a film is to be: size, background, legend, file.
#pragma once

#include <optional>

#include <QDialog>
#include <QSize>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;

namespace conoid::app {

enum class Background { white, window, transparent };

struct CaptureChoice {
  QSize size{1920, 1080};
  double scale = 1;  ///< how big texts and lines are: device pixels for one logical pixel
  Background background = Background::white;
  bool legend = true;
  int pictures_per_second = 15;  ///< films
  QString ending = "png";        ///< films: png (numbered pictures), mp4, webm
};

class CaptureDialog : public QDialog {
  Q_OBJECT
 public:
  /// `on_screen`: the size of the picture at hand. `frames` > 0 asks for a film of so many pictures.
  CaptureDialog(QSize on_screen, int frames, QWidget* parent);
  [[nodiscard]] CaptureChoice choice() const;

 private:
  void refresh();
  int frames_;
  QComboBox* size_;
  QSpinBox* width_;
  QSpinBox* height_;
  QComboBox* scale_;
  QComboBox* background_;
  QCheckBox* legend_;
  QComboBox* format_ = nullptr;
  QSpinBox* speed_ = nullptr;
  QLabel* note_;
};

}  // namespace conoid::app
