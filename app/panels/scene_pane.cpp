// SPDX-License-Identifier: BSD-3-Clause
// One view of a field.
#include "app/panels/scene_pane.hpp"

#include <algorithm>
#include <cmath>

#include <QActionGroup>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QImage>
#include <QInputDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/panels/display_panel.hpp"
#include "render/scene/ticks.hpp"
#include "render/window/raster_viewport_widget.hpp"

namespace conoid::app {
namespace {

constexpr int profile_samples = 400;
constexpr int beside_axes = 96;  // what lies over the picture leaves the triad free

Rgb rgb_of(const QColor& c) {
  return {c.redF(), c.greenF(), c.blueF()};
}
QString qtext(const std::string& s) {
  return QString::fromStdString(s);
}

}  // namespace

conoid::Theme picture_theme(const Theme& theme, const QString& background) {
  conoid::Theme out = theme.dark ? dark_theme() : light_theme();
  out.background = rgb_of(theme.colour(background));
  out.chart_background = out.background;
  out.text = rgb_of(theme.colour("text"));
  out.muted = rgb_of(theme.colour("muted"));
  out.grid = rgb_of(theme.colour("grid"));
  out.accent = rgb_of(theme.colour("accent"));
  out.series.clear();
  for (const QColor& colour : theme.series) out.series.push_back(rgb_of(colour));
  return out;
}

ScenePane::ScenePane(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(&run), look_(look), scene_(std::make_shared<FieldScene>()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  make_head();
  column->addWidget(head_);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  stack_ = new QStackedWidget(this);
  auto* page = new QFrame(stack_);
  page->setObjectName("page");
  auto* page_column = new QVBoxLayout(page);
  page_column->addStretch(1);
  auto* icon_row = new QHBoxLayout;
  icon_row->addStretch(1);
  icon_row->addWidget(new IconLabel(look_, "conoid", "outline", 56, page));
  icon_row->addStretch(1);
  page_column->addLayout(icon_row);
  page_column->addSpacing(8);
  empty_text_ = make_label({}, "muted", page);
  empty_text_->setAlignment(Qt::AlignCenter);
  empty_text_->setWordWrap(true);  // in some languages wider than a small window has room for
  page_column->addWidget(empty_text_);
  page_column->addStretch(1);
  stack_->addWidget(page);
  viewport_ = make_viewport(stack_, kind);
  viewport_->widget()->setAccessibleName(tr("Picture of the field"));
  viewport_->widget()->setAccessibleDescription(
      tr("The field on its grid or mesh: arrow keys turn it, with Shift they move it, plus and minus come nearer and "
         "go away; with a tool in hand arrow keys point and Enter clicks"));
  stack_->addWidget(viewport_->widget());
  viewport_->widget()->installEventFilter(this);
  row->addWidget(stack_, 1);
  // What is beside it comes first, see fit_display().
  stack_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  display_ = new DisplayPanel(look, this);
  display_->hide();
  row->addWidget(make_rule(this, true));
  row->addWidget(display_);
  column->addLayout(row, 1);
  reading_ = make_label({}, "reading", viewport_->widget());
  reading_->hide();
  make_line_box();
  pointer_ = new QLabel(viewport_->widget());
  pointer_->setAttribute(Qt::WA_TransparentForMouseEvents);
  pointer_->hide();

  follow_ranges_of(run);
  apply_theme();
  viewport_->set_scene(scene_);
  viewport_->on_rendered = [this] { shown_ = wanted_; };
  viewport_->on_input = [this](const InputEvent& event) {
    const bool taken = handle_tool(event);
    const bool moves = event.kind == InputKind::wheel || event.kind == InputKind::double_click ||
                       (event.kind == InputKind::move && event.button != MouseButton::none);
    if (!taken && moves) QMetaObject::invokeMethod(this, &ScenePane::camera_moved, Qt::QueuedConnection);
    return taken;
  };
  constexpr int idle_ms = 600;
  QTimer::singleShot(idle_ms, this, &ScenePane::warm_up);
  connect(&look, &Look::changed, this, &ScenePane::apply_theme);
  connect(display_, &DisplayPanel::changed, this, &ScenePane::apply_view);
}

ScenePane::~ScenePane() {
  viewport_->on_rendered = nullptr;
  viewport_->on_input = nullptr;
}

void ScenePane::warm_up() {
  if (has_picture() || dynamic_cast<RasterViewportWidget*>(viewport_->widget()) == nullptr) return;
  FieldInfo info;
  info.name = "practice";
  auto frame = std::make_shared<Frame>();
  ImageGeometry grid;
  grid.points = {2, 2, 2};
  frame->parts.push_back({"grid", grid, {make_field(info, std::vector<float>{-1, 1, -1, 1, -1, 1, -1, 1})}});
  MeshGeometry triangle;
  triangle.points = std::make_shared<const std::vector<double>>(std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0});
  triangle.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 1, 2});
  triangle.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3});
  triangle.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{5});
  frame->parts.push_back({"mesh", triangle, {make_field(info, std::vector<float>{-1, 0, 1})}});
  auto practice = std::make_shared<FieldScene>();
  practice->set_theme(picture_theme(look_.theme(), "viewport"));
  if (!practice->set_frame(std::move(frame))) return;
  viewport_->set_scene(practice);
  static_cast<void>(viewport_->grab());
  viewport_->set_scene(scene_);
}

