// SPDX-License-Identifier: BSD-3-Clause
// The mesh pane: counts, size in metres and wavelengths, checks, quality, worst elements, groups to be assigned.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include <QWidget>

#include "app/forms/field_editor.hpp"
#include "app/look/theme.hpp"
#include "app/model/case_model.hpp"
#include "app/model/mesh_model.hpp"
#include "render/scene/field_scene.hpp"

class QComboBox;
class QGridLayout;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;
class QSpinBox;
class QVBoxLayout;

namespace conoid::app {

class StateDot;

/// A histogram as bars: red, amber and green by how usable such elements are, with the limits written below.
class QualityBars : public QWidget {
  Q_OBJECT
 public:
  explicit QualityBars(const Look& look, QWidget* parent = nullptr);
  void set_counts(std::vector<Index> counts);
  [[nodiscard]] QSize sizeHint() const override { return {240, 84}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Look& look_;
  std::vector<Index> counts_;
};

class MeshPanel : public QWidget {
  Q_OBJECT
 public:
  MeshPanel(CaseModel& model, MeshModel& mesh, const Look& look, QWidget* parent = nullptr);

  void set_unit(const QString& unit);
  /// Nodes a wavelength: edges of the longest element, its order counted, per wavelength; 0 when a number is missing.
  [[nodiscard]] double nodes_per_wavelength() const;
  /// Whether clicks in the picture, and the list of sides, choose faces for a group.
  void set_choosing(bool on);
  /// Chooses the side of the body at a place, up to its sharp edges, or takes it back.
  void choose_at(const conoid::Vec3& place);
  [[nodiscard]] const std::set<Index>& chosen() const { return chosen_; }
  /// The sides of the body as lines to be checked; empty until they have been found.
  [[nodiscard]] QListWidget& side_list() const { return *sides_; }

 signals:
  /// Show this field of the mesh ("group", "quality"), with marks.
  void field_wanted(const QString& field, const std::vector<conoid::Marker>& marks);
  /// Show this one group: its number in MeshPreview::group_names.
  void group_wanted(int number);
  /// Faces are (or no longer) chosen with the mouse.
  void choosing_changed(bool on);
  /// Show the faces with the chosen ones marked: the field mark_field is 1 there, a half on the side that is only looked at, and
  /// elsewhere not-a-number. A mark stands on the side that is looked at.
  void faces_wanted(const std::shared_ptr<const conoid::Frame>& frame, const std::vector<conoid::Marker>& marks);
  /// Go to a place of the case.
  void place_wanted(const QString& pointer);

 private:
  void add_figures();  ///< and checks
  void add_waves();
  void add_quality();  ///< and groups
  void add_again();
  void listen();
  void refresh();
  void refresh_waves();
  /// The unit that lengths are shown in.
  [[nodiscard]] double metres_a_unit() const;
  void fill_figures(const MeshPreview& mesh);
  void fill_checks(const MeshPreview& mesh);
  void fill_groups(const MeshPreview& mesh);
  void mesh_geometry();
  void fill_again(const MeshPreview& mesh);
  void fill_worst(const MeshPreview& mesh);
  /// The keys of the case by which a surface is repaired and placed, as the form of the case has them.
  void make_repair();
  QWidget* make_chooser();
  void show_chosen();
  void show_sides();
  void choose_side(Index side, bool on);
  QWidget* make_box(const QString& title, QVBoxLayout** column);
  void add_check(bool good, const QString& text, const QString& detail = {});

  CaseModel& model_;
  MeshModel& mesh_;
  const Look& look_;
  FormContext context_;
  QLabel* note_;
  QPushButton* first_;  ///< meshes a geometry that has no mesh yet
  QScrollArea* scroll_;
  QWidget* content_;
  QGridLayout* figures_;
  QComboBox* unit_;
  QVBoxLayout* checks_;
  QWidget* repair_box_;
  QVBoxLayout* repair_;
  FieldEditor* repair_form_ = nullptr;  ///< none without a case that takes a mesh
  QualityBars* bars_;
  QLabel* quality_text_;
  QVBoxLayout* worst_;
  QLineEdit* frequency_;
  QLineEdit* speed_;
  QLabel* waves_;
  StateDot* waves_dot_;
  QVBoxLayout* groups_;
  QPushButton* waves_show_;
  QWidget *again_box_, *by_size_;
  QPushButton *finer_, *coarser_;
  QLabel* again_note_;
  QLineEdit* size_;
  QPushButton *choose_, *make_group_;
  QWidget* chooser_;
  QLabel* chosen_text_;
  QSpinBox* angle_;
  QLineEdit* group_name_;
  QListWidget* sides_;
  std::set<Index> chosen_;  ///< cells of MeshSides::faces
  QString size_of_;         ///< the file, and its unit, whose longest edge stands in size_
};

}  // namespace conoid::app
