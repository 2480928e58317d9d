// SPDX-License-Identifier: BSD-3-Clause
// Several charts at a time, their looks, and what they share: the pointer and the moment of the picture.
#include <algorithm>

#include <QComboBox>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>

#include "app/look/small_widgets.hpp"
#include "app/panels/chart_dialog.hpp"
#include "app/panels/chart_table.hpp"
#include "app/panels/fit_dialog.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/spectrogram_dialog.hpp"

namespace conoid::app {
namespace {
constexpr std::size_t most_beside = 3, most_tiles = 11;
}  // namespace

QMenu* ResultsPanel::make_more_menu() {
  auto* menu = new QMenu(this);
  menu->addAction(tr("Limits, titles, names, colours…"), this, [this] {
    edit_style(tabs_->tabData(tabs_->currentIndex()).toString(), forms(), {ChartPlace::Part::title, {}});
  });
  auto* numbers = menu->addAction(tr("Numbers beside the chart"), this, &ResultsPanel::show_numbers);
  numbers->setCheckable(true);
  auto* others = menu->addMenu(tr("Another chart beside"));
  menu->addAction(tr("In a window of its own"), this, [this] { detach(); });
  menu->addSeparator();
  menu->addAction(tr("Curves from a file (CSV)…"), this, &ResultsPanel::choose_measured);
  auto* fit = menu->addAction(tr("Fit of a decay or a delay…"), this, &ResultsPanel::choose_fit);
  auto* unfit = menu->addAction(tr("Without fits"), this, [this] {
    fits_.clear();
    draw_chart();
  });
  auto* picture = menu->addAction(tr("Spectrogram…"), this, &ResultsPanel::choose_spectrogram);
  auto* without = menu->addAction(tr("Without curves from files"), this, [this] {
    measured_.clear();
    draw_chart();
  });
  connect(menu, &QMenu::aboutToShow, this, [this, without, numbers, others, fit, unfit, picture] {
    const ChartSpec& seen = scene_->chart();
    fit->setEnabled(seen.kind == ChartKind::lines && seen.x_unit == "s" && !seen.series.empty());
    picture->setEnabled(can_be_spectrogram(spec_of(tabs_->tabData(tabs_->currentIndex()).toString())));
    unfit->setEnabled(!fits_.isEmpty());
    without->setEnabled(!measured_.isEmpty());
    numbers->setChecked(numbers_->property("wanted").toBool());
    others->clear();
    for (int i = 0; i < tabs_->count(); ++i)
      if (const QString id = tabs_->tabData(i).toString(); is_chart(id))
        others->addAction(tabs_->tabText(i), this, [this, id] { add_beside(id); });
    const auto beside =
        std::count_if(tiles_.begin(), tiles_.end(), [](const ChartTile* tile) { return !tile->isWindow(); });
    others->setEnabled(static_cast<std::size_t>(beside) < most_beside);
  });
  return menu;
}

void ResultsPanel::link(ChartScene& scene, const QString* id, const ChartForms* forms) {
  scene.pointer_moved = [this, &scene] { share_pointer(scene); };
  scene.edit_wanted = [this, id, forms](const ChartPlace& place) {
    // The scene is in the middle of its event.
    const QString table = id ? *id : tabs_->tabData(tabs_->currentIndex()).toString();
    const ChartForms seen = forms ? *forms : this->forms();
    QTimer::singleShot(0, this, [this, table, seen, place] { edit_style(table, seen, place); });
  };
}

void ResultsPanel::share_pointer(const ChartScene& from) {
  if (tiles_.empty()) return;
  const std::optional<double> x = from.pointer();
  const ChartSpec& spec = from.chart();
  const auto share = [&](ChartScene& scene) {
    if (&scene == &from) return;
    const ChartSpec& other = scene.chart();
    scene.set_linked_pointer(other.x_unit == spec.x_unit && other.x_label == spec.x_label ? x : std::nullopt);
  };
  share(*scene_);
  viewport_->request_render();
  for (ChartTile* tile : tiles_) {
    share(tile->chart());
    tile->draw();
  }
}

void ResultsPanel::set_moment(std::optional<Moment> moment) {
  moment_ = moment;
  mark_moment(*scene_);
  viewport_->request_render();
  for (ChartTile* tile : tiles_) {
    mark_moment(tile->chart());
    tile->draw();
  }
}

void ResultsPanel::point_at(const std::array<double, 2>& direction) {
  const auto point = [&](ChartScene& scene) {
    const ChartSpec& spec = scene.chart();
    if (spec.x_unit != "deg" && spec.x_unit != "°") return;
    const QString over = QString::fromStdString(spec.x_label).toLower();
    scene.set_linked_pointer(direction[over.contains("phi") || over.contains(QStringLiteral("φ")) ? 1 : 0]);
  };
  point(*scene_);
  viewport_->request_render();
  for (ChartTile* tile : tiles_) {
    point(tile->chart());
    tile->draw();
  }
}

void ResultsPanel::mark_moment(ChartScene& scene) const {
  const std::string& unit = scene.chart().x_unit;
  const bool fits = moment_ && ((moment_->axis == FrameAxis::time && unit == "s") ||
                                (moment_->axis == FrameAxis::frequency && unit == "Hz"));
  scene.set_mark(fits ? std::optional(moment_->value) : std::nullopt);
}

void ResultsPanel::draw_tiles() {
  for (ChartTile* tile : tiles_) {
    tile->show_chart(shown_spec(tile->id, tile->forms));
    mark_moment(tile->chart());
  }
}

void ResultsPanel::add_beside(const QString& id) {
  const auto beside =
      std::count_if(tiles_.begin(), tiles_.end(), [](const ChartTile* tile) { return !tile->isWindow(); });
  if (static_cast<std::size_t>(beside) >= most_beside) return;
  auto* tile = new ChartTile(look_, kind_, false, beside_);
  tile->id = id;
  const ChartSpec own = spec_of(id);
  tile->forms = id == tabs_->tabData(tabs_->currentIndex()).toString()
                    ? forms()
                    : ChartForms{false, own.y_scale == AxisScale::log, own.kind == ChartKind::polar, false};
  beside_->insertWidget(beside_->indexOf(numbers_), tile);
  beside_->setStretchFactor(beside_->indexOf(tile), 3);
  tiles_.push_back(tile);
  link(tile->chart(), &tile->id, &tile->forms);
  connect(tile, &ChartTile::close_wanted, this, [this, tile] { remove_tile(tile); });
  QList<int> sizes;
  for (int i = 0; i < beside_->count(); ++i) sizes << (beside_->widget(i) == numbers_ ? 800 : 1000);
  beside_->setSizes(sizes);
  draw_chart();
}

ChartTile* ResultsPanel::detach() {
  if (tiles_.size() >= most_tiles) return nullptr;
  auto* tile = new ChartTile(look_, kind_, true, this);
  tile->id = tabs_->tabData(tabs_->currentIndex()).toString();
  tile->forms = forms();
  constexpr int width = 760, height = 480;
  tile->resize(width, height);
  tiles_.push_back(tile);
  link(tile->chart(), &tile->id, &tile->forms);
  connect(tile, &ChartTile::close_wanted, this, [this, tile] { remove_tile(tile); });
  draw_tiles();
  tile->show();
  return tile;
}

void ResultsPanel::remove_tile(ChartTile* tile) {
  if (std::erase(tiles_, tile) == 0) return;
  tile->hide();
  tile->deleteLater();
}

void ResultsPanel::show_numbers(bool on) {
  numbers_->setProperty("wanted", on);
  numbers_->setVisible(on);
  draw_chart();
}

void ResultsPanel::set_difference(bool on) {
  difference_->setChecked(on);
  draw_chart();
}

ChartStyle ResultsPanel::style() const {
  return styles_.value(style_key(tabs_->tabData(tabs_->currentIndex()).toString(), forms()));
}

void ResultsPanel::set_style(const ChartStyle& style) {
  styles_[style_key(tabs_->tabData(tabs_->currentIndex()).toString(), forms())] = style;
  draw_chart();
}

void ResultsPanel::add_fit(const FitWish& wish) {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  fits_[table_key(id)].push_back(wish);
  draw_chart();
}

void ResultsPanel::choose_fit() {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  ChartForms plain = forms();
  plain.spectrum = plain.spectrogram = false;
  const ChartSpec curves = plain_spec(id, plain);
  FitWindow window;
  if (scene_->is_zoomed() || scene_->chart().limits.x_low || scene_->chart().limits.x_high)
    window = {scene_->view().x_low, scene_->view().x_high};
  auto* dialog = new FitDialog(curves, window, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    if (const auto wish = dialog->wish()) add_fit(*wish);
  });
  dialog->open();
}

