// SPDX-License-Identifier: BSD-3-Clause
// Places of forces, rings beyond the rim, their field at one frequency.
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include <Eigen/Dense>

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/solvers/elastic_bem/discretization/field.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr PairStages stages{"far ground", "far ground near pairs", "far ground sums"};
constexpr const char* responses_stage = "far ground responses";
constexpr int ring_count = 14;
constexpr double ring_growth = 0.5;     ///< width over radius, where waves are long
constexpr double elements_a_wave = 4;   ///< quadratic: K_v of a disc, a0 = 2, is 2 % off with 2.2, 1.2 % with 4
constexpr double deepest_place = 0.35;  ///< of the reach: below, forces do not act as those on the surface

double rayleigh_length(const Harmonic& h) {
  return std::abs(h.kS) > 0 ? 2 * std::numbers::pi * 0.9 / std::abs(h.kS) : 1e300;
}

/// Elements of one condition in up to 6 × 6 cells of their box, at least two along each side.
std::array<int, 2> cells_of(const std::array<double, 2>& size, double wave) {
  const double least = std::max(1e-12, std::min(size[0], size[1]));
  std::array<int, 2> out{};
  for (std::size_t d = 0; d < 2; ++d)
    out[d] = std::clamp(
        static_cast<int>(std::ceil(std::max(2 * size[d] / std::max(least, 1e-3 * size[d]) - 0.5, 2 * size[d] / wave))),
        2, 6);
  return out;
}

}  // namespace

const char* FarGround::take_rim(const Surface& s, const SurfaceOptions& options) {
  if (options.domain != Domain::ground || s.rim.empty()) return "the surface has no rim";
  if (s.enclosed) return "enclosing elements close the ground";
  if (std::count(s.closed.begin(), s.closed.end(), false) != 1) return "it has several open surfaces";
  down_ = unit(options.down);
  for (const auto& side : s.rim) {
    rim_.push_back({side[0], side[1], side[2]});
    centre_ = axpy(1 / static_cast<double>(s.rim.size()), side[1], centre_);
  }
  level_ = -dot(centre_, down_);
  for (const Side& side : rim_) {
    const double r = distance(side.middle, centre_);
    reach_ += r / static_cast<double>(rim_.size());
  }
  for (const Side& side : rim_) {
    if (!on_level(side.a) || !on_level(side.middle)) return "its rim is not level";
    if (dot(cross(sub(side.a, centre_), sub(side.b, centre_)), down_) *
            dot(cross(sub(rim_[0].a, centre_), sub(rim_[0].b, centre_)), down_) <=
        0)
      return "its rim is not seen whole from its middle";
  }
  return nullptr;
}

void FarGround::weigh(const Surface& s) {
  weight_.assign(s.traction_node.size(), 0);
  place_of_.assign(s.traction_node.size(), -1);
  volume_.assign(s.nodes.size(), 0);
  node_place_.assign(s.nodes.size(), -1);
  PointSet set;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    if (e.condition <= 0) continue;
    set.clear();
    product_rule(e, 4, 4, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      const double depth = dot({set.x[q], set.y[q], set.z[q]}, down_) + level_,
                   column = -depth * dot({set.nx[q], set.ny[q], set.nz[q]}, down_);
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
        weight_[static_cast<std::size_t>(e.traction[a])] += set.w[q] * set.shape[q][a];
        volume_[static_cast<std::size_t>(e.node[a])] += column * set.shape[q][a];
      }
    }
  }
}

