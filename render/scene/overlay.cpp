// SPDX-License-Identifier: BSD-3-Clause
// Painting with VTK's 2-D context; all sizes are logical pixels times the pixel ratio.
#include "render/scene/overlay.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <tuple>

#include <vtkBrush.h>
#include <vtkContext2D.h>
#include <vtkObjectFactory.h>
#include <vtkVector.h>

#include "render/scene/painting.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

vtkStandardNewMacro(OverlayItem)

    namespace {
  constexpr double margin = 16;
  constexpr double small_text = 12;
  constexpr double title_text = 15;
  constexpr double moment_text = 13;
  constexpr double bar_width = 14;
  constexpr double label_gap = 8;
  constexpr double bar_head = 32;  // of the bar's title, above the bar
  constexpr double mark_text = 11;
  constexpr double note_text = 12;
  constexpr double mark_reach = 6;  // half the size of a mark
  constexpr double mark_gap = 8;    // from its middle to its name

}  // namespace

double OverlayItem::bar_margin() const {
  if (!content.bar) return 0;
  double widest = 0;
  for (const Tick& tick : content.ticks.ticks)
    widest = std::max(widest, text_size(content.theme, tick.label, small_text * content.ratio)[0]);
  return widest + (margin + bar_width + label_gap) * content.ratio;
}

std::array<double, 4> OverlayItem::stripe() const {
  // In the middle of the picture's height; in a low one lower and shorter, so that its title, which stands on it, stays below the
  // picture's own.
  const double r = content.ratio, wish = std::min(280 * r, 0.6 * content.height), lowest = margin * r,
               highest = content.height - margin * r - (content.title.empty() ? 0 : title_text + 8) * r - bar_head * r,
               bottom = std::min((content.height - wish) / 2 - 8 * r, std::max(lowest, highest - wish)),
               height = std::max(0.0, std::min(wish, highest - bottom));
  // The margin starts at the left side of the stripe.
  return {content.width - bar_margin(), std::round(bottom), std::round(bar_width * r), std::round(height)};
}

std::vector<OverlayBox> OverlayItem::taken_by_bar() const {
  const double r = content.ratio;
  std::vector<OverlayBox> taken;
  if (content.bar) {
    const auto [left, bottom, columns, rows] = stripe();
    const double title = text_size(content.theme, content.bar_title, small_text * r)[0],
                 edge = content.width - margin * r;
    taken.push_back({left - 4 * r, bottom - label_gap * r, static_cast<double>(content.width), bottom + rows + 10 * r});
    taken.push_back({std::min(left, edge - title) - 4 * r, bottom + rows + 10 * r, static_cast<double>(content.width),
                     bottom + rows + bar_head * r});
  }
  return taken;
}

OverlayBox OverlayItem::arrow_label(const OverlayArrow& arrow) const {
  if (arrow.name) return *arrow.name;
  const double r = content.ratio, wide = text_size(content.theme, arrow.label, mark_text * r)[0] + 4 * r;
  const double left = std::clamp(arrow.from[0] - wide / 2, 0.0, std::max(0.0, content.width - wide));
  const double up =
      std::clamp(arrow.from[1] + (arrow.to[1] > arrow.from[1] ? -16 : 16) * r, 8 * r, content.height - 8 * r);
  return {left, up - 8 * r, left + wide, up + 8 * r};
}