void ScenePane::make_head() {
  head_ = new QFrame(this);
  head_->setObjectName("paneHeader");
  head_row_ = new QBoxLayout(QBoxLayout::LeftToRight, head_);
  head_row_->setContentsMargins(12, 0, 8, 0);
  head_row_->setSpacing(0);
  choices_ = new QWidget(head_);
  auto* row = new QHBoxLayout(choices_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  head_row_->addWidget(choices_, 1);
  field_ = make_calm_combo(head_);
  field_->setAccessibleName(tr("Field"));
  field_->setAccessibleDescription(tr("Which quantity is drawn"));
  field_->setPlaceholderText(tr("Field"));
  field_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  field_->setMinimumWidth(120);
  field_->setMaximumWidth(220);
  value_ = make_calm_combo(head_);
  value_->setAccessibleName(tr("Component"));
  value_->setAccessibleDescription(tr("Length of the vector, or one of its components"));
  part_of_complex_ = make_calm_combo(head_);
  part_of_complex_->setAccessibleName(tr("Part of the complex field"));
  part_of_complex_->setAccessibleDescription(tr("The wave at one moment, its magnitude or its phase"));
  part_of_complex_->addItem(tr("Wave"), static_cast<int>(ComplexPart::instant));
  part_of_complex_->addItem(tr("Magnitude"), static_cast<int>(ComplexPart::magnitude));
  part_of_complex_->addItem(tr("Phase"), static_cast<int>(ComplexPart::phase));
  for (QComboBox* combo : {value_, part_of_complex_}) {
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    combo->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  }
  range_ = new QToolButton(head_);
  range_->setPopupMode(QToolButton::InstantPopup);
  range_->setToolTip(tr("Colour range"));
  range_->setAccessibleName(tr("Colour range"));
  range_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  range_->setIcon(look_.icon("chevron-down", "muted"));
  range_->setIconSize({14, 14});
  range_->setLayoutDirection(Qt::RightToLeft);
  make_range_menu();
  row->addWidget(field_);
  row->addWidget(value_);
  row->addWidget(part_of_complex_);
  row->addWidget(range_);
  row->addStretch(1);
  toolbar_ = new QWidget(head_);
  row = new QHBoxLayout(toolbar_);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  head_row_->addWidget(toolbar_);

  tool_group_ = new QActionGroup(this);
  struct Tool {
    MouseTool tool;
    const char* icon;
    QString tip;
  };
  for (const Tool& one :
       {Tool{MouseTool::probe, "probe", tr("Read values: point at the field; a click keeps one in the picture")},
        Tool{MouseTool::profile, "profile", tr("Draw a line: the values along it become a chart")},
        Tool{MouseTool::place, "place", tr("Place a receiver: click where it should be")}}) {
    auto* button = make_icon_button(look_, one.icon, one.tip, head_);
    button->setCheckable(true);
    if (one.tool == MouseTool::place) button->setProperty("spare", true);  // goes first where room is short
    auto* action = new QAction(this);
    action->setCheckable(true);
    action->setData(static_cast<int>(one.tool));
    tool_group_->addAction(action);
    connect(button, &QToolButton::clicked, this, [this, tool = one.tool](bool on) {
      set_tool(on ? tool : MouseTool::turn);
      if (on && has_picture()) viewport_->widget()->setFocus(Qt::OtherFocusReason);  // for the keys that point
    });
    connect(action, &QAction::toggled, button, &QToolButton::setChecked);
    row->addWidget(button);
  }
  tool_group_->setExclusionPolicy(QActionGroup::ExclusionPolicy::ExclusiveOptional);
  auto* views = make_icon_button(look_, "view", tr("Views: standard and kept ones"), head_);
  make_view_menu(views);
  row->addWidget(views);
  auto* fit_button = make_icon_button(look_, "fit", tr("Fit the view"), head_);
  fit_button->setProperty("spare", true);
  connect(fit_button, &QToolButton::clicked, this, &ScenePane::fit);
  row->addWidget(fit_button);
  display_button_ =
      make_icon_button(look_, "display", tr("How the field is shown: planes, surfaces, arrows, labels"), head_);
  display_button_->setCheckable(true);
  connect(display_button_, &QToolButton::clicked, this, &ScenePane::show_display_panel);
  row->addWidget(display_button_);
  tools_ = new QHBoxLayout;
  tools_->setSpacing(4);
  row->addLayout(tools_);
  row->addStretch(1);

  value_->hide();
  part_of_complex_->hide();
  range_->hide();
  field_->hide();
  connect(field_, &QComboBox::activated, this, [this] {
    choose_field();
    emit field_chosen();
  });
  connect(value_, &QComboBox::activated, this, &ScenePane::apply_view);
  connect(part_of_complex_, &QComboBox::activated, this, [this] {
    apply_view();
    emit field_chosen();
  });
}

void ScenePane::fit_head() {
  // One row where it fits; else the choices above the tools, so that neither is cut.
  constexpr int row_height = 44, gap = 16;
  choices_->layout()->activate();
  toolbar_->layout()->activate();
  const QMargins m = head_row_->contentsMargins();
  const bool one = choices_->sizeHint().width() + gap + toolbar_->sizeHint().width() + m.left() + m.right() <= width();
  head_row_->setDirection(one ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  const bool any = field_->isVisibleTo(choices_) || range_->isVisibleTo(choices_);
  head_->setFixedHeight(one || !any ? row_height : 2 * row_height - 8);
}

bool ScenePane::eventFilter(QObject* watched, QEvent* event) {
  if (watched == viewport_->widget()) {
    if (event->type() == QEvent::KeyPress && has_picture()) {
      const auto& key = static_cast<const QKeyEvent&>(*event);
      if (key.matches(QKeySequence::Copy)) {
        copy_picture();
        return true;
      }
      if (point_by_key(key) || move_by_key(key)) return true;
    }
    // Whoever takes the mouse again needs no second pointer.
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::FocusOut) show_pointer(false);
  }
  // What its fields leave of keys and clicks is not for the picture below: Enter would begin a line there.
  if (watched == line_box_ && (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress ||
                               event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::Wheel))
    return true;
  return QWidget::eventFilter(watched, event);
}

void ScenePane::copy_picture() {
  if (!has_picture()) return;
  const Image shown = picture();
  QGuiApplication::clipboard()->setImage(
      QImage(shown.pixels.data(), shown.width, shown.height, shown.width * 4, QImage::Format_RGBA8888).copy());
}

bool ScenePane::point_by_key(const QKeyEvent& event) {
  if (tool_ == MouseTool::turn || (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))) return false;
  const QWidget& picture = *viewport_->widget();
  const double ratio = devicePixelRatioF(), step = (event.modifiers() & Qt::ShiftModifier ? 2 : 16) * ratio;
  double x = 0, y = 0;
  bool click = false;
  switch (event.key()) {
    case Qt::Key_Left: x = -step; break;
    case Qt::Key_Right: x = step; break;
    case Qt::Key_Up: y = -step; break;
    case Qt::Key_Down: y = step; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: click = true; break;
    default: return false;
  }
  if (pointer_->isHidden() && !line_begin_)
    pointer_at_ = {0.5 * picture.width() * ratio, 0.5 * picture.height() * ratio};
  pointer_at_ = {std::clamp(pointer_at_[0] + x, 0.0, picture.width() * ratio - 1),
                 std::clamp(pointer_at_[1] + y, 0.0, picture.height() * ratio - 1)};
  show_pointer(true);
  InputEvent as_mouse;
  as_mouse.x = pointer_at_[0];
  as_mouse.y = pointer_at_[1];
  if (!click) {
    static_cast<void>(handle_tool(as_mouse));
    return true;
  }
  as_mouse.button = MouseButton::left;
  const bool line_ends = line_begin_.has_value();
  as_mouse.kind = InputKind::press;
  if (!line_ends) static_cast<void>(handle_tool(as_mouse));
  as_mouse.kind = InputKind::release;
  if (line_ends || tool_ != MouseTool::profile) static_cast<void>(handle_tool(as_mouse));
  return true;
}

