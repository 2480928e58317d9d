// SPDX-License-Identifier: BSD-3-Clause
// Echoes of matched layers, reflection and transmission at a layer, reciprocity.
#include "engine/solvers/acoustic_fd/verify/layers_table.hpp"

#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/row_team.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>
#include <span>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

double peak(const std::vector<double>& trace) {
  double most = 0;
  for (const double v : trace) most = std::max(most, std::abs(v));
  return most;
}

Problem box(int order, std::array<Index, 3> points) {
  Problem p;
  p.grid.points = points;
  p.order = order;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (auto& f : p.faces) f.kind = FaceKind::rigid;
  p.dt = 0.8 * largest_time_step(stencil_of_order(order), p.grid.spacing, 1);
  return p;
}

/// Echo of a plane pulse of `nodes` nodes a wavelength at normal incidence, dB.
double normal_echo(int order, double nodes, Index width) {
  const double by = nodes / 10;
  const auto n = static_cast<Index>(140 * by);
  Problem p = box(order, {n + width, 2 * order + 1, 2 * order + 1});
  p.double_precision = true;
  p.faces[1] = Face{FaceKind::matched, width};
  p.initial = {Initial::Kind::plane, 1.0, nodes / (2 * std::numbers::pi) * 1.5, {60 * by, 0, 0}, 0, 1};
  p.receivers = {{"R", {110 * by, static_cast<double>(order), static_cast<double>(order)}}};
  const auto steps = static_cast<Index>(190 * by / p.dt);
  Problem far = p;  // the same without an end in reach
  far.faces[1].kind = FaceKind::rigid;
  far.grid.points[0] = static_cast<Index>(330 * by);
  const Traces got = recorded_levels(p, steps, 1), open = recorded_levels(far, steps, 1);
  double echo = 0;
  for (std::size_t k = 0; k < got[0].size(); ++k) echo = std::max(echo, std::abs(got[0][k] - open[0][k]));
  return 20 * std::log10(echo / peak(open[0]));
}

/// Echo of a point source at `degrees` from the normal, dB relative to what a mirror would return.
double oblique_echo(int order, double degrees, const Face& face, const RowWorkers& workers) {
  const Index width = face.width;
  const double height = 14, offset = 2 * height * std::tan(degrees * std::numbers::pi / 180);
  const auto across = static_cast<Index>(offset) + 40;
  const Index more = 40;
  const auto scene = [&](Index below) {
    Problem p = box(order, {across + 12, 42, below + 54});
    for (const std::size_t f : {0U, 1U, 3U, 4U, 5U}) p.faces[f] = Face{FaceKind::matched, safe_matched_width(order)};
    if (below == width) p.faces[4] = face;
    const double z = static_cast<double>(below) + height;
    p.double_precision = true;
    p.sources.push_back({{26, 0, z}, std::make_shared<Ricker>(0.08, 16, 1)});
    p.receivers = {{"R", {26 + offset, 0, z}}};
    return p;
  };
  const Problem near = scene(width), far = scene(width + more);
  // Until the echo from the farther face could arrive.
  const auto steps =
      static_cast<Index>((32 + std::min(4 * height + offset, std::hypot(offset, 2 * (height + 36.0)))) / near.dt);
  const Traces got = recorded_levels(near, steps, workers), open = recorded_levels(far, steps, workers);
  double echo = 0;
  for (std::size_t k = 0; k < got[0].size(); ++k) echo = std::max(echo, std::abs(got[0][k] - open[0][k]));
  const double mirrored = peak(open[0]) * offset / std::hypot(offset, 2 * height);
  return 20 * std::log10(echo / mirrored);
}

/// Densities of `contrast` from one node to the next, at random by a hash of the node's place; spacing 1.
class RandomDensity final : public Velocity {
 public:
  explicit RandomDensity(double contrast) : contrast_(contrast) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) {
      std::uint64_t hash = 0x9e3779b97f4a7c15;
      for (const double v : {x, y, z0 + static_cast<double>(k) * dz}) {
        hash ^= static_cast<std::uint64_t>(std::llround(v) + 1000);
        hash *= 0xbf58476d1ce4e5b9;
        hash ^= hash >> 29;
      }
      out[k] = std::pow(contrast_, static_cast<double>(hash % 10007) / 10006);
    }
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override { return {1, contrast_}; }

 private:
  double contrast_;
};