void OverlayItem::place_arrow_names(const std::vector<OverlayMark>& marks) {
  const double r = content.ratio, reach = mark_reach * r, gap = 14 * r;
  std::vector<OverlayBox> taken;
  for (const OverlayMark& mark : marks)
    taken.push_back({mark.x - reach, mark.y - reach, mark.x + reach, mark.y + reach});
  for (OverlayArrow& arrow : content.arrows) {
    if (arrow.label.empty()) continue;
    arrow.name.reset();
    const OverlayBox own = arrow_label(arrow);
    const double wide = own.right - own.left, high = own.top - own.bottom;
    const auto at = [&](double left, double bottom) { return OverlayBox{left, bottom, left + wide, bottom + high}; };
    // Behind the tail; else beside it, or farther behind; there after all where nothing is free.
    const double behind = own.bottom < arrow.from[1] - high / 2 ? -1 : 1;
    OverlayBox name = own;
    for (const OverlayBox& box :
         {own, at(arrow.from[0] + gap, arrow.from[1] - high / 2),
          at(arrow.from[0] - gap - wide, arrow.from[1] - high / 2), at(own.left, own.bottom + behind * high)}) {
      const bool whole = box.left >= 0 && box.bottom >= 0 && box.right <= content.width && box.top <= content.height;
      if (!whole || std::any_of(taken.begin(), taken.end(), [&](const OverlayBox& o) { return o.meets(box); }))
        continue;
      name = box;
      break;
    }
    arrow.name = name;
    taken.push_back(name);
  }
}

std::vector<OverlayBox> OverlayItem::written() const {
  const double r = content.ratio;
  std::vector<OverlayBox> out;
  const auto line = [&](double x0, double y0, double x1, double y1) {
    const double step = 6 * r;
    const int steps = std::max(1, static_cast<int>(std::hypot(x1 - x0, y1 - y0) / step));
    for (int i = 0; i <= steps; ++i) {
      const double x = x0 + (x1 - x0) * i / steps, y = y0 + (y1 - y0) * i / steps;
      out.push_back({x - 2 * r, y - 2 * r, x + 2 * r, y + 2 * r});
    }
  };
  for (const OverlayArrow& arrow : content.arrows) {
    line(arrow.from[0], arrow.from[1], arrow.to[0], arrow.to[1]);
    for (const auto& bar : arrow.bars) line(bar[0], bar[1], bar[2], bar[3]);
    if (!arrow.label.empty()) out.push_back(arrow_label(arrow));
  }
  for (const OverlayLabel& label : content.lengths) {
    const auto size = text_size(content.theme, label.text, 11 * r);
    out.push_back({label.x - size[0] / 2, label.y - size[1] / 2, label.x + size[0] / 2, label.y + size[1] / 2});
  }
  double top = content.height - margin * r;
  for (const auto& [text, pixels, bold] :
       {std::tuple{fitted_title(), title_text, true}, {content.moment, moment_text, false}}) {
    if (text.empty()) continue;
    out.push_back(
        {margin * r, top - (pixels + 4) * r, margin * r + text_size(content.theme, text, pixels * r, bold)[0], top});
    top -= (pixels + 8) * r;
  }
  return out;
}

void OverlayItem::set_marks(std::vector<OverlayMark> marks) {
  const double r = content.ratio;
  place_arrow_names(marks);
  std::vector<double> widths;
  for (const OverlayMark& mark : marks)
    widths.push_back(mark.label.empty() ? 0 : text_size(content.theme, mark.label, mark_text * r)[0]);
  arrange_marks(marks, std::move(widths),
                {0, 0, static_cast<double>(content.width), static_cast<double>(content.height)}, taken_by_bar(), r,
                written());
  content.marks = std::move(marks);
}

OverlayBox name_box(const OverlayMark& mark, double width, double ratio) {
  const double wide = width + 4 * ratio, gap = mark_gap * ratio, half = 8 * ratio;
  switch (mark.side) {
    case MarkSide::right: return {mark.x + gap, mark.y - half, mark.x + gap + wide, mark.y + half};
    case MarkSide::left: return {mark.x - gap - wide, mark.y - half, mark.x - gap, mark.y + half};
    case MarkSide::above: return {mark.x - wide / 2, mark.y + gap, mark.x + wide / 2, mark.y + gap + 2 * half};
    case MarkSide::below: return {mark.x - wide / 2, mark.y - gap - 2 * half, mark.x + wide / 2, mark.y - gap};
    case MarkSide::none: break;
  }
  return {};
}

