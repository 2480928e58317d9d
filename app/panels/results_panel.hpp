// SPDX-License-Identifier: BSD-3-Clause
// Below the picture: a tab for every table of the run, one for the balance of workers, one for lines drawn through the
// field, one for the log.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <QHash>
#include <QTimer>
#include <QWidget>

#include "app/look/theme.hpp"
#include "app/model/help_topic.hpp"
#include "app/model/run_model.hpp"
#include "app/panels/chart_tile.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/chart_style.hpp"
#include "render/chart/curve_fit.hpp"
#include "render/chart/measured_curves.hpp"
#include "render/chart/spectrogram.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/viewport.hpp"

class QStackedWidget;
class QTabBar;
class QBoxLayout;
class QComboBox;
class QMenu;
class QSplitter;
class QToolButton;

namespace conoid::app {

class NumbersTable;
class LogPanel;
class DifferencesPanel;

/// One chart viewport serves all tabs: what is not seen is not drawn.
class ResultsPanel : public QWidget {
  Q_OBJECT
 public:
  ResultsPanel(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent = nullptr);
  void show_log();
  [[nodiscard]] LogPanel& log() { return *log_; }
  /// While two runs are compared: what differs, as a tab.
  [[nodiscard]] DifferencesPanel& differences() { return *differences_; }
  void show_differences();
  [[nodiscard]] ChartScene& chart() { return *scene_; }
  [[nodiscard]] QTabBar& tabs() { return *tabs_; }
  /// Values along a line through the field become a chart of their own.
  void show_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                    const QString& moment);
  /// The same of another frame, in its place; nobody is taken to it. `whole`: the field is a line itself, and its coordinate the abscissa.
  void follow_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                      const QString& moment, bool whole);
  /// Charts of values that were asked for, in place of those of before; each has its title for its tab.
  void show_made(std::vector<ChartSpec> charts);
  /// Lays the same tables of another run over the curves, dashed. Null: this run alone.
  void compare_with(const RunModel* other, const QString& name = {}, const QString& own = {});
  /// Turns the chart at hand into its spectrum and back.
  void set_spectrum(bool on);
  /// Turns the chart at hand into the spectrogram of one of its curves and back; how it is made is kept by chart.
  void set_spectrogram(bool on);
  void set_spectrogram_wish(const SpectrogramWish& wish);
  [[nodiscard]] SpectrogramWish spectrogram_wish() const;
  [[nodiscard]] QComboBox& spectrogram_curve() { return *spectrogram_curve_; }
  /// Shows the curves of the present tab in another unit, where there is a choice.
  void set_unit(const QString& unit);
  /// How many traces over time are drawn: as curves, or as a gather. Without a word of a person a gather where they are many.
  enum class Traces { curves, picture, wiggles, both };
  void set_traces(Traces look);
  [[nodiscard]] QComboBox& traces_choice() { return *traces_; }
  /// Lays curves of a CSV file (measured, or of another program) dashed over the chart at hand: first column the abscissa. Units
  /// in its header ("t[ms]") are converted; without them those of the chart are meant. They go with the case.
  Status lay_over(const QString& file, const MeasuredChoice& choice = {});
  /// Limits, titles, names and colours of the chart at hand; each chart (and each of its units) has its own.
  void set_style(const ChartStyle& style);
  [[nodiscard]] ChartStyle style() const;
  /// Decays and delays of the curves at hand, dashed, with what they say in the legend; fitted anew as curves grow.
  void add_fit(const FitWish& wish);
  /// The numbers of the chart at its right.
  void show_numbers(bool on);
  [[nodiscard]] NumbersTable& numbers() { return *numbers_; }
  /// One more chart at the right of the present one, as it is now; at most three.
  void add_beside(const QString& id);
  /// The present chart in a window of its own, which goes on with the run.
  ChartTile* detach();
  [[nodiscard]] const std::vector<ChartTile*>& tiles() const { return tiles_; }
  /// The moment that the picture shows: a line across charts over time or frequency. None: no line.
  void set_moment(std::optional<Moment> moment);
  /// A direction of a far field, θ and φ in degrees: charts over one of these angles point there.
  void point_at(const std::array<double, 2>& direction);
  /// Of two runs: the second's curves less the first's.
  void set_difference(bool on);
  /// .png, .svg, .pdf or .csv by the ending, white.
  Status write_chart(const QString& file);
  /// What the chart shows as rows for a spreadsheet.
  [[nodiscard]] QString chart_as_text(QChar separator) const;

 signals:
  void field_wanted(const QString& pointer);
  void help_wanted(const conoid::app::HelpTopic& topic);
  /// The results want the room of the picture and of the panes, or give it back.
  void maximise_wanted(bool on);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_head();
  void take_profile(const std::vector<ProfilePoint>& points, const QString& label, const QString& unit,
                    const QString& moment, bool whole);
  QToolButton* make_tools();  ///< gives the button of what there is more
  void make_pages();
  void watch();  ///< tabs, log, run and look
  QMenu* make_more_menu();
  [[nodiscard]] ChartForms forms() const;
  [[nodiscard]] QString style_key(const QString& id, const ChartForms& forms) const;
  [[nodiscard]] ChartSpec plain_spec(const QString& id, const ChartForms& forms) const;
  [[nodiscard]] ChartSpec shown_spec(const QString& id, const ChartForms& forms) const;
  [[nodiscard]] ChartSpec compared(const QString& id, ChartSpec spec, bool difference) const;
  [[nodiscard]] QString balance_as_text(QChar separator) const;
  void edit_style(const QString& id, const ChartForms& forms, const ChartPlace& place);
  void link(ChartScene& scene, const QString* id, const ChartForms* forms);
  void share_pointer(const ChartScene& from);
  void mark_moment(ChartScene& scene) const;
  void draw_tiles();
  void remove_tile(ChartTile* tile);
  void refresh_tabs();
  /// Whether a tab is a chart.
  [[nodiscard]] static bool is_chart(const QString& id);
  void show_tab(int index);
  void draw_chart();
  void draw_soon();
  void save_chart(const QString& ending);
  void choose_measured();
  void choose_fit();
  void choose_spectrogram();
  [[nodiscard]] ChartSpec spectrogram_of(const QString& id, const ChartSpec& spec) const;
  [[nodiscard]] QString table_key(const QString& id) const { return id + '\n' + units_.value(id); }
  void copy_chart();
  [[nodiscard]] ChartSpec spec_of(const QString& id) const;
  [[nodiscard]] ChartSpec table_chart(const RunModel& run, const RunTable& table) const;
  void refresh_tools();
  void refresh_spectrogram_curves(const QString& id, bool shown);
  void apply_theme();

  RunModel& run_;
  const Look& look_;
  std::shared_ptr<ChartScene> scene_;
  ViewportHost* viewport_;
  QBoxLayout* head_;
  QTabBar* tabs_;
  QStackedWidget* stack_;
  QWidget* tools_;
  [[nodiscard]] Traces traces_of(const QString& id, const ChartSpec& spec) const;
  QComboBox* unit_;
  QComboBox* traces_;
  QHash<QString, int> traces_by_table_;  ///< Traces that a person chose
  QHash<QString, QString> units_;        ///< chosen by table, where it has several
  /// Curves of files by table and unit.
  QHash<QString, std::vector<Series>> measured_;
  QHash<QString, std::vector<FitWish>> fits_;     ///< by table and unit
  QHash<QString, SpectrogramWish> spectrograms_;  ///< by table and unit
  /// Made last, by table and unit: a chart that is drawn anew for another reason is not computed again.
  struct MadeSpectrogram {
    SpectrogramWish wish;
    std::string title;      ///< of its curves
    std::vector<double> y;  ///< of the curve
    ChartSpec chart;
  };
  mutable QHash<QString, MadeSpectrogram> made_spectrograms_;
  QComboBox* spectrogram_curve_;
  QToolButton* spectrum_;
  QToolButton* spectrogram_;
  QToolButton* log_axis_;
  QToolButton* polar_;
  QToolButton* difference_;
  QToolButton* copy_;
  QToolButton* maximise_;
  QSplitter* beside_;
  NumbersTable* numbers_;
  std::vector<ChartTile*> tiles_;      ///< beside the chart, and windows of their own
  QHash<QString, ChartStyle> styles_;  ///< by style_key()
  std::optional<Moment> moment_;
  ViewportKind kind_;
  LogPanel* log_;
  DifferencesPanel* differences_;
  QTimer draw_timer_;
  ChartSpec profile_;
  std::vector<ChartSpec> made_;
  const RunModel* other_ = nullptr;
  QString other_name_, own_name_;
  bool chosen_ = false;  ///< a person picked the tab: it stays while others come
};

}  // namespace conoid::app
