// SPDX-License-Identifier: BSD-3-Clause
// The picture in the middle.
#include "app/panels/viewport_panel.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <QFileDialog>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QProgressDialog>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/model/film.hpp"
#include "app/model/frame_points.hpp"
#include "app/model/markers.hpp"
#include "app/model/names.hpp"
#include "app/panels/picture_theme.hpp"
#include "app/panels/scene_window.hpp"
#include "engine/core/units.hpp"
#include "engine/run/derived_frame.hpp"
#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
namespace {

constexpr int play_ms = 66;
constexpr int widest_time = 150;     ///< of the time's label where there is room: the slider keeps its place
constexpr int timeline_wants = 460;  // pixels for everything in it
constexpr int phases = 48;           // pictures of one period
constexpr double two_pi = 6.283185307179586;

/// A mesh by itself is seen with its cells, each in its own colour, and without a time.
void dress(FieldScene& scene, bool preview) {
  FieldView view = scene.view();
  view.edges = preview;
  view.smooth = !preview;  // marks and qualities belong to cells
  view.caption = !preview;
  static_cast<void>(scene.set_view(view).ok());
}

/// What is hidden in the view is in no picture of it.
void apply_legend(FieldView& view, const CaptureChoice& choice) {
  for (bool FieldView::*shown : {&FieldView::color_bar, &FieldView::caption, &FieldView::triad, &FieldView::extents})
    view.*shown = view.*shown && choice.legend;
}

/// Whether two moments are not the same but for their last digits.
bool are_apart(double a, double b) {
  return std::abs(a - b) > 1e-6 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

QString moment_text(const Moment& moment) {
  switch (moment.axis) {
    case FrameAxis::time: return "t = " + QString::fromStdString(format_quantity(moment.value, "s", 4));
    case FrameAxis::frequency: return "f = " + QString::fromStdString(format_quantity(moment.value, "Hz", 4));
    case FrameAxis::iteration: break;
  }
  return QObject::tr("iteration %1").arg(std::llround(moment.value));
}

ViewportPanel::ViewportPanel(RunModel& run, CaseModel& model, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(run), model_(model), look_(look), kind_(kind) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  splitter_ = new QSplitter(Qt::Horizontal, this);
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  main_ = new ScenePane(run, look, kind, splitter_);
  splitter_->addWidget(main_);
  column->addWidget(splitter_, 1);
  timeline_ = make_timeline();
  column->addWidget(timeline_);
  split_ = make_icon_button(look, "split", tr("Two views with linked cameras"), main_);
  split_->setCheckable(true);
  auto* picture_button = make_icon_button(look, "picture", tr("Save the picture"), main_);
  main_->add_tool(split_);
  main_->add_tool(picture_button);
  connect(split_, &QToolButton::clicked, this, &ViewportPanel::set_split);
  connect(picture_button, &QToolButton::clicked, this, [this] { save_picture(); });
  if (const std::string note = viewport_note(); !note.empty()) run_.add_log({LogLevel::warning, 0, note, {}, {}});
  main_->clear(tr("Nothing to see yet.\nPress Run and watch the field here."));

  connect(main_, &ScenePane::camera_moved, this, [this] {
    if (second_) second_->follow_camera(*main_);
  });
  connect(main_, &ScenePane::profile_drawn, this, &ViewportPanel::profile_drawn);
  connect(main_, &ScenePane::profile_followed, this, &ViewportPanel::profile_followed);
  connect(main_, &ScenePane::range_changed, this, &ViewportPanel::share_range);
  offer_whole(*main_);
  connect(main_, &ScenePane::place_chosen, this, &ViewportPanel::place_chosen);
  connect(main_, &ScenePane::marker_moved, this, &ViewportPanel::move_mark);
  connect(main_, &ScenePane::value_kept, this, [this](const Probe& probe) {
    kept_.push_back({probe.position, MarkerKind::receiver, probe.what});
    refresh_markers();
    log(LogLevel::info, probe_text(probe));
  });
  connect(main_, &ScenePane::field_chosen, this, [this] {
    forget_kept();
    refresh_timeline();
    // Of a big run only the chosen field is read: ask for it.
    if (run_.is_stored() && !run_.frames().empty()) show_frame(wanted_index_);
  });
  connect(main_, &ScenePane::troubled, this,
          [this](const QString& text, const QString& hint) { log(LogLevel::warning, text, hint); });
  connect(&run, &RunModel::frame_arrived, this, &ViewportPanel::follow_run);
  connect(&run, &RunModel::frame_loaded, this, [this](std::size_t index) {
    if (!waiting_) return;
    // Somebody else's wish came between.
    index == wanted_index_ ? show_now(index) : run_.fetch(wanted_index_);
  });
  connect(&run, &RunModel::catalog_changed, main_, &ScenePane::show_choices);
  connect(&run, &RunModel::started, this, [this] {
    play(false);
    following_ = true;
    waiting_ = false;
    wanted_index_ = 0;
    if (!run_.has_run()) {
      main_->clear(tr("Nothing to see yet.\nPress Run and watch the field here."));
      set_preview(preview_);
    } else if (!previewing_) {
      main_->clear(tr("Preparing…\nThe first picture comes with the first step."));
    }
    if (second_) second_->clear({});
    for (SceneWindow* scene : scenes_)
      scene->start_again(tr("Preparing…\nThe first picture comes with the first step."));
    refresh_markers();
    refresh_timeline();
  });
  connect(&run, &RunModel::opened, this, [this] {
    if (std::exchange(previewing_, false)) dress(main_->scene(), false);
    main_->set_own_fields(false);
    main_->clear({});
    for (SceneWindow* scene : scenes_) scene->start_again(tr("This run kept no pictures."));
    if (other_) main_->set_title(own_title_);
    if (run_.frames().empty())
      main_->clear(run_.state() == SessionState::failed
                       ? tr("This run gave no picture.\nThe log says how it went.")
                       : tr("This run kept no pictures.\nIts curves and numbers are below and at the right."));
    else
      show_frame(std::min(run_.first_shown(), run_.frames().size() - 1));
    refresh_timeline();
  });
  connect(&run, &RunModel::ended, this, [this] {
    if (run_.frames().empty() && !previewing_)
      main_->set_sentence(tr("This run gave no picture.\nThe log says how it went."));
    refresh_timeline();
  });
  connect(&model, &CaseModel::validated, this, &ViewportPanel::refresh_box);
  connect(&model, &CaseModel::opened, this, [this] {
    box_.reset();
    if (!preview_) previewing_ = false;
    if (!run_.has_run()) main_->clear(tr("Nothing to see yet.\nPress Run and watch the field here."));
    refresh_markers();
  });
  connect(&model, &CaseModel::changed, this, &ViewportPanel::refresh_markers);
  play_timer_.setInterval(play_ms);
  connect(&play_timer_, &QTimer::timeout, this, &ViewportPanel::tick);
  refresh_timeline();
}

QWidget* ViewportPanel::make_timeline() {
  auto* bar = new QFrame(this);
  bar->setObjectName("surface");
  bar->setFixedHeight(40);
  bar->setMinimumWidth(320);  // see resizeEvent()
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 12, 0);
  row->setSpacing(4);
  previous_ = make_icon_button(look_, "previous", tr("Frame before (Alt+Left)"), bar);
  play_ = make_icon_button(look_, "play", tr("Play (Ctrl+Space)"), bar, "text");
  play_->setCheckable(true);
  next_ = make_icon_button(look_, "next", tr("Next frame (Alt+Right)"), bar);
  loop_ = make_icon_button(look_, "loop", tr("Begin again at the end"), bar);
  loop_->setCheckable(true);
  loop_->setChecked(true);
  live_ = make_icon_button(look_, "live", tr("Follow the newest frame"), bar, "accent");
  live_->setCheckable(true);
  live_->setChecked(true);
  film_ = make_icon_button(look_, "film", tr("Save a film or numbered pictures"), bar);
  slider_ = new QSlider(Qt::Horizontal, bar);
  slider_->setAccessibleName(tr("Frame"));
  slider_->setAccessibleDescription(tr("Goes through the frames that were kept"));
  slider_->setPageStep(1);
  time_ = new FigureLabel({}, Qt::AlignRight, bar);
  time_->setMinimumWidth(widest_time);
  slider_->setMinimumWidth(40);
  for (QToolButton* button : {previous_, play_, next_, loop_}) row->addWidget(button);
  row->addSpacing(8);
  row->addWidget(slider_, 1);
  row->addSpacing(8);
  row->addWidget(time_);
  row->addWidget(live_);
  row->addWidget(film_);
  connect(previous_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(next_, &QToolButton::clicked, this, [this] { step(1); });
  connect(play_, &QToolButton::clicked, this, &ViewportPanel::play);
  connect(film_, &QToolButton::clicked, this, &ViewportPanel::save_film);
  connect(live_, &QToolButton::clicked, this, [this](bool on) {
    following_ = on;
    if (on && !run_.frames().empty()) show_frame(run_.frames().size() - 1);
    refresh_timeline();
  });
  connect(slider_, &QSlider::valueChanged, this, [this](int index) {
    if (static_cast<std::size_t>(index) >= run_.frames().size()) return;
    following_ = static_cast<std::size_t>(index) + 1 == run_.frames().size();
    show_frame(static_cast<std::size_t>(index));
  });
  return bar;
}

void ViewportPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Repeating and films are in the menu as well, or rarely changed: on a small screen the slider has their room.
  const bool roomy = event->size().width() >= timeline_wants;
  loop_->setVisible(roomy);
  film_->setVisible(roomy);
  time_->setMinimumWidth(roomy ? widest_time : 0);
}

bool ViewportPanel::is_up_to_date() const {
  return !waiting_ && main_->is_up_to_date() && (!second_ || second_->is_up_to_date());
}

bool ViewportPanel::is_complete() const {
  return is_up_to_date() && (!other_ || (second_ && second_->has_picture() && !other_->is_finding_range()));
}

std::size_t ViewportPanel::frame_index() const {
  return wanted_index_;
}

void ViewportPanel::fit() {
  main_->fit();
}

void ViewportPanel::follow_run() {
  if (following_ && !is_playing()) show_frame(run_.frames().size() - 1);
  refresh_timeline();
}

void ViewportPanel::show_frame(std::size_t index) {
  if (index >= run_.frames().size()) return;
  wanted_index_ = index;
  if (run_.frames().at(index)) {
    show_now(index);
  } else {
    waiting_ = true;
    run_.fetch(index);
  }
  refresh_timeline();
}

void ViewportPanel::show_now(std::size_t index) {
  const TurnWork work;
  waiting_ = false;
  if (previewing_) {
    previewing_ = false;
    main_->set_own_fields(false);
    marks_.clear();
    dress(main_->scene(), false);
    main_->clear({});
    refresh_markers();
  }
  const auto frame = run_.frames().at(index);
  if (frame != main_->scene().frame()) forget_kept();
  main_->show_frame(frame);
  if (second_) show_in_second();
  for (SceneWindow* scene : scenes_) in_free_turn(scene, [this, scene] { scene->follow(wanted_index_); });
  emit moment_shown(run_.frames().moment(index));
}

void ViewportPanel::show_in_second() {
  if (!second_) return;
  if (!other_) {
    if (run_.frames().empty()) {
      if (previewing_) second_->show_frame(preview());
    } else if (wanted_index_ < run_.frames().size()) {
      second_->show_frame(run_.frames().at(wanted_index_));
    }
    second_->follow_camera(*main_);
    return;
  }
  if (other_->frames().empty() || run_.frames().empty()) return;
  const std::size_t index = other_->frames().nearest(run_.frames().moment(wanted_index_).value);
  if (const auto frame = other_->frames().at(index)) {
    const auto own = run_.frames().at(wanted_index_);
    if (difference_ && own) {
      const auto apart = difference_of(*frame, *own);
      if (!apart) return second_->set_sentence(translated(apart.error().text));
      name_difference(other_->frames().moment(index));
      second_->show_frame(*apart);
      second_->follow_camera(*main_);
      return;
    }
    second_->show_frame(frame);
    second_->follow_camera(*main_);
    share_range();
  } else {
    other_->fetch(index);
  }
}

void ViewportPanel::share_range() {
  // Two runs are compared by one scale, or the colours say nothing.
  if (!second_ || !other_ || difference_ || !main_->has_picture() || !second_->has_picture()) return;
  if (main_->field_text() != second_->field_text()) return;
  main_->widen_range(second_->scene().range());
  second_->widen_range(main_->scene().range());
}

void ViewportPanel::share_annotations(ScenePane* pane) {
  connect(main_, &ScenePane::annotations_changed, pane,
          [this, pane] { pane->set_annotations(main_->scene().view().annotations); });
  connect(pane, &ScenePane::annotations_changed, this,
          [this, pane] { main_->set_annotations(pane->scene().view().annotations); });
}

ScenePane* ViewportPanel::make_second() {
  auto* pane = new ScenePane(run_, look_, kind_, splitter_);
  splitter_->addWidget(pane);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(splitter_->indexOf(pane), 1);
  splitter_->setSizes(QList<int>(splitter_->count(), 10000));
  connect(pane, &ScenePane::camera_moved, this, [this] {
    if (second_) main_->follow_camera(*second_);
  });
  connect(pane, &ScenePane::profile_drawn, this, &ViewportPanel::profile_drawn);
  share_annotations(pane);
  connect(pane, &ScenePane::range_changed, this, &ViewportPanel::share_range);
  offer_whole(*pane);
  return pane;
}

void ViewportPanel::offer_whole(ScenePane& pane) {
  pane.keeps_points = [this](double points) { return keeps_all_points(model_, points); };
  connect(&pane, &ScenePane::whole_wanted, this, [this](double points) { keep_all_points(model_, points); });
  connect(&pane, &ScenePane::display_shown, this, [this] {
    emit display_shown(main_->display_panel_visible() || (second_ && second_->display_panel_visible()));
  });
}

void ViewportPanel::move_mark(const Marker& marker, const Vec3& place, const Vec3& direction) {
  if (!move_marker(model_, marker, place, direction)) refresh_markers();
}

SceneWindow* ViewportPanel::add_scene() {
  constexpr std::size_t most = 8;
  if (scenes_.size() >= most) {
    log(LogLevel::info, tr("There are %1 scene windows already; close one first.").arg(most));
    return nullptr;
  }
  const TurnWork work;
  auto* scene = new SceneWindow(run_, look_, kind_, this);
  ++scenes_made_;
  scene->setWindowTitle(tr("Scene %1 – %2").arg(scenes_made_ + 1).arg(model_.title()));
  scenes_.push_back(scene);
  ScenePane& pane = scene->pane();
  auto* picture = make_icon_button(look_, "picture", tr("Save the picture"), &pane);
  pane.add_tool(picture);
  connect(picture, &QToolButton::clicked, this, [this, &pane] { save_picture(&pane); });
  connect(&pane, &ScenePane::profile_drawn, this, &ViewportPanel::profile_drawn);
  connect(&pane, &ScenePane::place_chosen, this, &ViewportPanel::place_chosen);
  connect(&pane, &ScenePane::marker_moved, this, &ViewportPanel::move_mark);
  connect(&pane, &ScenePane::troubled, this,
          [this](const QString& text, const QString& hint) { log(LogLevel::warning, text, hint); });
  share_annotations(&pane);
  connect(&pane, &ScenePane::field_chosen, this, [scene] { scene->show_frame(scene->frame_index()); });
  connect(scene, &SceneWindow::frame_wanted, this, &ViewportPanel::show_frame);
  connect(scene, &SceneWindow::close_wanted, this, [this, scene] { remove_scene(scene); });
  // Pane, window and picture are each work enough for one turn of the event loop.
  in_free_turn(scene, [scene] { scene->show(); });
  in_free_turn(scene, [this, scene] {
    ScenePane& own = scene->pane();
    if (previewing_ && preview())
      scene->show_preview(preview());
    else if (!run_.frames().empty())
      scene->show_frame(wanted_index_);
    else
      own.clear(tr("Nothing to see yet.\nPress Run and watch the field here."));
    own.set_annotations(main_->scene().view().annotations);
    own.choose(QString::fromStdString(main_->scene().view().field));
    own.follow_camera(*main_);
    refresh_markers();
  });
  return scene;
}

void ViewportPanel::remove_scene(SceneWindow* scene) {
  if (std::erase(scenes_, scene) == 0) return;
  scene->hide();
  scene->deleteLater();
}

bool ViewportPanel::is_split() const {
  return second_ != nullptr;
}

void ViewportPanel::set_split(bool on) {
  split_->setChecked(on);
  if (on == is_split()) return;
  if (on) {
    second_ = make_second();
    second_->set_annotations(main_->scene().view().annotations);
    second_->show();
    // The pane and its picture are each work enough for one turn of the event loop.
    in_free_turn(second_, [this] { show_in_second(); });
  } else {
    if (other_) disconnect(other_, nullptr, this, nullptr);
    if (std::exchange(other_, nullptr)) main_->set_title({});
    // Out of sight at once; what it is made of goes in a turn of the event loop of its own.
    second_->hide();
    second_->disconnect(this);
    ScenePane* const gone = std::exchange(second_, nullptr);
    in_free_turn(gone, [gone] { gone->deleteLater(); });
  }
  refresh_markers();
  emit split_changed(on);
}

void ViewportPanel::name_difference(const Moment& of_other) {
  const QString& own = own_title_;
  const Moment moment = run_.frames().moment(wanted_index_);
  // The nearest frame of the other may be of another moment: then the difference is one in time, too.
  const QString title =
      are_apart(moment.value, of_other.value)
          ? tr("%1 at %2 less %3 at %4").arg(other_title_, moment_text(of_other), own, moment_text(moment))
          : tr("%1 less %2").arg(other_title_, own);
  if (title == second_title_) return;
  second_title_ = title;
  second_->set_title(title);
}

void ViewportPanel::set_difference(bool on) {
  if (!second_ || !other_ || on == difference_) return;
  difference_ = on;
  // Its own scale and its own fields: the run's are those of what it is made of.
  second_->set_own_fields(on);
  second_->clear({});
  second_title_.clear();
  if (!on) second_->set_title(other_title_);
  // Charts at once; fields of millions of values are subtracted and drawn in a turn of the event loop of their own.
  {
    const TurnWork work;
    emit difference_changed(on);
  }
  in_free_turn(second_, [this, on] {
    if (second_ && other_ && difference_ == on) show_in_second();
  });
}

void ViewportPanel::compare_with(RunModel* other, const QString& title, const QString& own) {
  if (other_) disconnect(other_, nullptr, this, nullptr);
  other_ = other;
  other_title_ = title;
  own_title_ = own;
  difference_ = false;
  if (!other) return set_split(false);
  set_split(true);
  other_ = other;
  second_->set_run(*other);
  second_->set_title(title);
  auto* difference = make_icon_button(look_, "difference", tr("Difference: the second run less the first"), second_);
  difference->setCheckable(true);
  second_->add_tool(difference);
  connect(difference, &QToolButton::clicked, this, &ViewportPanel::set_difference);
  main_->set_title(own);
  second_->clear(tr("Reading %1…").arg(title));
  connect(other, &RunModel::frame_loaded, this, [this] { show_in_second(); });
  connect(other, &RunModel::opened, this, [this] { show_in_second(); });
  connect(other, &QObject::destroyed, this, [this] { other_ = nullptr; });
  show_in_second();
}

void ViewportPanel::set_preview(std::shared_ptr<const Frame> frame) {
  preview_ = std::move(frame);
  if (run_.has_run()) return;
  const bool before = std::exchange(previewing_, preview() != nullptr);
  main_->set_own_fields(previewing_);
  if (previewing_) {
    main_->show_frame(preview());
    main_->show_choices();
    dress(main_->scene(), true);
    for (SceneWindow* scene : scenes_) scene->show_preview(preview());
  } else if (before || !main_->has_picture()) {
    main_->clear(tr("Nothing to see yet.\nPress Run and watch the field here."));
  }
  refresh_timeline();
}

void ViewportPanel::refresh_box() {
  const CheckReport* report = model_.report();
  const auto corners = report ? report->estimate.box : std::nullopt;
  if (!corners) {
    // A check that is still going on says nothing new; a case that has no box does.
    if (report && std::exchange(box_, nullptr) && !preview_) set_preview(nullptr);
    return;
  }
  ImageGeometry grid;
  grid.origin = (*corners)[0];
  for (std::size_t k = 0; k < 3; ++k) {
    const double length = (*corners)[1][k] - (*corners)[0][k];
    grid.points[k] = length > 0 ? 2 : 1;
    grid.spacing[k] = length > 0 ? length : 1;
  }
  if (box_)
    if (const auto& now = std::get<ImageGeometry>(box_->parts[0].geometry);
        now.points == grid.points && now.origin == grid.origin && now.spacing == grid.spacing)
      return;
  auto frame = std::make_shared<Frame>();
  frame->axis = FrameAxis::iteration;
  frame->parts.push_back({"box", grid, {}});
  const bool first = !std::exchange(box_, std::move(frame));
  if (preview_) return;
  if (first && !run_.has_run()) main_->clear({});  // seen from the standard side
  set_preview(nullptr);
}

void ViewportPanel::show_preview_field(const QString& field, std::vector<Marker> marks) {
  if (!preview_) return;
  // A run may have been shown in between: the mesh comes back.
  if (!previewing_) {
    main_->clear({});
    previewing_ = true;
    main_->set_own_fields(true);
    dress(main_->scene(), true);
  }
  main_->show_frame(preview_);
  main_->show_choices();
  main_->choose(field);
  marks_ = std::move(marks);
  refresh_markers();
}

void ViewportPanel::play(bool on) {
  if (on && !main_->can_animate_phase() && run_.frames().size() < 2) on = false;
  play_->setChecked(on);
  play_->setIcon(look_.icon(on ? "pause" : "play"));
  if (on == is_playing()) return;
  if (!on) return play_timer_.stop();
  if (!main_->can_animate_phase() && wanted_index_ + 1 >= run_.frames().size()) show_frame(0);
  play_timer_.start();
}

void ViewportPanel::tick() {
  if (!is_up_to_date()) return;  // a slow disk or a slow picture: nothing is skipped, it only takes longer
  if (main_->can_animate_phase()) {
    main_->set_phase(main_->phase() + two_pi / phases);
    if (second_ && second_->can_animate_phase()) second_->set_phase(main_->phase());
    return;
  }
  const std::size_t next = wanted_index_ + 1;
  if (next < run_.frames().size()) return show_frame(next);
  if (loop_->isChecked() && run_.frames().size() > 1) return show_frame(0);
  play(false);
}

void ViewportPanel::step(int frames) {
  play(false);
  const auto count = static_cast<std::ptrdiff_t>(run_.frames().size());
  if (count == 0) return;
  const auto index = std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(wanted_index_) + frames, 0, count - 1);
  following_ = index + 1 == count;
  show_frame(static_cast<std::size_t>(index));
}

