// SPDX-License-Identifier: BSD-3-Clause
// The mesh pane.
#include "app/panels/mesh_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "app/panels/scene_pane.hpp"
#include "engine/core/units.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

constexpr double poor = 0.2;  // scaled Jacobian below which an element spoils the result
constexpr double fair = 0.5;
constexpr double enough_nodes = 10;  // a wavelength
constexpr double few_nodes = 6;

QString count(Index n) {
  return QLocale(QLocale::English).toString(static_cast<qlonglong>(n)).replace(',', QChar(0x202f));
}
QString text(const std::string& s) {
  return QString::fromStdString(s);
}

QString plain(double v) {
  return QString::number(v, 'g', 4).replace('-', QChar(0x2212));
}

/// Maps of the schema whose keys are groups of the mesh: "/boundaries".
void find_group_maps(const Json& node, const std::string& pointer, std::vector<std::pair<std::string, Json>>& out,
                     int depth = 0) {
  if (!node.is_object() || depth > 5) return;
  if (string_at(node, "group") == "mesh-group" && node.contains("map")) out.emplace_back(pointer, node);
  if (const Json& properties = keyword_of(node, "properties"); properties.is_object())
    for (const auto& [key, child] : properties.items())
      find_group_maps(child, child_pointer(pointer, key), out, depth + 1);
}

constexpr std::size_t most_sides = 500;  // in the list
constexpr float looked_at = 0.5F;        // in the picture, between plain and chosen

/// Where a side looks: "facing +z"; without a direction for what is as much turned one way as the other.
QString words_of_normal(const Vec3& normal) {
  const double length = std::hypot(normal[0], normal[1], normal[2]);
  constexpr double some = 0.2, along = 0.94;  // cos 20°
  if (length < some) return QObject::tr("all around");
  const char* const names[] = {"x", "y", "z"};
  std::size_t k = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::abs(normal[i]) > std::abs(normal[k])) k = i;
  const QString towards = QString(normal[k] > 0 ? QChar('+') : QChar(0x2212)) + names[k];
  return std::abs(normal[k]) / length > along ? QObject::tr("facing %1").arg(towards)
                                              : QObject::tr("slanting towards %1").arg(towards);
}

Index first_cell(const MeshSides& sides, Index side) {
  return static_cast<Index>(std::find(sides.side_of.begin(), sides.side_of.end(), side) - sides.side_of.begin());
}

}  // namespace

QualityBars::QualityBars(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Histogram of the quality of the elements"));
}

void QualityBars::set_counts(std::vector<Index> counts) {
  counts_ = std::move(counts);
  update();
}

void QualityBars::paintEvent(QPaintEvent*) {
  if (counts_.empty()) return;
  QPainter painter(this);
  const Index most = std::max<Index>(1, *std::max_element(counts_.begin(), counts_.end()));
  const int below = 18;
  const double width_each = static_cast<double>(width()) / static_cast<double>(counts_.size());
  const double height_all = height() - below - 2;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(counts_.size());
    // A square root, so that a single bad element among a million is seen.
    double h = std::sqrt(static_cast<double>(counts_[i]) / static_cast<double>(most)) * height_all;
    if (counts_[i] > 0) h = std::max(h, 3.0);
    painter.fillRect(QRectF(static_cast<double>(i) * width_each + 0.5, height_all - h + 1, width_each - 1, h),
                     look_.colour(at < poor   ? "bad"
                                  : at < fair ? "caution"
                                              : "good"));
  }
  painter.setPen(look_.colour("border"));
  painter.drawLine(QPointF(0, height_all + 1.5), QPointF(width(), height_all + 1.5));
  QFont small = font();
  small.setPixelSize(11);
  painter.setFont(small);
  painter.setPen(look_.colour("muted"));
  const int y = height() - below + 3;
  painter.drawText(QRect(0, y, width(), below), Qt::AlignLeft, tr("0 flat"));
  painter.drawText(QRect(0, y, width(), below), Qt::AlignRight, tr("1 ideal"));
}