void ResultsPanel::set_spectrogram(bool on) {
  spectrogram_->setChecked(on);
  draw_chart();
}

void ResultsPanel::set_spectrogram_wish(const SpectrogramWish& wish) {
  spectrograms_[table_key(tabs_->tabData(tabs_->currentIndex()).toString())] = wish;
  draw_chart();
}

SpectrogramWish ResultsPanel::spectrogram_wish() const {
  return spectrograms_.value(table_key(tabs_->tabData(tabs_->currentIndex()).toString()));
}

ChartSpec ResultsPanel::spectrogram_of(const QString& id, const ChartSpec& spec) const {
  SpectrogramWish wish = spectrograms_.value(table_key(id));
  // Of two runs that are compared a curve has its run behind its name.
  auto curve = std::find_if(spec.series.begin(), spec.series.end(), [&](const Series& s) {
    return s.label == wish.curve || (!wish.curve.empty() && s.label.starts_with(wish.curve + " – "));
  });
  if (curve != spec.series.end()) wish.curve = curve->label;
  if (curve == spec.series.end()) {
    // Its curve has gone with another run: the first that there is.
    curve = std::find_if(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.y.size() >= 8; });
    wish.curve = curve == spec.series.end() ? std::string() : curve->label;
  }
  MadeSpectrogram& made = made_spectrograms_[table_key(id)];
  if (curve != spec.series.end() && made.wish == wish && made.title == spec.title && made.y == curve->y &&
      made.chart.spectrogram)
    return made.chart;
  auto chart = spectrogram_chart(spec, wish, spectrogram_words());
  if (!chart) {
    // A run that has only begun is shorter than the window that was chosen.
    wish.window = 0;
    chart = spectrogram_chart(spec, wish, spectrogram_words());
  }
  if (!chart) return {};
  made = {wish, spec.title, curve == spec.series.end() ? std::vector<double>() : curve->y, std::move(chart).value()};
  return made.chart;
}