void ViewportPanel::refresh_timeline() {
  const int frames = static_cast<int>(run_.frames().size());
  const QSignalBlocker quiet(slider_);
  slider_->setEnabled(frames > 1);
  slider_->setRange(0, std::max(0, frames - 1));
  slider_->setValue(std::min(static_cast<int>(wanted_index_), std::max(0, frames - 1)));
  live_->setChecked(following_);
  const bool can_play = frames > 1 || main_->can_animate_phase();
  // Nothing that cannot be used: before the first frame there is no time line at all.
  timeline_->setVisible(frames > 0);
  live_->setVisible(run_.is_active());
  for (QToolButton* button : {previous_, next_}) button->setEnabled(frames > 1);
  for (QToolButton* button : {play_, loop_, film_}) button->setEnabled(can_play);
  if (frames == 0) return time_->set_text({});
  const Moment moment = run_.frames().moment(static_cast<std::size_t>(slider_->value()));
  time_->set_text(tr("%1   %2 / %3").arg(moment_text(moment)).arg(slider_->value() + 1).arg(frames));
}

void ViewportPanel::refresh_markers() {
  auto markers = markers_of(model_.json(), model_.schema());
  if (previewing_) markers.insert(markers.end(), marks_.begin(), marks_.end());
  markers.insert(markers.end(), kept_.begin(), kept_.end());
  markers.insert(markers.end(), conditions_.begin(), conditions_.end());
  main_->set_markers(markers);
  if (second_) second_->set_markers(markers);
  for (SceneWindow* scene : scenes_) scene->pane().set_markers(markers);
}