namespace {

/// Boxes of a picture by squares that they lie in: a case may have two thousand marks, and this is asked for every picture.
class Occupied {
 public:
  Occupied(const OverlayBox& picture, double ratio) : picture_(picture), side_(64 * ratio) {
    columns_ = count(picture.right - picture.left);
    squares_.resize(columns_ * count(picture.top - picture.bottom));
  }
  void add(const OverlayBox& box) {
    each(box, [&](std::vector<OverlayBox>& square) {
      square.push_back(box);
      return false;
    });
  }
  [[nodiscard]] bool meets(const OverlayBox& box) {
    return each(box, [&](const std::vector<OverlayBox>& square) {
      return std::any_of(square.begin(), square.end(), [&](const OverlayBox& other) { return box.meets(other); });
    });
  }

 private:
  [[nodiscard]] std::size_t count(double extent) const {
    return static_cast<std::size_t>(std::clamp(extent / side_, 0.0, 1000.0)) + 1;
  }
  /// Until one says yes.
  template <class What>
  bool each(const OverlayBox& box, What what) {
    const std::size_t rows = squares_.size() / columns_;
    const auto at = [&](double place, std::size_t many) {
      return static_cast<std::size_t>(std::clamp(place / side_, 0.0, static_cast<double>(many - 1)));
    };
    for (std::size_t j = at(box.bottom - picture_.bottom, rows); j <= at(box.top - picture_.bottom, rows); ++j)
      for (std::size_t i = at(box.left - picture_.left, columns_); i <= at(box.right - picture_.left, columns_); ++i)
        if (what(squares_[j * columns_ + i])) return true;
    return false;
  }

  OverlayBox picture_;
  double side_;
  std::size_t columns_ = 1;
  std::vector<std::vector<OverlayBox>> squares_;
};

}  // namespace

void arrange_marks(std::vector<OverlayMark>& marks, std::vector<double> widths, const OverlayBox& picture,
                   const std::vector<OverlayBox>& taken, double ratio, const std::vector<OverlayBox>& avoided) {
  const auto on = [](const OverlayBox& box, const std::vector<OverlayBox>& others) {
    return std::any_of(others.begin(), others.end(), [&](const OverlayBox& other) { return box.meets(other); });
  };
  Occupied occupied(picture, ratio);
  for (const auto* boxes : {&taken, &avoided})
    for (const OverlayBox& box : *boxes) occupied.add(box);
  const double reach = mark_reach * ratio;
  const auto symbol = [&](const OverlayMark& mark) {
    return OverlayBox{mark.x - reach, mark.y - reach, mark.x + reach, mark.y + reach};
  };
  std::vector<OverlayMark> kept;
  std::vector<double> kept_widths;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const OverlayBox own = symbol(marks[i]);
    if (!own.meets(picture) || on(own, taken)) continue;
    kept.push_back(std::move(marks[i]));
    kept_widths.push_back(widths[i]);
    occupied.add(own);
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    OverlayMark& mark = kept[i];
    mark.side = MarkSide::none;
    if (mark.label.empty()) continue;
    for (const MarkSide side : {MarkSide::right, MarkSide::left, MarkSide::above, MarkSide::below}) {
      mark.side = side;
      const OverlayBox name = name_box(mark, kept_widths[i], ratio);
      const bool whole = name.left >= picture.left && name.right <= picture.right && name.bottom >= picture.bottom &&
                         name.top <= picture.top;
      if (whole && !occupied.meets(name)) {
        occupied.add(name);
        break;
      }
      mark.side = MarkSide::none;
    }
  }
  marks = std::move(kept);
}

