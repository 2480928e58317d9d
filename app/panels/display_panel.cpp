// SPDX-License-Identifier: BSD-3-Clause
// How a field is shown.
#include "app/panels/display_panel.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/panels/recipe_editor.hpp"
#include "render/scene/color_map.hpp"

namespace conoid::app {
namespace {

constexpr int steps = 200;  // of a slider from end to end
constexpr int panel_width = 248;

double share(const QSlider* slider) {
  return static_cast<double>(slider->value()) / steps;
}
int place(double share) {
  return static_cast<int>(share * steps + 0.5);
}

struct Holds {
  bool grid = false;     ///< a grid with three extents
  bool surface = false;  ///< any mesh
  bool volume = false;   ///< a mesh with volume cells
  QStringList vectors;   ///< names of vector fields
  QStringList movable;   ///< point fields of meshes
  QHash<QString, QString> labels;
};

Holds look_into(const Frame& frame) {
  Holds out;
  for (const FramePart& part : frame.parts) {
    const auto* mesh = std::get_if<MeshGeometry>(&part.geometry);
    if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry))
      out.grid = out.grid || (grid->points[0] > 1 && grid->points[1] > 1 && grid->points[2] > 1);
    if (mesh) {
      out.surface = true;
      constexpr std::uint8_t tet = 10, hex = 12, tet10 = 24, hex20 = 25, hex27 = 29;  // VTK's cell types
      if (mesh->types)
        out.volume = out.volume || std::any_of(mesh->types->begin(), mesh->types->end(), [](std::uint8_t t) {
                       return t == tet || t == hex || t == tet10 || t == hex20 || t == hex27 || t == 72;
                     });
    }
    for (const Field& field : part.fields) {
      const QString name = QString::fromStdString(field.info.name);
      out.labels[name] =
          field.info.label.empty() ? translated(words_of(field.info.name)) : translated(field.info.label);
      if (field.info.components == 3 && !out.vectors.contains(name)) out.vectors << name;
      if (mesh && field.info.association == Association::point && !out.movable.contains(name)) out.movable << name;
    }
  }
  return out;
}

void fill(QComboBox* combo, const QStringList& names, const QHash<QString, QString>& labels, const std::string& chosen,
          QString& key) {
  const QString now = names.join(';');
  const QSignalBlocker quiet(combo);
  if (key != now || combo->count() == 0) {
    key = now;
    combo->clear();
    combo->addItem(QObject::tr("None"), QString());
    for (const QString& name : names) combo->addItem(labels.value(name, name), name);
  }
  combo->setCurrentIndex(std::max(0, combo->findData(QString::fromStdString(chosen))));
}

}  // namespace

DisplayPanel::DisplayPanel(const Look& look, QWidget* parent) : QScrollArea(parent), look_(look) {
  setObjectName("displayPanel");
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFixedWidth(panel_width);
  setAccessibleName(tr("How the field is shown"));
  setAccessibleDescription(tr("Colours, planes, surfaces, arrows and labels of the picture"));
  auto* scrolled = new QWidget;
  scrolled->setObjectName("surface");
  scrolled->setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(scrolled);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(16);
  setWidget(scrolled);

  QVBoxLayout* inner = nullptr;
  column->addWidget(make_section(tr("Colours"), &inner));
  make_colours(inner);

  make_cuts(column);
  make_surface(column);
  make_vectors(column);

  recipe_ = new RecipeEditor(this);
  column->addWidget(recipe_);
  connect(recipe_, &RecipeEditor::changed, this, &DisplayPanel::changed);

  column->addWidget(make_section(tr("Labels"), &inner));
  bar_ = new QCheckBox(tr("Colour bar"), this);
  caption_ = new QCheckBox(tr("Time"), this);
  outline_ = new QCheckBox(tr("Outline"), this);
  lengths_ = new QCheckBox(tr("Lengths"), this);
  triad_ = new QCheckBox(tr("Axes"), this);
  for (QCheckBox* box : {bar_, caption_, outline_, lengths_, triad_}) inner->addWidget(box);
  column->addStretch(1);

  for (QCheckBox* box : {map_reversed_, map_log_, map_symmetric_, mesh_cuts_, iso_, edges_, smooth_, clip_,
                         streamlines_, bar_, caption_, outline_, lengths_, triad_})
    connect(box, &QCheckBox::clicked, this, &DisplayPanel::changed);
  for (QComboBox* combo : {map_, map_steps_, clip_side_, warp_, arrows_})
    connect(combo, &QComboBox::activated, this, &DisplayPanel::changed);
  connect(warp_scale_, &QLineEdit::editingFinished, this, &DisplayPanel::changed);
}