void ScenePane::show_pointer(bool visible) {
  pointer_->setVisible(visible);
  if (!visible) return;
  if (pointer_->pixmap().isNull()) {
    // A cross with a rim, to be seen on every colour.
    constexpr int size = 25;
    const double ratio = devicePixelRatioF();
    QPixmap cross(QSize(size, size) * ratio);
    cross.setDevicePixelRatio(ratio);
    cross.fill(Qt::transparent);
    QPainter painter(&cross);
    painter.setRenderHint(QPainter::Antialiasing);
    constexpr double middle = 0.5 * size, inner = 3, outer = 11;
    for (const auto& [colour, width] :
         {std::pair{look_.colour("viewport"), 5.0}, std::pair{look_.colour("text"), 2.0}}) {
      painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap));
      for (const auto& [x, y] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}})
        painter.drawLine(QPointF(middle + inner * x, middle + inner * y),
                         QPointF(middle + outer * x, middle + outer * y));
    }
    painter.end();
    pointer_->setPixmap(cross);
    pointer_->adjustSize();
  }
  const double ratio = devicePixelRatioF();
  pointer_->move(qRound(pointer_at_[0] / ratio) - pointer_->width() / 2,
                 qRound(pointer_at_[1] / ratio) - pointer_->height() / 2);
}

bool ScenePane::move_by_key(const QKeyEvent& event) {
  constexpr double step = 40, nearer = 1.15;  // pixels of a drag
  double x = 0, y = 0, zoom = 1;
  switch (event.key()) {
    case Qt::Key_Left: x = -step; break;
    case Qt::Key_Right: x = step; break;
    case Qt::Key_Up: y = step; break;
    case Qt::Key_Down: y = -step; break;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom = nearer; break;
    case Qt::Key_Minus: zoom = 1 / nearer; break;
    default: return false;
  }
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier)) return false;
  CameraController& camera = scene_->camera();
  if (zoom != 1)
    camera.zoom(zoom);
  else
    event.modifiers() & Qt::ShiftModifier ? camera.pan(x, y) : camera.orbit(x, y);
  viewport_->request_render();
  emit camera_moved();
  return true;
}