void OverlayItem::set_notes(std::vector<OverlayNote> notes) {
  const double r = content.ratio;
  std::vector<OverlayBox> taken = taken_by_bar();
  for (const OverlayMark& mark : content.marks)
    taken.push_back(
        {mark.x - mark_reach * r, mark.y - mark_reach * r, mark.x + mark_reach * r, mark.y + mark_reach * r});
  std::vector<double> widths;
  for (const OverlayNote& note : notes) widths.push_back(text_size(content.theme, note.text, note_text * r)[0]);
  arrange_notes(notes, widths, {0, 0, static_cast<double>(content.width), static_cast<double>(content.height)}, taken,
                r);
  content.notes = std::move(notes);
}

void arrange_notes(std::vector<OverlayNote>& notes, const std::vector<double>& widths, const OverlayBox& picture,
                   const std::vector<OverlayBox>& taken, double ratio) {
  std::vector<OverlayBox> others = taken;
  const double away = 18 * ratio, gap = 6 * ratio, high = (note_text + 8) * ratio;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    OverlayNote& note = notes[i];
    const double wide = widths[i] + 2 * gap;
    const auto at = [&](double dx, double dy) {
      const double x = dx > 0 ? note.x + away : note.x - away - wide, y = note.y + dy * away - (dy > 0 ? 0 : high);
      const double left = std::clamp(x, picture.left, std::max(picture.left, picture.right - wide));
      const double bottom = std::clamp(y, picture.bottom, std::max(picture.bottom, picture.top - high));
      return OverlayBox{left, bottom, left + wide, bottom + high};
    };
    // Above at the right is where one looks for it; farther up where that is taken, and there at last if all is.
    note.box = at(1, 1);
    bool free = false;
    for (const double up : {1.0, 2.5, 4.0})
      for (const auto& [dx, dy] : {std::pair{1.0, up}, {-1.0, up}, {1.0, -up}, {-1.0, -up}}) {
        const OverlayBox box = at(dx, dy);
        if (free || std::any_of(others.begin(), others.end(), [&](const OverlayBox& o) { return o.meets(box); }))
          continue;
        note.box = box;
        free = true;
      }
    others.push_back(note.box);
  }
}

void OverlayItem::paint_notes(vtkContext2D& painter) const {
  const double r = content.ratio;
  Theme as_written = content.theme;
  as_written.decimal_comma = false;  // somebody's own words stay as they are
  for (const OverlayNote& note : content.notes) {
    const double x = std::clamp(note.x, note.box.left, note.box.right),
                 y = std::clamp(note.y, note.box.bottom, note.box.top);
    // A rim of the ground below the line and its point: there may be any colour of the map.
    for (const bool rim : {true, false}) {
      const Rgb& ink = rim ? content.theme.background : content.theme.text;
      use_pen(painter, ink, (rim ? 3.5 : 1.2) * r, rim ? 0.7 : 1);
      draw_line(painter, note.x, note.y, x, y);
      no_pen(painter);
      use_brush(painter, ink);
      const auto radius = static_cast<float>((rim ? 4 : 2.5) * r);
      painter.DrawEllipse(static_cast<float>(note.x), static_cast<float>(note.y), radius, radius);
    }
    use_pen(painter, content.theme.muted, r);
    use_brush(painter, content.theme.background, 0.92);
    draw_rect(painter, std::round(note.box.left), std::round(note.box.bottom),
              std::round(note.box.right - note.box.left), std::round(note.box.top - note.box.bottom));
    draw_text(painter, as_written, content.theme.text, note_text * r, false, Align::left, Raise::middle,
              note.box.left + 6 * r, (note.box.bottom + note.box.top) / 2, note.text);
  }
}

bool OverlayItem::Paint(vtkContext2D* painter) {
  paint_marks(*painter);
  if (content.bar) paint_bar(*painter);
  paint_caption(*painter);
  if (content.triad) paint_triad(*painter);
  paint_notes(*painter);
  return true;
}

