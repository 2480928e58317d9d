// SPDX-License-Identifier: BSD-3-Clause
// A grid, a triangle and two lines, drawn where nobody looks.
#include "app/model/practice.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "app/model/background.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"

namespace conoid::app {
namespace {

std::shared_ptr<const Frame> small_frame() {
  FieldInfo info;
  info.name = "practice";
  auto frame = std::make_shared<Frame>();
  ImageGeometry grid;
  grid.points = {2, 2, 2};
  frame->parts.push_back({"grid", grid, {make_field(info, std::vector<float>{-1, 1, -1, 1, -1, 1, -1, 1})}});
  MeshGeometry triangle;
  triangle.points = std::make_shared<const std::vector<double>>(std::vector<double>{0, 0, 0, 1, 0, 0, 0, 1, 0});
  triangle.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 1, 2});
  triangle.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 3});
  triangle.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{5});
  frame->parts.push_back({"mesh", triangle, {make_field(info, std::vector<float>{-1, 0, 1})}});
  return frame;
}

ChartSpec small_chart() {
  ChartSpec spec;
  Series line;
  line.label = spec.y_label = "practice";
  line.x = line.y = {0, 1};
  spec.series = {line, line};
  return spec;
}

/// What cannot be drawn here cannot be drawn there either, and is told there.
bool draw_once() {
  auto made = RasterViewport::make(320, 240, 1);
  if (!made) return false;
  RasterViewport& viewport = **made;
  // The box of a case that was not run yet, then fields.
  auto field = std::make_shared<FieldScene>();
  auto frame = std::make_shared<Frame>(*small_frame());
  viewport.set_scene(field);
  for (const bool bare : {true, false}) {
    auto shown = std::make_shared<Frame>(*frame);
    if (bare)
      for (FramePart& part : shown->parts) part.fields.clear();
    if (!field->set_frame(std::move(shown))) return false;
    static_cast<void>(viewport.grab());
  }
  auto chart = std::make_shared<ChartScene>();
  chart->set_chart(small_chart());
  viewport.set_scene(chart);
  static_cast<void>(viewport.grab());
  viewport.set_scene(nullptr);
  return true;
}

}  // namespace

void practise_drawing(QObject* owner, std::function<void()> done) {
  static bool finished = false;
  static std::vector<std::pair<QPointer<QObject>, std::function<void()>>> waiting;
  if (finished) {
    if (done) done();
    return;
  }
  const bool first = waiting.empty();
  waiting.emplace_back(owner, done ? std::move(done) : [] {});
  if (!first) return;
  static_cast<void>(FieldScene());  // VTK's tables of classes are made in this thread
  in_background(QCoreApplication::instance(), draw_once, [](QCoreApplication&, bool) {
    finished = true;
    for (auto& [who, then] : std::exchange(waiting, {}))
      if (who) then();
  });
}

}  // namespace conoid::app