void ScenePane::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_head();
  fit_display();
  // Once the picture has its new size too.
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (!reading_->isHidden())
          show_reading(reading_->text());
        else
          place_line_box();
      },
      Qt::QueuedConnection);
}

void ScenePane::make_range_menu() {
  auto* menu = new QMenu(range_);
  auto* box = new QWidget(menu);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(12, 8, 12, 8);
  grid->setSpacing(8);
  auto_range_ = new QCheckBox(tr("Follow the field"), box);
  auto_range_->setChecked(true);
  low_ = new QLineEdit(box);
  low_->setAccessibleName(tr("Lower end of the colour range"));
  low_->setAccessibleDescription(tr("A number in SI units; smaller values have the first colour"));
  high_ = new QLineEdit(box);
  high_->setAccessibleName(tr("Upper end of the colour range"));
  high_->setAccessibleDescription(tr("A number in SI units; larger values have the last colour"));
  auto* reset = new QPushButton(tr("Fit to this frame"), box);
  grid->addWidget(auto_range_, 0, 0, 1, 2);
  grid->addWidget(make_label(tr("From"), "muted", box), 1, 0);
  grid->addWidget(low_, 1, 1);
  grid->addWidget(make_label(tr("To"), "muted", box), 2, 0);
  grid->addWidget(high_, 2, 1);
  grid->addWidget(reset, 3, 0, 1, 2);
  auto* action = new QWidgetAction(menu);
  action->setDefaultWidget(box);
  menu->addAction(action);
  range_->setMenu(menu);
  connect(auto_range_, &QCheckBox::clicked, this, &ScenePane::read_range);
  connect(low_, &QLineEdit::editingFinished, this, &ScenePane::read_range);
  connect(high_, &QLineEdit::editingFinished, this, &ScenePane::read_range);
  connect(reset, &QPushButton::clicked, this, [this] {
    auto_range_->setChecked(true);
    read_range();
    scene_->reset_range();
    refresh_range_text();
  });
  connect(menu, &QMenu::aboutToShow, this, &ScenePane::refresh_range_text);
}

void ScenePane::make_view_menu(QToolButton* button) {
  auto* menu = new QMenu(button);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  connect(menu, &QMenu::aboutToShow, this, [this, menu] {
    menu->clear();
    const std::pair<QString, StandardView> views[] = {{tr("From above, at an angle"), StandardView::iso},
                                                      {tr("From +x"), StandardView::plus_x},
                                                      {tr("From −x"), StandardView::minus_x},
                                                      {tr("From +y"), StandardView::plus_y},
                                                      {tr("From −y"), StandardView::minus_y},
                                                      {tr("From +z"), StandardView::plus_z},
                                                      {tr("From −z"), StandardView::minus_z}};
    for (const auto& [name, view] : views) menu->addAction(name, this, [this, view = view] { look_from(view); });
    menu->addSeparator();
    for (std::size_t i = 0; i < saved_.size(); ++i)
      menu->addAction(saved_[i].name, this, [this, i] { restore_view(i); });
    if (!saved_.empty()) menu->addSeparator();
    menu->addAction(tr("Keep this view…"), this, [this] {
      bool ok = false;
      const QString name = QInputDialog::getText(this, tr("Keep this view"), tr("Name"), QLineEdit::Normal,
                                                 tr("View %1").arg(saved_.size() + 1), &ok);
      if (ok && !name.trimmed().isEmpty()) save_view(name.trimmed());
    });
  });
}

void ScenePane::save_view(const QString& name) {
  auto camera = std::make_shared<CameraController>();
  camera->copy_from(scene_->camera());
  const auto same = std::find_if(saved_.begin(), saved_.end(), [&](const SavedView& v) { return v.name == name; });
  SavedView view{name, std::move(camera), scene_->view()};
  if (same != saved_.end())
    *same = std::move(view);
  else
    saved_.push_back(std::move(view));
  emit views_changed();
}

QByteArray ScenePane::views_as_text() const {
  QJsonArray all;
  for (const SavedView& saved : saved_) {
    const FieldView& v = saved.view;
    QJsonArray camera, cuts, iso;
    for (const double x : saved.camera->placement()) camera << x;
    for (const CutPlane& cut : v.cuts) cuts << QJsonArray{cut.visible, cut.position};
    for (const double level : v.iso) iso << level;
    QJsonObject one{{"name", saved.name},
                    {"camera", camera},
                    {"cuts", cuts},
                    {"iso", iso},
                    {"map", qtext(v.color_map)},
                    {"mesh_cuts", v.mesh_cuts},
                    {"edges", v.edges},
                    {"opacity", v.opacity},
                    {"warp", qtext(v.warp_field)},
                    {"warp_scale", v.warp_scale},
                    {"arrow_field", qtext(v.arrow_field)},
                    {"arrows", v.arrows},
                    {"streamlines", v.streamlines},
                    {"outline", v.outline},
                    {"color_bar", v.color_bar},
                    {"caption", v.caption},
                    {"triad", v.triad},
                    {"extents", v.extents}};
    if (v.clip) one["clip"] = QJsonArray{v.clip->normal[0], v.clip->normal[1], v.clip->normal[2], v.clip->position};
    all << one;
  }
  return all.isEmpty() ? QByteArray() : QJsonDocument(all).toJson(QJsonDocument::Compact);
}

