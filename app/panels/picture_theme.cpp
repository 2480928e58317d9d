// SPDX-License-Identifier: BSD-3-Clause
// Colours of pictures.
#include "app/panels/picture_theme.hpp"

#include <QColor>

#include "app/look/translator.hpp"

namespace conoid::app {
namespace {

Rgb rgb_of(const QColor& c) {
  return {c.redF(), c.greenF(), c.blueF()};
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
  out.decimal_comma = has_decimal_comma();
  return out;
}

conoid::Theme white_theme() {
  conoid::Theme out = light_theme();
  out.decimal_comma = has_decimal_comma();
  return out;
}

}  // namespace conoid::app