void DisplayPanel::make_cuts(QVBoxLayout* column) {
  QVBoxLayout* inner = nullptr;
  planes_box_ = make_section(tr("Cut planes"), &inner);
  column->addWidget(planes_box_);
  mesh_cuts_ = new QCheckBox(tr("Cut the mesh open"), this);
  inner->addWidget(mesh_cuts_);
  auto* planes = new QGridLayout;
  planes->setSpacing(4);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    plane_[i] = new QCheckBox(QStringLiteral("xyz").mid(k, 1), this);
    plane_[i]->setAccessibleName(tr("Plane across %1").arg(plane_[i]->text()));
    plane_at_[i] = make_slider(tr("Position of the plane across %1").arg(plane_[i]->text()));
    planes->addWidget(plane_[i], k, 0);
    planes->addWidget(plane_at_[i], k, 1);
    connect(plane_[i], &QCheckBox::clicked, this, &DisplayPanel::changed);
  }
  planes->setColumnStretch(1, 1);
  inner->addLayout(planes);

  iso_box_ = make_section(tr("Iso-surface"), &inner);
  column->addWidget(iso_box_);
  auto* iso_row = new QGridLayout;
  iso_ = new QCheckBox(tr("Show"), this);
  iso_at_ = make_slider(tr("Level of the iso-surface"));
  iso_text_ = make_label({}, "small", this);
  iso_row->addWidget(iso_, 0, 0);
  iso_row->addWidget(iso_at_, 0, 1);
  iso_row->addWidget(iso_text_, 0, 2);
  iso_row->setColumnStretch(1, 1);
  inner->addLayout(iso_row);
}

void DisplayPanel::make_surface(QVBoxLayout* column) {
  QVBoxLayout* inner = nullptr;
  surface_box_ = make_section(tr("Surface"), &inner);
  column->addWidget(surface_box_);
  edges_ = new QCheckBox(tr("Sides of the cells"), this);
  inner->addWidget(edges_);
  smooth_ = new QCheckBox(tr("Smooth from cell to cell"), this);
  smooth_->setToolTip(tr("Colours between the cells' values, averaged at their corners; creases stay sharp"));
  inner->addWidget(smooth_);
  auto* surface = new QGridLayout;
  surface->setSpacing(4);
  opacity_ = make_slider(tr("Opacity"));
  surface->addWidget(make_label(tr("Opacity"), "muted", this), 0, 0);
  surface->addWidget(opacity_, 0, 1);
  clip_ = new QCheckBox(tr("Clip"), this);
  clip_at_ = make_slider(tr("Position of the clip plane"));
  clip_side_ = make_calm_combo(this);
  clip_side_->setAccessibleName(tr("Side that is taken away"));
  clip_side_->setAccessibleDescription(tr("The part of the body beyond the clip plane that is not drawn"));
  for (const char* side : {"+x", "-x", "+y", "-y", "+z", "-z"})
    clip_side_->addItem(QString(side).replace('-', QChar(0x2212)), QString(side));
  clip_side_->setCurrentIndex(3);
  surface->addWidget(clip_, 1, 0);
  surface->addWidget(clip_at_, 1, 1);
  surface->addWidget(clip_side_, 2, 1);
  surface->setColumnStretch(1, 1);
  inner->addLayout(surface);
}

void DisplayPanel::make_vectors(QVBoxLayout* column) {
  QVBoxLayout* inner = nullptr;
  warp_box_ = make_section(tr("Move the mesh by a field"), &inner);
  column->addWidget(warp_box_);
  warp_ = make_calm_combo(this);
  warp_->setAccessibleName(tr("Field that moves the mesh"));
  warp_->setAccessibleDescription(tr("A vector field: points are drawn where it carries them"));
  warp_scale_ = new QLineEdit(this);
  warp_scale_->setPlaceholderText(tr("scale: automatic"));
  warp_scale_->setAccessibleName(tr("Scale of the movement"));
  warp_scale_->setAccessibleDescription(tr("Times the field’s own length; empty: large enough to be seen"));
  inner->addWidget(warp_);
  inner->addWidget(warp_scale_);

  arrows_box_ = make_section(tr("Arrows"), &inner);
  column->addWidget(arrows_box_);
  arrows_ = make_calm_combo(this);
  arrows_->setAccessibleName(tr("Field drawn as arrows"));
  arrows_->setAccessibleDescription(tr("A vector field: arrows show its direction and strength"));
  arrow_count_ = make_slider(tr("How many arrows"));
  streamlines_ = new QCheckBox(tr("Lines along the flow"), this);
  inner->addWidget(arrows_);
  inner->addWidget(arrow_count_);
  inner->addWidget(streamlines_);
}