void ScenePane::set_views(const QByteArray& words) {
  saved_.clear();
  for (const QJsonValue& value : QJsonDocument::fromJson(words).array()) {
    const QJsonObject one = value.toObject();
    const QJsonArray camera = one["camera"].toArray(), cuts = one["cuts"].toArray(), clip = one["clip"].toArray();
    std::array<double, 11> placement{};
    if (one["name"].toString().isEmpty() || camera.size() != static_cast<qsizetype>(placement.size())) continue;
    for (std::size_t k = 0; k < placement.size(); ++k) placement[k] = camera[static_cast<qsizetype>(k)].toDouble();
    SavedView saved{one["name"].toString(), std::make_shared<CameraController>(), {}};
    saved.camera->place(placement);
    FieldView& v = saved.view;
    for (qsizetype k = 0; k < std::min<qsizetype>(3, cuts.size()); ++k)
      v.cuts[static_cast<std::size_t>(k)] = {cuts[k].toArray()[0].toBool(true), cuts[k].toArray()[1].toDouble(0.5)};
    for (const QJsonValue& level : one["iso"].toArray()) v.iso.push_back(level.toDouble());
    v.color_map = one["map"].toString().toStdString();
    v.mesh_cuts = one["mesh_cuts"].toBool();
    v.edges = one["edges"].toBool();
    v.opacity = one["opacity"].toDouble(1);
    v.warp_field = one["warp"].toString().toStdString();
    v.warp_scale = one["warp_scale"].toDouble();
    v.arrow_field = one["arrow_field"].toString().toStdString();
    v.arrows = one["arrows"].toInt(v.arrows);
    v.streamlines = one["streamlines"].toBool();
    v.outline = one["outline"].toBool(true);
    v.color_bar = one["color_bar"].toBool(true);
    v.caption = one["caption"].toBool(true);
    v.triad = one["triad"].toBool(true);
    v.extents = one["extents"].toBool(true);
    if (clip.size() == 4)
      v.clip = ClipPlane{{clip[0].toDouble(), clip[1].toDouble(), clip[2].toDouble()}, clip[3].toDouble()};
    saved_.push_back(std::move(saved));
  }
}

void ScenePane::restore_view(std::size_t index) {
  if (index >= saved_.size()) return;
  // The field stays: a view says from where and with which planes, not what.
  FieldView view = saved_[index].view;
  const FieldView& now = scene_->view();
  view.part = now.part;
  view.field = now.field;
  view.value = now.value;
  view.label = now.label;
  view.iteration_word = now.iteration_word;
  view.phase_word = now.phase_word;
  view.keep_range = now.keep_range;
  view.fixed_range = now.fixed_range;
  view.low = now.low;
  view.high = now.high;
  static_cast<void>(scene_->set_view(view).ok());
  scene_->camera().copy_from(*saved_[index].camera);
  refresh_display();
  viewport_->request_render();
  emit camera_moved();
}

void ScenePane::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "viewport"));
  pointer_->setPixmap({});  // drawn anew in the colours of the theme
  viewport_->request_render();
}

void ScenePane::fit() {
  scene_->fit();
  viewport_->request_render();
  emit camera_moved();
}

void ScenePane::look_from(StandardView view) {
  scene_->look(view);
  viewport_->request_render();
  emit camera_moved();
}

void ScenePane::set_tool(MouseTool tool) {
  tool_ = tool;
  for (QAction* action : tool_group_->actions()) action->setChecked(action->data().toInt() == static_cast<int>(tool));
  line_begin_.reset();
  show_pointer(false);
  scene_->set_line({});
  viewport_->widget()->setCursor(tool == MouseTool::turn ? Qt::ArrowCursor : Qt::CrossCursor);
  static const QString hints[] = {
      QString(), tr("Point at the field to read its value; click to keep it in the picture."),
      tr("Press, draw a line across the field, let go."), tr("Click where a receiver should be."),
      tr("Click a side of the body, or choose it in the list.")};
  show_reading(hints[static_cast<int>(tool)]);
}

void ScenePane::show_display_panel(bool visible) {
  display_->setVisible(visible);
  display_button_->setChecked(visible);
  fit_display();
  refresh_display();
}

void ScenePane::fit_display() {
  // Pixels: in less nothing is seen, and the choices take the pane until they are closed.
  constexpr int least_picture = 120;
  stack_->setVisible(display_->isHidden() || width() >= display_->width() + least_picture);
}

bool ScenePane::display_panel_visible() const {
  return !display_->isHidden();
}

bool ScenePane::has_picture() const {
  return stack_->currentIndex() == 1;
}