void ResultsPanel::refresh_spectrogram_curves(const QString& id, bool shown) {
  const ChartSpec spec = shown ? spec_of(id) : ChartSpec();
  QStringList labels;
  for (const Series& s : spec.series)
    if (s.x.size() >= 8) labels << QString::fromStdString(s.label);
  spectrogram_curve_->setVisible(labels.size() > 1);
  const QSignalBlocker quiet(spectrogram_curve_);
  QStringList there;
  for (int i = 0; i < spectrogram_curve_->count(); ++i) there << spectrogram_curve_->itemText(i);
  if (there != labels) {
    spectrogram_curve_->clear();
    spectrogram_curve_->addItems(labels);
  }
  spectrogram_curve_->setCurrentIndex(
      std::max(0, spectrogram_curve_->findText(QString::fromStdString(spectrogram_wish().curve))));
}

void ResultsPanel::choose_spectrogram() {
  const QString id = tabs_->tabData(tabs_->currentIndex()).toString();
  ChartForms own = forms();
  own.spectrum = false;
  own.spectrogram = true;
  const QString key = style_key(id, own);
  auto* dialog = new SpectrogramDialog(spec_of(id), spectrogram_wish(), styles_.value(key).limits.decibels, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, key] {
    const auto wish = dialog->wish();
    if (!wish) return;
    styles_[key].limits.decibels = dialog->decibels();
    spectrogram_->setChecked(true);
    set_spectrogram_wish(*wish);
  });
  dialog->open();
}

void ResultsPanel::edit_style(const QString& id, const ChartForms& forms, const ChartPlace& place) {
  const ChartSpec own = plain_spec(id, forms);
  if (own.kind == ChartKind::balance || own.series.empty()) return;
  const QString key = style_key(id, forms);
  auto* dialog = new ChartDialog(own, styles_.value(key), look_, place, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, key] {
    if (const auto chosen = dialog->style()) styles_[key] = *chosen;
    draw_chart();
  });
  dialog->open();
}

}  // namespace conoid::app