void ViewportPanel::set_conditions(std::vector<Marker> marks, std::vector<Vec3> rim) {
  if (marks.empty() && conditions_.empty()) return;
  conditions_ = std::move(marks);
  main_->scene().set_line(std::move(rim));
  refresh_markers();
}

void ViewportPanel::forget_kept() {
  if (kept_.empty()) return;
  kept_.clear();
  refresh_markers();
}

void ViewportPanel::log(LogLevel level, const QString& text, const QString& hint) {
  run_.add_log({level, run_.elapsed(), text.toStdString(), hint.toStdString(), {}});
}

Status ViewportPanel::write_picture(const QString& file, const CaptureChoice& choice, ScenePane* of) {
  const auto scene = (of ? of : main_)->copy_of_scene();
  if (choice.background == Background::white) scene->set_theme(white_theme());
  FieldView view = scene->view();
  apply_legend(view, choice);
  if (Status set = scene->set_view(view); !set) return set;
  PictureOptions options;
  options.scale = choice.scale;
  options.width = std::max(16, static_cast<int>(std::lround(choice.size.width() / choice.scale)));
  options.height = std::max(16, static_cast<int>(std::lround(choice.size.height() / choice.scale)));
  options.transparent = choice.background == Background::transparent;
  auto image = take_picture(scene, options);
  if (!image) return image.error();
  return write_png(file.toStdString(), *image,
                   {{"run", run_.folder().filename().string()}, {"title", model_.title().toStdString()}});
}

