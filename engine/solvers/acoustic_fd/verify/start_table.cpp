// SPDX-License-Identifier: BSD-3-Clause
// Fields that runs start from, read from a file, and what is kept of every node on the way: largest pressure and mean square.
#include "engine/core/resources.hpp"
#include "engine/core/taken.hpp"
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/row_team.hpp"

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Samples half a node apart of a Gaussian ball at rest around the origin, in a file as users write it.
std::shared_ptr<const Velocity> ball_of_file(double width) {
  namespace fs = std::filesystem;
  constexpr Index n = 49;
  const fs::path folder = temporary_folder() / fmt::format("conoid-ball-{}", getpid());
  fs::create_directories(folder);
  std::vector<float> samples;
  const auto square = [](Index i) { return 0.25 * static_cast<double>(i * i); };
  for (Index x = 0; x < n; ++x)
    for (Index y = 0; y < n; ++y)
      for (Index z = 0; z < n; ++z)
        samples.push_back(static_cast<float>(std::exp(-(square(x) + square(y) + square(z)) / (2 * width * width))));
  std::ofstream(folder / "ball.f32", std::ios::binary)
      .write(reinterpret_cast<const char*>(samples.data()),
             static_cast<std::streamsize>(samples.size() * sizeof(float)));
  std::ofstream(folder / "ball.json") << fmt::format(
      R"({{"file": "ball.f32", "type": "float32", "endian": "little", "unit": "Pa", "axes": "xyz", "shape": [{0}, {0}, {0}],
          "spacing": [0.5, 0.5, 0.5], "origin": [0, 0, 0]}})",
      n);
  auto loaded = [&]() -> Result<std::shared_ptr<const Velocity>> {
    const auto model = open_model(folder / "ball.json", ModelQuantity::pressure);
    if (!model) return model.error();
    return (*model)->load();
  }();
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return taken_or_thrown(std::move(loaded));
}

/// An octant between mirrors, heard before the other faces answer: p = ((r − ct) f(r − ct) + (r + ct) f(r + ct))/(2 r).
double ball_error(const RowWorkers& workers) {
  constexpr double width = 4, distance = 30, end = 48;
  Problem p;
  p.grid.points = {64, 56, 56};
  p.order = 8;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (Face& face : p.faces) face.kind = FaceKind::rigid;
  p.dt = 0.3;
  p.initial.kind = Initial::Kind::file;
  p.initial.samples = means_at_nodes(*ball_of_file(width), p).samples;
  if (!p.initial.samples) return std::nan("");
  p.receivers = {{"R", {distance, 0, 0}}};
  const auto steps = static_cast<Index>(end / p.dt);
  std::vector<double> exact;
  const auto ball = [](double s) { return s * std::exp(-s * s / (2 * width * width)); };
  for (Index k = 0; k <= steps; ++k) {
    const double t = static_cast<double>(k) * p.dt;
    exact.push_back((ball(distance - t) + ball(distance + t)) / (2 * distance));
  }
  // Its spectrum ends, to 3e-5, at 4.5/width.
  return relative_error(traces_of_run(p, steps, 4.5 / (2 * std::numbers::pi * width), workers)[0], exact);
}

/// Largest pressure and mean square of nodes that a plane Gaussian of that amplitude and width has passed.
std::array<double, 2> map_errors(const RowWorkers& workers) {
  constexpr double amplitude = 2, width = 5, end = 90;
  Problem p;
  p.grid.points = {161, 1, 9};
  p.order = 8;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (Face& face : p.faces) face.kind = FaceKind::rigid;
  p.dt = 0.2;
  p.peak_map = p.rms_map = true;
  p.initial.kind = Initial::Kind::plane;
  p.initial.amplitude = amplitude;
  p.initial.width = width;
  p.initial.centre = {30, 0, 0};
  const auto steps = static_cast<Index>(end / p.dt);
  const auto cluster = single_rank();
  RowTeam team(workers);
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  march->advance(team, *cluster, steps);
  March::Cut cut;
  cut.first = {60, 0, 0};
  cut.count = {30, 1, 9};
  std::array<double, 2> worst{};
  for (int which = 0; which < 2; ++which) {
    std::vector<float> map;
    march->read_map(which, cut, map);
    // Of all times, ∫ p² dt = A² √π width/c.
    const double exact = which == 0 ? amplitude : amplitude * amplitude * std::sqrt(std::numbers::pi) * width / p.dt;
    for (const float value : map) {
      const double error = std::abs(static_cast<double>(value) / exact - 1);
      worst[static_cast<std::size_t>(which)] = std::max(worst[static_cast<std::size_t>(which)], error);
    }
    if (map.size() != 270) worst[static_cast<std::size_t>(which)] = std::nan("");
  }
  return worst;
}

}  // namespace

void start_table(const TestRun& run, const VerifySink& sink) {
  if (run.may_want("initial pressure of a file")) {
    run.doing("initial pressure of a file");
    // Means over cells keep 1 - (0.5 kh)^2/10 or so of a wave: 0.996 at 8 nodes, 0.9995 at the 25 of this ball, whose shorter waves count more far away.
    sink({"initial pressure of a file, Gaussian ball, samples half a node apart: error of a trace",
          ball_error(run.workers(1)), "1", 0.005, false, "p = ((r - ct) f(r - ct) + (r + ct) f(r + ct)) / (2r)"});
  }
  if (run.may_want("maps of a plane pulse")) {
    run.doing("maps");
    // A crest passes within half a step of every node; what the step bends of a wave of kh = 1/width is (k dt)^2/24 of its phase, none of its height.
    const auto [peak, square] = map_errors(run.workers(1));
    sink({"maps of a plane pulse that has passed: error of the largest pressure", peak, "1", 0.001, false, "exact"});
    sink({"maps of a plane pulse that has passed: error of the sum of squares", square, "1", 0.001, false,
          "int p^2 dt = A^2 sqrt(pi) w / c"});
  }
}

}  // namespace conoid::acoustic_fd
