// SPDX-License-Identifier: BSD-3-Clause
// The page for a new case.
#include "app/start/new_case_dialog.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <QButtonGroup>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/forms/object_form.hpp"
#include "app/forms/schema_text.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/background.hpp"
#include "app/model/file_kinds.hpp"
#include "app/model/json_path.hpp"
#include "app/model/markers.hpp"
#include "app/model/names.hpp"
#include "app/panels/picture_theme.hpp"
#include "engine/core/units.hpp"
#include "engine/session/wave_numbers.hpp"
#include "engine/solvers/registry.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
namespace {

constexpr int controls_width = 424;
constexpr const char* lengths[] = {"m", "cm", "mm", "in", "ft"};

/// The schema of a place of a case: through members, elements, and variants as the case has chosen them.
Json node_at(Json node, const Json& document, const std::string& pointer) {
  const Json* value = &document;
  static const Json absent;
  for (std::size_t at = 1; at <= pointer.size() && node.is_object();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string key = pointer.substr(at, end - at);
    at = end + 1;
    if (node.contains("items")) {
      node = Json(node["items"]);
      const auto index = static_cast<std::size_t>(std::atoi(key.c_str()));
      value = value->is_array() && index < value->size() ? &(*value)[index] : &absent;
    } else {
      const Json object = effective_object(node, *value);
      const auto member = object.find("properties");
      node = member != object.end() && member->contains(key) ? Json((*member)[key]) : Json();
      value = value->is_object() && value->contains(key) ? &(*value)[key] : &absent;
    }
  }
  return node;
}

const Json* value_at(const Json& root, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  return root.contains(place) ? &root[place] : nullptr;
}

/// What is asked: the keys of the start, and how large elements are.
std::vector<std::string> asks_of(const CaseStart& start, bool flexible) {
  std::vector<std::string> out = start.asks;
  if (flexible) out.emplace_back("/mesh/size");
  return out;
}

bool names_a_frequency(const std::string& pointer) {
  return pointer.ends_with("/frequency") || pointer.ends_with("/to");
}

std::string first_frequency(const CaseStart& start) {
  for (const std::string& pointer : start.asks)
    if (names_a_frequency(pointer)) return pointer;
  return {};
}

/// The body, meshed first where it is a geometry that needs nobody's word.
Result<std::shared_ptr<const MeshPreview>> read_body(const Json& mesh, const std::stop_token& stop) {
  try {
    const auto document = CaseDocument::from_json(Json({{"mesh", mesh}}), {});
    if (const auto geometry = unmeshed_geometry(document); !geometry.empty()) {
      if (const std::string why = why_not_trusted(geometry); !why.empty())
        return make_error(ErrorCode::invalid_input, why,
                          "Make the case, then mesh it in the mesh pane, where you are asked.");
      if (const Status meshed = mesh_geometry_of(document, false, stop); !meshed) return meshed.error();
    }
    return preview_mesh(document, stop);
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace

NewCaseDialog::NewCaseDialog(const QString& file, const Look& look, ViewportKind kind, QWidget* parent)
    : QDialog(parent), look_(look), context_{model_, look}, kept_(Json::object()), by_sizes_(file.isEmpty()) {
  setWindowTitle(tr("New case around a body"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  Json mesh = Json::object();
  if (by_sizes_)
    mesh["bodies"] = Json::array({{{"kind", "sphere"}, {"radius", "0.5 m"}}});
  else
    mesh["file"] = file.toStdString();
  // The forms of the body are those of any solver that takes a mesh.
  fill_choices();
  applying_ = true;
  model_.take(CaseDocument::from_json(
      Json({{"conoid", 1}, {"solver", choices_.empty() ? std::string() : choices_.front().solver}, {"mesh", mesh}}),
      {}));
  applying_ = false;
  row->addWidget(make_controls(file));
  row->addWidget(make_rule(this, true));
  row->addWidget(make_picture(kind), 1);
  column->addLayout(row, 1);
  column->addWidget(make_rule(this));
  column->addWidget(make_foot());
  connect(&model_, &CaseModel::changed, this, &NewCaseDialog::edited);
  connect(&model_, &CaseModel::validated, this, &NewCaseDialog::refresh);
  connect(&look, &Look::changed, this, &NewCaseDialog::apply_theme);
  apply_theme();
  const QSize wanted(1040, 740);
  resize(parent ? wanted.boundedTo(parent->window()->size() - QSize(16, 40)) : wanted);
  look_at_body();
  refresh();
}

NewCaseDialog::~NewCaseDialog() {
  stop_.request_stop();
  disconnect(&model_, nullptr, this, nullptr);
}

// ---- what is on the page --------------------------------------------------------------------------------------------

QWidget* NewCaseDialog::make_controls(const QString& file) {
  QVBoxLayout* column = nullptr;
  QScrollArea* scroll = make_scroll_page(this, &column);
  scroll->setFixedWidth(controls_width);
  column->setContentsMargins(20, 18, 20, 16);
  column->setSpacing(8);
  QWidget* page = scroll->widget();
  column->addWidget(make_label(tr("The body"), "title", page));
  if (by_sizes_) {
    // Its form takes as long as all the rest of the page: it comes in a turn of its own.
    auto* place = new QVBoxLayout;
    column->addLayout(place);
    in_free_turn(this, [this, place, page] {
      const Json node = node_at(model_.schema(), model_.json(), "/mesh/bodies");
      if (!node.is_object()) return;
      place->addWidget(bodies_ = make_editor(context_, "/mesh/bodies", node, {}, page));
      bodies_->refresh();
      bodies_->reveal("/mesh/bodies/0/radius");
    });
  } else {
    auto* name = new ElidedLabel(QFileInfo(file).fileName(), "", Qt::ElideMiddle, page);
    name->setToolTip(file);
    column->addWidget(name);
  }
  column->addWidget(unit_row_ = make_unit_row());
  size_ = make_label(tr("Reading…"), "muted", page);
  size_->setWordWrap(true);
  column->addWidget(size_);
  trouble_ = make_label({}, "bad", page);
  trouble_->setWordWrap(true);
  column->addWidget(trouble_);
  if (!by_sizes_) make_place(column);
  column->addSpacing(8);
  column->addWidget(make_label(tr("What happens"), "title", page));
  choice_box_ = new QWidget(page);
  choice_column_ = new QVBoxLayout(choice_box_);
  choice_column_->setContentsMargins(0, 0, 0, 0);
  choice_column_->setSpacing(2);
  column->addWidget(choice_box_);
  column->addSpacing(4);
  asks_column_ = new QVBoxLayout;
  asks_column_->setSpacing(6);
  column->addLayout(asks_column_);
  column->addSpacing(8);
  hand_column_ = new QVBoxLayout;
  hand_column_->setSpacing(2);
  column->addLayout(hand_column_);
  column->addStretch(1);
  return scroll;
}

QWidget* NewCaseDialog::make_unit_row() {
  auto* box = new QWidget(this);
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  unit_note_ = make_label(tr("In which unit is this file? It does not say so."), "bad", box);
  unit_note_->setWordWrap(true);
  column->addWidget(unit_note_);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  units_ = new QButtonGroup(box);
  for (const char* unit : lengths) {
    auto* button = new QPushButton(unit, box);
    button->setCheckable(true);
    button->setMinimumWidth(48);
    button->setAccessibleName(tr("The file is in %1").arg(unit));
    units_->addButton(button);
    row->addWidget(button, 1);
    connect(button, &QPushButton::clicked, this, [this, unit] { choose_unit(unit); });
  }
  column->addLayout(row);
  box->hide();
  return box;
}

void NewCaseDialog::make_place(QVBoxLayout* column) {
  const Json node = node_at(model_.schema(), {}, "/mesh");
  if (!node.is_object()) return;
  std::set<std::string> others;
  for (const auto& [key, member] : node["properties"].items())
    if (key != "scale" && key != "rotate" && key != "translate") others.insert(key);
  Json open = node;
  for (auto& [key, member] : open["properties"].items()) member.erase("advanced");
  auto* box = new QWidget(this);
  auto* inner = new QVBoxLayout(box);
  inner->setContentsMargins(0, 4, 0, 4);
  inner->setSpacing(6);
  inner->addWidget(place_ = new ObjectForm(context_, "/mesh", open, {}, box, others));
  add_turns(inner);
  column->addWidget(new FoldButton(look_, tr("Move, turn, scale"), box, false, this));
  column->addWidget(box);
}

void NewCaseDialog::add_turns(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  auto* centre = new QPushButton(tr("To the origin"), this);
  connect(centre, &QPushButton::clicked, this, [this] {
    if (!facts_) return;
    const Json* before = model_.value("/mesh/translate");
    Json shift = Json::array();
    for (std::size_t a = 0; a < 3; ++a) {
      const double now = before && before->is_array() && (*before)[a].is_number() ? (*before)[a].get<double>() : 0;
      shift.push_back(now - (facts_->box[0][a] + facts_->box[1][a]) / 2);
    }
    model_.set("/mesh/translate", std::move(shift), tr("shift"));
  });
  row->addWidget(centre);
  for (int axis = 0; axis < 3; ++axis) {
    auto* turn = new QPushButton(tr("90° about %1").arg(QChar('x' + axis)), this);
    connect(turn, &QPushButton::clicked, this, [this, axis] {
      const Json* before = model_.value("/mesh/rotate");
      Json angles = before && before->is_array() && before->size() == 3 ? *before : Json::array({0, 0, 0});
      const auto now =
          parse_quantity(angles[axis].is_string() ? angles[axis].get<std::string>() : std::string("0"), "rad");
      const int degrees = (static_cast<int>(std::lround((now ? now->value : 0) * 180 / std::numbers::pi)) + 90) % 360;
      angles[axis] = std::to_string(degrees) + " deg";
      model_.set("/mesh/rotate", std::move(angles), tr("turn"));
    });
    row->addWidget(turn);
  }
  column->addLayout(row);
}

QWidget* NewCaseDialog::make_picture(ViewportKind kind) {
  viewport_ = make_viewport(this, kind);
  scene_ = std::make_shared<FieldScene>();
  FieldView view = scene_->view();
  view.edges = true;
  view.smooth = false;
  view.caption = false;
  view.color_bar = false;
  // Until there is a wave the body is plain.
  static_cast<void>(scene_->set_view(view).ok());
  viewport_->set_scene(scene_);
  QWidget* widget = viewport_->widget();
  widget->setMinimumSize(300, 240);
  widget->setAccessibleName(tr("Picture of the body"));
  widget->setAccessibleDescription(tr("The body where it stands, its axes and its size: drag to turn it"));
  return widget;
}

QWidget* NewCaseDialog::make_foot() {
  auto* foot = new QWidget(this);
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(20, 12, 20, 12);
  row->setSpacing(8);
  estimate_ = make_label({}, "muted", foot);
  estimate_->setWordWrap(true);
  row->addWidget(estimate_, 1);
  auto* cancel = new QPushButton(tr("Cancel"), foot);
  make_ = new QPushButton(tr("Make the case"), foot);
  run_ = new QPushButton(tr("Make and run"), foot);
  run_->setObjectName("makeAndRun");
  set_role(run_, "primary");
  run_->setDefault(true);
  row->addWidget(cancel);
  row->addWidget(make_);
  row->addWidget(run_);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  connect(make_, &QPushButton::clicked, this, &QDialog::accept);
  connect(run_, &QPushButton::clicked, this, [this] {
    run_wanted_ = true;
    accept();
  });
  return foot;
}

// ---- what happens ---------------------------------------------------------------------------------------------------

void NewCaseDialog::fill_choices() {
  const bool sheet = facts_ && !facts_->closed;
  choices_.clear();
  for (const CaseStart& start : case_starts())
    if (start.sheet == sheet)
      choices_.push_back({start, start.solver, translated(start.title), translated(start.description)});
  for (const SolverInfo* info : registered_solvers()) {
    const auto schema = registered_schemas()(std::string(info->id));
    if (!schema || !key_for_file(schema->json(), "mesh", "file")) continue;
    choices_.push_back({std::nullopt, std::string(info->id), translated(std::string(info->title)),
                        tr("The form of the case opens at what is missing.")});
  }
  if (!choice_column_) return;
  clear_layout(choice_column_);
  clear_layout(hand_column_);
  for (QButtonGroup* before : choice_box_->findChildren<QButtonGroup*>()) before->deleteLater();
  auto* group = new QButtonGroup(choice_box_);
  chosen_ = std::min(chosen_, choices_.empty() ? 0 : choices_.size() - 1);
  hand_column_->addWidget(make_label(tr("Fill in by hand"), "small", choice_box_));
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    QVBoxLayout* const column = choices_[i].start ? choice_column_ : hand_column_;
    auto* button = new QRadioButton(choices_[i].title, choice_box_);
    group->addButton(button);
    button->setToolTip(choices_[i].words);
    button->setAccessibleDescription(choices_[i].words);
    button->setChecked(i == chosen_);
    connect(button, &QRadioButton::clicked, this, [this, i] { choose(i); });
    column->addWidget(button);
    if (i != chosen_ || !choices_[i].start) continue;
    auto* words = make_label(choices_[i].words, "small", choice_box_);
    words->setWordWrap(true);
    words->setContentsMargins(24, 0, 0, 4);
    choice_column_->addWidget(words);
  }
}

void NewCaseDialog::choose(std::size_t at) {
  if (at == chosen_) return;
  // What was typed for another wave says nothing of this one.
  kept_ = Json::object();
  chosen_ = at;
  fill_choices();
  start_again();
}

void NewCaseDialog::rebuild_asks() {
  clear_layout(asks_column_);
  asks_.clear();
  if (chosen_ >= choices_.size() || !choices_[chosen_].start) return;
  if (unit_asked_ && !unit_known_) {
    // Numbers for a body that is a thousand times too large say nothing.
    auto* later = make_label(tr("Frequency and sizes follow from the unit of the file."), "muted", this);
    later->setWordWrap(true);
    return asks_column_->addWidget(later);
  }
  for (const std::string& pointer : asks_of(*choices_[chosen_].start, facts_ && facts_->flexible)) {
    const Json node = node_at(model_.schema(), model_.json(), pointer);
    if (!node.is_object()) continue;
    const std::string key = pointer.substr(pointer.rfind('/') + 1);
    FieldEditor* editor = make_editor(context_, pointer, node, fallback_for(key, node, {}), this);
    editor->setToolTip(tooltip_of(pointer, node, fallback_for(key, node, {})));
    auto* row = new FieldRow(context_, editor, label_of(key, node), true, this);
    asks_column_->addWidget(row);
    asks_.push_back(row);
  }
}

void NewCaseDialog::choose_unit(const QString& unit) {
  unit_known_ = true;
  unit_note_->setText(tr("Unit of the file"));
  set_role(unit_note_, "small");
  const Json* now = model_.value("/mesh/unit");
  if (now && *now == unit.toStdString()) {
    rebuild_asks();
    return refresh();
  }
  model_.set("/mesh/unit", unit.toStdString(), tr("choice of the unit"));
}

// ---- the body -------------------------------------------------------------------------------------------------------

Json NewCaseDialog::base_mesh() const {
  const Json* section = model_.value("/mesh");
  Json out = section && section->is_object() ? *section : Json::object();
  out.erase("size");
  return out;
}

void NewCaseDialog::look_at_body() {
  seen_ = base_mesh();
  stop_.request_stop();
  stop_ = {};
  const std::uint64_t ticket = ++ticket_;
  if (auto known = known_body(seen_)) return take_body(ticket, std::move(known));
  in_background(
      this, [mesh = seen_, stop = stop_.get_token()] { return read_body(mesh, stop); },
      [ticket, mesh = seen_](NewCaseDialog& self, Result<std::shared_ptr<const MeshPreview>> read) {
        if (read && *read) self.keep_body(mesh, *read);
        self.take_body(ticket, std::move(read));
      });
}

std::shared_ptr<const MeshPreview> NewCaseDialog::known_body(const Json& section) const {
  for (const auto& [read_by, mesh] : read_)
    if (read_by == section) return mesh;
  return nullptr;
}

void NewCaseDialog::keep_body(const Json& section, std::shared_ptr<const MeshPreview> mesh) {
  constexpr std::size_t most = 4;  // as many as one goes back and forth between
  std::erase_if(read_, [&](const auto& one) { return one.first == section; });
  if (read_.size() == most) read_.erase(read_.begin());
  read_.emplace_back(section, std::move(mesh));
}

std::shared_ptr<const MeshPreview> NewCaseDialog::body() const {
  const Json* section = model_.value("/mesh");
  return section ? known_body(*section) : nullptr;
}

void NewCaseDialog::take_body(std::uint64_t ticket, Result<std::shared_ptr<const MeshPreview>> read) {
  if (ticket != ticket_) return;
  error_.reset();
  if (!read || !*read) {
    const bool unit = !read && !unit_asked_ && model_.value("/mesh/unit") == nullptr &&
                      read.error().text.find("unit of the mesh file") != std::string::npos;
    if (unit) {
      // Its shape is seen at once; which unit its numbers are in is asked.
      unit_asked_ = true;
      unit_row_->show();
      model_.set("/mesh/unit", "m", tr("choice of the unit"));
      return;
    }
    body_.reset();
    facts_.reset();
    if (!read) error_ = read.error();
    return refresh();
  }
  const bool first = !facts_;
  const bool was_closed = facts_ && facts_->closed;
  body_ = *read;
  facts_ = facts_of(*body_);
  if (first || was_closed != facts_->closed) {
    chosen_ = 0;
    fill_choices();
  }
  show_body(*body_);
  start_again();
}

void NewCaseDialog::show_body(const MeshPreview& mesh) {
  // Without quality and groups, which are for the mesh pane: plain.
  auto plain = std::make_shared<Frame>(*mesh.frame);
  for (FramePart& part : plain->parts) part.fields.clear();
  static_cast<void>(scene_->set_frame(std::move(plain)).ok());
  scene_->set_markers(markers_of(model_.json(), model_.schema()));
  if (!std::exchange(fitted_, true)) scene_->look(StandardView::iso);
  scene_->fit();
  viewport_->request_render();
}

double NewCaseDialog::frequency() const {
  if (chosen_ >= choices_.size() || !choices_[chosen_].start) return 0;
  const std::string pointer = first_frequency(*choices_[chosen_].start);
  const auto typed = kept_.find(pointer);
  if (typed == kept_.end()) return 0;
  if (typed->is_number()) return typed->get<double>();
  const auto read = parse_quantity(typed->is_string() ? typed->get<std::string>() : std::string(), "Hz");
  return read ? read->value : 0;
}

void NewCaseDialog::start_again() {
  if (!facts_ || chosen_ >= choices_.size()) return refresh();
  const Choice& choice = choices_[chosen_];
  const std::string title =
      by_sizes_ ? choice.title.toStdString()
                : QFileInfo(QString::fromStdString(seen_.value("file", ""))).completeBaseName().toStdString();
  Json made = {{"conoid", 1}, {"title", title}, {"solver", choice.solver}, {"mesh", seen_}};
  if (choice.start) {
    auto started = started_case(*choice.start, seen_, *facts_, frequency(), title);
    if (!started) {
      error_ = started.error();
      return refresh();
    }
    made = std::move(*started);
  }
  template_ = made;
  for (const auto& [pointer, value] : kept_.items()) assign_value(made, pointer, value);
  applying_ = true;
  model_.take(CaseDocument::from_json(std::move(made), {}));
  applying_ = false;
  rebuild_asks();
  scene_->set_markers(markers_of(model_.json(), model_.schema()));
  show_elements();
  refresh();
}

/// The elements that the wave asks for, where they are others than the file's.
void NewCaseDialog::show_elements() {
  const Json* section = model_.value("/mesh");
  if (!section || !section->contains("size")) return;
  if (auto known = known_body(*section)) {
    body_ = std::move(known);
    return show_body(*body_);
  }
  const std::uint64_t ticket = ticket_;
  in_background(
      this, [mesh = *section, stop = stop_.get_token()] { return read_body(mesh, stop); },
      [ticket, mesh = *section](NewCaseDialog& self, Result<std::shared_ptr<const MeshPreview>> read) {
        if (read && *read) self.keep_body(mesh, *read);
        if (ticket != self.ticket_) return;
        if (!read) {
          self.error_ = read.error();
        } else if (*read) {
          self.body_ = *read;
          self.show_body(*self.body_);
        }
        self.model_.check_again();
        self.refresh();
      });
}

void NewCaseDialog::edited() {
  if (applying_) return;
  if (base_mesh() != seen_) return look_at_body();
  if (chosen_ >= choices_.size() || !choices_[chosen_].start) return refresh();
  bool again = false;
  bool elements = false;
  for (const std::string& pointer : asks_of(*choices_[chosen_].start, true)) {
    const Json* now = model_.value(pointer);
    const Json* before = value_at(template_, pointer);
    if (!now || (before && *now == *before && !kept_.contains(pointer))) continue;
    if (kept_.contains(pointer) && kept_[pointer] == *now) continue;
    kept_[pointer] = *now;
    again = again || names_a_frequency(pointer);
    elements = elements || pointer == "/mesh/size";
  }
  // Planes and elements follow the wave.
  if (again) return QMetaObject::invokeMethod(this, &NewCaseDialog::start_again, Qt::QueuedConnection), void();
  if (elements) show_elements();
  refresh();
}

// ---- what is said ---------------------------------------------------------------------------------------------------

void NewCaseDialog::refresh_size() {
  if (!body_ || !facts_) {
    size_->setText(error_ ? QString() : tr("Reading…"));
    return;
  }
  QStringList words;
  const auto side = [&](std::size_t a) { return facts_->box[1][a] - facts_->box[0][a]; };
  if (unit_asked_ && !unit_known_) {
    words << tr("%1 × %2 × %3 in units of the file")
                 .arg(side(0), 0, 'g', 4)
                 .arg(side(1), 0, 'g', 4)
                 .arg(side(2), 0, 'g', 4);
  } else {
    const double largest = facts_->size();
    const auto [unit, factor] = largest < 0.1 ? std::pair{"mm", 1000.0}
                                : largest < 2 ? std::pair{"cm", 100.0}
                                              : std::pair{"m", 1.0};
    words << tr("%1 × %2 × %3 %4")
                 .arg(words_locale().toString(side(0) * factor, 'g', 4),
                      words_locale().toString(side(1) * factor, 'g', 4),
                      words_locale().toString(side(2) * factor, 'g', 4), unit);
    const double speed = lowest_speed(model_.json(), model_.schema()), wave = highest_frequency(model_.json());
    if (speed > 0 && wave > 0 && choices_[chosen_].start)
      words << tr("%1 wavelengths at %2")
                   .arg(words_locale().toString(largest * wave / speed, 'g', 3),
                        QString::fromStdString(format_quantity(wave, "Hz", 3)));
  }
  words << tr("%n elements", nullptr, static_cast<int>(body_->longest_edges.size()));
  size_->setText(words.join(" · "));
}

QString NewCaseDialog::obstacle() const {
  if (error_) return sentence_of(*error_);
  if (!facts_) return tr("The body is being read.");
  if (unit_asked_ && !unit_known_) return tr("Choose the unit of the file.");
  return {};
}

void NewCaseDialog::refresh_estimate() {
  QString text = obstacle();
  const bool form = chosen_ < choices_.size() && !choices_[chosen_].start;
  if (text.isEmpty() && !form) {
    text = model_.obstacle();
    const CheckReport* report = model_.report();
    if (text.isEmpty() && !report) text = tr("What it takes is being estimated…");
    if (text.isEmpty() && report) {
      const double seconds = report->estimate.expected_seconds();
      QStringList parts;
      if (seconds > 0) parts << tr("about %1").arg(QString::fromStdString(format_duration(seconds)));
      if (report->estimate.host_memory > 0)
        parts << tr("%1 of memory").arg(QString::fromStdString(format_bytes(report->estimate.host_memory)));
      text = parts.isEmpty() ? tr("Ready to run") : tr("Takes %1").arg(parts.join(", "));
    }
  }
  estimate_->setText(error_ ? QString() : in_figures(text));
  trouble_->setText(error_ ? obstacle() : QString());
  trouble_->setVisible(error_.has_value());
}

void NewCaseDialog::refresh() {
  refresh_size();
  refresh_estimate();
  if (bodies_) bodies_->refresh();
  if (place_) place_->refresh();
  for (FieldRow* row : asks_) row->refresh();
  const bool form = chosen_ < choices_.size() && !choices_[chosen_].start;
  const bool ready = obstacle().isEmpty();
  make_->setEnabled(ready);
  run_->setEnabled(ready && !form && model_.is_valid());
}

Json NewCaseDialog::made() const {
  return model_.json();
}

bool NewCaseDialog::event(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) refresh();
  return QDialog::event(event);
}

void NewCaseDialog::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "viewport"));
  viewport_->request_render();
}

}  // namespace conoid::app
