// SPDX-License-Identifier: BSD-3-Clause
// The page on which one case is worked on.
#include "app/window/workbench.hpp"

#include <algorithm>
#include <limits>

#include <QDockWidget>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/model/conditions.hpp"
#include "app/model/json_path.hpp"
#include "app/model/markers.hpp"
#include "app/model/mesh_model.hpp"
#include "app/model/settings.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/mesh_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/run_panel.hpp"
#include "app/panels/scene_pane.hpp"
#include "app/panels/viewport_panel.hpp"

namespace conoid::app {
namespace {

constexpr int case_width = 368;
constexpr int run_width = 296;
constexpr int results_height = 264;

/// On a small screen panes step aside for what needs room, until it is gone: the case for a second view, the run for the choices of how a field is
/// shown, which stand beside the picture, not in its place.
void make_room(Workbench& bench, ViewportPanel& view) {
  constexpr int of_two_views = 1700, of_choices = 560;  // pixels: of all, of the picture alone
  const auto step_aside = [&bench](const QString& pane, bool little_room, bool on) {
    const QByteArray aside = pane.toUtf8() + "StoodAside";
    if (on && little_room && bench.is_pane_visible(pane)) {
      bench.show_pane(pane, false);
      bench.setProperty(aside, true);
    } else if (!on && bench.property(aside).toBool()) {
      bench.show_pane(pane, true);
      bench.setProperty(aside, false);
    }
  };
  QObject::connect(&view, &ViewportPanel::split_changed, &bench,
                   [&bench, step_aside](bool on) { step_aside("case", bench.width() < of_two_views, on); });
  QObject::connect(&view, &ViewportPanel::display_shown, &bench,
                   [&view, step_aside](bool on) { step_aside("run", view.width() < of_choices, on); });
}

}  // namespace

Workbench::Workbench(CaseModel& model, RunModel& run, const ActionTable& actions, const Look& look, ViewportKind kind,
                     QWidget* parent)
    : QMainWindow(parent), model_(model) {
  setWindowFlags(Qt::Widget);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setDockOptions(QMainWindow::AnimatedDocks);
  QWidget* left = make_left(model, look);
  run_panel_ = new RunPanel(model, run, actions, look, this);
  viewport_ = new ViewportPanel(run, model, look, kind, this);
  results_ = new ResultsPanel(run, look, kind, this);
  setCentralWidget(viewport_);
  add_pane("case", tr("Case"), left, Qt::LeftDockWidgetArea);
  add_pane("run", tr("Run"), run_panel_, Qt::RightDockWidgetArea);
  add_pane("results", tr("Results"), results_, Qt::BottomDockWidgetArea);
  connect(viewport_, &ViewportPanel::profile_drawn, this,
          [this](const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                 const QString& moment) {
            show_pane("results", true);
            results_->show_profile(points, label, unit, moment);
          });
  connect(viewport_, &ViewportPanel::profile_followed, results_, &ResultsPanel::follow_profile);
  connect(viewport_, &ViewportPanel::place_chosen, this, [this, &model, &run](const Vec3& place) {
    if (!place_receiver(model, place))
      run.add_log({LogLevel::warning, run.elapsed(), tr("This kind of case has no receivers.").toStdString(), {}, {}});
  });
  // A far field around the body and its charts point at the same direction.
  for (const auto signal : {&ScenePane::probed, &ScenePane::value_kept})
    connect(&viewport_->pane(), signal, this, [this](const Probe& probe) {
      if (probe.direction) results_->point_at(*probe.direction);
    });
  connect(viewport_, &ViewportPanel::moment_shown, this,
          [this](const Moment& moment) { results_->set_moment(moment); });
  connect(&run, &RunModel::started, this, [this] { results_->set_moment({}); });
  connect(viewport_, &ViewportPanel::difference_changed, results_, &ResultsPanel::set_difference);
  connect(results_, &ResultsPanel::help_wanted, this, &Workbench::help_wanted);
  connect(run_panel_, &RunPanel::help_wanted, this, &Workbench::help_wanted);
  connect(case_, &CasePanel::help_wanted, this, &Workbench::help_wanted);
  connect(results_, &ResultsPanel::maximise_wanted, this, &Workbench::show_results_alone);
  connect(results_, &ResultsPanel::field_wanted, this, [this](const QString& pointer) {
    show_pane("case", true);
    show_mesh(false);
    case_->reveal(pointer.toStdString());
  });
  connect(mesh_panel_, &MeshPanel::place_wanted, this, [this](const QString& pointer) {
    show_mesh(false);
    case_->reveal(pointer.toStdString());
  });
  connect(mesh_panel_, &MeshPanel::field_wanted, viewport_, &ViewportPanel::show_preview_field);
  connect(mesh_panel_, &MeshPanel::choosing_changed, this, [this](bool on) {
    viewport_->pane().set_tool(on ? MouseTool::choose : MouseTool::turn);
    if (!on && mesh_->mesh()) viewport_->set_preview(mesh_->mesh()->frame);
  });
  connect(mesh_panel_, &MeshPanel::faces_wanted, this,
          [this](const std::shared_ptr<const Frame>& frame, const std::vector<Marker>& marks) {
            viewport_->set_preview(frame);
            viewport_->show_preview_field(mark_field, marks);
            viewport_->pane().set_tool(MouseTool::choose);
          });
  connect(&viewport_->pane(), &ScenePane::face_chosen, mesh_panel_, &MeshPanel::choose_at);
  connect(mesh_panel_, &MeshPanel::group_wanted, this, &Workbench::show_mesh_group);
  make_room(*this, *viewport_);
  connect(&viewport_->pane(), &ScenePane::marker_chosen, this, [this](const Marker& marker) {
    if (marker.key.empty() || !is_pane_visible("case")) return;
    show_mesh(false);
    case_->reveal(marker.key);
  });
  connect(&viewport_->pane(), &ScenePane::condition_dropped, this,
          [&model, &run](const Marker& from, const Marker& onto) {
            if (const QString why = take_condition(model, from.key, onto.key); !why.isEmpty())
              run.add_log({LogLevel::warning, run.elapsed(), why.toStdString(), {}, {}});
          });
  connect(case_, &CasePanel::chosen, this, [this](const QString& pointer) {
    chosen_ = pointer.toStdString();
    show_conditions();
  });
  connect(&model, &CaseModel::opened, this, [this] {
    chosen_.clear();
    show_conditions();
  });
  connect(&model, &CaseModel::changed, this, &Workbench::show_conditions);
  connect(&model, &CaseModel::validated, this, &Workbench::show_conditions);
  const auto preview = [this] {
    left_tabs_->setTabVisible(1, mesh_->is_wanted());
    if (!mesh_->is_wanted()) show_mesh(false);
    if (!mesh_->is_reading()) viewport_->set_preview(mesh_->mesh() ? mesh_->mesh()->frame : nullptr);
    // The form may speak of a group of it already; of a mesh that was read again the new picture has no mark.
    marked_.clear();
    show_conditions();
  };
  connect(mesh_, &MeshModel::changed, this, preview);
  preview();
}

QWidget* Workbench::make_left(CaseModel& model, const Look& look) {
  auto* left = new QWidget(this);
  left->setObjectName("surface");
  left->setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  left_tabs_ = new QTabBar(left);
  left_tabs_->setAccessibleName(tr("Case or mesh"));
  left_tabs_->setAccessibleDescription(tr("The form of the case, or the mesh that it names"));
  left_tabs_->setExpanding(false);
  left_tabs_->setDrawBase(false);
  left_tabs_->addTab(tr("Case"));
  left_tabs_->addTab(tr("Mesh"));
  column->addWidget(left_tabs_);
  column->addWidget(make_rule(left));
  left_stack_ = new QStackedWidget(left);
  case_ = new CasePanel(model, look, left_stack_);
  mesh_ = new MeshModel(model, this);
  mesh_panel_ = new MeshPanel(model, *mesh_, look, left_stack_);
  left_stack_->addWidget(case_);
  left_stack_->addWidget(mesh_panel_);
  column->addWidget(left_stack_, 1);
  connect(left_tabs_, &QTabBar::currentChanged, left_stack_, &QStackedWidget::setCurrentIndex);
  return left;
}

void Workbench::show_mesh(bool on) {
  left_tabs_->setCurrentIndex(on ? 1 : 0);
}

void Workbench::apply_settings(const Settings& settings) {
  const UnitSystem units = settings.units();
  mesh_panel_->set_unit(units == UnitSystem::millimetre ? "mm" : units == UnitSystem::us ? "in" : "m");
  run_panel_->set_place(settings.place(), settings.workers());
  setDockOptions(settings.reduced_motion() ? QMainWindow::DockOptions() : QMainWindow::AnimatedDocks);
}

void Workbench::keep_views_in(Settings& settings) {
  ScenePane& pane = viewport_->pane();
  const auto file = [&model = model_] { return QString::fromStdString(model.document().file().string()); };
  const auto load = [&settings, &pane, file] {
    // Kept by another version perhaps: then there are none.
    static_cast<void>(pane.views().set(settings.views(file())).ok());
    const auto written = parse_saved_views(settings.annotations(file()).toStdString());
    pane.set_annotations(written && written->size() == 1 ? written->front().view.annotations
                                                         : std::vector<Annotation>());
  };
  connect(&model_, &CaseModel::opened, this, load);
  connect(&pane.views(), &SceneViews::changed, this,
          [&settings, &pane, file] { settings.set_views(file(), pane.views().as_text()); });
  connect(&pane, &ScenePane::annotations_changed, this, [&settings, &pane, file] {
    SavedView scene{"scene", pane.scene().camera().placement(), {}};
    scene.view.annotations = pane.scene().view().annotations;
    settings.set_annotations(file(), scene.view.annotations.empty()
                                         ? QByteArray()
                                         : QByteArray::fromStdString(saved_views_text({&scene, 1})));
  });
  load();
}

void Workbench::show_mesh_group(int number) {
  const auto& mesh = mesh_->mesh();
  if (!mesh || number < 1 || static_cast<std::size_t>(number) >= mesh->group_names.size()) return;
  // One more field: 1 in the group; what is no number is drawn plain.
  auto frame = std::make_shared<Frame>(*mesh->frame);
  for (FramePart& part : frame->parts) {
    const auto groups =
        std::find_if(part.fields.begin(), part.fields.end(), [](const Field& f) { return f.info.name == "group"; });
    if (groups == part.fields.end()) continue;
    std::vector<float> marked(groups->values->size());
    for (std::size_t i = 0; i < marked.size(); ++i)
      marked[i] = (*groups->values)[i] == static_cast<float>(number) ? 1.0F : std::numeric_limits<float>::quiet_NaN();
    FieldInfo info = groups->info;
    info.name = mark_field;
    info.label = mesh->group_names[static_cast<std::size_t>(number)];
    part.fields.push_back(make_field(info, std::move(marked)));
  }
  viewport_->set_preview(frame);
  viewport_->show_preview_field(mark_field, {});
}

void Workbench::show_conditions() {
  const auto here = chosen_.empty() ? std::vector<Condition>()
                                    : conditions_at(conditions_of(model_.json(), model_.schema()), chosen_);
  const CheckReport* report = model_.report();
  const bool sides = std::any_of(here.begin(), here.end(), [](const Condition& c) { return c.is_side(); });
  if (sides && !report) return;  // the case is being looked at: what stands there stays until its box is known
  const auto box = report ? report->estimate.box : std::nullopt;
  const auto own =
      std::find_if(here.begin(), here.end(), [this](const Condition& c) { return is_within(chosen_, c.key); });
  const bool one = own != here.end();
  viewport_->set_conditions(condition_marks(here, box, mesh_->mesh().get()),
                            one && box ? rim_of(*own, *box) : std::vector<Vec3>());
  const std::string group = one && mesh_->mesh() && viewport_->shows_preview() ? own->group : std::string();
  if (group == marked_) return;
  marked_ = group;
  if (!mesh_->mesh()) return;
  const auto& names = mesh_->mesh()->group_names;
  const auto at = std::find(names.begin(), names.end(), group);
  if (!group.empty() && at != names.end())
    show_mesh_group(static_cast<int>(at - names.begin()));
  else
    viewport_->set_preview(mesh_->mesh()->frame);
}

void Workbench::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (sized_) return;
  sized_ = true;
  // Docks take sizes only once there is a layout to divide.
  QTimer::singleShot(0, this, [this] {
    resizeDocks({pane("case"), pane("run")}, {case_width, run_width}, Qt::Horizontal);
    resizeDocks({pane("results")}, {std::max(results_height, height() * 3 / 10)}, Qt::Vertical);
  });
}