const char* FarGround::make_places(const Surface& s, const Harmonic& highest) {
  const Vec3 ex = std::abs(down_[0]) < 0.9 ? unit(cross(down_, {0, 1, 0})) : Vec3{0, 1, 0}, ey = cross(down_, ex);
  std::map<int, std::array<std::array<double, 2>, 2>> boxes;
  const auto flat = [&](std::size_t t) {
    const Vec3 d = sub(s.nodes[static_cast<std::size_t>(s.traction_node[t])], centre_);
    return std::array{dot(d, ex), dot(d, ey), dot(d, down_)};
  };
  for (std::size_t t = 0; t < place_of_.size(); ++t) {
    if (s.traction_condition[t] <= 0) continue;
    const auto p = flat(t);
    auto& box =
        boxes.try_emplace(s.traction_condition[t], std::array{std::array{1e300, -1e300}, std::array{1e300, -1e300}})
            .first->second;
    for (std::size_t d = 0; d < 2; ++d) box[d] = {std::min(box[d][0], p[d]), std::max(box[d][1], p[d])};
  }
  std::map<std::array<int, 3>, std::vector<std::size_t>> members;
  for (std::size_t t = 0; t < place_of_.size(); ++t) {
    const int c = s.traction_condition[t];
    if (c <= 0) continue;
    const auto p = flat(t);
    const auto& box = boxes[c];
    const auto n = boxes.size() > 6
                       ? std::array{1, 1}
                       : cells_of({box[0][1] - box[0][0], box[1][1] - box[1][0]}, rayleigh_length(highest));
    std::array<int, 3> key{c, 0, 0};
    for (std::size_t d = 0; d < 2; ++d)
      key[d + 1] = std::clamp(static_cast<int>(n[d] * (p[d] - box[d][0]) / std::max(1e-300, box[d][1] - box[d][0])), 0,
                              n[d] - 1);
    members[key].push_back(t);
  }
  for (const auto& [key, list] : members) {
    Vec3 at{};
    double sum = 0, radius = 0;
    const auto node = [&](std::size_t t) { return s.nodes[static_cast<std::size_t>(s.traction_node[t])]; };
    for (std::size_t t : list) {
      at = axpy(std::abs(weight_[t]), node(t), at);
      sum += std::abs(weight_[t]);
    }
    if (!(sum > 0)) continue;
    at = scale(1 / sum, at);
    Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
    for (std::size_t t : list) {
      radius = std::max(radius, distance(at, node(t)));
      Vec3 d = sub(node(t), at);
      d = axpy(-dot(d, down_), down_, d);
      const Eigen::Vector3d v(d[0], d[1], d[2]);
      spread += std::abs(weight_[t]) / sum * v * v.transpose();
    }
    if (dot(sub(at, centre_), down_) > deepest_place * reach_) continue;
    if (distance(at, centre_) + radius > 0.9 * reach_) return "loads or foundations reach its rim";
    for (std::size_t t : list)
      place_of_[t] = node_place_[static_cast<std::size_t>(s.traction_node[t])] = static_cast<Index>(places_.size());
    // Four points have the place's mean and second moments along the surface: c ± √(2 λ_i) e_i.
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(spread);
    Place place;
    place.radius = radius;
    for (std::size_t q = 0; q < 4; ++q) {
      const Eigen::Index i = q < 2 ? 1 : 2;
      const double way = (q % 2 == 0 ? 1 : -1) * std::sqrt(2 * std::max(0.0, axes.eigenvalues()[i]));
      for (std::size_t d = 0; d < 3; ++d)
        place.at[q][d] = at[d] + way * axes.eigenvectors()(static_cast<Eigen::Index>(d), i);
    }
    places_.push_back(place);
  }
  return nullptr;
}

