// SPDX-License-Identifier: BSD-3-Clause
// The picture in the middle.
#include "app/panels/viewport_panel.hpp"

#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidgetAction>

#include "app/forms/scalar_edits.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/json_path.hpp"
#include "engine/core/units.hpp"

namespace conoid::app {
namespace {

constexpr std::size_t marker_limit = 2000;

Rgb rgb_of(const QColor& c) { return {c.redF(), c.greenF(), c.blueF()}; }

QString text(const std::string& s) { return QString::fromStdString(s); }

/// A position in metres from an array of numbers or quantities.
std::optional<Vec3> position_of(const Json& value) {
  if (!value.is_array() || value.size() != 3) return std::nullopt;
  Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (value[i].is_number()) {
      out[i] = value[i].get<double>();
    } else if (value[i].is_string()) {
      const auto quantity = parse_quantity(value[i].get<std::string>(), "m");
      if (!quantity) return std::nullopt;
      out[i] = quantity->value;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

/// Everything in the case that has a "position": sources below /excitation, receivers elsewhere.
void collect_markers(const Json& value, bool excitation, std::vector<Marker>& out) {
  if (out.size() >= marker_limit) return;
  if (value.is_object()) {
    if (const auto it = value.find("position"); it != value.end())
      if (const auto position = position_of(*it)) {
        std::string label;
        if (const auto name = value.find("name"); name != value.end() && name->is_string()) label = name->get<std::string>();
        out.push_back({*position, excitation ? MarkerKind::source : MarkerKind::receiver, label});
      }
    for (const auto& [key, member] : value.items())
      if (member.is_structured()) collect_markers(member, excitation || key == "excitation", out);
  } else if (value.is_array()) {
    for (const auto& member : value)
      if (member.is_object()) collect_markers(member, excitation, out);
  }
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

QString moment_text(const Frame& frame) {
  switch (frame.axis) {
    case FrameAxis::time: return "t = " + text(format_quantity(frame.value, "s", 4));
    case FrameAxis::frequency: return "f = " + text(format_quantity(frame.value, "Hz", 4));
    case FrameAxis::iteration: break;
  }
  return QObject::tr("iteration %1").arg(std::llround(frame.value));
}

ViewportPanel::ViewportPanel(RunModel& run, CaseModel& model, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent), run_(run), model_(model), look_(look), scene_(std::make_shared<FieldScene>()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_tools());
  stack_ = new QStackedWidget(this);
  stack_->addWidget(make_empty());
  viewport_ = make_viewport(stack_, kind);
  stack_->addWidget(viewport_->widget());
  column->addWidget(stack_, 1);
  column->addWidget(make_timeline());
  if (const std::string note = viewport_note(); !note.empty()) run_.add_log({LogLevel::warning, 0, note, {}, {}});
  apply_theme();
  viewport_->set_scene(scene_);
  viewport_->on_rendered = [this] {
    shown_ = wanted_;
    waiting_ = false;
  };
  connect(&look, &Look::changed, this, &ViewportPanel::apply_theme);
  connect(&run, &RunModel::frame_arrived, this, &ViewportPanel::follow_run);
  connect(&run, &RunModel::catalog_changed, this, &ViewportPanel::show_choices);
  connect(&run, &RunModel::started, this, [this] {
    following_ = true;
    first_frame_ = true;
    choices_key_.clear();
    stack_->setCurrentIndex(0);
    empty_text_->setText(tr("Preparing…\nThe first picture comes with the first step."));
    refresh_markers();
    refresh_timeline();
  });
  connect(&run, &RunModel::ended, this, [this] {
    if (run_.frames().empty()) empty_text_->setText(tr("This run gave no picture.\nThe log says how it went."));
    refresh_timeline();
  });
  connect(&model, &CaseModel::opened, this, [this] {
    if (!run_.is_active()) empty_text_->setText(tr("Nothing to see yet.\nPress Run and watch the field here."));
  });
  refresh_timeline();
}

QWidget* ViewportPanel::make_tools() {
  auto* bar = new QFrame(this);
  bar->setObjectName("paneHeader");
  bar->setFixedHeight(44);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(16, 0, 12, 0);
  row->setSpacing(8);
  field_ = make_calm_combo(bar);
  field_->setAccessibleName(tr("Field"));
  field_->setPlaceholderText(tr("Field"));
  field_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  field_->setMinimumWidth(150);
  value_ = make_calm_combo(bar);
  value_->setAccessibleName(tr("Component"));
  value_->setMinimumWidth(90);
  value_->hide();
  range_ = new QToolButton(bar);
  range_->setPopupMode(QToolButton::InstantPopup);
  range_->setToolTip(tr("Colour range"));
  range_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  range_->setIcon(look_.icon("chevron-down", "muted"));
  range_->setIconSize({14, 14});
  range_->setLayoutDirection(Qt::RightToLeft);
  auto* menu = new QMenu(range_);
  auto* box = new QWidget(menu);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(12, 8, 12, 8);
  grid->setSpacing(8);
  auto_range_ = new QCheckBox(tr("Follow the field"), box);
  auto_range_->setChecked(true);
  low_ = new QLineEdit(box);
  high_ = new QLineEdit(box);
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
  row->addWidget(field_);
  row->addWidget(value_);
  row->addWidget(range_);
  row->addStretch(1);
  auto* fit_button = make_icon_button(look_, "fit", tr("Fit the view"), bar);
  auto* picture_button = make_icon_button(look_, "picture", tr("Save the picture"), bar);
  row->addWidget(fit_button);
  row->addWidget(picture_button);
  connect(fit_button, &QToolButton::clicked, this, &ViewportPanel::fit);
  connect(picture_button, &QToolButton::clicked, this, &ViewportPanel::save_picture);
  connect(field_, &QComboBox::activated, this, &ViewportPanel::choose_field);
  connect(value_, &QComboBox::activated, this, &ViewportPanel::apply_view);
  connect(auto_range_, &QCheckBox::clicked, this, &ViewportPanel::read_range);
  connect(low_, &QLineEdit::editingFinished, this, &ViewportPanel::read_range);
  connect(high_, &QLineEdit::editingFinished, this, &ViewportPanel::read_range);
  connect(reset, &QPushButton::clicked, this, [this] {
    auto_range_->setChecked(true);
    read_range();
    scene_->reset_range();
    refresh_range_text();
  });
  connect(menu, &QMenu::aboutToShow, this, &ViewportPanel::refresh_range_text);
  return bar;
}

QWidget* ViewportPanel::make_empty() {
  auto* page = new QFrame(stack_);
  page->setObjectName("page");
  auto* column = new QVBoxLayout(page);
  column->addStretch(1);
  auto* icon_row = new QHBoxLayout;
  icon_row->addStretch(1);
  icon_row->addWidget(new IconLabel(look_, "conoid", "outline", 56, page));
  icon_row->addStretch(1);
  column->addLayout(icon_row);
  column->addSpacing(8);
  empty_text_ = make_label(tr("Nothing to see yet.\nPress Run and watch the field here."), "muted", page);
  empty_text_->setAlignment(Qt::AlignCenter);
  column->addWidget(empty_text_);
  column->addStretch(1);
  return page;
}

QWidget* ViewportPanel::make_timeline() {
  auto* bar = new QFrame(this);
  bar->setObjectName("surface");
  bar->setFixedHeight(40);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(12, 0, 16, 0);
  row->setSpacing(8);
  live_ = make_icon_button(look_, "live", tr("Follow the newest frame"), bar, "accent");
  live_->setCheckable(true);
  live_->setChecked(true);
  slider_ = new QSlider(Qt::Horizontal, bar);
  slider_->setAccessibleName(tr("Frame"));
  slider_->setPageStep(1);
  time_ = new FigureLabel({}, Qt::AlignRight, bar);
  time_->setMinimumWidth(200);
  row->addWidget(live_);
  row->addWidget(slider_, 1);
  row->addWidget(time_);
  connect(live_, &QToolButton::clicked, this, [this](bool on) {
    following_ = on;
    if (on && !run_.frames().empty()) show_frame(run_.frames().size() - 1);
    refresh_timeline();
  });
  connect(slider_, &QSlider::valueChanged, this, [this](int index) {
    if (static_cast<std::size_t>(index) >= run_.frames().size()) return;
    following_ = static_cast<std::size_t>(index) + 1 == run_.frames().size();
    show_frame(static_cast<std::size_t>(index));
    refresh_timeline();
  });
  return bar;
}

void ViewportPanel::apply_theme() {
  scene_->set_theme(picture_theme(look_.theme(), "viewport"));
  viewport_->request_render();
}

void ViewportPanel::fit() {
  scene_->fit();
  viewport_->request_render();
}

void ViewportPanel::follow_run() {
  if (following_) show_frame(run_.frames().size() - 1);
  refresh_timeline();
}

void ViewportPanel::show_frame(std::size_t index) {
  if (index >= run_.frames().size()) return;
  const auto& frame = run_.frames().at(index);
  ++wanted_;
  waiting_ = true;
  if (Status shown = scene_->set_frame(frame); !shown && first_frame_)
    run_.add_log({LogLevel::warning, run_.elapsed(), shown.error().text, shown.error().hint, {}});
  if (first_frame_) {
    first_frame_ = false;
    stack_->setCurrentIndex(1);
    show_choices();
    apply_view();
    scene_->look(StandardView::iso);
  }
  viewport_->request_render();
  refresh_range_text();
}

void ViewportPanel::show_choices() {
  std::vector<std::pair<std::string, FieldInfo>> fields = run_.catalog();
  if (fields.empty())
    for (const FieldChoice& choice : scene_->choices()) fields.emplace_back(choice.part, choice.info);
  QString key;
  for (const auto& [part, info] : fields) key += text(part) + '/' + text(info.name) + ';';
  if (key == choices_key_) return;
  choices_key_ = key;
  const bool many_parts = std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first != fields.front().first; });
  const QString before = field_->currentData().toString();
  const QSignalBlocker quiet(field_);
  field_->clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto& [part, info] = fields[i];
    QString name = text(info.label.empty() ? info.name : info.label);
    if (many_parts) name += QStringLiteral(" – ") + text(part);
    field_->addItem(name, text(part) + '\n' + text(info.name));
    field_->setItemData(field_->count() - 1, info.components, Qt::UserRole + 1);
  }
  const int index = field_->findData(before);
  field_->setCurrentIndex(index >= 0 ? index : 0);
  choose_field();
}

void ViewportPanel::choose_field() {
  const int components = field_->currentData(Qt::UserRole + 1).toInt();
  const QSignalBlocker quiet(value_);
  value_->clear();
  if (components == 3) {
    value_->addItem(tr("Length"), -1);
    value_->addItem("x", 0);
    value_->addItem("y", 1);
    value_->addItem("z", 2);
  }
  value_->setVisible(components == 3);
  apply_view();
}

void ViewportPanel::apply_view() {
  const QStringList chosen = field_->currentData().toString().split('\n');
  if (chosen.size() != 2) return;
  FieldView view = scene_->view();
  view.part = chosen[0].toStdString();
  view.field = chosen[1].toStdString();
  view.value.component = value_->count() > 0 ? value_->currentData().toInt() : -1;
  view.keep_range = false;  // a wave that spreads must not fade into the colours of its first moments
  view.fixed_range = !auto_range_->isChecked();
  if (view.fixed_range) {
    view.low = low_->text().toDouble();
    view.high = high_->text().toDouble();
  }
  run_.view(view.part, view.field);
  // The frame at hand may not carry the field yet; the next one will.
  static_cast<void>(scene_->set_view(view).ok());
  viewport_->request_render();
  refresh_range_text();
}

void ViewportPanel::read_range() {
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

void ViewportPanel::refresh_range_text() {
  const auto [low, high] = scene_->range();
  range_->setVisible(!run_.frames().empty());
  range_->setText(QString("%1 … %2").arg(QString::number(low, 'g', 3), QString::number(high, 'g', 3)).replace('-', QChar(0x2212)));
  low_->setEnabled(!auto_range_->isChecked());
  high_->setEnabled(!auto_range_->isChecked());
  if (!auto_range_->isChecked()) return;
  low_->setText(QString::number(low, 'g', 4));
  high_->setText(QString::number(high, 'g', 4));
}

void ViewportPanel::refresh_timeline() {
  const int frames = static_cast<int>(run_.frames().size());
  const QSignalBlocker quiet(slider_);
  slider_->setEnabled(frames > 1);
  slider_->setRange(0, std::max(0, frames - 1));
  if (following_) slider_->setValue(std::max(0, frames - 1));
  live_->setChecked(following_);
  live_->setEnabled(frames > 0);
  live_->setVisible(frames > 0);
  slider_->setVisible(frames > 0);
  field_->setVisible(frames > 0);
  if (frames == 0) {
    time_->set_text({});
    range_->hide();
    value_->hide();
    return;
  }
  const auto& frame = *run_.frames().at(static_cast<std::size_t>(slider_->value()));
  time_->set_text(tr("%1   %2 / %3").arg(moment_text(frame)).arg(slider_->value() + 1).arg(frames));
}

void ViewportPanel::refresh_markers() {
  std::vector<Marker> markers;
  collect_markers(model_.json(), false, markers);
  scene_->set_markers(std::move(markers));
}

void ViewportPanel::save_picture() {
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  QString file = QFileDialog::getSaveFileName(this, tr("Save the picture"), folder + "/conoid.png", tr("Pictures (*.png)"));
  if (file.isEmpty()) return;
  if (!file.endsWith(".png")) file += ".png";
  // Exports are white: they go into documents.
  scene_->set_theme(light_theme());
  const Image picture = viewport_->grab();
  apply_theme();
  QImage image(picture.pixels.data(), picture.width, picture.height, picture.width * 4, QImage::Format_RGBA8888);
  QImage copy = image.copy();
  copy.setText("run", text(run_.folder().filename().string()));
  const bool saved = !picture.empty() && copy.save(file);
  run_.add_log({saved ? LogLevel::info : LogLevel::error, run_.elapsed(),
                (saved ? tr("Picture saved as %1") : tr("The picture could not be written to %1")).arg(file).toStdString(), {}, {}});
}

}  // namespace conoid::app