MeshPanel::MeshPanel(CaseModel& model, MeshModel& mesh, const Look& look, QWidget* parent)
    : QWidget(parent), model_(model), mesh_(mesh), look_(look), context_{model, look} {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  QVBoxLayout* column = nullptr;
  scroll_ = make_scroll_page(this, &column);
  QWidget* scrolled = scroll_->widget();
  outer->addWidget(scroll_);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(20);
  note_ = make_label({}, "muted", scrolled);
  note_->setWordWrap(true);
  column->addWidget(note_);
  first_ = new QPushButton(tr("Mesh the geometry"), scrolled);
  first_->setObjectName("meshGeometry");
  first_->setToolTip(tr("gmsh makes the mesh, shut in a folder of its own; opening a case executes nothing"));
  column->addWidget(first_, 0, Qt::AlignLeft);
  connect(first_, &QPushButton::clicked, this, &MeshPanel::mesh_geometry);
  content_ = new QWidget(scrolled);
  auto* inner_column = new QVBoxLayout(content_);
  inner_column->setContentsMargins(0, 0, 0, 0);
  inner_column->setSpacing(20);
  column->addWidget(content_);
  column->addStretch(1);
  add_figures();
  repair_box_ = new QWidget(content_);
  repair_ = new QVBoxLayout(repair_box_);
  repair_->setContentsMargins(0, 0, 0, 0);
  repair_->setSpacing(6);
  content_->layout()->addWidget(repair_box_);
  make_repair();
  add_waves();
  add_quality();
  add_again();
  listen();
  refresh();
}

void MeshPanel::add_figures() {
  QVBoxLayout* inner = nullptr;
  content_->layout()->addWidget(make_box(tr("Figures"), &inner));
  figures_ = new QGridLayout;
  figures_->setHorizontalSpacing(12);
  figures_->setVerticalSpacing(5);
  figures_->setColumnStretch(0, 1);
  inner->addLayout(figures_);
  auto* unit_row = new QHBoxLayout;
  unit_row->addWidget(make_label(tr("Lengths in"), "muted", content_), 1);
  unit_ = make_calm_combo(content_);
  unit_->setAccessibleName(tr("Unit of the lengths"));
  unit_->setAccessibleDescription(tr("In which the figures of the mesh are said"));
  for (const char* u : {"m", "mm", "cm", "km", "in", "ft"}) unit_->addItem(u);
  unit_row->addWidget(unit_);
  inner->addLayout(unit_row);

  content_->layout()->addWidget(make_box(tr("Checks"), &inner));
  checks_ = new QVBoxLayout;
  checks_->setSpacing(4);
  inner->addLayout(checks_);
}

void MeshPanel::add_waves() {
  QVBoxLayout* inner = nullptr;
  content_->layout()->addWidget(make_box(tr("Elements a wavelength"), &inner));
  auto* waves = new QGridLayout;
  waves->setSpacing(8);
  frequency_ = new UnitLineEdit(look_, "Hz", content_);
  frequency_->setAccessibleName(tr("Frequency"));
  frequency_->setAccessibleDescription(tr("For elements a wavelength; the case’s highest unless another is typed"));
  speed_ = new UnitLineEdit(look_, "m/s", content_);
  speed_->setAccessibleName(tr("Speed of the wave"));
  speed_->setAccessibleDescription(
      tr("For elements a wavelength; the slowest of the case’s materials unless another is typed"));
  waves->addWidget(make_label(tr("Frequency"), "muted", content_), 0, 0);
  waves->addWidget(frequency_, 0, 1);
  waves->addWidget(make_label(tr("Speed"), "muted", content_), 1, 0);
  waves->addWidget(speed_, 1, 1);
  inner->addLayout(waves);
  auto* waves_row = new QHBoxLayout;
  waves_dot_ = new StateDot(look_, content_);
  waves_ = make_label({}, "", content_);
  waves_->setWordWrap(true);
  waves_row->addWidget(waves_dot_, 0, Qt::AlignTop);
  waves_row->addWidget(waves_, 1);
  inner->addLayout(waves_row);
  waves_show_ = new QPushButton(tr("Show the longest edges"), content_);
  set_role(waves_show_, "link");
  inner->addWidget(waves_show_, 0, Qt::AlignLeft);
  connect(waves_show_, &QPushButton::clicked, this, [this] { emit field_wanted("longest_edge", {}); });
}

void MeshPanel::add_quality() {
  QVBoxLayout* inner = nullptr;
  content_->layout()->addWidget(make_box(tr("Quality of the elements"), &inner));
  bars_ = new QualityBars(look_, content_);
  inner->addWidget(bars_);
  quality_text_ = make_label({}, "small", content_);
  quality_text_->setWordWrap(true);
  inner->addWidget(quality_text_);
  worst_ = new QVBoxLayout;
  worst_->setSpacing(2);
  inner->addLayout(worst_);

  content_->layout()->addWidget(make_box(tr("Groups"), &inner));
  groups_ = new QVBoxLayout;
  groups_->setSpacing(2);
  inner->addLayout(groups_);
  inner->addWidget(make_chooser());
}