void OverlayItem::paint_bar(vtkContext2D& painter) {
  const double r = content.ratio;
  const auto [left, bottom, wide, high] = stripe();
  const auto& table = content.coloring.table;
  if (table.size() < 2 || high < 20 * r) return;
  const int rows = static_cast<int>(high);
  const int columns = static_cast<int>(wide);
  no_pen(painter);
  // One rectangle a run of equal colours: exact colours, no texture filtering.
  for (int row = 0; row < rows;) {
    const auto color_of = [&](int k) {
      return table[std::min(static_cast<std::size_t>((k + 0.5) / rows * static_cast<double>(table.size())),
                            table.size() - 1)];
    };
    const auto c = color_of(row);
    int end = row + 1;
    while (end < rows && color_of(end) == c) ++end;
    painter.GetBrush()->SetColor(c[0], c[1], c[2], 255);
    painter.DrawRect(static_cast<float>(std::round(left)), static_cast<float>(bottom + row),
                     static_cast<float>(columns), static_cast<float>(end - row));
    row = end;
  }
  const double x = std::round(left);
  for (const Tick& tick : content.ticks.ticks) {
    const double t = content.coloring.place(content.coloring.log ? std::pow(10.0, tick.value) : tick.value);
    const double y = bottom + t * rows;
    use_pen(painter, content.theme.muted, r);
    painter.DrawLine(static_cast<float>(x + columns + 1 * r), static_cast<float>(std::round(y)),
                     static_cast<float>(x + columns + 4 * r), static_cast<float>(std::round(y)));
    draw_text(painter, content.theme, content.theme.text, small_text * r, false, Align::left, Raise::middle,
              x + columns + label_gap * r, y, tick.label);
  }
  // The title starts at the bar if it fits, else it ends at the picture's margin.
  const double title_width = text_size(content.theme, content.bar_title, small_text * r)[0];
  const bool fits = x + title_width <= content.width - margin * r;
  if (!fits) {
    // It may lie over the field there: letters need their ground.
    const double gap = 4 * r, end = content.width - margin * r;
    paint_ground(painter, end - title_width - gap, bottom + rows + 12 * r, title_width + 2 * gap, (small_text + 6) * r);
  }
  draw_text(painter, content.theme, content.theme.text, small_text * r, false, fits ? Align::left : Align::right,
            Raise::bottom, fits ? x : content.width - margin * r, bottom + rows + 14 * r, content.bar_title);
}

void OverlayItem::paint_ground(vtkContext2D& painter, double x, double y, double width, double height) const {
  if (!content.ground) return;
  constexpr double opacity = 0.8;
  no_pen(painter);
  use_brush(painter, content.theme.background, opacity);
  draw_rect(painter, x, y, width, height);
}

void OverlayItem::paint_caption(vtkContext2D& painter) {
  const double r = content.ratio;
  double y = content.height - margin * r;
  if (!content.title.empty()) {
    draw_text(painter, content.theme, content.theme.text, title_text * r, true, Align::left, Raise::top, margin * r, y,
              fitted_title());
    y -= (title_text + 8) * r;
  }
  // In a narrow picture the colour bar's title takes this line: then it is the next.
  if (content.bar && !content.moment.empty()) {
    const auto [left, bottom, wide, high] = stripe();
    const double title_width = text_size(content.theme, content.bar_title, small_text * r)[0];
    const double title_left = std::min(left, content.width - margin * r - title_width);
    const double title_bottom = bottom + std::floor(high) + 14 * r, title_top = title_bottom + (small_text + 3) * r;
    const double end = margin * r + text_size(content.theme, content.moment, moment_text * r)[0] + 8 * r;
    if (end > title_left && y > title_bottom && y - moment_text * r < title_top) y = title_bottom - 4 * r;
  }
  draw_text(painter, content.theme, content.title.empty() ? content.theme.text : content.theme.muted, moment_text * r,
            false, Align::left, Raise::top, margin * r, y, content.moment);
  if (!content.remark.empty()) paint_remark(painter, content.moment.empty() ? y : y - (moment_text + 7) * r);
}

