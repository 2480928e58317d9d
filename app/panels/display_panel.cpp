// SPDX-License-Identifier: BSD-3-Clause
// How a field is shown.
#include "app/panels/display_panel.hpp"

#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "app/panels/recipe_editor.hpp"
#include "engine/core/units.hpp"
#include "render/scene/annotation.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/iso_levels.hpp"

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

void fill(QComboBox* combo, const QStringList& names, const QHash<QString, QString>& labels, QString& key) {
  const QString now = names.join(';');
  const QSignalBlocker quiet(combo);
  if (key == now && combo->count() > 0) return;
  key = now;
  combo->clear();
  combo->addItem(QObject::tr("None"), QString());
  for (const QString& name : names) combo->addItem(labels.value(name, name), name);
}

void show_place(QSlider* slider, double share) {
  const QSignalBlocker still(slider);
  slider->setValue(place(share));
}

constexpr double most_arrows = 2000;
constexpr double least_opacity = 0.05;

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

  make_annotations(column);
  column->addWidget(make_section(tr("Labels"), &inner));
  bar_ = new QCheckBox(tr("Colour bar"), this);
  caption_ = new QCheckBox(tr("Time"), this);
  outline_ = new QCheckBox(tr("Outline"), this);
  lengths_ = new QCheckBox(tr("Lengths"), this);
  triad_ = new QCheckBox(tr("Axes"), this);
  for (QCheckBox* box : {bar_, caption_, outline_, lengths_, triad_}) inner->addWidget(box);
  column->addStretch(1);

  for (QCheckBox* box : {map_reversed_, map_log_, map_symmetric_, mesh_cuts_, iso_, volume_, edges_, smooth_, clip_,
                         streamlines_, bar_, caption_, outline_, lengths_, triad_})
    connect(box, &QCheckBox::clicked, this, &DisplayPanel::changed);
  for (QComboBox* combo : {map_, map_steps_, clip_side_, warp_, arrows_})
    connect(combo, &QComboBox::activated, this, &DisplayPanel::changed);
  connect(warp_scale_, &QLineEdit::editingFinished, this, &DisplayPanel::changed);
  connect(iso_values_, &QLineEdit::editingFinished, this, [this] {
    if (!iso_values_->isModified()) return;
    iso_values_->setModified(false);
    iso_->setChecked(iso_->isChecked() ||
                     !iso_values_->text().trimmed().isEmpty());  // who types a value wants to see it
    emit changed();
  });
  describe_map();
  describe_planes();
  describe_iso();
  describe_volume();
  describe_surface();
  describe_vectors();
  describe(bar_, &FieldView::color_bar);
  describe(caption_, &FieldView::caption);
  describe(outline_, &FieldView::outline);
  describe(lengths_, &FieldView::extents);
  describe(triad_, &FieldView::triad);
}

void DisplayPanel::describe(QCheckBox* box, bool FieldView::*member) {
  choices_.push_back({[=](const FieldView& view) { box->setChecked(view.*member); },
                      [=] { return QVariant(box->isChecked()); },
                      [=](FieldView& view) { view.*member = box->isChecked(); }});
}

void DisplayPanel::describe(QComboBox* combo, std::string FieldView::*member) {
  choices_.push_back({[=](const FieldView& view) {
                        combo->setCurrentIndex(std::max(0, combo->findData(QString::fromStdString(view.*member))));
                      },
                      [=] { return combo->currentData(); },
                      [=](FieldView& view) { view.*member = combo->currentData().toString().toStdString(); }});
}

void DisplayPanel::describe_map() {
  describe(map_, &FieldView::color_map);
  choices_.push_back({[this](const FieldView& view) {
                        map_steps_->setCurrentIndex(std::max(0, map_steps_->findData(view.map_steps)));
                      },
                      [this] { return map_steps_->currentData(); },
                      [this](FieldView& view) { view.map_steps = map_steps_->currentData().toInt(); }});
  describe(map_reversed_, &FieldView::map_reversed);
  describe(map_log_, &FieldView::map_log);
  describe(map_symmetric_, &FieldView::map_symmetric);
}