/// Half-spaces apart by the plane z = level + slope (x + y/2): `below` and `above` it.
class Halves final : public Velocity {
 public:
  Halves(double level, double slope, double below, double above)
      : level_(level), slope_(slope), below_(below), above_(above) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = z0 + static_cast<double>(k) * dz < level_ + slope_ * (x + 0.5 * y) ? below_ : above_;
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override {
    return {std::min(below_, above_), std::max(below_, above_)};
  }

 private:
  double level_, slope_, below_, above_;
};

/// A pulse of all wave lengths in a small box of matched layers: the largest pressure after `steps` steps over that after a twentieth of
/// them. `free`: z max is a free surface.
double left_over(Problem p, Index steps, bool free, const RowWorkers& workers) {
  for (std::size_t f = 0; f < 6; ++f) p.faces[f] = Face{FaceKind::matched, safe_matched_width(p.order)};
  if (free) p.faces[5] = Face{FaceKind::free_surface};
  p.reference_density = 1;
  const SpeedRange density = p.density->range({}, {});
  const Stencil stencil = stencil_of_order(p.order);
  const double more = potential_bound(stencil, p.grid.spacing, density.lowest, density.highest) / 3;
  p.dt = safe_step * largest_time_step(stencil, p.grid.spacing, p.speed.highest) *
         std::sqrt(spectral_radius(stencil) / (spectral_radius(stencil) + more));
  p.initial = {Initial::Kind::pulse, 1.0, 0.6, {}, 0, 0};
  for (std::size_t a = 0; a < 3; ++a) p.initial.centre[a] = std::floor(0.5 * p.grid.upper(a));
  const auto cluster = single_rank();
  RowTeam team(workers);
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  march->advance(team, *cluster, steps / 20, nullptr);
  const double early = march->peak(team);
  march->advance(team, *cluster, steps - steps / 20, nullptr);
  return march->peak(team) / early;
}

/// Echo of the layer x max where a floor (speeds 1:0.8, densities 1.9:1) that rises by `slope` passes through it: the largest difference
/// from a box that goes on, over the largest pressure, dB.
double floor_echo(int order, double slope, const RowWorkers& workers) {
  const auto scene = [&](Index more) {
    Problem p = box(order, {62 + more, 40, 60});
    for (const std::size_t f : {0U, 1U, 3U, 4U, 5U}) p.faces[f] = Face{FaceKind::matched, safe_matched_width(order)};
    const double level = 24.5 - slope * 44;
    p.density = std::make_shared<Halves>(level, slope, 1.9, 1);
    p.reference_density = 1;
    p.velocity = std::make_shared<Halves>(level, slope, 1, 0.8);
    p.speed = {0.8, 1};
    p.dt = 0.6 * largest_time_step(stencil_of_order(order), p.grid.spacing, 1);
    p.sources.push_back({{30, 0, 36}, std::make_shared<Ricker>(0.06, 20, 1)});
    p.receivers = {{"above", {44, 0, 36}}, {"at the floor", {44, 0, 27}}, {"below", {44, 0, 18}}};
    return p;
  };
  const Problem near = scene(0), far = scene(40);
  const auto steps = static_cast<Index>(120 / near.dt);  // what the other box returns comes later
  const Traces got = recorded_levels(near, steps, workers), open = recorded_levels(far, steps, workers);
  double echo = 0, most = 0;
  for (std::size_t r = 0; r < got.size(); ++r) {
    most = std::max(most, peak(open[r]));
    for (std::size_t k = 0; k < got[r].size(); ++k) echo = std::max(echo, std::abs(got[r][k] - open[r][k]));
  }
  return 20 * std::log10(echo / most);
}