void MeshPanel::add_again() {
  QVBoxLayout* inner = nullptr;
  again_box_ = make_box(tr("Finer or coarser"), &inner);
  content_->layout()->addWidget(again_box_);
  by_size_ = new QWidget(again_box_);
  auto* again_row = new QHBoxLayout(by_size_);
  again_row->setContentsMargins(0, 0, 0, 0);
  size_ = new UnitLineEdit(look_, "m", by_size_);
  size_->setAccessibleName(tr("Largest edge"));
  size_->setAccessibleDescription(tr("Of the elements of the new mesh; units may be typed: 5 mm"));
  size_->setPlaceholderText(tr("largest edge"));
  auto* again = new QPushButton(tr("Mesh again"), by_size_);
  again_row->addWidget(size_, 1);
  again_row->addWidget(again);
  inner->addWidget(by_size_);
  auto* steps = new QHBoxLayout;
  finer_ = new QPushButton(tr("Refine"), again_box_);
  finer_->setToolTip(tr("Elements of half the size"));
  coarser_ = new QPushButton(tr("Coarsen"), again_box_);
  coarser_->setToolTip(tr("Elements of twice the size"));
  steps->addWidget(finer_);
  steps->addWidget(coarser_);
  steps->addStretch(1);
  inner->addLayout(steps);
  again_note_ = make_label({}, "small", again_box_);
  again_note_->setWordWrap(true);
  inner->addWidget(again_note_);

  const auto mesh_with = [this](double factor) {
    const auto size = parse_quantity(typed_text(size_->text()).toStdString(), "m");
    if (size && size->value > 0)
      mesh_.mesh_again(factor * size->value);
    else
      static_cast<UnitLineEdit*>(size_)->set_wrong(true);
  };
  connect(again, &QPushButton::clicked, this, [mesh_with] { mesh_with(1); });
  connect(finer_, &QPushButton::clicked, this, [this, mesh_with] {
    if (mesh_.mesh() && can_be_meshed(mesh_.mesh()->file))
      mesh_with(0.5);
    else
      mesh_.refine();
  });
  connect(coarser_, &QPushButton::clicked, this, [mesh_with] { mesh_with(2); });
}

void MeshPanel::listen() {
  connect(unit_, &QComboBox::currentIndexChanged, this, &MeshPanel::refresh);
  connect(frequency_, &QLineEdit::textEdited, this, &MeshPanel::refresh_waves);
  connect(speed_, &QLineEdit::textEdited, this, &MeshPanel::refresh_waves);
  connect(&mesh_, &MeshModel::changed, this, &MeshPanel::refresh);
  connect(&model_, &CaseModel::changed, this, [this] {
    if (!frequency_->isModified() && !speed_->isModified()) refresh_waves();
    if (repair_form_) repair_form_->refresh();
    if (!mesh_.mesh()) return;
    fill_groups(*mesh_.mesh());
    tab_as_laid_out(this);
  });
  connect(&model_, &CaseModel::opened, this, [this] {
    frequency_->setModified(false);
    speed_->setModified(false);
    make_repair();
  });
}

QWidget* MeshPanel::make_box(const QString& title, QVBoxLayout** column) {
  auto* box = new QWidget(content_);
  *column = new QVBoxLayout(box);
  (*column)->setContentsMargins(0, 0, 0, 0);
  (*column)->setSpacing(6);
  (*column)->addWidget(make_label(title, "section", box));
  return box;
}

void MeshPanel::make_repair() {
  clear_layout(repair_);
  repair_form_ = nullptr;
  const Json* mesh = nullptr;
  if (model_.is_open() && model_.schema().contains("properties") && model_.schema()["properties"].contains("mesh"))
    mesh = &model_.schema()["properties"]["mesh"]["properties"];
  repair_box_->setVisible(mesh != nullptr);
  if (!mesh) return;
  static const std::set<std::string> keys = {"merge", "orient", "fill_holes", "flip", "scale", "rotate", "translate"};
  Json node = {{"type", "object"}, {"properties", Json::object()}};
  std::set<std::string> others;
  bool used = false;
  for (const auto& [key, child] : mesh->items()) {
    if (!keys.contains(key)) {
      others.insert(key);
      continue;
    }
    node["properties"][key] = child;
    node["properties"][key].erase("advanced");  // here they are what it is about
    used = used || model_.value(child_pointer("/mesh", key)) != nullptr;
  }
  repair_form_ = new ObjectForm(context_, "/mesh", node, {}, repair_box_, others);
  repair_->addWidget(new FoldButton(look_, tr("Repair and place"), repair_form_, used, repair_box_));
  repair_->addWidget(repair_form_);
}

