// SPDX-License-Identifier: BSD-3-Clause
// One view of a field.
#include "app/panels/scene_pane.hpp"

#include <algorithm>
#include <cmath>

#include <QClipboard>
#include <QFrame>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QImage>
#include <QInputDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/model/far_fields.hpp"
#include "app/model/names.hpp"
#include "app/panels/display_panel.hpp"
#include "app/panels/picture_theme.hpp"
#include "app/panels/recipe_editor.hpp"
#include "app/panels/scene_head.hpp"
#include "app/panels/viewport_panel.hpp"
#include "engine/core/place.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
ScenePane::ScenePane(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(&run), look_(look), scene_(std::make_shared<FieldScene>()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  head_ = new SceneHead(look_, this);
  column->addWidget(head_);
  row_ = new QHBoxLayout;
  row_->setSpacing(0);
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
  row_->addWidget(stack_, 1);
  // What is beside it comes first, see fit_display().
  stack_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row_->addWidget(make_rule(this, true));
  column->addLayout(row_, 1);
  tools_ = new SceneTools(*scene_, *viewport_, look_, this);
  views_ = new SceneViews(*scene_, *head_->views_button(), this);

  follow_ranges_of(run);
  apply_theme();
  viewport_->set_scene(scene_);
  viewport_->on_rendered = [this] { shown_ = wanted_; };
  viewport_->on_input = [this](const InputEvent& event) {
    const bool taken = tools_->handle(event);
    const bool moves = event.kind == InputKind::wheel || event.kind == InputKind::double_click ||
                       (event.kind == InputKind::move && event.button != MouseButton::none);
    if (!taken && moves) QMetaObject::invokeMethod(this, &ScenePane::camera_moved, Qt::QueuedConnection);
    return taken;
  };
  connect(&look, &Look::changed, this, [this] { in_free_turn(this, [this] { apply_theme(); }); });
  connect_head();
  connect_tools();
  connect_views();
}

void ScenePane::connect_views() {
  connect(views_, &SceneViews::chosen, this, &ScenePane::look_from);
  connect(views_, &SceneViews::troubled, this, &ScenePane::troubled);
  connect(views_, &SceneViews::restored, this, [this] {
    refresh_display();
    emit annotations_changed();
    viewport_->request_render();
    emit camera_moved();
  });
}

void ScenePane::connect_head() {
  connect(head_, &SceneHead::field_chosen, this, [this] {
    apply_view();
    emit field_chosen();
  });
  connect(head_, &SceneHead::value_chosen, this, &ScenePane::apply_view);
  connect(head_, &SceneHead::complex_part_chosen, this, [this] {
    apply_view();
    emit field_chosen();
  });
  connect(head_, &SceneHead::tool_chosen, this, [this](MouseTool tool) {
    set_tool(tool);
    // For the keys that point.
    if (tool != MouseTool::turn && has_picture()) viewport_->widget()->setFocus(Qt::OtherFocusReason);
  });
  connect(head_, &SceneHead::fit_wanted, this, &ScenePane::fit);
  connect(head_, &SceneHead::display_wanted, this, &ScenePane::show_display_panel);
  connect(&head_->range(), &ColourRangeButton::edited, this, &ScenePane::apply_view);
  connect(&head_->range(), &ColourRangeButton::reset_wanted, this, [this] {
    scene_->reset_range();
    refresh_head();
  });
}

void ScenePane::connect_tools() {
  connect(tools_, &SceneTools::probed, this, &ScenePane::probed);
  connect(tools_, &SceneTools::value_kept, this, &ScenePane::value_kept);
  connect(tools_, &SceneTools::place_chosen, this, &ScenePane::place_chosen);
  connect(tools_, &SceneTools::marker_chosen, this, &ScenePane::marker_chosen);
  connect(tools_, &SceneTools::condition_dropped, this, &ScenePane::condition_dropped);
  connect(tools_, &SceneTools::marker_moved, this, [this](const Marker& marker, const Vec3& place) {
    emit marker_moved(marker, place, scene_->direction_of_wave_from(place));
  });
  connect(tools_, &SceneTools::face_chosen, this, &ScenePane::face_chosen);
  // A menu of its own loop is not opened within an event of the picture.
  connect(
      tools_, &SceneTools::menu_wanted, this,
      [this](const Vec3& place, const std::optional<Probe>& probe, int annotation) {
        show_place_menu(place, probe, annotation);
      },
      Qt::QueuedConnection);
  connect(tools_, &SceneTools::profile_drawn, this, [this](const std::vector<ProfilePoint>& points) {
    const auto [label, unit, moment] = profile_words();
    emit profile_drawn(points, label, unit, moment);
  });
  connect(tools_, &SceneTools::profile_followed, this, [this](const std::vector<ProfilePoint>& points, bool whole) {
    if (own_fields_) return;  // no field of a run
    const auto [label, unit, moment] = profile_words();
    emit profile_followed(points, label, unit, moment, whole);
  });
}

std::array<QString, 3> ScenePane::profile_words() const {
  const FieldView& view = scene_->view();
  const FieldInfo info = chosen_info(view);
  const auto frame = scene_->frame();
  return {translated(label_of(info, view.value)), QString::fromStdString(unit_of(info, view.value)),
          frame ? moment_text({.number = frame->number, .value = frame->value, .axis = frame->axis}) : QString()};
}

ScenePane::~ScenePane() {
  viewport_->on_rendered = nullptr;
  viewport_->on_input = nullptr;
}

void ScenePane::ask_for_annotation(const Vec3& place, int annotation) {
  std::vector<Annotation> all = scene_->view().annotations;
  const bool known = annotation >= 0 && static_cast<std::size_t>(annotation) < all.size();
  Annotation* own = known ? &all[static_cast<std::size_t>(annotation)] : nullptr;
  bool ok = false;
  const QString text = QInputDialog::getText(window(), tr("Text in the picture"), tr("Text"), QLineEdit::Normal,
                                             own ? QString::fromStdString(own->text) : QString(), &ok)
                           .trimmed();
  if (!ok || text.isEmpty()) return;
  if (own)
    own->text = text.toStdString();
  else
    all.push_back({text.toStdString(), place});
  set_annotations(std::move(all));
}

void ScenePane::set_annotations(std::vector<Annotation> annotations) {
  if (annotations == scene_->view().annotations) return;
  scene_->set_annotations(std::move(annotations));
  viewport_->request_render();
  refresh_display();
  emit annotations_changed();
}

void ScenePane::show_place_menu(const Vec3& place, const std::optional<Probe>& probe, int annotation) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (annotation >= 0) {
    menu->addAction(tr("Change this text…"), this,
                    [this, place, annotation] { ask_for_annotation(place, annotation); });
    menu->addAction(tr("Remove this text"), this, [this, annotation] {
      std::vector<Annotation> all = scene_->view().annotations;
      if (static_cast<std::size_t>(annotation) < all.size()) all.erase(all.begin() + annotation);
      set_annotations(std::move(all));
    });
    menu->addSeparator();
  }
  menu->addAction(tr("Write a text here…"), this, [this, place] { ask_for_annotation(place, -1); });
  if (probe) menu->addAction(tr("Keep this value in the picture"), this, [this, probe] { emit value_kept(*probe); });
  if (question()) {
    if (probe) menu->addAction(tr("Values here over all frames"), this, [this, place] { emit values_wanted(place); });
    menu->addAction(tr("Mean, ends and integral…"), this, [this] { emit values_wanted({}); });
  }
  menu->addAction(tr("Add a receiver here"), this, [this, place] { emit place_chosen(place); });
  menu->addAction(tr("Measure from here"), this, [this, place] {
    set_tool(MouseTool::measure);
    tools_->measure_from(place);
  });
  menu->addAction(tr("Copy the place"), this,
                  [place] { QGuiApplication::clipboard()->setText(QString::fromStdString(place_text(place, 6))); });
  menu->popup(QCursor::pos());
}