/// Rows of what matched layers leave of a field whose density varies inside them.
void density_rows(const TestRun& run, const VerifySink& sink) {
  const auto row = [&](const Problem& p, const char* what, Index steps, bool free) {
    run.doing(fmt::format("density in matched layers, order {}, {}", p.order, what));
    sink({fmt::format("{} in matched layers, order {}, {}: pressure after {} steps over that after {}", what, p.order,
                      p.double_precision ? "double" : "single", steps, steps / 20),
          left_over(p, steps, free, run.workers()), "1", 0.5, false, "open space empties itself"});
  };
  for (const double slope : {0.0, 0.4})
    sink({fmt::format("matched layer, order 8: echo where a floor of slope {} passes, densities 1.9:1", slope),
          floor_echo(8, slope, run.workers()), "dB", -40, false, "echo of open space is zero"});
  for (const int order : {2, 4, 8, 12}) {
    const Index width = safe_matched_width(order), n = 2 * width + order + 1;
    const double middle = 0.5 * static_cast<double>(n);
    const auto medium = [&](bool wide, std::shared_ptr<const Velocity> density, std::shared_ptr<const Velocity> speed) {
      Problem p = box(order, {n, n, n});
      p.double_precision = wide;
      p.density = std::move(density);
      if (speed) {
        p.velocity = std::move(speed);
        p.speed = p.velocity->range({}, {});
      }
      return p;
    };
    if (run.quick && order != 2 && order != 8) continue;
    // A floor of the sea five nodes inside the layer below, as a case had it that was not finite after 2000 steps.
    row(medium(order == 4, std::make_shared<Halves>(4.5, 0, 1.9, 1), std::make_shared<Halves>(4.5, 0, 1, 0.8)),
        "floor, densities 1.9:1", run.quick ? 2000 : 20000, true);
    if (run.quick) continue;
    for (const bool wide : {false, true}) {
      row(medium(wide, std::make_shared<Halves>(0.2 * middle, 0.5, 1.9, 1),
                 std::make_shared<Halves>(0.2 * middle, 0.5, 1, 0.8)),
          "dipping floor, densities 1.9:1", 20000, true);
      row(medium(wide, std::make_shared<RandomDensity>(1.9), nullptr), "random densities to 1.9:1", 20000, false);
    }
    row(medium(order == 8, std::make_shared<RandomDensity>(1.9), nullptr), "random densities to 1.9:1", 100000, false);
  }
}

/// Errors of the amplitudes that a plane pulse leaves behind and sends on at a layer.
std::pair<double, double> interface_errors(double c2, double rho2) {
  const Index n = 600;
  Problem p = box(8, {n, 17, 17});
  p.double_precision = true;
  p.velocity = layered_velocity(0, 1, 0, {{0, 1, 0}, {300.5, c2, 0}});
  p.speed = {std::min(1.0, c2), std::max(1.0, c2)};
  if (rho2 != 1) {
    p.density = layered_velocity(0, 1, 0, {{0, 1, 0}, {300.5, rho2, 0}});
    p.reference_density = 1;
  }
  p.dt = 0.3 * largest_time_step(stencil_of_order(8), p.grid.spacing, p.speed.highest);
  p.initial = {Initial::Kind::plane, 1.0, 12.0, {180, 0, 0}, 0, 1};
  p.receivers = {{"back", {200, 8, 8}}, {"on", {360, 8, 8}}};
  const auto steps = static_cast<Index>(270 / p.dt);
  const Traces got = recorded_levels(p, steps, 1);
  const auto extreme = [&](std::size_t r, double from) {
    double out = 0;
    for (std::size_t k = static_cast<std::size_t>(from / p.dt); k < got[r].size(); ++k)
      if (std::abs(got[r][k]) > std::abs(out)) out = got[r][k];
    return out;
  };
  const double z1 = 1, z2 = rho2 * c2;
  return {std::abs(extreme(0, 120) - (z2 - z1) / (z2 + z1)), std::abs(extreme(1, 0) - 2 * z2 / (z1 + z2))};
}

double reciprocity_error(bool dense) {
  Problem p = box(8, {50, 46, 48});
  p.double_precision = true;
  p.velocity = layered_velocity(2, -1, 47, {{0, 1, 0}, {18, 1.4, 0.01}, {30, 1.9, 0}});
  p.speed = {1, 2};
  if (dense) {
    p.density = layered_velocity(2, -1, 47, {{0, 1, 0}, {20, 1.8, 0}});
    p.reference_density = 1.3;
  }
  // The first rows of a layer and those before it do not see each other alike; waves of a few nodes feel that, and die within a few
  // nodes: sources and receivers stand at least seven beside the layers.
  for (const std::size_t f : {0U, 3U, 4U}) p.faces[f] = Face{FaceKind::matched, safe_matched_width(8)};
  p.faces[5].kind = FaceKind::free_surface;
  p.dt = 0.6 * largest_time_step(stencil_of_order(8), p.grid.spacing, 2);
  const Vec3 a{20.3, 11.2, 40.1}, b{33.8, 24.7, 20.6};
  const auto trace = [&](const Vec3& from, const Vec3& to) {
    Problem q = p;
    q.sources = {{from, std::make_shared<Ricker>(0.06, 20, 1)}};
    q.receivers = {{"R", to}};
    return recorded_levels(q, 300, 1)[0];
  };
  const auto there = trace(a, b), back = trace(b, a);
  // With a density that differs between the two places the pressure of a volume source obeys ρ(a) p_ab = ρ(b) p_ba.
  const double ratio = dense ? 1.8 : 1;
  double worst = 0;
  for (std::size_t k = 0; k < there.size(); ++k) worst = std::max(worst, std::abs(there[k] - ratio * back[k]));
  return worst / peak(there);
}