QWidget* MeshPanel::make_chooser() {
  auto* box = new QWidget(content_);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 4, 0, 0);
  column->setSpacing(6);
  choose_ = new QPushButton(tr("Choose faces"), box);
  choose_->setToolTip(tr(
      "Sides of the body that become a group of the mesh, by the mouse in the picture or by the keyboard in a list"));
  choose_->setCheckable(true);
  choose_->setIcon(look_.icon("place"));
  column->addWidget(choose_, 0, Qt::AlignLeft);
  chooser_ = new QWidget(box);
  auto* grid = new QGridLayout(chooser_);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(8);
  grid->setColumnStretch(0, 1);
  chosen_text_ = make_label({}, "small", chooser_);
  chosen_text_->setWordWrap(true);
  grid->addWidget(chosen_text_, 0, 0, 1, 2);
  sides_ = new QListWidget(chooser_);
  sides_->setAccessibleName(tr("Sides of the body"));
  sides_->setAccessibleDescription(tr("Arrows look at a side in the picture, space chooses it or takes it back"));
  sides_->setFixedHeight(152);
  sides_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  sides_->setTextElideMode(Qt::ElideRight);
  grid->addWidget(sides_, 1, 0, 1, 2);
  QLabel* ends = make_label(tr("A side ends at edges sharper than"), "muted", chooser_);
  ends->setWordWrap(true);
  grid->addWidget(ends, 2, 0);
  angle_ = new QSpinBox(chooser_);
  angle_->setRange(1, 180);
  angle_->setValue(40);
  angle_->setSuffix(QStringLiteral("°"));
  angle_->setAccessibleName(tr("Sharpest angle within a side"));
  angle_->setAccessibleDescription(tr("Neighbouring faces that turn by more belong to two sides"));
  grid->addWidget(angle_, 2, 1);
  group_name_ = new QLineEdit(chooser_);
  group_name_->setPlaceholderText(tr("name of the group"));
  group_name_->setAccessibleName(tr("Name of the group"));
  group_name_->setAccessibleDescription(
      tr("By which boundaries and materials of the case find the chosen faces; Enter makes the group"));
  make_group_ = new QPushButton(tr("Make a group"), chooser_);
  grid->addWidget(group_name_, 3, 0);
  grid->addWidget(make_group_, 3, 1);
  column->addWidget(chooser_);
  chooser_->hide();
  const auto ready = [this] { make_group_->setEnabled(!chosen_.empty() && !group_name_->text().trimmed().isEmpty()); };
  ready();
  connect(choose_, &QPushButton::toggled, this, &MeshPanel::set_choosing);
  connect(&mesh_, &MeshModel::sides_changed, this, &MeshPanel::show_sides);
  connect(angle_, &QSpinBox::valueChanged, this, [this](int degrees) {
    if (!chooser_->isHidden()) mesh_.want_sides(degrees);
  });
  connect(sides_, &QListWidget::currentRowChanged, this, &MeshPanel::show_chosen);
  connect(sides_, &QListWidget::itemChanged, this,
          [this](QListWidgetItem* item) { choose_side(sides_->row(item), item->checkState() == Qt::Checked); });
  connect(group_name_, &QLineEdit::textChanged, this, ready);
  connect(this, &MeshPanel::faces_wanted, this, ready);
  const auto make = [this] {
    if (!make_group_->isEnabled()) return;
    mesh_.group_faces(group_name_->text().trimmed(), {chosen_.begin(), chosen_.end()});
    group_name_->clear();
    set_choosing(false);
  };
  connect(make_group_, &QPushButton::clicked, this, make);
  connect(group_name_, &QLineEdit::returnPressed, this, make);
  return box;
}

void MeshPanel::set_choosing(bool on) {
  on = on && mesh_.mesh() && mesh_.mesh()->summary.dimension >= 2;
  choose_->setChecked(on);
  if (on == !chooser_->isHidden()) return;
  chooser_->setVisible(on);
  chosen_.clear();
  {
    const QSignalBlocker quiet(sides_);
    sides_->clear();
  }
  emit choosing_changed(on);
  if (!on) {
    mesh_.forget_sides();
    return;
  }
  chosen_text_->setText(tr("Looking for the sides of the body…"));
  mesh_.want_sides(angle_->value());
  sides_->setFocus(Qt::OtherFocusReason);
  // Once it has its place.
  QTimer::singleShot(0, this, [this] {
    if (chooser_->isHidden()) return;
    scroll_->widget()->layout()->activate();
    scroll_->ensureWidgetVisible(chooser_, 0, 24);
  });
}