void DisplayPanel::make_colours(QVBoxLayout* column) {
  map_ = make_calm_combo(this);
  map_->setAccessibleName(tr("Colour map"));
  map_->setAccessibleDescription(tr("Automatic takes the one that fits the kind of field"));
  column->addWidget(map_);
  map_steps_ = make_calm_combo(this);
  map_steps_->setAccessibleName(tr("Bands of colour"));
  map_steps_->setAccessibleDescription(tr("A smooth map, or so many bands of one colour each"));
  map_steps_->addItem(tr("Smooth colours"), 0);
  for (const int count : {4, 6, 8, 10, 12, 16, 20}) map_steps_->addItem(tr("%1 bands").arg(count), count);
  column->addWidget(map_steps_);
  map_reversed_ = new QCheckBox(tr("Reversed colours"), this);
  map_symmetric_ = new QCheckBox(tr("Symmetric about zero"), this);
  map_log_ = new QCheckBox(tr("Logarithmic"), this);
  for (QCheckBox* box : {map_reversed_, map_symmetric_, map_log_}) column->addWidget(box);
}

QWidget* DisplayPanel::make_section(const QString& title, QVBoxLayout** column) {
  auto* box = new QWidget(widget());
  *column = new QVBoxLayout(box);
  (*column)->setContentsMargins(0, 0, 0, 0);
  (*column)->setSpacing(6);
  (*column)->addWidget(make_label(title, "section", box));
  return box;
}

QSlider* DisplayPanel::make_slider(const QString& name) {
  auto* slider = new QSlider(Qt::Horizontal, this);
  slider->setRange(0, steps);
  slider->setPageStep(steps / 10);
  slider->setAccessibleName(name);
  slider->setAccessibleDescription(tr("Arrow keys move it by a little, Page up and down by a tenth"));
  connect(slider, &QSlider::valueChanged, this, &DisplayPanel::changed);
  return slider;
}

void DisplayPanel::fill_maps(FieldKind kind) {
  const QString key = QString::number(static_cast<int>(kind));
  if (map_kind_ == key) return;
  map_kind_ = key;
  const QSignalBlocker quiet(map_);
  map_->clear();
  map_->addItem(tr("Automatic"), QString());
  for (const std::string& name : color_map_names())
    if (const auto map = find_color_map(name); map && map->kind() == kind)
      map_->addItem(translated(map->title().empty() ? name : map->title()), QString::fromStdString(name));
}

