// SPDX-License-Identifier: BSD-3-Clause
// What is drawn over a field in picture coordinates: colour bar, caption, orientation, lengths, markers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <vtkContextItem.h>
#include <vtkSmartPointer.h>

#include "render/scene/scene_part.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {

/// Where the name of a mark stands; `none`: there is no room for it.
enum class MarkSide { right, left, above, below, none };

/// A text or mark at a place in device pixels from the bottom left.
struct OverlayMark {
  double x = 0;
  double y = 0;
  MarkerKind kind = MarkerKind::receiver;
  std::string label;
  MarkSide side = MarkSide::right;
  int colour = 0;  ///< of a boundary
};
/// A rectangle of the picture, device pixels.
struct OverlayBox {
  double left = 0, bottom = 0, right = 0, top = 0;
  [[nodiscard]] bool meets(const OverlayBox& b) const {
    return left < b.right && b.left < right && bottom < b.top && b.bottom < top;
  }
};
/// Drops marks outside of the picture and on what is taken (the colour bar), and puts each name at the right of its mark, else at its
/// left, above or below it, where it is whole and covers neither what is taken or avoided, nor another mark, nor an earlier name. `widths`: of
/// the names, device pixels.
void arrange_marks(std::vector<OverlayMark>& marks, std::vector<double> widths, const OverlayBox& picture,
                   const std::vector<OverlayBox>& taken, double ratio, const std::vector<OverlayBox>& avoided = {});
/// Where the name of a mark stands, with its ground; `width` as above.
[[nodiscard]] OverlayBox name_box(const OverlayMark& mark, double width, double ratio);
/// The arrow of a wave, device pixels from the bottom left: it begins at the first place.
struct OverlayArrow {
  std::array<double, 2> from{}, to{};
  int towards = 0;  ///< seen along itself: 1 towards the eye, −1 away from it; 0: from the side
  std::vector<std::array<double, 4>> bars{};  ///< of its polarisations, from and to
  std::string label{};
  std::optional<OverlayBox> name{};  ///< where the label stands, once marks are known
};
/// A text with a line to its place, device pixels from the bottom left; `box` is where the text stands.
struct OverlayNote {
  double x = 0, y = 0;
  std::string text;
  OverlayBox box{};
};
/// Places the text of each beside its place, whole within the picture, beside what is taken and other texts where there is room.
void arrange_notes(std::vector<OverlayNote>& notes, const std::vector<double>& widths, const OverlayBox& picture,
                   const std::vector<OverlayBox>& taken, double ratio);
struct OverlayLabel {
  double x = 0;
  double y = 0;
  std::string text;
};

struct OverlayContent {
  Theme theme;
  bool ground = true;  ///< letters over the field stand on the theme's background; not in transparent pictures
  double ratio = 1;    ///< device pixels for one logical pixel
  int width = 1;
  int height = 1;
  std::string title;
  std::string moment;  ///< "t = 1.2 ms"
  std::string remark;  ///< smaller, below it, in lines as long as there is room
  bool bar = false;
  Coloring coloring;
  TickSet ticks;
  std::string bar_title;
  bool triad = true;
  std::array<std::array<double, 3>, 3> axes{};  ///< x, y, z in camera axes (right, up, towards the eye)
  std::vector<OverlayLabel> lengths;
  std::vector<OverlayMark> marks;
  std::vector<OverlayArrow> arrows;
  std::vector<OverlayNote> notes;
};

class OverlayItem : public vtkContextItem {
 public:
  static OverlayItem* New();
  vtkTypeMacro(OverlayItem, vtkContextItem)

      OverlayContent content;
  bool Paint(vtkContext2D* painter) override;

  /// Device pixels that the colour bar and its labels need at the right.
  [[nodiscard]] double bar_margin() const;
  /// Left, bottom, columns and rows of the coloured stripe, in device pixels.
  [[nodiscard]] std::array<double, 4> stripe() const;
  /// The picture's title, shortened where the picture is narrower than it.
  [[nodiscard]] std::string fitted_title() const;
  /// Takes over marks, arranged around the colour bar, names also around what is written elsewhere; after arrows and lengths. Names of
  /// arrows give way to the marks.
  void set_marks(std::vector<OverlayMark> marks);
  /// Takes over texts with places, arranged around marks and colour bar; after set_marks().
  void set_notes(std::vector<OverlayNote> notes);

 protected:
  OverlayItem() = default;
  ~OverlayItem() override = default;

 private:
  void paint_bar(vtkContext2D& painter);
  void paint_ground(vtkContext2D& painter, double x, double y, double width, double height) const;
  void paint_caption(vtkContext2D& painter);
  void paint_remark(vtkContext2D& painter, double y) const;
  void paint_triad(vtkContext2D& painter);
  void paint_marks(vtkContext2D& painter);
  void paint_notes(vtkContext2D& painter) const;
  /// Where the colour bar and its title stand.
  [[nodiscard]] std::vector<OverlayBox> taken_by_bar() const;
  /// What names of marks do not cover: arrows, their names, lengths, title and moment.
  [[nodiscard]] std::vector<OverlayBox> written() const;
  [[nodiscard]] OverlayBox arrow_label(const OverlayArrow& arrow) const;
  void place_arrow_names(const std::vector<OverlayMark>& marks);
  void paint_arrow(vtkContext2D& painter, const OverlayArrow& arrow) const;
  void paint_name(vtkContext2D& painter, const OverlayBox& box, const std::string& text) const;
};

}  // namespace conoid