std::unique_ptr<FarGround> FarGround::make(const Surface& s, const SurfaceOptions& options, const Medium& medium,
                                           double highest_omega, double farthest, int threads, std::string& why,
                                           bool plan) {
  auto out = std::make_unique<FarGround>();
  FarGround& f = *out;
  const auto refuse = [&](const char* text) {
    why = text;
    return std::unique_ptr<FarGround>();
  };
  if (const char* reason = f.take_rim(s, options)) return refuse(reason);
  const Harmonic highest(medium, highest_omega);
  f.weigh(s);
  if (const char* reason = f.make_places(s, highest)) return refuse(reason);
  if (f.places_.empty()) return refuse("nothing near its surface loads it");

  if (plan) return out;
  double longest = 0;
  for (const Side& side : f.rim_)
    longest = std::max({longest, distance(side.a, f.centre_), distance(side.b, f.centre_)});
  const double z = std::abs(highest.kS) * (std::max(longest * f.radii(highest).back(), farthest) + longest);
  f.loads_ = std::make_unique<SurfaceLoads>(medium.nu, highest.kS, z, threads);
  return out;
}

bool FarGround::on_level(const Vec3& x) const {
  return std::abs(dot(x, down_) + level_) < 1e-6 * std::max(reach_, 1e-300);
}

bool FarGround::beyond_rim(const Vec3& x) const {
  if (!on_level(x)) return false;
  double turns = 0;
  const auto turn = [&](const Vec3& a, const Vec3& b) {
    const Vec3 p = sub(a, x), q = sub(b, x);
    turns += std::atan2(dot(cross(p, q), down_), dot(p, q)) / (2 * std::numbers::pi);
  };
  for (const Side& side : rim_) {
    turn(side.a, side.middle);
    turn(side.middle, side.b);
  }
  return std::abs(turns) < 0.5;
}

Matrix3 FarGround::displacement(const Harmonic& h, const Vec3& x, std::size_t place) const {
  Matrix3 out{};
  for (const Vec3& from : places_[place].at) {
    const Matrix3 g = point_force(h, x, from, places_[place].radius);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) out[i][j] += 0.25 * g[i][j];
  }
  return out;
}

Matrix3 FarGround::point_force(const Harmonic& h, const Vec3& x, const Vec3& from, double radius) const {
  Vec3 offset = sub(x, from);
  const double depth = -dot(offset, down_);  // of the place below the surface
  offset = axpy(depth, down_, offset);
  const auto at = [&](Vec3 o) {
    // Closer than the elements of the place lie to each other their forces are not in one point.
    const double r = norm(o), least = std::max(0.25 * radius, 1e-9 * reach_);
    if (r < least) o = r > 1e-6 * least ? scale(least / r, o) : scale(least, unit(sub(rim_[0].middle, centre_)));
    return loads_->displacement(h, o, down_);
  };
  Matrix3 g = at(offset);
  if (depth < 1e-6 * reach_) return g;
  // A little below the surface: G as a field of the place of its force is free of traction there, so that
  // ∂G_ih/∂d = −∂G_id/∂h and ∂G_id/∂d = −ν/(1 − ν) Σ ∂G_ih/∂h, h along the surface, d down.
  const Vec3 ex = unit(std::abs(down_[0]) < 0.9 ? cross(down_, {0, 1, 0}) : Vec3{0, 1, 0}), ey = cross(down_, ex);
  const double step = 0.02 * std::max(norm(offset), radius);
  for (const Vec3& e : {ex, ey}) {
    const Matrix3 after = at(axpy(-step, e, offset)), before = at(axpy(step, e, offset));  // the place moves along e
    for (std::size_t i = 0; i < 3; ++i) {
      Complex down = 0, along = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const Complex slope = (after[i][j] - before[i][j]) / (2 * step);
        down += slope * down_[j];
        along += slope * e[j];
      }
      for (std::size_t j = 0; j < 3; ++j) g[i][j] -= depth * (down * e[j] + h.nu / (1 - h.nu) * along * down_[j]);
    }
  }
  return g;
}

std::vector<double> FarGround::radii(const Harmonic& h) const {
  std::vector<double> out{1};
  for (int k = 0; k < ring_count; ++k)
    out.push_back(out.back() + std::min(ring_growth * out.back(), rayleigh_length(h) / (elements_a_wave * reach_)));
  return out;
}

