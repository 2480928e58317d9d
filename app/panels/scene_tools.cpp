// SPDX-License-Identifier: BSD-3-Clause
// Tools for the mouse and the keyboard on a picture.
#include "app/panels/scene_tools.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include <QCoreApplication>
#include <QFrame>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPixmap>
#include <QPointer>
#include <QThreadPool>

#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/place.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

constexpr int profile_samples = 400, whole_samples = 2001;
constexpr std::size_t most_followed = 20'000;  // cells that are looked through for a frame at once
constexpr int beside_axes = 96;                // what lies over the picture leaves the triad free

/// As it may be typed: "0.5, -1, 0", "0,5; -1; 0" where the language has a decimal comma.
QString shown_place(const Vec3& place) {
  return in_figures(QString::fromStdString(place_text(place)));
}

}  // namespace

QString probe_text(const Probe& probe) {
  return in_figures(
      QObject::tr("%1 at %2").arg(QString::fromStdString(probe.what), QString::fromStdString(probe.where)));
}

SceneTools::SceneTools(FieldScene& scene, ViewportHost& viewport, const Look& look, QObject* parent)
    : QObject(parent), scene_(scene), viewport_(viewport), look_(look), picture_widget_(viewport.widget()) {
  reading_ = make_label({}, "reading", picture_widget_);
  reading_->hide();
  make_line_box();
  pointer_ = new QLabel(picture_widget_);
  pointer_->setAttribute(Qt::WA_TransparentForMouseEvents);
  pointer_->hide();
}

bool SceneTools::eventFilter(QObject* watched, QEvent* event) {
  // What its fields leave of keys and clicks is not for the picture below: Enter would begin a line there.
  if (watched == line_box_ && (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress ||
                               event->type() == QEvent::MouseButtonRelease || event->type() == QEvent::Wheel))
    return true;
  return QObject::eventFilter(watched, event);
}

void SceneTools::take(MouseTool tool) {
  tool_ = tool;
  line_begin_.reset();
  measured_.clear();
  dragged_.reset();
  show_pointer(false);
  scene_.set_line({});
  picture_widget_->setCursor(tool == MouseTool::turn ? Qt::ArrowCursor : Qt::CrossCursor);
  show_reading(mouse_tool(tool).hint);
}

bool SceneTools::handle_key(const QKeyEvent& event) {
  if (tool_ == MouseTool::turn || (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier))) return false;
  const QWidget& picture = *picture_widget_;
  const double ratio = picture_widget_->devicePixelRatioF(),
               step = (event.modifiers() & Qt::ShiftModifier ? 2 : 16) * ratio;
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
    static_cast<void>(handle(as_mouse));
    return true;
  }
  as_mouse.button = MouseButton::left;
  const bool line_ends = line_begin_.has_value();
  as_mouse.kind = InputKind::press;
  if (!line_ends) static_cast<void>(handle(as_mouse));
  as_mouse.kind = InputKind::release;
  if (line_ends || tool_ != MouseTool::profile) static_cast<void>(handle(as_mouse));
  return true;
}