void DisplayPanel::describe_planes() {
  describe(mesh_cuts_, &FieldView::mesh_cuts);
  for (std::size_t k = 0; k < 3; ++k) {
    choices_.push_back({[this, k](const FieldView& view) { plane_[k]->setChecked(view.cuts[k].visible); },
                        [this, k] { return QVariant(plane_[k]->isChecked()); },
                        [this, k](FieldView& view) { view.cuts[k].visible = plane_[k]->isChecked(); }});
    choices_.push_back({[this, k](const FieldView& view) { show_place(plane_at_[k], view.cuts[k].position); },
                        [this, k] { return QVariant(plane_at_[k]->value()); },
                        [this, k](FieldView& view) { view.cuts[k].position = share(plane_at_[k]); }});
  }
}

void DisplayPanel::describe_iso() {
  choices_.push_back({[this](const FieldView& view) {
                        iso_->setChecked(!view.iso.empty() || !view.iso_values.empty());
                        if (!view.iso.empty())
                          show_place(iso_at_, std::abs(view.iso.front()));
                        else if (iso_at_->value() == 0)
                          show_place(iso_at_, 0.5);
                        // What is typed stays while it is written, and for the next time that surfaces are wished for.
                        if (iso_values_->hasFocus() || !iso_->isChecked() || view.iso_values == typed_iso_values())
                          return;
                        QStringList words;
                        for (const double value : view.iso_values)
                          words += in_figures(QString::fromStdString(format_quantity(value, unit_, 6)));
                        iso_values_->setText(words.join("; "));
                        typed_iso_values();
                      },
                      [this] {
                        return QVariant(QStringList{QString::number(iso_->isChecked() ? iso_at_->value() : -1),
                                                    iso_->isChecked() ? iso_values_->text() : QString()});
                      },
                      [this](FieldView& view) {
                        view.iso.clear();
                        view.iso_values.clear();
                        if (!iso_->isChecked()) return;
                        view.iso_values = typed_iso_values();
                        if (view.iso_values.empty()) view.iso = {share(iso_at_), -share(iso_at_)};
                      }});
}

std::vector<double> DisplayPanel::typed_iso_values() const {
  std::vector<double> out;
  QString trouble;
  for (const QString& text : iso_values_->text().split(';', Qt::SkipEmptyParts)) {
    if (text.trimmed().isEmpty()) continue;
    const auto value = parse_iso_value(typed_text(text.trimmed()).toStdString(), unit_);
    if (value)
      out.push_back(*value);
    else if (trouble.isEmpty())
      trouble = translated(value.error().text);
  }
  iso_note_->setText(trouble);
  iso_note_->setVisible(!trouble.isEmpty());
  return out;
}

void DisplayPanel::describe_volume() {
  choices_.push_back({[this](const FieldView& view) {
                        volume_->setChecked(view.volume > 0);
                        if (view.volume > 0)
                          show_place(volume_at_, view.volume);
                        else if (volume_at_->value() == 0)
                          show_place(volume_at_, 0.5);
                      },
                      [this] { return QVariant(volume_->isChecked() ? volume_at_->value() : -1); },
                      [this](FieldView& view) {
                        // Planes would hide it: they go when it comes, and are back when it goes.
                        const bool before = view.volume > 0;
                        view.volume = volume_->isChecked() ? std::max(share(volume_at_), least_opacity) : 0;
                        if (before != (view.volume > 0))
                          for (CutPlane& cut : view.cuts) cut.visible = before;
                      }});
}

void DisplayPanel::describe_surface() {
  describe(edges_, &FieldView::edges);
  describe(smooth_, &FieldView::smooth);
  choices_.push_back({[this](const FieldView& view) { show_place(opacity_, view.opacity); },
                      [this] { return QVariant(opacity_->value()); },
                      [this](FieldView& view) { view.opacity = std::max(share(opacity_), least_opacity); }});
  const auto side = [this](const FieldView& view) {
    if (view.clip)
      for (int k = 0; k < 3; ++k)
        if (const double n = view.clip->normal[static_cast<std::size_t>(k)]; n != 0)
          clip_side_->setCurrentIndex(2 * k + (n < 0));
  };
  const auto chosen_side = [this] { return QVariant(clip_->isChecked() ? clip_side_->currentIndex() : -1); };
  choices_.push_back({[this, side](const FieldView& view) {
                        clip_->setChecked(view.clip.has_value());
                        side(view);
                      },
                      chosen_side,
                      [this](FieldView& view) {
                        if (!clip_->isChecked()) return view.clip.reset();
                        if (!view.clip) view.clip = ClipPlane{{}, share(clip_at_)};
                        const int chosen = std::max(0, clip_side_->currentIndex());
                        view.clip->normal = {0, 0, 0};
                        view.clip->normal[static_cast<std::size_t>(chosen / 2)] = chosen % 2 == 0 ? 1 : -1;
                      }});
  choices_.push_back({[this](const FieldView& view) {
                        if (view.clip)
                          show_place(clip_at_, view.clip->position);
                        else if (clip_at_->value() == 0)
                          show_place(clip_at_, 0.5);
                      },
                      [this] { return QVariant(clip_at_->value()); },
                      [this](FieldView& view) {
                        if (view.clip) view.clip->position = share(clip_at_);
                      }});
}