/// Echoes of matched layers, beside those of sponges.
void echo_rows(const TestRun& run, const VerifySink& sink) {
  const char* theory = "echo of open space is zero";
  for (const int order : {2, 4, 6, 8, 10, 12}) {
    if (run.quick && order != 2 && order != 8) continue;
    run.doing(fmt::format("matched layer, order {}", order));
    const Index width = safe_matched_width(order);
    sink({fmt::format("matched layer of {} nodes, order {}: echo at normal incidence", width, order),
          normal_echo(order, 10, width), "dB", -60, false, theory});
    sink({fmt::format("matched layer of {} nodes, order {}: echo of waves of 30 nodes", width, order),
          normal_echo(order, 30, width), "dB", -60, false, theory});
    sink({fmt::format("matched layer of {} nodes, order {}: echo at 60 degrees", width, order),
          oblique_echo(order, 60, {FaceKind::matched, width}, run.workers()), "dB", -40, false, theory});
  }
  if (!run.quick)
    for (const Index width : {8, 10, 16, 20})
      for (const double degrees : {45.0, 60.0, 70.0})
        sink({fmt::format("matched layer of {} nodes, order 8: echo at {:.0f} degrees", width, degrees),
              oblique_echo(8, degrees, {FaceKind::matched, width}, run.workers()), "dB", degrees > 65 ? -20.0 : -35.0,
              false, theory});
  for (const double degrees : {75.0, 80.0}) {
    if (run.quick) break;  // large boxes
    run.doing(fmt::format("grazing incidence, {:.0f} degrees", degrees));
    const Index width = safe_matched_width(8);
    const double matched = oblique_echo(8, degrees, {FaceKind::matched, width}, run.workers()),
                 sponge = oblique_echo(8, degrees, {FaceKind::sponge, 20, 30}, run.workers());
    sink({fmt::format("matched layer of {} nodes, order 8: echo at {:.0f} degrees", width, degrees), matched, "dB", -24,
          false, theory});
    sink({fmt::format("sponge of 20 nodes, order 8: echo at {:.0f} degrees above that of the matched layer", degrees),
          sponge - matched, "dB", 15, true, "what makes matched layers the default"});
  }
}

/// A jump between two layers, and what is reciprocal.
void interface_rows(const TestRun& run, const VerifySink& sink) {
  run.doing("two layers");
  for (const auto& [c2, rho2] : {std::pair{2.0, 1.0}, std::pair{0.6, 1.0}, std::pair{1.0, 2.5}, std::pair{1.8, 2.2}}) {
    const auto [back, on] = interface_errors(c2, rho2);
    // The interface is blurred over a cell of a pulse of 12 nodes: (h/w)² ≈ 0.7 %.
    sink({fmt::format("layers, speeds 1:{}, densities 1:{}: error of the reflected amplitude", c2, rho2), back, "1",
          0.01, false, "R = (Z2 - Z1)/(Z2 + Z1)"});
    sink({fmt::format("layers, speeds 1:{}, densities 1:{}: error of the transmitted amplitude", c2, rho2), on, "1",
          0.015, false, "T = 2 Z2/(Z1 + Z2)"});
  }
  run.doing("reciprocity");
  for (const bool dense : {false, true})
    sink({fmt::format("reciprocity between nodes in a layered medium{}, largest difference",
                      dense ? " with density" : ""),
          reciprocity_error(dense), "1", 1e-11, false, "G(a, b) = G(b, a)"});
}

}  // namespace

void layers_table(const TestRun& run, const VerifySink& sink) {
  const auto any = [&](std::initializer_list<const char*> beginnings) {
    return std::ranges::any_of(beginnings, [&](const char* b) { return run.may_want(b); });
  };
  if (any({"matched layer", "sponge of 20 nodes, order 8"})) echo_rows(run, sink);
  if (any({"matched layer, order 8: echo where", "floor, ", "dipping floor, ", "random densities"}))
    density_rows(run, sink);
  if (any({"layers, ", "reciprocity"})) interface_rows(run, sink);
}

}  // namespace conoid::acoustic_fd