void OverlayItem::paint_remark(vtkContext2D& painter, double y) const {
  const double r = content.ratio, gap = 4 * r;
  double end = content.width - margin * r;
  for (const OverlayBox& box : taken_by_bar()) end = std::min(end, box.left - 2 * gap);
  const auto width = [&](const std::string& text) { return text_size(content.theme, text, small_text * r)[0]; };
  const auto draw = [&](const std::string& line) {
    paint_ground(painter, margin * r - gap, y - (small_text + 4) * r, width(line) + 2 * gap, (small_text + 6) * r);
    draw_text(painter, content.theme, content.theme.muted, small_text * r, false, Align::left, Raise::top, margin * r,
              y, line);
    y -= (small_text + 5) * r;
  };
  std::string line;
  std::istringstream words(content.remark);
  for (std::string word; words >> word;) {
    std::string longer = line;
    if (!line.empty()) longer += ' ';
    longer += word;
    if (!line.empty() && margin * r + width(longer) > end) {
      draw(line);
      line = word;
    } else {
      line = longer;
    }
  }
  draw(line);
}

std::string OverlayItem::fitted_title() const {
  const double r = content.ratio, room = content.width - 2 * margin * r;
  const auto width = [&](const std::string& text) { return text_size(content.theme, text, title_text * r, true)[0]; };
  std::string kept = content.title;
  if (width(kept) <= room) return kept;
  const std::string dots = "\u2026";
  while (!kept.empty() && width(kept + dots) > room) {
    while (!kept.empty() && (static_cast<unsigned char>(kept.back()) & 0xC0) == 0x80) kept.pop_back();
    if (!kept.empty()) kept.pop_back();
  }
  return kept.empty() ? kept : kept + dots;
}

void OverlayItem::paint_triad(vtkContext2D& painter) {
  const double r = content.ratio;
  const double length = 26 * r;
  const double cx = (margin + 30) * r;
  const double cy = (margin + 30) * r;
  const std::array<Rgb, 3> colors =
      content.theme.dark ? std::array<Rgb, 3>{{{0.95, 0.42, 0.42}, {0.45, 0.80, 0.40}, {0.45, 0.65, 1.0}}}
                         : std::array<Rgb, 3>{{{0.80, 0.18, 0.18}, {0.16, 0.55, 0.18}, {0.15, 0.36, 0.80}}};
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return content.axes[a][2] < content.axes[b][2]; });
  for (const std::size_t k : order) {
    const double dx = content.axes[k][0];
    const double dy = content.axes[k][1];
    const double flat = std::hypot(dx, dy);
    if (flat < 0.08) continue;  // pointing at the eye
    use_pen(painter, colors[k], 2 * r);
    painter.DrawLine(static_cast<float>(cx), static_cast<float>(cy), static_cast<float>(cx + dx * length),
                     static_cast<float>(cy + dy * length));
    const double away = length * flat + 9 * r;
    const std::string letter(1, "xyz"[k]);
    draw_text(painter, content.theme, colors[k], 12 * r, true, Align::centre, Raise::middle, cx + dx / flat * away,
              cy + dy / flat * away, letter);
  }
}