void MeshPanel::choose_at(const Vec3& place) {
  if (chooser_->isHidden() || !mesh_.sides()) return;
  const auto side = static_cast<int>(side_at(*mesh_.sides(), place));
  if (side < 0) return;
  QListWidgetItem* item = sides_->item(side);
  if (!item) return choose_side(side, !chosen_.contains(first_cell(*mesh_.sides(), side)));
  sides_->setCurrentItem(item);
  item->setCheckState(item->checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
}

void MeshPanel::choose_side(Index side, bool on) {
  const std::vector<Index>& of = mesh_.sides()->side_of;
  for (std::size_t c = 0; c < of.size(); ++c)
    if (of[c] == side)
      on ? static_cast<void>(chosen_.insert(static_cast<Index>(c)))
         : static_cast<void>(chosen_.erase(static_cast<Index>(c)));
  show_chosen();
}

void MeshPanel::show_sides() {
  if (chooser_->isHidden() || !mesh_.sides()) return;
  const MeshSides& found = *mesh_.sides();
  const QSignalBlocker quiet(sides_);
  const int before = std::max(0, sides_->currentRow());
  sides_->clear();
  // A side whose faces are all chosen stays chosen when the angle has changed.
  std::vector<Index> taken(found.sides.size(), 0);
  for (const Index c : chosen_)
    if (const Index side = found.side_of[static_cast<std::size_t>(c)]; side >= 0)
      ++taken[static_cast<std::size_t>(side)];
  // A side faces what lies outside, also where the normals of a closed surface point inwards.
  const auto& surface = mesh_.mesh()->summary.surface;
  const double turn = mesh_.mesh()->summary.dimension == 2 && surface.closed() && surface.volume < 0 ? -1 : 1;
  for (std::size_t i = 0; i < std::min(found.sides.size(), most_sides); ++i) {
    const MeshSides::Side& side = found.sides[i];
    const Vec3 outwards{turn * side.normal[0], turn * side.normal[1], turn * side.normal[2]};
    auto* item = new QListWidgetItem(
        tr("%1: %2, %3 faces").arg(i + 1).arg(words_of_normal(outwards), count(side.cells)), sides_);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(taken[i] == side.cells ? Qt::Checked : Qt::Unchecked);
  }
  if (sides_->count() > 0) sides_->setCurrentRow(std::min(before, sides_->count() - 1));
  show_chosen();
}

void MeshPanel::show_chosen() {
  if (!mesh_.sides()) return;
  const MeshSides& found = *mesh_.sides();
  const auto count_all = static_cast<Index>(found.side_of.size());
  QString words = chosen_.empty()
                      ? tr("Click a side of the body in the picture, or choose sides in the list: arrows and space.")
                      : tr("%1 of %2 faces are chosen. Click a side again, or press space, to take it back.")
                            .arg(count(static_cast<Index>(chosen_.size())), count(count_all));
  if (found.sides.size() > most_sides)
    words += ' ' + tr("The list shows the %1 largest of %2 sides.").arg(most_sides).arg(found.sides.size());
  chosen_text_->setText(words);
  auto frame = std::make_shared<Frame>();
  frame->axis = FrameAxis::iteration;
  // What is no number is drawn plain.
  std::vector<float> marked(static_cast<std::size_t>(count_all), std::numeric_limits<float>::quiet_NaN());
  std::vector<Marker> marks;
  if (const int at = sides_->currentRow(); at >= 0) {
    for (std::size_t c = 0; c < marked.size(); ++c)
      if (found.side_of[c] == at) marked[c] = looked_at;
    marks.push_back({found.sides[static_cast<std::size_t>(at)].place, MarkerKind::receiver, std::to_string(at + 1)});
  }
  for (const Index c : chosen_) marked[static_cast<std::size_t>(c)] = 1;
  FieldInfo info;
  info.name = mark_field;
  info.label = tr("Chosen faces").toStdString();
  info.unit = "1";
  info.kind = FieldKind::magnitude;
  info.association = Association::cell;
  frame->parts.push_back({"faces", found.geometry, {make_field(std::move(info), std::move(marked))}});
  emit faces_wanted(frame, marks);
}

void MeshPanel::refresh() {
  const auto& mesh = mesh_.mesh();
  if (!mesh || mesh_.is_reading()) set_choosing(false);
  content_->setVisible(mesh != nullptr);
  note_->setVisible(mesh == nullptr || mesh_.is_reading());
  if (mesh_.is_reading())
    note_->setText(tr("Reading the mesh…"));
  else if (mesh_.error())
    note_->setText(translated(mesh_.error()->text) +
                   (mesh_.error()->hint.empty() ? QString() : '\n' + translated(mesh_.error()->hint)));
  else if (!mesh_.is_wanted())
    note_->setText(tr("This kind of case works on a grid: there is no mesh."));
  else
    note_->setText(tr("No mesh yet. Name its file under Geometry in the case, or drop a mesh file on the window."));
  const bool unmeshed = mesh == nullptr && !mesh_.unmeshed().empty();
  first_->setVisible(unmeshed);
  set_role(note_, mesh_.error() && !unmeshed ? "note-bad" : "muted");
  if (!mesh) return;
  fill_figures(*mesh);
  fill_checks(*mesh);
  bars_->set_counts(mesh->summary.quality.scaled_jacobian.counts);
  const QualityReport& q = mesh->summary.quality;
  quality_text_->setText(
      tr("Least %1, mean %2 (scaled Jacobian).").arg(plain(q.scaled_jacobian_min), plain(q.scaled_jacobian_mean)));
  fill_worst(*mesh);
  fill_groups(*mesh);
  fill_again(*mesh);
  refresh_waves();
  tab_as_laid_out(this);
}

void MeshPanel::fill_figures(const MeshPreview& mesh) {
  clear_layout(figures_);
  const MeshSummary& s = mesh.summary;
  const auto add = [&](const QString& name, const QString& value) {
    const int row = figures_->rowCount();
    figures_->addWidget(new ElidedLabel(name, "muted", Qt::ElideRight, content_), row, 0);
    figures_->addWidget(new FigureLabel(value, Qt::AlignRight, content_), row, 1, Qt::AlignRight);
  };
  const double factor = metres_a_unit();
  const auto length = [&](double metres) { return plain(metres / factor); };
  add(tr("Points"), count(s.points));
  static const QHash<QString, QString> shapes = {{"vertex", tr("Vertices")},
                                                 {"line2", tr("Lines")},
                                                 {"line3", tr("Curved lines")},
                                                 {"triangle3", tr("Triangles")},
                                                 {"triangle6", tr("Curved triangles")},
                                                 {"quad4", tr("Quadrilaterals")},
                                                 {"quad8", tr("Curved quadrilaterals")},
                                                 {"quad9", tr("Curved quadrilaterals")},
                                                 {"tet4", tr("Tetrahedra")},
                                                 {"tet10", tr("Curved tetrahedra")},
                                                 {"hex8", tr("Hexahedra")},
                                                 {"hex20", tr("Curved hexahedra")},
                                                 {"hex27", tr("Curved hexahedra")}};
  for (const auto& [shape, n] : s.cells_by_shape) add(shapes.value(text(shape), text(shape)), count(n));
  add(tr("Size"), QStringLiteral("%1 × %2 × %3 %4")
                      .arg(length(s.high[0] - s.low[0]), length(s.high[1] - s.low[1]), length(s.high[2] - s.low[2]),
                           unit_->currentText()));
  add(tr("Edges"),
      QStringLiteral("%1 … %2 %3").arg(length(s.quality.edge_min), length(s.quality.edge_max), unit_->currentText()));
  const char* const powers[] = {"", "", "²", "³"};
  const int d = std::clamp(s.quality.dimension, 0, 3);
  if (d >= 1)
    add(d == 3   ? tr("Volume")
        : d == 2 ? tr("Area")
                 : tr("Length"),
        QStringLiteral("%1 %2%3").arg(plain(s.quality.measure / std::pow(factor, d)), unit_->currentText(),
                                      QString::fromUtf8(powers[d])));
}

double MeshPanel::metres_a_unit() const {
  const auto one = parse_quantity("1 " + unit_->currentText().toStdString(), "m");
  return one ? one->value : 1;
}

void MeshPanel::add_check(bool good, const QString& words, const QString& detail) {
  auto* line = new QWidget(content_);
  auto* row = new QHBoxLayout(line);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  row->addWidget(new IconLabel(look_, good ? "check" : "warning", good ? "good" : "caution", 14, line), 0,
                 Qt::AlignTop);
  auto* label = make_label(detail.isEmpty() ? words : words + "\n" + detail, "", line);
  label->setWordWrap(true);
  row->addWidget(label, 1);
  checks_->addWidget(line);
}

void MeshPanel::fill_checks(const MeshPreview& mesh) {
  clear_layout(checks_);
  const MeshSummary& s = mesh.summary;
  const QualityReport& q = s.quality;
  for (const std::string& note : mesh.notes) add_check(true, translated(note));
  if (s.has_surface && s.dimension == 2) {
    const bool flat = s.high[0] == s.low[0] || s.high[1] == s.low[1] || s.high[2] == s.low[2];
    if (!flat)
      add_check(s.surface.closed(), s.surface.closed() ? tr("Closed") : tr("Open surface"),
                s.surface.closed() ? QString() : translated(mesh.surface));
    add_check(s.surface.consistent(),
              s.surface.consistent() ? tr("Consistent orientation") : tr("Elements turned against each other"));
    if (s.surface.closed())
      add_check(s.surface.volume > 0,
                s.surface.volume > 0 ? tr("Normals point outwards") : tr("Normals point inwards"));
  }
  add_check(q.inverted_cells == 0, q.inverted_cells == 0
                                       ? tr("No element turned inside out")
                                       : tr("%1 elements turned inside out").arg(count(q.inverted_cells)));
  add_check(q.degenerate_cells == 0,
            q.degenerate_cells == 0 ? tr("No flat element") : tr("%1 flat elements").arg(count(q.degenerate_cells)));
  if (q.duplicate_points > 0) add_check(false, tr("%1 points lie upon another").arg(count(q.duplicate_points)));
}

void MeshPanel::set_unit(const QString& unit) {
  if (const int index = unit_->findText(unit); index >= 0) unit_->setCurrentIndex(index);
}

double MeshPanel::nodes_per_wavelength() const {
  const auto& mesh = mesh_.mesh();
  if (!mesh || mesh->longest_edges.empty()) return 0;
  const auto f = parse_quantity(typed_text(frequency_->text()).toStdString(), "Hz");
  const auto c = parse_quantity(typed_text(speed_->text()).toStdString(), "m/s");
  if (!f || !c || !(f->value > 0) || !(c->value > 0)) return 0;
  return c->value / f->value / mesh->longest_edges.back() * mesh->summary.order;
}

void MeshPanel::refresh_waves() {
  if (!frequency_->isModified() && mesh_.frequency() > 0)
    frequency_->setText(in_figures(text(format_quantity(mesh_.frequency(), "Hz", 5))));
  if (!speed_->isModified() && mesh_.speed() > 0) {
    const QString five = text(format_quantity(mesh_.speed(), "m/s", 5));
    speed_->setText(in_figures(five.contains("e+") ? QString::number(mesh_.speed(), 'g', 9) + " m/s" : five));  // light
  }
  const double nodes = nodes_per_wavelength();
  if (!(nodes > 0)) {
    waves_dot_->set_colour("outline");
    waves_show_->hide();
    waves_->setText(tr("Type a frequency and a speed to see how finely the mesh follows the wave."));
    return;
  }
  const auto& mesh = *mesh_.mesh();
  const double wave = nodes * mesh.longest_edges.back() / mesh.summary.order;
  const Vec3& a = mesh.summary.low;
  const Vec3& b = mesh.summary.high;
  const auto waves = [&](std::size_t k) { return QString::number((b[k] - a[k]) / wave, 'g', 2); };
  const bool good = nodes >= enough_nodes, usable = nodes >= few_nodes;
  waves_dot_->set_colour(good ? "good" : usable ? "caution" : "bad");
  const QString verdict = good ? tr("fine enough") : usable ? tr("coarse") : tr("too coarse");
  const std::vector<double>& edges = mesh.longest_edges;
  const double longest_good = wave * mesh.summary.order / enough_nodes;
  const auto coarse = static_cast<Index>(edges.end() - std::upper_bound(edges.begin(), edges.end(), longest_good));
  QString said =
      tr("%1 nodes a wavelength at the longest edge: %2. The wavelength is %3, the body %4 wavelengths.")
          .arg(QString::number(nodes, 'f', 1), verdict, plain(wave / metres_a_unit()) + ' ' + unit_->currentText(),
               waves(0) + QStringLiteral(" × ") + waves(1) + QStringLiteral(" × ") + waves(2));
  if (coarse > 0)
    said += ' ' + tr("%1 of %2 elements have fewer than %3 nodes; the one in the middle has %4.")
                      .arg(count(coarse), count(static_cast<Index>(edges.size())), QString::number(enough_nodes),
                           QString::number(wave * mesh.summary.order / edges[edges.size() / 2], 'f', 1));
  waves_->setText(in_figures(said));
  waves_show_->setVisible(coarse > 0 && edges.back() > edges.front() * 1.001);
}

void MeshPanel::mesh_geometry() {
  const std::filesystem::path file = mesh_.unmeshed();
  if (file.empty()) return;
  const std::string why = why_not_trusted(file);
  if (!why.empty()) {
    QMessageBox box(QMessageBox::Question, tr("Trust this script?"),
                    tr("A geometry script is a program. This one does more than geometry:"), QMessageBox::NoButton,
                    this);
    box.setInformativeText(translated(why) + "\n\n" + tr("Read it first. Your answer is kept for its content."));
    QPushButton* yes = box.addButton(tr("Trust and mesh"), QMessageBox::AcceptRole);
    box.setDefaultButton(box.addButton(QMessageBox::Cancel));
    box.exec();
    if (box.clickedButton() != yes) return;
  }
  mesh_.mesh_geometry(!why.empty());
}

void MeshPanel::fill_again(const MeshPreview& mesh) {
  const bool geometry = can_be_meshed(mesh.file), again = mesh.fixed.empty();
  by_size_->setVisible(again);
  coarser_->setVisible(again);
  const QString file = QString::fromStdString(mesh.file.string());
  // Another file or another unit of it is another size; what a person has typed stays else, in the unit it was typed in.
  const QString of = file + QStringLiteral(" × %1").arg(mesh.scale, 0, 'g', 17);
  if (size_->text().isEmpty() || size_of_ != of || !size_->isModified()) {
    size_->setText(QString::number(mesh.summary.quality.edge_max / metres_a_unit(), 'g', 3) + ' ' +
                   unit_->currentText());
    size_->setModified(false);
  }
  size_of_ = of;
  const bool curved = !geometry && mesh.summary.order > 1;
  finer_->setEnabled(!curved);
  again_note_->setText(
      geometry ? tr("gmsh makes a new mesh file beside the geometry. The change can be undone.")
      : curved ? tr("Curved elements are made finer from their geometry (.geo, STEP): name it as the mesh of the case.")
      : again  ? tr("gmsh meshes the surface of the body again, in a new file beside this one; edges sharper than 40° "
                     "stay. Refine "
                     "halves every edge of the mesh as it is. The change can be undone.")
               : tr("Every edge is halved, in a new file beside this one; the change can be undone. It cannot be made "
                     "coarser by itself: "
                     "%1.")
                    .arg(translated(mesh.fixed)));
}

void MeshPanel::fill_worst(const MeshPreview& mesh) {
  clear_layout(worst_);
  std::vector<Marker> marks;
  for (std::size_t i = 0; i < mesh.worst_places.size(); ++i)
    marks.push_back({mesh.worst_places[i], MarkerKind::receiver, std::to_string(i + 1)});
  auto* all = new QPushButton(tr("Show quality and the %1 worst elements").arg(marks.size()), content_);
  set_role(all, "link");
  worst_->addWidget(all, 0, Qt::AlignLeft);
  connect(all, &QPushButton::clicked, this, [this, marks] { emit field_wanted("quality", marks); });
}

void MeshPanel::fill_groups(const MeshPreview& mesh) {
  clear_layout(groups_);
  const MeshSummary& s = mesh.summary;
  if (s.groups.empty()) {
    auto* none = make_label(tr("The mesh has no groups: it is one piece to the case."), "small", content_);
    none->setWordWrap(true);
    groups_->addWidget(none);
    return;
  }
  std::vector<std::pair<std::string, Json>> maps;
  find_group_maps(model_.schema(), "", maps);
  const QString kinds[] = {tr("points"), tr("curve"), tr("surface"), tr("volume")};
  for (std::size_t i = 0; i < s.groups.size() && i < 200; ++i) {
    const MeshSummary::Group& group = s.groups[i];
    auto* line = new QWidget(content_);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    auto* swatch = new StateDot(look_, line);
    // The colour it has in the picture.
    if (const auto map = find_color_map(look_.theme().dark ? "depth-dark" : "depth")) {
      const Rgb c = map->at(static_cast<double>(i + 1) / round_up(static_cast<double>(s.groups.size())));
      swatch->set_fill(QColor::fromRgbF(static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2])));
    }
    auto* name = new QPushButton(text(group.name), line);
    set_role(name, "link");
    name->setToolTip(tr("Show this group in the picture"));
    row->addWidget(swatch);
    row->addWidget(name);
    row->addWidget(
        make_label(tr("%1, %2").arg(kinds[std::clamp(group.dimension, 0, 3)], count(group.cells)), "small", line));
    row->addStretch(1);
    connect(name, &QPushButton::clicked, this, [this, i] { emit group_wanted(static_cast<int>(i) + 1); });
    QStringList used;
    for (const auto& [pointer, node] : maps)
      if (model_.value(child_pointer(pointer, group.name))) used << label_of(last_token(pointer), node);
    if (!used.isEmpty()) row->addWidget(make_label(used.join(", "), "small", line));
    if (!maps.empty()) {
      auto* assign = make_icon_button(look_, "chevron-down", tr("Use the group %1").arg(text(group.name)), line);
      assign->setPopupMode(QToolButton::InstantPopup);
      auto* menu = new QMenu(assign);
      for (const auto& [pointer, node] : maps) {
        const std::string place = child_pointer(pointer, group.name);
        const QString label = label_of(last_token(pointer), node);
        if (model_.value(place)) {
          menu->addAction(tr("Go to its entry in %1").arg(label), this,
                          [this, place] { emit place_wanted(text(place)); });
        } else {
          menu->addAction(tr("Assign to %1").arg(label), this,
                          [this, place, value = initial_value(node["map"]), label] {
                            model_.set(place, value, tr("assignment to %1").arg(label));
                            emit place_wanted(text(place));
                          });
        }
      }
      assign->setMenu(menu);
      row->addWidget(assign);
    }
    groups_->addWidget(line);
  }
}

}  // namespace conoid::app
