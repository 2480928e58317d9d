// SPDX-License-Identifier: BSD-3-Clause
// The pieces: grids with all that is drawn about them, meshes, charts.
#include "render/capture/practice.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace conoid {
namespace {

constexpr int practice_side = 160;  // pixels

Field practice_field(Association association, std::vector<float> values) {
  FieldInfo info;
  info.name = info.label = "practice";
  info.unit = "Pa";
  info.kind = FieldKind::signed_value;
  info.association = association;
  return make_field(std::move(info), std::move(values));
}

std::shared_ptr<const Frame> practice_grid(std::array<Index, 3> points) {
  auto frame = std::make_shared<Frame>();
  ImageGeometry grid;
  grid.points = points;
  std::vector<float> values(static_cast<std::size_t>(points[0] * points[1] * points[2]));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? -1.0F : 1.0F;
  frame->parts.push_back({"grid", grid, {practice_field(Association::point, std::move(values))}});
  return frame;
}

/// A tetrahedron's skin with values of its corners or of its faces, one of which is no number.
std::shared_ptr<const Frame> practice_mesh(Association association) {
  MeshGeometry skin;
  skin.points = std::make_shared<const std::vector<double>>(std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  skin.connectivity =
      std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3});
  skin.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3, 6, 9, 12});
  skin.types = std::make_shared<const std::vector<std::uint8_t>>(4, std::uint8_t{5});
  auto frame = std::make_shared<Frame>();
  std::vector<float> values{-1, 0, 1, association == Association::cell ? std::numeric_limits<float>::quiet_NaN() : 0};
  frame->parts.push_back({"mesh", skin, {practice_field(association, std::move(values))}});
  return frame;
}

}  // namespace

Practice::Practice(const Theme& scenes, const Theme& charts) : scenes_(scenes), charts_(charts) {
  view_.outline = view_.color_bar = view_.caption = view_.triad = view_.extents = false;
  for (CutPlane& cut : view_.cuts) cut.visible = false;
  steps_.emplace_back([this] {
    auto made = RasterViewport::make(practice_side, practice_side);
    if (made)
      viewport_ = std::move(made).value();
    else
      next_ = steps_.size();  // no context: pictures say so themselves
  });
  practise_fields();
  practise_meshes();
  practise_charts();
  steps_.emplace_back([this] {
    viewport_->set_scene(nullptr);
    scene_.reset();
  });
}

bool Practice::step() {
  if (next_ >= steps_.size()) return false;
  steps_[next_++]();
  return true;
}

void Practice::draw() {
  // What a step cannot show has nothing to practise.
  if (scene_) static_cast<void>(scene_->set_view(view_).ok());
  viewport_->request_render();
  static_cast<void>(viewport_->picture());
}

void Practice::practise_fields() {
  steps_.emplace_back([this] {
    scene_ = std::make_shared<FieldScene>();
    view_.title = "practice";
    scene_->set_theme(scenes_);
    static_cast<void>(scene_->set_frame(practice_grid({2, 2, 2})).ok());
    viewport_->set_scene(scene_);
    draw();
  });
  steps_.emplace_back([this] {
    view_.outline = true;
    draw();
  });
  steps_.emplace_back([this] {
    for (CutPlane& cut : view_.cuts) cut.visible = true;
    draw();
  });
  for (bool FieldView::*one : {&FieldView::caption, &FieldView::triad, &FieldView::color_bar, &FieldView::extents})
    steps_.emplace_back([this, one] {
      view_.*one = true;
      draw();
    });
  for (const MarkerKind kind : {MarkerKind::source, MarkerKind::receiver, MarkerKind::boundary, MarkerKind::wave})
    steps_.emplace_back([this, kind] {
      Marker marker;
      marker.kind = kind;
      marker.label = "practice";
      marker.direction = {1, 0, 0};
      scene_->set_markers({marker});
      draw();
    });
  steps_.emplace_back([this] {
    scene_->set_line({{0, 0, 0}, {1, 1, 1}});
    draw();
  });
  steps_.emplace_back([this] {
    static_cast<void>(scene_->set_frame(practice_grid({3, 3, 1})).ok());
    draw();
  });
}

void Practice::practise_meshes() {
  for (const Association association : {Association::point, Association::cell})
    for (const bool edges : {false, true})
      steps_.emplace_back([this, association, edges] {
        view_.edges = edges;
        view_.smooth = association == Association::point;
        static_cast<void>(scene_->set_frame(practice_mesh(association)).ok());
        draw();
      });
}

void Practice::practise_charts() {
  const auto chart = std::make_shared<std::shared_ptr<ChartScene>>();
  steps_.emplace_back([this, chart] {
    scene_.reset();
    *chart = std::make_shared<ChartScene>();
    (*chart)->set_theme(charts_);
    (*chart)->set_title(false);
    viewport_->set_scene(*chart);
    draw();
  });
  for (const std::size_t curves : {1U, 2U})
    steps_.emplace_back([this, chart, curves] {
      ChartSpec spec;
      Series line;
      line.label = spec.y_label = "practice";
      line.x = line.y = {0, 1};
      spec.series.assign(curves, line);
      (*chart)->set_chart(std::move(spec));
      if (curves > 1) (*chart)->set_mark(0.5);
      draw();
    });
}

}  // namespace conoid