void OverlayItem::paint_arrow(vtkContext2D& painter, const OverlayArrow& arrow) const {
  const double r = content.ratio;
  const Rgb colour = content.theme.series.size() > 1 ? content.theme.series[1] : content.theme.accent;
  const double x0 = arrow.from[0], y0 = arrow.from[1], x1 = arrow.to[0], y1 = arrow.to[1];
  const auto ellipse = [&](double radius) {
    painter.DrawEllipse(static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(radius),
                        static_cast<float>(radius));
  };
  // Twice: a rim of the ground, which every colour of a map lets see, and the thing itself.
  for (const bool rim : {true, false}) {
    const Rgb& drawn = rim ? content.theme.background : colour;
    const double more = rim ? 3 * r : 0;
    use_pen(painter, drawn, 2 * r + more);
    for (const auto& bar : arrow.bars) draw_line(painter, bar[0], bar[1], bar[2], bar[3]);
    use_brush(painter, drawn);
    if (arrow.towards != 0) {
      constexpr double ring = 8, dot = 2.5;
      use_brush(painter, content.theme.background, rim ? 1 : 0);
      ellipse(ring * r);
      use_brush(painter, drawn);
      const double arm = 0.7 * ring * r;
      if (arrow.towards > 0) {
        ellipse(dot * r);
      } else {
        draw_line(painter, x0 - arm, y0 - arm, x0 + arm, y0 + arm);
        draw_line(painter, x0 - arm, y0 + arm, x0 + arm, y0 - arm);
      }
      continue;
    }
    const double length = std::hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
    const double head = std::min(13 * r, 0.6 * length), half = 0.42 * head;
    draw_line(painter, x0, y0, x1 - head * ux, y1 - head * uy);
    const double bx = x1 - head * ux, by = y1 - head * uy;
    float triangle[6] = {static_cast<float>(x1),
                         static_cast<float>(y1),
                         static_cast<float>(bx - half * uy),
                         static_cast<float>(by + half * ux),
                         static_cast<float>(bx + half * uy),
                         static_cast<float>(by - half * ux)};
    painter.DrawPolygon(triangle, 3);
  }
  if (arrow.label.empty()) return;
  paint_name(painter, arrow_label(arrow), arrow.label);
}

/// On a patch of its own: below it may lie any colour of the map.
void OverlayItem::paint_name(vtkContext2D& painter, const OverlayBox& box, const std::string& text) const {
  const double r = content.ratio;
  no_pen(painter);
  use_brush(painter, content.theme.background, 0.75);
  draw_rect(painter, box.left, box.bottom, box.right - box.left, box.top - box.bottom);
  draw_text(painter, content.theme, content.theme.text, mark_text * r, false, Align::left, Raise::middle,
            box.left + 2 * r, (box.bottom + box.top) / 2, text);
}

void OverlayItem::paint_marks(vtkContext2D& painter) {
  const double r = content.ratio;
  for (const OverlayArrow& arrow : content.arrows) paint_arrow(painter, arrow);
  for (const OverlayLabel& label : content.lengths)
    draw_text(painter, content.theme, content.theme.muted, 11 * r, false, Align::centre, Raise::middle, label.x,
              label.y, label.text);
  for (const OverlayMark& mark : content.marks) {
    const auto x = static_cast<float>(mark.x);
    const auto y = static_cast<float>(mark.y);
    use_pen(painter, content.theme.background, 1.5 * r);
    if (mark.kind == MarkerKind::source) {
      use_brush(painter, content.theme.series.size() > 1 ? content.theme.series[1] : content.theme.accent);
      painter.DrawEllipse(x, y, static_cast<float>(5.5 * r), static_cast<float>(5.5 * r));
    } else if (mark.kind == MarkerKind::boundary) {
      // The first two colours are those of receivers and sources.
      const auto& series = content.theme.series;
      const auto further = static_cast<std::size_t>(2 + mark.colour);
      use_brush(painter, series.empty() ? content.theme.muted : series[further % series.size()]);
      const auto s = static_cast<float>(7 * r);
      float diamond[8] = {x - s, y, x, y + s, x + s, y, x, y - s};
      painter.DrawPolygon(diamond, 4);
    } else {
      use_brush(painter, content.theme.accent);
      const auto s = static_cast<float>(6 * r);
      float triangle[6] = {x - s, y + 0.8F * s, x + s, y + 0.8F * s, x, y - s};
      painter.DrawPolygon(triangle, 3);
    }
    if (mark.side == MarkSide::none) continue;
    paint_name(painter, name_box(mark, text_size(content.theme, mark.label, mark_text * r)[0], r), mark.label);
  }
}

}  // namespace conoid