Surface FarGround::rings(const Harmonic& h) const {
  Surface out;
  const std::vector<double> r = radii(h);
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, Index> found;  // neighbours share nodes
  const auto node_of = [&](const Vec3& x, double window) {
    const auto q = [&](double v) { return static_cast<std::int64_t>(std::llround(v / (1e-7 * reach_))); };
    const auto [it, fresh] = found.emplace(std::tuple{q(x[0]), q(x[1]), q(x[2])}, out.node_count());
    if (fresh) {
      out.nodes.push_back(x);
      out.window.push_back(window);
    }
    return it->second;
  };
  const double last = r.back(), half = 0.5 * (1 + last), wave = rayleigh_length(h);
  for (const Side& side : rim_) {
    const bool turned = dot(cross(sub(side.middle, centre_), sub(side.b, side.a)), down_) > 0;
    const auto at = [&](double v) {
      const double n[3] = {(1 - v) * (1 - 2 * v), 4 * v * (1 - v), v * (2 * v - 1)};
      Vec3 x{};
      for (std::size_t d = 0; d < 3; ++d) x[d] = n[0] * side.a[d] + n[1] * side.middle[d] + n[2] * side.b[d];
      return x;
    };
    for (std::size_t k = 0; k + 1 < r.size(); ++k) {
      const int cuts =
          std::clamp(static_cast<int>(std::ceil(distance(side.a, side.b) * r[k] * elements_a_wave / wave)), 1, 16);
      for (int c = 0; c < cuts; ++c) {
        Element e;
        e.shape = CellShape::quad9;
        e.nodes = 9;
        for (int a = 0; a < 9; ++a) {
          const Vec3 p = reference_node(e.shape, a);
          const double s = r[k] + p[0] * (r[k + 1] - r[k]), v = (c + (turned ? 1 - p[1] : p[1])) / cuts;
          const auto q = static_cast<std::size_t>(a);
          e.x[q] = axpy(s, sub(at(v), centre_), centre_);
          const double u = (s - half) / (last - half);
          e.node[q] = e.traction[q] = node_of(e.x[q], u <= 0          ? 1
                                                      : u >= 1 - 1e-9 ? 0
                                                                      : std::exp(2 * std::exp(-1 / u) / (u - 1)));
        }
        measure(e);
        out.elements.push_back(e);
      }
    }
  }
  out.active = static_cast<Index>(out.elements.size());
  for (Index n = 0; n < out.node_count(); ++n) out.traction_node.push_back(n);
  out.centre = centre_;
  return out;
}

FarField::FarField(const FarGround& ground, const Surface& s, const Accuracy& accuracy, const Harmonic& h, Team& team,
                   bool deterministic, std::stop_token stop, PanelStore* panels)
    : ground_(&ground), h_(h), accuracy_(accuracy), rings_(ground.rings(h)),
      rules_(std::make_unique<FarRules<double>>(rings_, accuracy, std::abs(h.kS), false, team.threads())) {
  const std::size_t places = ground.places().size();
  const Index m = s.node_count();
  const CpuWorker threads(team.threads());
  const auto start = std::chrono::steady_clock::now();
  at_rings_.resize(rings_.nodes.size() * places);
  threads.for_each({0, rings_.node_count()}, 64, [&](Interval some, int) {
    for (Index n = some.begin; n < some.end; ++n)
      for (std::size_t k = 0; k < places; ++k) {
        Matrix3& g = at_rings_[static_cast<std::size_t>(n) * places + k];
        g = ground.displacement(h, rings_.nodes[static_cast<std::size_t>(n)], k);
        for (auto& row : g)
          for (Complex& v : row) v *= rings_.window[static_cast<std::size_t>(n)];
      }
  });
  faded_.assign(static_cast<std::size_t>(3 * m * columns()), 0);
  threads.for_each({0, m}, 64, [&](Interval some, int) {
    for (Index n = some.begin; n < some.end; ++n) {
      const double rest = 1 - s.window[static_cast<std::size_t>(n)];
      if (!(rest > 0)) continue;
      for (std::size_t k = 0; k < places; ++k) {
        const Matrix3 g = ground.displacement(h, s.nodes[static_cast<std::size_t>(n)], k);
        for (Index i = 0; i < 3; ++i)
          for (Index j = 0; j < 3; ++j)
            faded_[static_cast<std::size_t>((3 * static_cast<Index>(k) + j) * 3 * m + i * m + n)] =
                rest * g[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      }
    }
  });
  team.note(responses_stage, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), {});
  beyond_ = beyond_rows(team, s.nodes, deterministic, std::move(stop), panels);
}

