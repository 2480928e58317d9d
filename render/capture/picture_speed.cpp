// SPDX-License-Identifier: BSD-3-Clause
// Scenes of a given number of cells, drawn again and again.
#include "render/capture/picture_speed.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"

namespace conoid {
namespace {

using Clock = std::chrono::steady_clock;
using FramePtr = std::shared_ptr<const Frame>;

constexpr int moments = 4;  // frames that follow each other
constexpr double pi = 3.14159265358979323846;

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// cos(k(r - t)) in a shell that runs out from the origin.
float wave_at(const Vec3& p, double t) {
  const double from_front = std::hypot(p[0], p[1], p[2]) - t, shell = from_front / 0.3;
  return static_cast<float>(std::cos(8 * pi * from_front) * std::exp(-shell * shell));
}
double moment(int k) {
  return 0.5 + 0.1 * k;
}

Field pressure(Association association, std::vector<float> values) {
  FieldInfo info;
  info.name = "pressure";
  info.label = "Pressure";
  info.unit = "Pa";
  info.association = association;
  return make_field(std::move(info), std::move(values));
}

std::vector<FramePtr> frames_of(const char* part, const Geometry& geometry, const std::vector<Vec3>& places) {
  std::vector<FramePtr> out;
  for (int k = 0; k < moments; ++k) {
    auto frame = std::make_shared<Frame>();
    frame->number = static_cast<std::uint64_t>(k);
    frame->value = moment(k);
    std::vector<float> values(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) values[i] = wave_at(places[i], moment(k));
    frame->parts.push_back({part, geometry, {pressure(Association::point, std::move(values))}});
    out.push_back(std::move(frame));
  }
  return out;
}

/// `side` cells along each side of the cube from -1 to 1, x fastest.
std::vector<Vec3> points_of_cube(Index side) {
  std::vector<Vec3> places;
  const double h = 2 / static_cast<double>(side);
  for (Index z = 0; z <= side; ++z)
    for (Index y = 0; y <= side; ++y)
      for (Index x = 0; x <= side; ++x)
        places.push_back(
            {-1 + h * static_cast<double>(x), -1 + h * static_cast<double>(y), -1 + h * static_cast<double>(z)});
  return places;
}

std::vector<FramePtr> grid_frames(Index side) {
  const double h = 2 / static_cast<double>(side);
  return frames_of("volume", ImageGeometry{{side + 1, side + 1, side + 1}, {-1, -1, -1}, {h, h, h}},
                   points_of_cube(side));
}

MeshGeometry mesh_of(const std::vector<Vec3>& places, std::vector<Index> nodes, std::size_t a_cell, std::uint8_t type) {
  std::vector<double> points;
  points.reserve(3 * places.size());
  for (const Vec3& p : places) points.insert(points.end(), p.begin(), p.end());
  const std::size_t cells = nodes.size() / a_cell;
  std::vector<Index> offsets(cells + 1);
  for (std::size_t c = 0; c <= cells; ++c) offsets[c] = static_cast<Index>(c * a_cell);
  MeshGeometry mesh;
  mesh.points = std::make_shared<const std::vector<double>>(std::move(points));
  mesh.connectivity = std::make_shared<const std::vector<Index>>(std::move(nodes));
  mesh.offsets = std::make_shared<const std::vector<Index>>(std::move(offsets));
  mesh.types = std::make_shared<const std::vector<std::uint8_t>>(cells, type);
  return mesh;
}

/// The same cube as hexahedra.
std::vector<FramePtr> solid_frames(Index side) {
  constexpr std::uint8_t hexahedron = 12;  // VTK's number
  const std::vector<Vec3> places = points_of_cube(side);
  std::vector<Index> nodes;
  const Index row = side + 1, layer = row * row;
  for (Index z = 0; z < side; ++z)
    for (Index y = 0; y < side; ++y)
      for (Index x = 0; x < side; ++x) {
        const Index n = x + row * y + layer * z;
        for (const Index k : {n, n + 1, n + 1 + row, n + row}) nodes.push_back(k);
        for (const Index k : {n, n + 1, n + 1 + row, n + row}) nodes.push_back(k + layer);
      }
  return frames_of("solid", mesh_of(places, std::move(nodes), 8, hexahedron), places);
}

/// A body with waists, of quadrilaterals.
std::vector<FramePtr> surface_frames(Index cells) {
  constexpr std::uint8_t quadrilateral = 9;
  const Index down = std::max<Index>(2, std::llround(std::sqrt(static_cast<double>(cells) / 2))), around = 2 * down;
  std::vector<Vec3> places;
  std::vector<Index> nodes;
  for (Index j = 0; j <= down; ++j)
    for (Index i = 0; i < around; ++i) {
      // Not quite to the poles, where sides would have no length.
      const double theta = pi * (static_cast<double>(j) + 0.5) / static_cast<double>(down + 1),
                   phi = 2 * pi * static_cast<double>(i) / static_cast<double>(around),
                   r = 1 + 0.2 * std::cos(6 * theta);
      places.push_back({r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi), r * std::cos(theta)});
      if (j == down) continue;
      const Index next = (i + 1) % around;
      for (const Index k : {j * around + i, (j + 1) * around + i, (j + 1) * around + next, j * around + next})
        nodes.push_back(k);
    }
  return frames_of("surface", mesh_of(places, std::move(nodes), 4, quadrilateral), places);
}

class Meter {
 public:
  Meter(RasterViewport& viewport, const PictureSpeedOptions& options,
        const std::function<void(const PictureSpeed&)>& on_row)
      : viewport_(viewport), options_(options), on_row_(on_row) {}