void DisplayPanel::describe_vectors() {
  describe(warp_, &FieldView::warp_field);
  choices_.push_back({[this](const FieldView& view) {
                        warp_scale_->setText(view.warp_scale == 0 ? QString()
                                                                  : QString::number(view.warp_scale, 'g', 6));
                      },
                      [this] { return QVariant(warp_scale_->text()); },
                      [this](FieldView& view) { view.warp_scale = typed_text(warp_scale_->text()).toDouble(); }});
  describe(arrows_, &FieldView::arrow_field);
  choices_.push_back(
      {[this](const FieldView& view) { show_place(arrow_count_, std::clamp(view.arrows / most_arrows, 0.0, 1.0)); },
       [this] { return QVariant(arrow_count_->value()); },
       [this](FieldView& view) { view.arrows = std::max(50, static_cast<int>(most_arrows * share(arrow_count_))); }});
  describe(streamlines_, &FieldView::streamlines);
}

void DisplayPanel::make_annotations(QVBoxLayout* column) {
  QVBoxLayout* inner = nullptr;
  column->addWidget(make_section(tr("Texts in the picture"), &inner));
  annotations_ = new QPlainTextEdit(this);
  const QString example = in_figures(QStringLiteral("0.5, 0, -0.3 = %1")).arg(tr("the door"));
  annotations_->setPlaceholderText(example);
  annotations_->setAccessibleName(tr("Texts in the picture: place and text"));
  annotations_->setAccessibleDescription(tr("One a line, for example %1").arg(example));
  annotations_->setToolTip(
      tr("One a line, for example %1; or a click with the right button in the picture").arg(example));
  annotations_->setTabChangesFocus(true);
  annotations_->setLineWrapMode(QPlainTextEdit::NoWrap);
  constexpr int height = 72;
  annotations_->setFixedHeight(height);
  inner->addWidget(annotations_);
  annotations_note_ = make_label({}, "bad", this);
  annotations_note_->setWordWrap(true);
  annotations_note_->hide();
  inner->addWidget(annotations_note_);
  typing_.setSingleShot(true);
  constexpr int wait_ms = 500;
  typing_.setInterval(wait_ms);
  connect(&typing_, &QTimer::timeout, this, &DisplayPanel::changed);
  connect(annotations_, &QPlainTextEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
}

std::vector<Annotation> DisplayPanel::typed_annotations() const {
  std::vector<Annotation> out;
  annotations_note_->hide();
  for (const QString& line : annotations_->toPlainText().split('\n')) {
    if (line.trimmed().isEmpty()) continue;
    const qsizetype equal = line.indexOf('=');
    const QString place = typed_list(equal < 0 ? line : line.left(equal)).join(", ");
    auto read = parse_annotation((place + (equal < 0 ? QString() : line.mid(equal))).toStdString());
    if (read) {
      out.push_back(std::move(read).value());
    } else if (annotations_note_->isHidden()) {
      annotations_note_->setText(tr("\"%1\": a place x, y, z, then =, then the text").arg(line.trimmed()));
      annotations_note_->show();
    }
  }
  return out;
}

void DisplayPanel::show_annotations(const FieldView& view) {
  // What somebody is typing is not written over.
  if (typing_.isActive() || typed_annotations() == view.annotations) return;
  QStringList lines;
  for (const Annotation& a : view.annotations) {
    const QString line = QString::fromStdString(annotation_text(a));
    const qsizetype equal = line.indexOf('=');
    lines << in_figures(line.left(equal)) + line.mid(equal);
  }
  const QSignalBlocker quiet(annotations_);
  annotations_->setPlainText(lines.join('\n'));
  annotations_note_->hide();
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
  whole_ = new QPushButton(this);
  whole_->setAccessibleDescription(tr("The frame has fewer points of the volume than were computed"));
  whole_->hide();
  inner->addWidget(whole_);
  connect(whole_, &QPushButton::clicked, this, &DisplayPanel::whole_wanted);

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
  iso_values_ = new QLineEdit(this);
  iso_values_->setPlaceholderText(tr("or values: 2 kPa; -2 kPa"));
  iso_values_->setAccessibleName(tr("Values of the iso-surfaces"));
  iso_values_->setAccessibleDescription(tr("With units or in those of the field; several are parted by semicolons"));
  iso_values_->setToolTip(tr("With units or in those of the field; several are parted by semicolons"));
  inner->addWidget(iso_values_);
  iso_note_ = make_label({}, "bad", this);
  iso_note_->setWordWrap(true);
  iso_note_->hide();
  inner->addWidget(iso_note_);

  volume_box_ = make_section(tr("Volume rendering"), &inner);
  column->addWidget(volume_box_);
  auto* volume_row = new QGridLayout;
  volume_ = new QCheckBox(tr("Show"), this);
  volume_->setAccessibleName(tr("Volume rendering"));
  volume_->setToolTip(tr("The whole grid at once: opaque where values are large, clear at zero"));
  volume_at_ = make_slider(tr("Opacity of the volume"));
  volume_row->addWidget(volume_, 0, 0);
  volume_row->addWidget(volume_at_, 0, 1);
  volume_row->setColumnStretch(1, 1);
  inner->addLayout(volume_row);
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
  iso_box_->setVisible(holds.grid || holds.volume);
  volume_box_->setVisible(holds.grid);
  surface_box_->setVisible(holds.surface);
  warp_box_->setVisible(!holds.movable.isEmpty());
  arrows_box_->setVisible(!holds.vectors.isEmpty());
  fill_maps(kind);
  fill(warp_, holds.movable, holds.labels, warp_key_);
  fill(arrows_, holds.vectors, holds.labels, arrows_key_);
  unit_ = "1";
  std::string unit = "1";
  if (frame)
    for (const FramePart& part : frame->parts)
      for (const Field& field : part.fields)
        if (field.info.name == view.field) {
          unit = field.info.unit;
          unit_ = unit_of(field.info, view.value);
        }
  recipe_->show_recipe(view.recipe, unit, holds.grid || holds.volume);
  show_annotations(view);
  for (Choice& choice : choices_) {
    choice.show(view);
    choice.shown = choice.state();
  }
  for (std::size_t k = 0; k < 3; ++k) {
    plane_at_[k]->setEnabled(view.cuts[k].visible && (holds.grid || view.mesh_cuts));
    plane_[k]->setEnabled(holds.grid || view.mesh_cuts);
  }
  iso_at_->setEnabled(!view.iso.empty());
  iso_text_->setVisible(!view.iso.empty());
  volume_at_->setEnabled(view.volume > 0);
  iso_text_->setText(tr("%1 %").arg(qRound(100 * share(iso_at_))));
  clip_at_->setEnabled(view.clip.has_value());
  clip_side_->setEnabled(view.clip.has_value());
  warp_scale_->setEnabled(!view.warp_field.empty());
  warp_scale_->setVisible(!view.warp_field.empty());
  arrow_count_->setVisible(!view.arrow_field.empty());
  streamlines_->setVisible(!view.arrow_field.empty());
  outline_->setVisible(holds.grid);
  lengths_->setVisible(holds.grid);
}

void DisplayPanel::offer_whole(double points, bool kept) {
  whole_->setVisible(points > 0);
  whole_->setEnabled(!kept);
  whole_->setText(kept ? tr("The next run keeps all points") : tr("Keep all points"));
  whole_->setToolTip(tr("The frame has fewer points of the volume than were computed. The next run is to keep all %1.")
                         .arg(words_locale().toString(points, 'f', 0)));
}

void DisplayPanel::apply_to(FieldView& view) const {
  recipe_->apply_to(view.recipe);
  view.annotations = typed_annotations();
  for (const Choice& choice : choices_)
    if (choice.state() != choice.shown) choice.apply(view);
}

}  // namespace conoid::app
