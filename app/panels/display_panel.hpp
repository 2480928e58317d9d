// SPDX-License-Identifier: BSD-3-Clause
// How a field is shown: colours, cut planes, iso-surfaces, sides of cells, clipping, warp, arrows, labels.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include <QScrollArea>
#include <QTimer>
#include <QVariant>

#include "app/look/theme.hpp"
#include "render/scene/field_scene.hpp"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace conoid::app {
class RecipeEditor;
}

namespace conoid::app {

/// Edits a FieldView; shows only what makes a difference for the frame at hand.
class DisplayPanel : public QScrollArea {
  Q_OBJECT
 public:
  explicit DisplayPanel(const Look& look, QWidget* parent = nullptr);
  /// Takes over a view, and what the frame holds.
  void show_view(const FieldView& view, const Frame* frame, FieldKind kind);
  /// Lays the choices made here since show_view() over that view. What nobody touched stays as it was: it may be finer than a slider, or
  /// nothing that can be chosen here.
  void apply_to(FieldView& view) const;
  [[nodiscard]] RecipeEditor& recipe() { return *recipe_; }
  /// Offers a frame with all points of the volume where this one has fewer; `kept`: the case asks for them already.
  void offer_whole(double points, bool kept);
  /// Texts in the picture, one a line: "0.5, 0, -30cm = the door".
  [[nodiscard]] QPlainTextEdit& annotations() { return *annotations_; }

 signals:
  void changed();
  /// All points of the volume are to be kept by the next run.
  void whole_wanted();

 private:
  /// A choice is described once: what its widgets show of a view, in which state they are, and what that state makes of a view.
  struct Choice {
    std::function<void(const FieldView&)> show;
    std::function<QVariant()> state;
    std::function<void(FieldView&)> apply;
    QVariant shown{};  ///< the state after the last show()
  };
  void describe_map();
  void describe_planes();
  void describe_iso();
  /// Values that were typed, as far as they can be read; what cannot is told below them.
  std::vector<double> typed_iso_values() const;
  void show_annotations(const FieldView& view);
  /// What was typed, as far as it can be read; the first line that cannot is told below it.
  std::vector<Annotation> typed_annotations() const;
  void make_annotations(QVBoxLayout* column);
  void describe_volume();
  void describe_surface();
  void describe_vectors();
  void describe(QCheckBox* box, bool FieldView::*member);
  void describe(QComboBox* combo, std::string FieldView::*member);
  QWidget* make_section(const QString& title, QVBoxLayout** column);
  QSlider* make_slider(const QString& name);
  void fill_maps(FieldKind kind);
  void make_colours(QVBoxLayout* column);
  void make_cuts(QVBoxLayout* column);     ///< planes, iso-surface
  void make_surface(QVBoxLayout* column);  ///< sides, opacity, clip
  void make_vectors(QVBoxLayout* column);  ///< movement, arrows

  const Look& look_;
  QWidget* planes_box_;
  QWidget* iso_box_;
  QWidget* surface_box_;
  QWidget* warp_box_;
  QWidget* arrows_box_;
  QComboBox* map_;
  QComboBox* map_steps_;
  QCheckBox* map_reversed_;
  QCheckBox* map_log_;
  QCheckBox* map_symmetric_;
  RecipeEditor* recipe_;
  QPushButton* whole_;
  QCheckBox* mesh_cuts_;
  std::array<QCheckBox*, 3> plane_{};
  std::array<QSlider*, 3> plane_at_{};
  QCheckBox* iso_;
  QSlider* iso_at_;
  QLabel* iso_text_;
  QLineEdit* iso_values_;
  QLabel* iso_note_;
  std::string unit_ = "1";  ///< of the field that is shown
  QWidget* volume_box_;
  QCheckBox* volume_;
  QSlider* volume_at_;
  QCheckBox* edges_;
  QCheckBox* smooth_;
  QSlider* opacity_;
  QCheckBox* clip_;
  QComboBox* clip_side_;
  QSlider* clip_at_;
  QComboBox* warp_;
  QLineEdit* warp_scale_;
  QComboBox* arrows_;
  QSlider* arrow_count_;
  QCheckBox* streamlines_;
  QPlainTextEdit* annotations_;
  QLabel* annotations_note_;
  QTimer typing_;
  QCheckBox* bar_;
  QCheckBox* outline_;
  QCheckBox* lengths_;
  QCheckBox* triad_;
  QCheckBox* caption_;
  std::vector<Choice> choices_;
  QString map_kind_, warp_key_, arrows_key_;
};

}  // namespace conoid::app