void SceneTools::show_pointer(bool visible) {
  pointer_->setVisible(visible);
  if (!visible) return;
  if (pointer_->pixmap().isNull()) {
    // A cross with a rim, to be seen on every colour.
    constexpr int size = 25;
    const double ratio = picture_widget_->devicePixelRatioF();
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
  const double ratio = picture_widget_->devicePixelRatioF();
  pointer_->move(qRound(pointer_at_[0] / ratio) - pointer_->width() / 2,
                 qRound(pointer_at_[1] / ratio) - pointer_->height() / 2);
}

void SceneTools::show_reading(const QString& shown) {
  reading_->setText(in_figures(shown));
  reading_->setVisible(!shown.isEmpty());
  // What is longer than the picture goes on in another line.
  constexpr int gap = 12;
  reading_->setWordWrap(false);
  const int room = std::max(120, picture_widget_->width() - beside_axes - gap);
  if (reading_->sizeHint().width() > room) {
    reading_->setWordWrap(true);
    reading_->resize(room, reading_->heightForWidth(room));
  } else {
    reading_->adjustSize();
  }
  place_line_box();
  const int above = line_box_->isHidden() ? 0 : line_box_->height() + 8;
  reading_->move(beside_axes, picture_widget_->height() - reading_->height() - 12 - above);
}

std::optional<Vec3> SceneTools::place_under(const InputEvent& event) {
  if (const auto probe = scene_.pick(event.x, event.y)) return probe->position;
  // Beside everything: on the plane through the middle that faces the eye most.
  const Bounds& b = scene_.camera().bounds();
  return scene_.pick_plane(event.x, event.y, 2, 0.5 * (b[4] + b[5]));
}

bool SceneTools::is_click(const InputEvent& event, MouseButton button) {
  if (event.button != button) return false;
  if (event.kind == InputKind::press) pressed_at_ = {event.x, event.y};
  constexpr double still = 4;  // pixels
  return event.kind == InputKind::release &&
         std::hypot(event.x - pressed_at_[0], event.y - pressed_at_[1]) <= still * picture_widget_->devicePixelRatioF();
}

void SceneTools::make_line_box() {
  line_box_ = new QFrame(picture_widget_);
  set_role(line_box_, "reading");
  auto* grid = new QGridLayout(line_box_);
  grid->setContentsMargins(8, 4, 8, 4);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  line_from_ = new QLineEdit(line_box_);
  line_to_ = new QLineEdit(line_box_);
  line_third_ = new QLineEdit(line_box_);
  for (const auto& [edit, word, name] : {std::tuple{line_from_, tr("Line from"), tr("Beginning of the line")},
                                         std::tuple{line_to_, tr("to"), tr("End of the line")},
                                         std::tuple{line_third_, tr("angle to"), tr("Other leg of the angle")}}) {
    edit->setAccessibleName(name);
    edit->setPlaceholderText("x, y, z");
    edit->setToolTip(tr("A place x, y, z with units or in metres; Enter draws the line"));
    line_words_.push_back(make_label(word, "small", line_box_));
    connect(edit, &QLineEdit::returnPressed, this, &SceneTools::take_typed_places);
  }
  line_box_->installEventFilter(this);
  line_box_->hide();
}

void SceneTools::place_line_box() {
  const MouseToolRow tool = mouse_tool(tool_);
  line_box_->setVisible(tool.has_line && picture_);
  line_third_->setVisible(tool.has_angle);
  line_words_.back()->setVisible(tool.has_angle);
  // Side by side where all of a place is seen, below each other elsewhere.
  constexpr int least = 72, gap = 12, words = 72;  // words: a label with its spacing
  const int count = tool.has_angle ? 3 : 2, room = picture_widget_->width() - beside_axes - 2 * gap;
  const int natural = line_from_->fontMetrics().horizontalAdvance("-0000.0, -0000.0, -0000.0 m");
  const bool beside = room / count - words >= natural;
  auto& grid = static_cast<QGridLayout&>(*line_box_->layout());
  int place = 0;
  for (QLineEdit* edit : {line_from_, line_to_, line_third_}) {
    edit->setFixedWidth(std::clamp(room - words, least, natural));
    grid.addWidget(line_words_[static_cast<std::size_t>(place)], beside ? 0 : place, beside ? 2 * place : 0);
    grid.addWidget(edit, beside ? 0 : place, beside ? 2 * place + 1 : 1);
    ++place;
  }
  line_box_->layout()->activate();
  line_box_->adjustSize();
  const int left = std::max(gap, std::min(beside_axes, picture_widget_->width() - line_box_->width() - gap));
  line_box_->move(left, picture_widget_->height() - line_box_->height() - gap);
}

void SceneTools::take_typed_places() {
  std::vector<Vec3> ends;
  for (QLineEdit* edit : {line_from_, line_to_, line_third_}) {
    // The angle is no must.
    if (edit == line_third_ && (!mouse_tool(tool_).has_angle || edit->text().trimmed().isEmpty())) break;
    const auto place = parse_place(typed_list(edit->text()).join(", ").toStdString());
    if (!place) {
      // An end that is still empty is the next to be typed.
      if (!edit->text().trimmed().isEmpty()) show_reading(sentence_of(place.error()));
      edit->setFocus();
      edit->selectAll();
      return;
    }
    ends.push_back(*place);
  }
  if (tool_ == MouseTool::measure) {
    measured_ = ends;
    return show_measured(measured_);
  }
  draw_line(ends[0], ends[1]);
  viewport_.request_render();
  draw_profile(ends[0], ends[1]);
}

void SceneTools::draw_line(const Vec3& begin, const Vec3& end) {
  scene_.set_line({begin, end});
  const double length = std::hypot(end[0] - begin[0], end[1] - begin[1], end[2] - begin[2]);
  show_reading(tr("%1 long").arg(QString::fromStdString(readable(length, "m"))));
}

void SceneTools::draw_profile(const Vec3& begin, const Vec3& end) {
  const auto points = scene_.profile(scene_.view().part, begin, end, profile_samples);
  if (!points) return show_reading(sentence_of(points.error()));
  profile_ = {begin, end};
  emit profile_drawn(*points);
}

void SceneTools::follow_frame() {
  const auto whole = profile_ ? std::nullopt : scene_.line_ends();
  if (!profile_ && !whole) return;
  const std::string& part = scene_.view().part;
  const auto& [begin, end] = profile_ ? *profile_ : *whole;
  auto job = scene_.profile_job(part, begin, end, whole ? whole_samples : profile_samples);
  if (!job) return;
  const bool all = whole.has_value();
  const double from = begin[0];
  if (scene_.cells_of_profile(part) <= most_followed) return take_followed((*job)(), all, from);
  // Of large meshes beside the window; while one is looked through, only the newest frame waits.
  const auto start = [this, all, from](FieldScene::ProfileJob work) {
    following_ = true;
    QThreadPool::globalInstance()->start([guard = QPointer<SceneTools>(this), work = std::move(work), all, from] {
      auto points = std::make_shared<Result<std::vector<ProfilePoint>>>(work());
      QMetaObject::invokeMethod(
          QCoreApplication::instance(),
          [guard, points, all, from] {
            if (guard) guard->followed(std::move(*points), all, from);
          },
          Qt::QueuedConnection);
    });
  };
  if (following_)
    next_followed_ = [start, work = std::move(*job)] { start(work); };
  else
    start(std::move(*job));
}

void SceneTools::followed(Result<std::vector<ProfilePoint>> points, bool whole, double from) {
  following_ = false;
  const auto next = std::exchange(next_followed_, nullptr);
  if (profile_ || whole) take_followed(std::move(points), whole, from);
  if (next) next();
}

void SceneTools::take_followed(Result<std::vector<ProfilePoint>> points, bool whole, double from) {
  if (!points) return;
  // Along a coordinate a place is called by it.
  if (whole)
    for (ProfilePoint& point : *points) point.distance += from;
  emit profile_followed(*points, whole);
}

void SceneTools::measure_from(const Vec3& place) {
  measured_ = {place};
  show_measured(measured_);
}

QString SceneTools::reading() const {
  return reading_->isHidden() ? QString() : reading_->text();
}

void SceneTools::show_measured(const std::vector<Vec3>& places) {
  scene_.set_line(places.size() < 2 ? std::vector<Vec3>() : places);
  viewport_.request_render();
  if (places.size() < 2) return show_reading(tr("Click the other end."));
  const Ruler ruler = measure(places);
  QString text = tr("%1 long").arg(QString::fromStdString(readable(ruler.length, "m"))) + "  (" +
                 QString::fromStdString(place_text(ruler.apart)) + " m)";
  if (places.size() > 2) {
    text += QStringLiteral("  ·  ") + tr("then %1").arg(QString::fromStdString(readable(ruler.second_leg, "m")));
    if (ruler.angle)
      text += QStringLiteral("  ·  ") + tr("angle %1°").arg(*ruler.angle * 180 / std::numbers::pi, 0, 'f', 2);
  }
  show_reading(text);
}

void SceneTools::handle_measure(const InputEvent& event) {
  const bool open = !measured_.empty() && measured_.size() < 3;
  if (event.kind == InputKind::leave && open) return show_measured(measured_);
  if (event.kind == InputKind::move && event.button == MouseButton::none && open) {
    const auto place = place_under(event);
    if (!place) return;
    std::vector<Vec3> tried = measured_;
    tried.push_back(*place);
    return show_measured(tried);
  }
  if (!is_click(event)) return;
  const auto place = place_under(event);
  if (!place) return;
  if (measured_.size() >= 3) measured_.clear();
  measured_.push_back(*place);
  QLineEdit* const edits[] = {line_from_, line_to_, line_third_};
  for (std::size_t i = 0; i < std::size(edits); ++i) {
    edits[i]->setText(i < measured_.size() ? shown_place(measured_[i]) : QString());
    edits[i]->setCursorPosition(0);
  }
  show_measured(measured_);
}

bool SceneTools::handle_drag(const InputEvent& event) {
  const bool left = event.button == MouseButton::left;
  if (!dragged_) {
    const bool hovers = event.kind == InputKind::move && event.button == MouseButton::none;
    if (!hovers && !(event.kind == InputKind::press && left)) return false;
    const auto at = scene_.marker_at(event.x, event.y);
    const bool ours = at && !scene_.markers()[*at].key.empty();
    picture_widget_->setCursor(!ours                                                ? Qt::ArrowCursor
                               : scene_.markers()[*at].kind == MarkerKind::boundary ? Qt::PointingHandCursor
                               : hovers                                             ? Qt::OpenHandCursor
                                                                                    : Qt::ClosedHandCursor);
    // Where names have no room beside each other this one is read here.
    if (hovers) name_marker(at ? scene_.markers()[*at].label : std::string());
    if (hovers || !ours) return false;
    dragged_ = scene_.markers()[*at];
    dragged_at_ = *at;
    drag_moved_ = false;
    scene_.camera().pan(0, 0);  // a view that somebody works in is not fitted anew to where markers are
    return true;
  }
  if (dragged_->kind == MarkerKind::boundary) return drag_condition(event);
  const auto place = scene_.dragged_to(*dragged_, event.x, event.y);
  std::vector<Marker> markers = scene_.markers();
  if (event.kind == InputKind::move && place && dragged_at_ < markers.size()) {
    drag_moved_ = true;
    Marker& marker = markers[dragged_at_];
    marker.position = *place;
    if (marker.kind == MarkerKind::wave) {
      marker.direction = scene_.direction_of_wave_from(*place);
      marker.polarisations.clear();  // they follow once it is let go
    }
    show_reading(marker.kind == MarkerKind::wave
                     ? tr("Wave along %1").arg(QString::fromStdString(place_text(marker.direction, 3)))
                     : tr("At %1 m").arg(QString::fromStdString(place_text(*place))));
    scene_.set_markers(std::move(markers));
    viewport_.request_render();
  }
  if (event.kind == InputKind::release && left) {
    const Marker was = *dragged_;
    dragged_.reset();
    show_reading({});
    picture_widget_->setCursor(Qt::ArrowCursor);
    if (drag_moved_ && place)
      emit marker_moved(was, *place);
    else if (!drag_moved_)
      emit marker_chosen(was);
  }
  return true;
}

/// The mark of a condition stays where it holds; let go on that of another boundary the condition is given to it.
bool SceneTools::drag_condition(const InputEvent& event) {
  const auto at = scene_.marker_at(event.x, event.y);
  const auto& markers = scene_.markers();
  const bool onto = at && markers[*at].kind == MarkerKind::boundary && markers[*at].key != dragged_->key;
  if (event.kind == InputKind::move) {
    drag_moved_ = drag_moved_ || !at || onto;
    picture_widget_->setCursor(onto ? Qt::DragCopyCursor : Qt::ClosedHandCursor);
    const QString own = QString::fromStdString(dragged_->label);
    if (drag_moved_)
      show_reading(onto ? tr("%1 also at: %2").arg(own, QString::fromStdString(markers[*at].label))
                        : tr("%1: let go on the mark of another boundary").arg(own));
  }
  if (event.kind == InputKind::release && event.button == MouseButton::left) {
    const Marker was = *dragged_;
    dragged_.reset();
    show_reading({});
    picture_widget_->setCursor(Qt::ArrowCursor);
    if (onto)
      emit condition_dropped(was, Marker(markers[*at]));
    else if (!drag_moved_)
      emit marker_chosen(was);
  }
  return true;
}

void SceneTools::name_marker(const std::string& name) {
  if (name == named_) return;
  named_ = name;
  show_reading(QString::fromStdString(name));
}

void SceneTools::handle_menu(const InputEvent& event) {
  if (!is_click(event, MouseButton::right)) return;
  const auto probe = scene_.pick(event.x, event.y);
  if (const auto place = probe ? std::optional(probe->position) : place_under(event)) {
    const auto annotation = scene_.annotation_at(event.x, event.y);
    emit menu_wanted(*place, probe, annotation ? static_cast<int>(*annotation) : -1);
  }
}

bool SceneTools::handle(const InputEvent& event) {
  if (!picture_) return false;
  handle_menu(event);
  switch (tool_) {
    case MouseTool::turn: return handle_drag(event);
    case MouseTool::probe: return handle_probe(event);
    case MouseTool::profile: return handle_line(event);
    case MouseTool::place:
      if (event.kind != InputKind::press || event.button != MouseButton::left) return false;
      if (const auto place = place_under(event)) emit place_chosen(*place);
      return true;
    case MouseTool::choose:
      if (!is_click(event)) return false;
      if (const auto probe = scene_.pick(event.x, event.y)) emit face_chosen(probe->position);
      return false;
    case MouseTool::measure: handle_measure(event); return false;  // turning goes on working
  }
  return false;
}

bool SceneTools::handle_probe(const InputEvent& event) {
  if (event.kind == InputKind::leave) show_reading({});
  if (is_click(event))
    if (const auto probe = scene_.pick(event.x, event.y)) emit value_kept(*probe);
  if (event.kind != InputKind::move || event.button != MouseButton::none) return false;
  const auto probe = scene_.pick(event.x, event.y);
  show_reading(probe ? probe_text(*probe) : tr("Nothing here."));
  if (probe) emit probed(*probe);
  return false;  // turning goes on working while values are read
}

bool SceneTools::handle_line(const InputEvent& event) {
  const bool left = event.button == MouseButton::left;
  if (event.kind == InputKind::press && left) {
    line_begin_ = place_under(event);
    return true;
  }
  if (!line_begin_) return false;
  const auto end = place_under(event);
  if (event.kind == InputKind::move && end) {
    draw_line(*line_begin_, *end);
    return true;
  }
  if (event.kind == InputKind::release && left) {
    const Vec3 begin = *line_begin_;
    line_begin_.reset();
    if (!end) return true;
    line_from_->setText(shown_place(begin));
    line_to_->setText(shown_place(*end));
    draw_profile(begin, *end);
    return true;
  }
  return true;
}

void SceneTools::place_texts() {
  if (!reading_->isHidden())
    show_reading(reading_->text());
  else
    place_line_box();
}

void SceneTools::apply_theme() {
  pointer_->setPixmap({});
}

}  // namespace conoid::app