void ScenePane::clear(const QString& sentence) {
  first_frame_ = true;
  choices_key_.clear();
  stack_->setCurrentIndex(0);
  empty_text_->setText(sentence);
  shown_ = wanted_;
  {
    const QSignalBlocker quiet(field_), still(value_);
    field_->clear();
    value_->clear();
  }
  for (QWidget* widget : std::initializer_list<QWidget*>{field_, value_, part_of_complex_, range_}) widget->hide();
  set_tool(MouseTool::turn);
  refresh_tools();
}

void ScenePane::refresh_tools() {
  // Without a picture there is nothing to turn, to read or to save.
  for (auto* button : head_->findChildren<QToolButton*>()) button->setEnabled(has_picture());
  fit_head();
}

void ScenePane::set_sentence(const QString& sentence) {
  empty_text_->setText(sentence);
}

void ScenePane::set_run(RunModel& run) {
  disconnect(run_, &RunModel::range_known, this, nullptr);
  run_ = &run;
  follow_ranges_of(run);
  choices_key_.clear();
  first_frame_ = true;
}

void ScenePane::show_frame(const std::shared_ptr<const Frame>& frame) {
  if (!frame) return;
  ++wanted_;
  if (Status shown = scene_->set_frame(frame); !shown && first_frame_)
    emit troubled(qtext(shown.error().text), qtext(shown.error().hint));
  if (first_frame_) {
    first_frame_ = false;
    scene_->reset_range();
    stack_->setCurrentIndex(1);
    refresh_tools();
    show_choices();
    apply_view();
    scene_->look(StandardView::iso);
  }
  viewport_->request_render();
  refresh_range_text();
}

void ScenePane::show_choices() {
  std::vector<std::pair<std::string, FieldInfo>> fields;
  if (!own_fields_) fields = run_->catalog();
  if (fields.empty())
    for (const FieldChoice& choice : scene_->choices()) fields.emplace_back(choice.part, choice.info);
  QString key;
  for (const auto& [part, info] : fields) key += qtext(part) + '/' + qtext(info.name) + ';';
  if (key == choices_key_) return;
  choices_key_ = key;
  const bool many_parts =
      std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first != fields.front().first; });
  const QString before = field_->currentData().toString();
  const QSignalBlocker quiet(field_);
  field_->clear();
  for (const auto& [part, info] : fields) {
    QString name = info.label.empty() ? translated(words_of(info.name)) : translated(info.label);
    if (many_parts) name += QStringLiteral(" – ") + qtext(part);
    field_->addItem(name, qtext(part) + '\n' + qtext(info.name));
    field_->setItemData(field_->count() - 1, info.components, Qt::UserRole + 1);
    field_->setItemData(field_->count() - 1, info.is_complex, Qt::UserRole + 2);
    field_->setItemData(field_->count() - 1, name, Qt::ToolTipRole);
  }
  const int index = field_->findData(before);
  field_->setCurrentIndex(index >= 0 ? index : 0);
  choose_field();
}

void ScenePane::choose_field() {
  const int components = field_->currentData(Qt::UserRole + 1).toInt();
  const QSignalBlocker quiet(value_);
  value_->clear();
  if (components == 3) {
    value_->addItem(tr("Length"), -1);
    value_->addItem("x", 0);
    value_->addItem("y", 1);
    value_->addItem("z", 2);
  }
  apply_view();
}

void ScenePane::choose(const QString& field) {
  for (int i = 0; i < field_->count(); ++i)
    if (field_->itemData(i).toString().section('\n', 1) == field) {
      field_->setCurrentIndex(i);
      return choose_field();
    }
}

QString ScenePane::field_text() const {
  return field_->currentText();
}

bool ScenePane::can_animate_phase() const {
  return has_picture() && field_->currentData(Qt::UserRole + 2).toBool() &&
         part_of_complex_->currentData().toInt() == static_cast<int>(ComplexPart::instant);
}

double ScenePane::phase() const {
  return phase_;
}

void ScenePane::set_phase(double angle) {
  phase_ = std::fmod(angle, 2 * 3.14159265358979323846);
  FieldView view = scene_->view();
  view.value.angle = phase_;
  static_cast<void>(scene_->set_view(view).ok());
  viewport_->request_render();
}

void ScenePane::apply_view() {
  const QStringList chosen = field_->currentData().toString().split('\n');
  const bool is_complex = field_->currentData(Qt::UserRole + 2).toBool();
  const bool picture = has_picture();
  field_->setVisible(picture && field_->count() > 0);
  value_->setVisible(picture && value_->count() > 0);
  part_of_complex_->setVisible(picture && is_complex);
  FieldView view = scene_->view();
  if (display_->isVisible()) display_->apply_to(view);
  if (chosen.size() == 2) {
    view.part = chosen[0].toStdString();
    view.field = chosen[1].toStdString();
  }
  if (const bool marks = own_fields_ && view.field == mark_field; marks != marks_shown_) {
    marks_shown_ = marks;
    if (marks) bar_before_ = view.color_bar;
    view.color_bar = !marks && bar_before_;
  }
  view.value.component = value_->count() > 0 ? value_->currentData().toInt() : -1;
  view.value.part =
      is_complex ? static_cast<ComplexPart>(part_of_complex_->currentData().toInt()) : ComplexPart::instant;
  view.value.angle = is_complex ? phase_ : 0;
  const std::string own = label_of(chosen_info(view), view.value);
  const std::string said = translated(own).toStdString();
  view.label = said == own ? std::string() : said;
  view.iteration_word = tr("iteration").toStdString();
  view.phase_word = tr("phase").toStdString();
  view.keep_range = true;  // one colour means one value, in whatever frame
  view.title = title_.toStdString();
  view.fixed_range = !auto_range_->isChecked();
  if (view.fixed_range) {
    view.low = low_->text().toDouble();
    view.high = high_->text().toDouble();
  }
  if (!own_fields_) run_->view(view.part, view.field);
  // The frame at hand may not carry the field yet; the next one will.
  static_cast<void>(scene_->set_view(view).ok());
  if (!view.fixed_range && !own_fields_) run_->find_range(view.part, view.field, view.value, view.percent);
  viewport_->request_render();
  refresh_range_text();
  refresh_display();
}

