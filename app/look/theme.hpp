// SPDX-License-Identifier: BSD-3-Clause
// The colours of the window: one JSON file a theme, one style sheet for all, icons coloured to match.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include <QColor>
#include <QHash>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QVector>
#include <QWidget>

class QApplication;
class QFont;

namespace conoid::app {

/// Colours by name ("accent", "muted", …; see resources/themes) and the colours of curves in charts.
struct Theme {
  QString name;
  bool dark = false;
  QHash<QString, QColor> colours;
  QVector<QColor> series;

  [[nodiscard]] QColor colour(const QString& id) const { return colours.value(id, QColor(Qt::magenta)); }
  [[nodiscard]] QColor curve(int index) const {
    return series.isEmpty() ? colour("accent") : series[index % series.size()];
  }
};

/// Reads ":/conoid/themes/<name>.json"; an unknown name gives the light theme.
[[nodiscard]] Theme load_theme(const QString& name);
/// The style sheet with a theme's colours filled in.
[[nodiscard]] QString style_sheet(const Theme& theme, double font_scale = 1);
[[nodiscard]] QPalette palette_of(const Theme& theme);

enum class ThemeChoice { system, light, dark };

/// The one look of a program. Used from the window's thread.
class Look : public QObject {
  Q_OBJECT
 public:
  explicit Look(QApplication& application, ThemeChoice choice = ThemeChoice::system);

  [[nodiscard]] const Theme& theme() const { return *theme_; }
  [[nodiscard]] QColor colour(const QString& id) const { return theme_->colour(id); }
  [[nodiscard]] ThemeChoice choice() const { return choice_; }
  /// What is on the screen changes together, after some turns of the event loop of a few milliseconds each, hidden widgets in more of them;
  /// finish() waits for all.
  void choose(ThemeChoice choice);
  void finish();
  /// 1 = 13 px for ordinary text; every other size keeps its proportion.
  void set_font_scale(double scale);
  [[nodiscard]] double font_scale() const { return font_scale_; }
  /// A family; "system": that of the system; empty or one that is not here: the program's own.
  void set_font_family(const QString& family);
  /// Units that are offered first while a quantity is typed, where they fit.
  void set_preferred_units(const QStringList& units) { preferred_units_ = units; }
  [[nodiscard]] const QStringList& preferred_units() const { return preferred_units_; }
  /// A stroke icon of resources/icons in a theme colour; follows a change of theme by itself.
  [[nodiscard]] QIcon icon(const QString& id, const QString& colour = "text") const;

 signals:
  void changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  [[nodiscard]] bool wants_dark() const;
  void apply();
  void polish(QWidget* widget);
  void polish_below(QWidget* widget);
  void polish_some();
  QApplication& application_;
  ThemeChoice choice_;
  bool system_dark_ = false;
  double font_scale_ = 1;
  QString font_family_, system_family_;
  QStringList preferred_units_;
  std::shared_ptr<Theme> theme_;
  QTimer later_;
  std::vector<QPointer<QWidget>> unpainted_;
  std::deque<QPointer<QWidget>> seen_;        ///< those on the screen that have the look before this one
  std::deque<QPointer<QWidget>> unpolished_;  ///< hidden ones
};

/// Marks a label or button for the style sheet ("title", "muted", "primary", …).
void set_role(QWidget* widget, const char* role);

}  // namespace conoid::app