void DisplayPanel::show_view(const FieldView& view, const Frame* frame, FieldKind kind) {
  const QSignalBlocker quiet(this);
  const Holds holds = frame ? look_into(*frame) : Holds{};
  planes_box_->setVisible(holds.grid || holds.volume);
  mesh_cuts_->setVisible(holds.volume);
  iso_box_->setVisible(holds.grid);
  surface_box_->setVisible(holds.surface);
  warp_box_->setVisible(!holds.movable.isEmpty());
  arrows_box_->setVisible(!holds.vectors.isEmpty());
  fill_maps(kind);
  map_->setCurrentIndex(std::max(0, map_->findData(QString::fromStdString(view.color_map))));
  map_steps_->setCurrentIndex(std::max(0, map_steps_->findData(view.map_steps)));
  map_reversed_->setChecked(view.map_reversed);
  map_log_->setChecked(view.map_log);
  map_symmetric_->setChecked(view.map_symmetric);
  std::string unit = "1";
  if (frame)
    for (const FramePart& part : frame->parts)
      for (const Field& field : part.fields)
        if (field.info.name == view.field) unit = field.info.unit;
  recipe_->show_recipe(view.recipe, unit, holds.grid || holds.volume);
  mesh_cuts_->setChecked(view.mesh_cuts);
  for (std::size_t k = 0; k < 3; ++k) {
    plane_[k]->setChecked(view.cuts[k].visible);
    const QSignalBlocker still(plane_at_[k]);
    plane_at_[k]->setValue(place(view.cuts[k].position));
    plane_at_[k]->setEnabled(view.cuts[k].visible && (holds.grid || view.mesh_cuts));
    plane_[k]->setEnabled(holds.grid || view.mesh_cuts);
  }
  iso_->setChecked(!view.iso.empty());
  const QSignalBlocker iso_still(iso_at_), opacity_still(opacity_), clip_still(clip_at_), count_still(arrow_count_);
  if (!view.iso.empty())
    iso_at_->setValue(place(std::abs(view.iso.front())));
  else if (iso_at_->value() == 0)
    iso_at_->setValue(place(0.5));
  iso_at_->setEnabled(!view.iso.empty());
  iso_text_->setText(tr("%1 %").arg(qRound(100 * share(iso_at_))));
  edges_->setChecked(view.edges);
  smooth_->setChecked(view.smooth);
  opacity_->setValue(place(view.opacity));
  clip_->setChecked(view.clip.has_value());
  clip_at_->setEnabled(view.clip.has_value());
  clip_side_->setEnabled(view.clip.has_value());
  if (view.clip) {
    clip_at_->setValue(place(view.clip->position));
    for (int k = 0; k < 3; ++k)
      if (const double n = view.clip->normal[static_cast<std::size_t>(k)]; n != 0)
        clip_side_->setCurrentIndex(2 * k + (n < 0));
  } else if (clip_at_->value() == 0) {
    clip_at_->setValue(place(0.5));
  }
  fill(warp_, holds.movable, holds.labels, view.warp_field, warp_key_);
  warp_scale_->setEnabled(!view.warp_field.empty());
  warp_scale_->setVisible(!view.warp_field.empty());
  fill(arrows_, holds.vectors, holds.labels, view.arrow_field, arrows_key_);
  arrow_count_->setValue(place(std::clamp(view.arrows / 2000.0, 0.0, 1.0)));
  arrow_count_->setVisible(!view.arrow_field.empty());
  streamlines_->setVisible(!view.arrow_field.empty());
  streamlines_->setChecked(view.streamlines);
  bar_->setChecked(view.color_bar);
  caption_->setChecked(view.caption);
  outline_->setChecked(view.outline);
  outline_->setVisible(holds.grid);
  lengths_->setVisible(holds.grid);
  lengths_->setChecked(view.extents);
  triad_->setChecked(view.triad);
}

void DisplayPanel::apply_to(FieldView& view) const {
  view.color_map = map_->currentData().toString().toStdString();
  view.map_steps = map_steps_->currentData().toInt();
  view.map_reversed = map_reversed_->isChecked();
  view.map_log = map_log_->isChecked();
  view.map_symmetric = map_symmetric_->isChecked();
  recipe_->apply_to(view.recipe);
  view.mesh_cuts = mesh_cuts_->isChecked();
  for (std::size_t k = 0; k < 3; ++k) view.cuts[k] = {plane_[k]->isChecked(), share(plane_at_[k])};
  view.iso.clear();
  if (iso_->isChecked()) view.iso = {share(iso_at_), -share(iso_at_)};
  view.edges = edges_->isChecked();
  view.smooth = smooth_->isChecked();
  view.opacity = std::max(share(opacity_), 0.05);
  view.clip.reset();
  if (clip_->isChecked()) {
    ClipPlane clip;
    clip.normal = {0, 0, 0};
    const int side = std::max(0, clip_side_->currentIndex());
    clip.normal[static_cast<std::size_t>(side / 2)] = side % 2 == 0 ? 1 : -1;
    clip.position = share(clip_at_);
    view.clip = clip;
  }
  view.warp_field = warp_->currentData().toString().toStdString();
  view.warp_scale = warp_scale_->text().toDouble();
  view.arrow_field = arrows_->currentData().toString().toStdString();
  view.arrows = std::max(50, static_cast<int>(2000 * share(arrow_count_)));
  view.streamlines = streamlines_->isChecked();
  view.color_bar = bar_->isChecked();
  view.caption = caption_->isChecked();
  view.outline = outline_->isChecked();
  view.extents = lengths_->isChecked();
  view.triad = triad_->isChecked();
}

}  // namespace conoid::app