void ViewportPanel::save_picture(ScenePane* of) {
  ScenePane* pane = of ? of : main_;
  if (!pane->has_picture()) return;
  QWidget* shown = pane->viewport()->widget();
  CaptureDialog dialog(shown->size() * shown->devicePixelRatioF(), 0, pane);
  if (dialog.exec() != QDialog::Accepted) return;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  QString file =
      QFileDialog::getSaveFileName(pane, tr("Save the picture"), folder + "/conoid.png", tr("Pictures (*.png)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(".png")) file += ".png";
  const Status written = write_picture(file, dialog.choice(), pane);
  if (written)
    log(LogLevel::info, tr("Picture saved as %1").arg(file));
  else
    log(LogLevel::error, translated(written.error().text), translated(written.error().hint));
}

void ViewportPanel::save_film() {
  const bool wave = main_->can_animate_phase();
  const int count = wave ? phases : static_cast<int>(run_.frames().size());
  if (count < 2) return;
  play(false);
  CaptureDialog dialog(main_->viewport()->widget()->size(), count, this);
  if (dialog.exec() != QDialog::Accepted) return;
  const CaptureChoice choice = dialog.choice();
  const QString ending = "." + choice.ending;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::MoviesLocation);
  QString file = QFileDialog::getSaveFileName(this, tr("Save a film"), folder + "/conoid" + ending,
                                              tr("Films and pictures (*%1)").arg(ending));
  if (file.isEmpty()) return;
  if (!file.endsWith(ending)) file += ending;
  const auto scene = main_->copy_of_scene();
  if (choice.background == Background::white) scene->set_theme(white_theme());
  FieldView view = scene->view();
  // A range that was not typed is that of all pictures of the film.
  view.fixed_range = wave || main_->scene().view().fixed_range;
  apply_legend(view, choice);
  static_cast<void>(scene->set_view(view).ok());
  FilmOptions options{file,
                      choice.size.width(),
                      choice.size.height(),
                      choice.pictures_per_second,
                      choice.background == Background::transparent,
                      wave ? phases : 0};
  auto* film = new Film(run_, scene, options, this);
  auto* progress = new QProgressDialog(tr("Drawing the pictures…"), tr("Cancel"), 0, count, this);
  progress->setWindowModality(Qt::WindowModal);
  progress->setMinimumDuration(0);
  connect(film, &Film::progressed, progress,
          [progress](int done, int) { progress->setValue(std::min(done, progress->maximum() - 1)); });
  connect(progress, &QProgressDialog::canceled, film, &Film::cancel);
  connect(film, &Film::ended, this, [this, film, progress, file](const QString& trouble) {
    progress->deleteLater();
    film->deleteLater();
    if (trouble.isEmpty())
      log(LogLevel::info, tr("Film saved as %1").arg(file));
    else
      log(LogLevel::error, trouble);
  });
  film->start();
}

}  // namespace conoid::app