void ScenePane::set_title(const QString& title) {
  title_ = title;
  apply_view();
}

void ScenePane::widen_range(std::pair<double, double> range) {
  const auto now = scene_->range();
  take_range({std::min(now.first, range.first), std::max(now.second, range.second)});
}

void ScenePane::take_range(std::pair<double, double> range) {
  if (scene_->view().fixed_range || own_fields_ || !has_picture() || scene_->range() == range) return;
  scene_->set_known_range(range);
  viewport_->request_render();
  refresh_range_text();
  emit range_changed();
}

void ScenePane::follow_ranges_of(RunModel& run) {
  connect(&run, &RunModel::range_known, this,
          [this](const std::string& part, const std::string& field, double low, double high) {
            if (part == scene_->view().part && field == scene_->view().field) take_range({low, high});
          });
}

FieldInfo ScenePane::chosen_info(const FieldView& view) const {
  for (const FieldChoice& choice : scene_->choices())
    if (choice.info.name == view.field) return choice.info;
  if (!own_fields_)
    for (const auto& [part, info] : run_->catalog())
      if (info.name == view.field) return info;
  return {};
}

void ScenePane::refresh_display() {
  if (!display_->isVisible()) return;
  const auto frame = scene_->frame();
  const FieldInfo info = chosen_info(scene_->view());
  const FieldKind kind = info.name.empty() ? FieldKind::magnitude : kind_of(info, scene_->view().value);
  display_->show_view(scene_->view(), frame.get(), kind);
}

void ScenePane::read_range() {
  bool low_ok = false, high_ok = false;
  const double low = low_->text().toDouble(&low_ok);
  const double high = high_->text().toDouble(&high_ok);
  if (!auto_range_->isChecked() && !(low_ok && high_ok && low < high)) {
    const auto [from, to] = scene_->range();
    low_->setText(QString::number(from, 'g', 4));
    high_->setText(QString::number(to, 'g', 4));
  }
  low_->setEnabled(!auto_range_->isChecked());
  high_->setEnabled(!auto_range_->isChecked());
  apply_view();
}

void ScenePane::refresh_range_text() {
  const auto [low, high] = scene_->range();
  range_->setVisible(has_picture() && !scene_->choices().empty() && !marks_shown_);
  // In the unit of the colour bar: "−12 … 12 nPa".
  const FieldView& view = scene_->view();
  const TickSet ticks = tidy_ticks(low, high, 5, unit_of(chosen_info(view), view.value));
  const auto figure = [&](double v) { return QString::number(v / ticks.scale, 'g', 3); };
  const QString ends =
      low == -high ? QChar(0xb1) + figure(high) : figure(low) + QString::fromUtf8(" … ") + figure(high);
  QString words = ends;
  if (!ticks.unit.empty()) words += " " + qtext(ticks.unit);
  range_->setText(words.replace('-', QChar(0x2212)));
  fit_head();
  low_->setEnabled(!auto_range_->isChecked());
  high_->setEnabled(!auto_range_->isChecked());
  if (!auto_range_->isChecked()) return;
  low_->setText(QString::number(low, 'g', 4));
  high_->setText(QString::number(high, 'g', 4));
}

void ScenePane::set_markers(std::vector<Marker> markers) {
  scene_->set_markers(std::move(markers));
  viewport_->request_render();
}

void ScenePane::follow_camera(const ScenePane& other) {
  scene_->camera().copy_from(other.scene_->camera());
  viewport_->request_render();
}

void ScenePane::show_reading(const QString& shown) {
  reading_->setText(shown);
  reading_->setVisible(!shown.isEmpty());
  reading_->adjustSize();
  place_line_box();
  const int above = line_box_->isHidden() ? 0 : line_box_->height() + 8;
  reading_->move(beside_axes, viewport_->widget()->height() - reading_->height() - 12 - above);
}

std::optional<Vec3> ScenePane::place_under(const InputEvent& event) {
  if (const auto probe = scene_->pick(event.x, event.y)) return probe->position;
  // Beside everything: on the plane through the middle that faces the eye most.
  const Bounds& b = scene_->camera().bounds();
  return scene_->pick_plane(event.x, event.y, 2, 0.5 * (b[4] + b[5]));
}