std::vector<Complex> FarField::beyond_rows(Team& team, std::span<const Vec3> points, bool deterministic,
                                           std::stop_token stop, PanelStore* panels) const {
  const std::size_t places = ground_->places().size();
  const auto m = static_cast<Index>(points.size());
  std::vector<std::vector<Complex3>> unit_forces(static_cast<std::size_t>(columns()), std::vector<Complex3>(places));
  for (std::size_t c = 0; c < unit_forces.size(); ++c) unit_forces[c][c / 3][c % 3] = 1;
  const auto rows = beyond_at(team, points, unit_forces, deterministic, std::move(stop), panels);
  std::vector<Complex> out(static_cast<std::size_t>(3 * m * columns()));
  for (Index c = 0; c < columns(); ++c)
    for (Index n = 0; n < m; ++n)
      for (Index d = 0; d < 3; ++d)
        out[static_cast<std::size_t>(c * 3 * m + d * m + n)] =
            rows[static_cast<std::size_t>(c)][static_cast<std::size_t>(n)][static_cast<std::size_t>(d)];
  return out;
}

std::vector<Complex3> FarField::forces(const std::vector<Complex3>& traction,
                                       const std::vector<Complex3>& displacement) const {
  std::vector<Complex3> out(ground_->places().size());
  for (std::size_t t = 0; t < traction.size(); ++t)
    if (const Index k = ground_->place_of()[t]; k >= 0)
      for (std::size_t d = 0; d < 3; ++d) out[static_cast<std::size_t>(k)][d] += ground_->weight()[t] * traction[t][d];
  for (std::size_t n = 0; n < displacement.size(); ++n)
    if (const Index k = ground_->node_place()[n]; k >= 0)
      for (std::size_t d = 0; d < 3; ++d)
        out[static_cast<std::size_t>(k)][d] -= inertia() * ground_->volume()[n] * displacement[n][d];
  return out;
}

Complex3 FarField::displacement(const std::vector<Complex3>& forces, const Vec3& x) const {
  Complex3 u{};
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Matrix3 g = ground_->displacement(h_, x, k);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) u[i] += g[i][j] * forces[k][j];
  }
  return u;
}

std::vector<Complex3> FarField::on_rings(const std::vector<Complex3>& forces) const {
  std::vector<Complex3> out(rings_.nodes.size());
  for (std::size_t n = 0; n < out.size(); ++n)
    for (std::size_t k = 0; k < forces.size(); ++k)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) out[n][i] += at_rings_[n * forces.size() + k][i][j] * forces[k][j];
  return out;
}

std::vector<std::vector<Complex3>> FarField::beyond_at(Team& team, std::span<const Vec3> points,
                                                       const std::vector<std::vector<Complex3>>& forces,
                                                       bool deterministic, std::stop_token stop,
                                                       PanelStore* panels) const {
  std::vector<BoundaryValues> cases;
  for (const auto& f : forces) cases.push_back({on_rings(f), std::vector<Complex3>(rings_.nodes.size())});
  return displacements_at(team, rings_, *rules_, accuracy_, h_, points, cases, std::move(stop), deterministic, {},
                          panels, stages);
}

}  // namespace conoid::elastic_bem