bool ScenePane::eventFilter(QObject* watched, QEvent* event) {
  if (watched == viewport_->widget()) {
    if (event->type() == QEvent::KeyPress && has_picture()) {
      const auto& key = static_cast<const QKeyEvent&>(*event);
      if (key.matches(QKeySequence::Copy)) {
        copy_picture();
        return true;
      }
      if (tools_->handle_key(key) || move_by_key(key)) return true;
    }
    // Whoever takes the mouse again needs no second pointer.
    if (event->type() == QEvent::MouseMove || event->type() == QEvent::FocusOut) tools_->hide_pointer();
  }
  return QWidget::eventFilter(watched, event);
}

void ScenePane::copy_picture() {
  if (!has_picture()) return;
  const Image shown = picture();
  QGuiApplication::clipboard()->setImage(
      QImage(shown.pixels.data(), shown.width, shown.height, shown.width * 4, QImage::Format_RGBA8888).copy());
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
  fit_display();
  // Once the picture has its new size too.
  QMetaObject::invokeMethod(
      this, [this] { tools_->place_texts(); }, Qt::QueuedConnection);
}

void ScenePane::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "viewport"));
  tools_->apply_theme();
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
  tools_->take(tool);
  head_->show_tool(tool);
}

DisplayPanel& ScenePane::display_panel() {
  if (!display_) {
    display_ = new DisplayPanel(look_, this);
    display_->hide();
    row_->addWidget(display_);
    connect(display_, &DisplayPanel::changed, this, &ScenePane::apply_view);
    connect(display_, &DisplayPanel::whole_wanted, this, [this] {
      emit whole_wanted(scene_->points_of_whole());
      refresh_display();
    });
  }
  return *display_;
}