void Workbench::show_results_alone(bool on) {
  for (const char* id : {"case", "run"}) {
    if (on) {
      setProperty(id, is_pane_visible(id));
      show_pane(id, false);
    } else {
      show_pane(id, property(id).toBool());
    }
  }
  viewport_->setVisible(!on);
  show_pane("results", true);
  if (on) return;
  // The picture gets its room back.
  QTimer::singleShot(
      0, this, [this] { resizeDocks({pane("results")}, {std::max(results_height, height() * 3 / 10)}, Qt::Vertical); });
}

void Workbench::add_pane(const QString& id, const QString& title, QWidget* content, Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(id);
  dock->setFeatures(QDockWidget::NoDockWidgetFeatures);
  dock->setTitleBarWidget(new QWidget(dock));  // the panes have heads of their own
  dock->setWidget(content);
  addDockWidget(area, dock);
}

QDockWidget* Workbench::pane(const QString& id) const {
  return findChild<QDockWidget*>(id, Qt::FindDirectChildrenOnly);
}

void Workbench::show_pane(const QString& id, bool visible) {
  if (auto* dock = pane(id)) dock->setVisible(visible);
}

bool Workbench::is_pane_visible(const QString& id) const {
  const auto* dock = pane(id);
  return dock && !dock->isHidden();
}

}  // namespace conoid::app