bool ScenePane::is_click(const InputEvent& event) {
  if (event.button != MouseButton::left) return false;
  if (event.kind == InputKind::press) pressed_at_ = {event.x, event.y};
  constexpr double still = 4;  // pixels
  return event.kind == InputKind::release &&
         std::hypot(event.x - pressed_at_[0], event.y - pressed_at_[1]) <= still * devicePixelRatioF();
}

void ScenePane::make_line_box() {
  line_box_ = new QFrame(viewport_->widget());
  set_role(line_box_, "reading");
  auto* row = new QHBoxLayout(line_box_);
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  line_from_ = new QLineEdit(line_box_);
  line_to_ = new QLineEdit(line_box_);
  for (const auto& [edit, word, name] : {std::tuple{line_from_, tr("Line from"), tr("Beginning of the line")},
                                         std::tuple{line_to_, tr("to"), tr("End of the line")}}) {
    edit->setAccessibleName(name);
    edit->setPlaceholderText("x, y, z");
    edit->setToolTip(tr("A place x, y, z with units or in metres; Enter draws the line"));
    edit->setFixedWidth(edit->fontMetrics().horizontalAdvance("-0000.0, -0000.0, -0000.0 m"));
    row->addWidget(make_label(word, "small", line_box_));
    row->addWidget(edit);
    connect(edit, &QLineEdit::returnPressed, this, &ScenePane::draw_typed_line);
  }
  line_box_->installEventFilter(this);
  line_box_->hide();
}

void ScenePane::place_line_box() {
  line_box_->setVisible(tool_ == MouseTool::profile && has_picture());
  line_box_->adjustSize();
  line_box_->move(beside_axes, viewport_->widget()->height() - line_box_->height() - 12);
}

void ScenePane::draw_typed_line() {
  std::array<Vec3, 2> ends{};
  for (const auto& [edit, end] : {std::pair{line_from_, &ends[0]}, std::pair{line_to_, &ends[1]}}) {
    const auto place = parse_place(edit->text().toStdString());
    if (!place) {
      // An end that is still empty is the next to be typed.
      if (!edit->text().trimmed().isEmpty()) show_reading(qtext(place.error().text + ". " + place.error().hint));
      edit->setFocus();
      edit->selectAll();
      return;
    }
    *end = *place;
  }
  scene_->set_line({ends[0], ends[1]});
  viewport_->request_render();
  const double length = std::hypot(ends[1][0] - ends[0][0], ends[1][1] - ends[0][1], ends[1][2] - ends[0][2]);
  show_reading(tr("%1 long").arg(qtext(readable(length, "m"))));
  draw_profile(ends[0], ends[1]);
}

void ScenePane::draw_profile(const Vec3& begin, const Vec3& end) {
  const auto points = scene_->profile(scene_->view().part, begin, end, profile_samples);
  if (!points)
    return show_reading(qtext(points.error().text + (points.error().hint.empty() ? "" : " " + points.error().hint)));
  const FieldView& view = scene_->view();
  const FieldInfo info = chosen_info(view);
  emit profile_drawn(*points, translated(label_of(info, view.value)), qtext(unit_of(info, view.value)));
}

bool ScenePane::handle_tool(const InputEvent& event) {
  if (tool_ == MouseTool::turn || !has_picture()) return false;
  const bool left = event.button == MouseButton::left;
  if (tool_ == MouseTool::probe) {
    if (event.kind == InputKind::leave) show_reading({});
    if (is_click(event))
      if (const auto probe = scene_->pick(event.x, event.y)) emit value_kept(*probe);
    if (event.kind != InputKind::move || event.button != MouseButton::none) return false;
    const auto probe = scene_->pick(event.x, event.y);
    show_reading(probe ? qtext(probe->text) : tr("Nothing here."));
    if (probe) emit probed(*probe);
    return false;  // turning goes on working while values are read
  }
  if (tool_ == MouseTool::choose) {
    if (!is_click(event)) return false;
    if (const auto probe = scene_->pick(event.x, event.y)) emit face_chosen(probe->position);
    return false;
  }
  if (tool_ == MouseTool::place) {
    if (event.kind != InputKind::press || !left) return false;
    if (const auto place = place_under(event)) emit place_chosen(*place);
    return true;
  }
  if (event.kind == InputKind::press && left) {
    line_begin_ = place_under(event);
    return true;
  }
  if (!line_begin_) return false;
  const auto end = place_under(event);
  if (event.kind == InputKind::move && end) {
    scene_->set_line({*line_begin_, *end});
    const double length =
        std::hypot((*end)[0] - (*line_begin_)[0], (*end)[1] - (*line_begin_)[1], (*end)[2] - (*line_begin_)[2]);
    show_reading(tr("%1 long").arg(qtext(readable(length, "m"))));
    return true;
  }
  if (event.kind == InputKind::release && left) {
    const Vec3 begin = *line_begin_;
    line_begin_.reset();
    if (!end) return true;
    line_from_->setText(qtext(place_text(begin)));
    line_to_->setText(qtext(place_text(*end)));
    draw_profile(begin, *end);
    return true;
  }
  return true;
}

}  // namespace conoid::app