void ScenePane::show_display_panel(bool visible) {
  if (visible || display_) display_panel().setVisible(visible);
  head_->show_display_open(visible);
  emit display_shown(visible);
  fit_display();
  refresh_display();
}

void ScenePane::fit_display() {
  // Pixels: in less nothing is seen, and the choices take the pane until they are closed.
  constexpr int least_picture = 120;
  stack_->setVisible(!display_panel_visible() || width() >= display_->width() + least_picture);
}

bool ScenePane::display_panel_visible() const {
  return display_ && !display_->isHidden();
}

bool ScenePane::has_picture() const {
  return stack_->currentIndex() == 1;
}

void ScenePane::clear(const QString& sentence) {
  first_frame_ = true;
  stack_->setCurrentIndex(0);
  empty_text_->setText(sentence);
  shown_ = wanted_;
  head_->clear_fields();
  tools_->set_picture(false);
  tools_->forget_profile();
  set_tool(MouseTool::turn);
  refresh_head();
}

void ScenePane::add_tool(QToolButton* button) {
  head_->add_tool(button);
}

void ScenePane::set_sentence(const QString& sentence) {
  empty_text_->setText(sentence);
}

void ScenePane::set_run(RunModel& run) {
  disconnect(run_, &RunModel::range_known, this, nullptr);
  run_ = &run;
  follow_ranges_of(run);
  head_->clear_fields();
  first_frame_ = true;
}

void ScenePane::show_frame(const std::shared_ptr<const Frame>& frame) {
  if (!frame) return;
  ++wanted_;
  if (Status shown = scene_->set_frame(frame); !shown && first_frame_)
    emit troubled(translated(shown.error().text), translated(shown.error().hint));
  if (first_frame_) {
    first_frame_ = false;
    scene_->reset_range();
    stack_->setCurrentIndex(1);
    tools_->set_picture(true);
    show_choices();
    apply_view();
    scene_->look(StandardView::iso);
  }
  viewport_->request_render();
  refresh_head();
  tools_->follow_frame();
}

void ScenePane::show_choices() {
  std::vector<std::pair<std::string, FieldInfo>> fields;
  if (!own_fields_) fields = run_->catalog();
  const bool of_run = !fields.empty();
  for (const FieldChoice& choice : scene_->choices()) {
    // Of a run those that are made of its own: by formulas, the far field.
    const auto same = [&](const auto& known) { return known.second.name == choice.info.name; };
    if (!of_run || std::none_of(fields.begin(), fields.end(), same)) fields.emplace_back(choice.part, choice.info);
  }
  if (head_->set_fields(fields)) apply_view();
}

void ScenePane::choose(const QString& field) {
  if (head_->choose(field)) apply_view();
}

QString ScenePane::field_text() const {
  return head_->field_text();
}

bool ScenePane::can_animate_phase() const {
  return has_picture() && head_->chosen_is_complex() && head_->value().part == ComplexPart::instant;
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
  FieldView view = scene_->view();
  const std::vector<Annotation> written = view.annotations;
  if (display_ && display_->isVisible()) {
    display_->apply_to(view);
    take_far_field(view);
  }
  take_head(view);
  if (view.recipe == unfit_) view.recipe = scene_->view().recipe;  // told already
  const std::string part = view.part, field = view.field;
  const bool made = leave_what_is_made_no_longer(view);
  if (!own_fields_) run_->view(made ? std::string() : view.part, made ? std::string() : view.field);
  const bool remade = !(view.recipe == scene_->view().recipe);
  // The frame at hand may not carry the field yet; the next one will. What cannot be made of it is told where it was typed.
  const Status seen = scene_->set_view(view);
  if (remade) {
    unfit_ = seen ? std::nullopt : std::optional(view.recipe);
    if (display_) display_->recipe().tell(seen ? QString() : translated(seen.error().text));
    if (!seen) {
      view.recipe = scene_->view().recipe;
      view.part = part;
      view.field = field;
      static_cast<void>(scene_->set_view(view).ok());
    } else {
      show_choices();
    }
  }
  if (view.annotations != written) emit annotations_changed();
  if (!view.fixed_range && !own_fields_) run_->find_range(view.part, view.field, view.value, view.percent);
  viewport_->request_render();
  refresh_head();
  refresh_display();
  tools_->follow_frame();
}