  /// Both rows of what a view shows.
  Status rows(const std::string& name, const std::vector<FramePtr>& frames, const FieldView& view) {
    auto scene = std::make_shared<FieldScene>();
    scene->set_theme(light_theme());
    if (Status set = scene->set_frame(frames.front()); !set) return set;
    if (Status set = scene->set_view(view); !set) return set;
    scene->look(StandardView::iso);
    viewport_.set_scene(scene);
    InputEvent mouse;
    mouse.button = MouseButton::left;
    mouse.kind = InputKind::press;
    static_cast<void>(viewport_.picture());
    static_cast<void>(viewport_.handle(mouse));
    mouse.kind = InputKind::move;
    Status done = row(name + ", turned", [&](int) {
      mouse.x += 3;
      mouse.y += 1;
      static_cast<void>(viewport_.handle(mouse));
      return Status();
    });
    mouse.kind = InputKind::release;
    static_cast<void>(viewport_.handle(mouse));
    if (done)
      done = row(name + ", frame after frame",
                 [&](int k) { return scene->set_frame(frames[static_cast<std::size_t>(k) % frames.size()]); });
    viewport_.set_scene(nullptr);
    return done;
  }

 private:
  template <class Change>
  Status row(const std::string& name, Change change) {
    std::vector<double> times;
    int number = 0;
    std::clock_t spent = 0;
    for (const double seconds : {options_.seconds / 4, options_.seconds}) {
      times.clear();
      spent = std::clock();
      for (const auto begin = Clock::now(); since(begin) < seconds || times.size() < 3;) {
        const auto one = Clock::now();
        if (Status changed = change(number++); !changed) return changed;
        viewport_.request_render();
        if (viewport_.picture().empty())
          return make_error(ErrorCode::resources, "no picture could be drawn: " + viewport_.problem());
        times.push_back(since(one));
      }
    }
    const double processor =
        static_cast<double>(std::clock() - spent) / CLOCKS_PER_SEC / static_cast<double>(times.size());
    std::sort(times.begin(), times.end());
    on_row_({name, 1 / times[times.size() / 2], times.back(), processor, viewport_.renderer_name()});
    return {};
  }

  RasterViewport& viewport_;
  const PictureSpeedOptions& options_;
  const std::function<void(const PictureSpeed&)>& on_row_;
};

}  // namespace

Status measure_pictures(const PictureSpeedOptions& options, const std::function<void(const PictureSpeed&)>& on_row) {
  auto made = RasterViewport::make(options.width, options.height, 1);
  if (!made) return made.error();
  RasterViewport& viewport = **made;
  viewport.set_supersampling(1);
  Meter meter(viewport, options, on_row);
  const Index side = std::max<Index>(2, std::llround(std::cbrt(static_cast<double>(options.cells))));
  const FieldView plain;
  if (Status done = meter.rows("surface", surface_frames(options.cells), plain); !done) return done;
  if (Status done = meter.rows("solid", solid_frames(side), plain); !done) return done;
  const std::vector<FramePtr> grid = grid_frames(side);
  if (Status done = meter.rows("cuts", grid, plain); !done) return done;
  FieldView iso;
  for (CutPlane& cut : iso.cuts) cut.visible = false;
  FieldView volume = iso;
  iso.iso = {-0.5, 0.5};
  volume.volume = 0.3;
  if (Status done = meter.rows("iso-surfaces", grid, iso); !done) return done;
  return meter.rows("volume", grid, volume);
}

}  // namespace conoid