void ScenePane::take_head(FieldView& view) {
  if (auto [part, field] = head_->chosen(); !field.empty()) {
    view.part = std::move(part);
    if (field != view.field) view.iso_values.clear();  // they were values of the other field
    view.field = std::move(field);
  }
  if (const bool marks = own_fields_ && view.field == mark_field; marks != marks_shown_) {
    marks_shown_ = marks;
    if (marks) bar_before_ = view.color_bar;
    view.color_bar = !marks && bar_before_;
  }
  view.value = head_->value();
  view.value.angle = head_->chosen_is_complex() ? phase_ : 0;
  const std::string own = label_of(chosen_info(view), view.value);
  const std::string said = translated(own).toStdString();
  view.label = said == own ? std::string() : said;
  view.iteration_word = tr("iteration").toStdString();
  view.phase_word = tr("phase").toStdString();
  view.thinned_words = tr("1 of {} grid points along each axis").toStdString();
  view.keep_range = true;  // one colour means one value, in whatever frame
  view.title = title_.toStdString();
  const ColourRangeButton& range = head_->range();
  view.fixed_range = range.fixed();
  if (view.fixed_range) {
    view.low = range.low();
    view.high = range.high();
  }
}

bool ScenePane::leave_what_is_made_no_longer(FieldView& view) const {
  const auto makes = [](const FrameRecipe& recipe, const std::string& name) {
    return std::any_of(recipe.formulas.begin(), recipe.formulas.end(), [&](const auto& f) { return f.name == name; });
  };
  if (const FrameRecipe& before = scene_->view().recipe; makes(before, view.field) && !makes(view.recipe, view.field))
    for (const FieldChoice& choice : scene_->choices())
      if (!makes(before, choice.info.name)) {
        view.part = choice.part;
        view.field = choice.info.name;
        break;
      }
  return view.field == balloon_field || makes(view.recipe, view.field);
}

void ScenePane::take_far_field(FieldView& view) {
  const QString key = display_->recipe().far_field();
  if (key == far_key_) return;
  far_key_ = key;
  if (const Status laid = lay_far_field(*run_, key, view.recipe); !laid)
    return emit troubled(translated(laid.error().text), translated(laid.error().hint));
  // Shown at once: it is chosen for that.
  if (view.recipe.sphere) QTimer::singleShot(0, this, [this] { choose(balloon_field); });
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
  refresh_head();
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

std::optional<ValuesQuestion> ScenePane::question() const {
  if (own_fields_ || !asks_values_ || !run_->has_run() || run_->is_active() || run_->folder().empty() || !has_picture())
    return std::nullopt;
  const FieldView& view = scene_->view();
  const FieldInfo info = chosen_info(view);
  const auto& kept = run_->catalog();
  const auto& made = view.recipe.formulas;
  if (std::none_of(kept.begin(), kept.end(), [&](const auto& one) { return one.second.name == info.name; }) &&
      std::none_of(made.begin(), made.end(), [&](const FormulaField& f) { return f.name == info.name; }))
    return std::nullopt;
  ValuesQuestion out = question_of(info, view);
  out.run = run_->folder();
  // A plane by number is no part of the run's frames, but goes through one.
  if (const auto at = out.part.find(plane_mark); at != std::string::npos) out.part.erase(at);
  return out;
}

void ScenePane::refresh_display() {
  if (!display_ || !display_->isVisible()) return;
  display_->recipe().offer_far_fields(far_fields_of(*run_));
  const auto frame = scene_->frame();
  const FieldInfo info = chosen_info(scene_->view());
  const FieldKind kind = info.name.empty() ? FieldKind::magnitude : kind_of(info, scene_->view().value);
  display_->show_view(scene_->view(), frame.get(), kind);
  const double points = keeps_points ? scene_->points_of_whole() : 0;
  display_->offer_whole(points, points > 0 && keeps_points(points));
}

void ScenePane::refresh_head() {
  const auto [low, high] = scene_->range();
  const FieldView& view = scene_->view();
  head_->range().show_range(low, high, unit_of(chosen_info(view), view.value));
  head_->set_picture(has_picture(), !scene_->choices().empty() && !marks_shown_);
}

void ScenePane::set_markers(std::vector<Marker> markers) {
  scene_->set_markers(std::move(markers));
  viewport_->request_render();
}

void ScenePane::follow_camera(const ScenePane& other) {
  scene_->camera().copy_from(other.scene_->camera());
  viewport_->request_render();
}

}  // namespace conoid::app
