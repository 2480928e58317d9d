// SPDX-License-Identifier: BSD-3-Clause
// The representation formula inside the medium.
#include "engine/solvers/elastic_bem/discretization/field.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "engine/core/vec3.hpp"
#include "engine/linalg/big_array.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/cuda/device_pairs.hpp"
#include "engine/solvers/elastic_bem/discretization/pair_sums.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr double close_target = 1e-8;
/// At a time, where devices make sums; few at first, since the shares of processors and devices are learnt by passes: of 14,400 points beside an
/// H200 four equal passes took 3.7 s, once learnt 0.7 s.
constexpr std::size_t summed_points = 4096, first_points = 256;

/// Columns, component-major, to the points from `begin` on.
void spread(const std::vector<Complex>& y, std::size_t begin, std::size_t count,
            std::vector<std::vector<Complex3>>& out) {
  for (std::size_t c = 0; c < out.size(); ++c)
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t d = 0; d < 3; ++d) out[c][begin + k][d] = y[(3 * c + d) * count + k];
}

/// Devices take part: the matrix is left out, and only sums come back.
bool devices_take_part(const Team& team, std::span<const Vec3> points) {
  return static_cast<Index>(points.size()) >= least_device_rows && !team.devices().empty();
}

}  // namespace

double stress_distance(const Element& e) {
  const bool second = e.nodes > 4 || (e.triangular() && e.nodes > 3);
  return e.size * (e.nodes == 1 ? 1 : second ? 0.001 : 0.1);
}

void stress_rule(const Element& e, const Vec3& point, const Accuracy& accuracy, double wave_number, PointSet& out) {
  // These kernels grow by one power faster than those of the displacement, so that errors of the rule grow as h/d beside it.
  const bool close = distance(point, e.centre) < 1.5 * e.size;
  out.clear();
  near_rule(e, point, close ? std::min(accuracy.target, close_target) : accuracy.target, wave_number, out);
}

std::vector<std::vector<Complex3>> displacements_at(Team& team, const Surface& surface, const FarRules<double>& rules,
                                                    const Accuracy& accuracy, const Harmonic& harmonic,
                                                    std::span<const Vec3> points, std::span<const BoundaryValues> cases,
                                                    std::stop_token stop, bool deterministic,
                                                    std::span<const double> fade, PanelStore* panels,
                                                    const PairStages& stages) {
  const Index m = surface.node_count(), columns = static_cast<Index>(cases.size());
  std::vector<std::vector<Complex3>> out(cases.size(), std::vector<Complex3>(points.size()));
  // Columns that carry something: all displacements, tractions that are not zero in every case.
  std::vector<std::array<Index, 3>> place(surface.traction_node.size(), {-1, -1, -1});
  Index width = 3 * m;
  for (std::size_t t = 0; t < place.size(); ++t)
    for (std::size_t d = 0; d < 3; ++d)
      if (std::any_of(cases.begin(), cases.end(),
                      [&](const BoundaryValues& v) { return v.traction[t][d] != Complex(0); }))
        place[t][d] = width++;
  std::vector<Complex> x(static_cast<std::size_t>(width * columns));
  for (Index c = 0; c < columns; ++c) {
    const BoundaryValues& v = cases[static_cast<std::size_t>(c)];
    for (Index k = 0; k < m; ++k)
      for (std::size_t d = 0; d < 3; ++d)
        x[static_cast<std::size_t>(c * width + static_cast<Index>(d) * m + k)] =
            v.displacement[static_cast<std::size_t>(k)][d] * (fade.empty() ? 1.0 : fade[static_cast<std::size_t>(k)]);
    for (std::size_t t = 0; t < place.size(); ++t)
      for (std::size_t d = 0; d < 3; ++d)
        if (place[t][d] >= 0) x[static_cast<std::size_t>(c * width + place[t][d])] = v.traction[t][d];
  }
  if (devices_take_part(team, points)) {
    PanelStore own;  // devices keep their memory from batch to batch
    PanelStore& store = panels != nullptr ? *panels : own;
    PairVectors vectors{width, columns, std::move(x), {}, std::move(place)};
    for (Index k = 0; k < m; ++k) vectors.node.push_back({k, m + k, 2 * m + k});
    std::size_t count = 0;
    for (std::size_t begin = 0; begin < points.size() && !stop.stop_requested(); begin += count) {
      const int before = std::min(store.passes_before(stages.far), 4);
      count = std::min({summed_points, first_points << before, points.size() - begin});
      spread(pair_sums(team, surface, rules, accuracy, harmonic, points.subspan(begin, count), vectors, stop,
                       deterministic, store, stages),
             begin, count, out);
    }
    return out;
  }
  const Index batch =
      std::clamp<Index>((Index{256} << 20) / (16 * 3 * std::max<Index>(width, 1)) / 128 * 128, 128, 4096);
  // One matrix for all batches. Its pages are taken and zeroed on all threads: one alone held 16 up for half of a run (soil-trench).
  BigArray<Complex> a(static_cast<std::size_t>(3 * std::min(batch, static_cast<Index>(points.size())) * width));
  const CpuWorker threads(team.threads());
  PanelStore own_panels;  // devices keep their memory from batch to batch
  if (panels == nullptr) panels = &own_panels;
  double seconds = 0;
  Work sums;
  for (Index begin = 0; begin < static_cast<Index>(points.size()) && !stop.stop_requested(); begin += batch) {
    const Index count = std::min(batch, static_cast<Index>(points.size()) - begin), rows = 3 * count;
    threads.for_each({0, rows * width}, Index{1} << 17,
                     [&](Interval some, int) { std::fill(a.data() + some.begin, a.data() + some.end, Complex(0)); });
    Targets<double> targets;
    targets.h.resize(static_cast<std::size_t>(m));
    targets.g.resize(place.size());
    for (Index k = 0; k < m; ++k)
      for (std::size_t d = 0; d < 3; ++d)
        targets.h[static_cast<std::size_t>(k)][d] = {a.data() + (static_cast<Index>(d) * m + k) * rows, Complex(-1)};
    for (std::size_t t = 0; t < place.size(); ++t)
      for (std::size_t d = 0; d < 3; ++d)
        if (place[t][d] >= 0) targets.g[t][d] = {a.data() + place[t][d] * rows, Complex(1)};
    assemble_pairs<double>(team, surface, rules, accuracy, harmonic,
                           {points.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)), false},
                           targets, stop, panels, stages);
    std::vector<Complex> y(static_cast<std::size_t>(rows * columns));
    const auto start = std::chrono::steady_clock::now();
    dense::multiply<Complex>(a.data(), rows, width, x.data(), columns, Complex(0), y.data(),
                             deterministic ? 1 : team.threads());
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    sums.flops += 8.0 * static_cast<double>(rows * width * columns);
    sums.bytes += static_cast<double>(rows * width) * sizeof(Complex);
    spread(y, static_cast<std::size_t>(begin), static_cast<std::size_t>(count), out);
  }
  if (stages.sums != nullptr && !points.empty()) team.note(stages.sums, seconds, sums);
  return out;
}

std::vector<std::vector<Stress>> stresses_at(Team& team, const Surface& surface, const Accuracy& accuracy,
                                             const Harmonic& harmonic, std::span<const Vec3> points,
                                             std::span<const BoundaryValues> cases, std::stop_token stop,
                                             std::span<const double> fade) {
  constexpr std::array<std::array<std::size_t, 2>, 6> order{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};
  std::vector<std::vector<Stress>> out(cases.size(), std::vector<Stress>(points.size()));
  class StressPhase final : public Phase {
   public:
    std::function<void(Interval)> body;
    Index count = 0;
    [[nodiscard]] std::string_view name() const override { return "stresses"; }
    [[nodiscard]] Index items() const override { return count; }
    void run(CpuWorker& worker, Interval items) override {
      worker.for_each(items, 1, [&](Interval chunk, int) { body(chunk); });
    }
  } phase;
  phase.count = static_cast<Index>(points.size());
  const double k = std::abs(harmonic.kS);
  phase.body = [&](Interval chunk) {
    PointSet set;
    for (Index p = chunk.begin; p < chunk.end; ++p) {
      const Vec3& at = points[static_cast<std::size_t>(p)];
      for (Index e = 0; e < surface.active; ++e) {
        if (stop.stop_requested()) return;
        const Element& element = surface.elements[static_cast<std::size_t>(e)];
        stress_rule(element, at, accuracy, k, set);
        for (std::size_t q = 0; q < set.w.size(); ++q) {
          const double w = set.w[q];
          const Vec3 n{set.nx[q] / w, set.ny[q] / w, set.nz[q] / w};
          const StressKernels s = stress_kernels(harmonic, at, {set.x[q], set.y[q], set.z[q]}, n);
          for (std::size_t c = 0; c < cases.size(); ++c) {
            Complex3 u{}, t{};
            for (std::size_t a = 0; a < static_cast<std::size_t>(element.nodes); ++a)
              for (std::size_t d = 0; d < 3; ++d) {
                u[d] += (fade.empty() ? 1.0 : fade[static_cast<std::size_t>(element.node[a])]) * set.shape[q][a] *
                        cases[c].displacement[static_cast<std::size_t>(element.node[a])][d];
                t[d] += set.shape[q][a] * cases[c].traction[static_cast<std::size_t>(element.traction[a])][d];
              }
            for (std::size_t o = 0; o < 6; ++o)
              for (std::size_t d = 0; d < 3; ++d)
                out[c][static_cast<std::size_t>(p)][o] +=
                    w * (s.d[d][order[o][0]][order[o][1]] * t[d] - s.s[d][order[o][0]][order[o][1]] * u[d]);
          }
        }
      }
    }
  };
  team.run(phase, stop);
  return out;
}

Stress stress_on(const Element& element, double r, double s, const Harmonic& harmonic, const BoundaryValues& values) {
  // Axes: e1 along r, e2 across it in the surface, n. Slopes by central differences, exact for polynomials of order 2.
  constexpr double h = 1e-4;
  const Vec3 along_r = scale(0.5 / h, sub(element.at(r + h, s).x, element.at(r - h, s).x)),
             along_s = scale(0.5 / h, sub(element.at(r, s + h).x, element.at(r, s - h).x));
  const Vec3 n = unit(element.at(r, s).area), e1 = unit(along_r), e2 = cross(n, e1);
  const double a = norm(along_r), b = dot(along_s, e1), c = dot(along_s, e2);
  std::array<double, most_nodes> shape{}, before{}, after{}, below{}, above{};
  element.field(r, s, shape.data());
  element.field(r - h, s, before.data());
  element.field(r + h, s, after.data());
  element.field(r, s - h, below.data());
  element.field(r, s + h, above.data());
  Complex3 traction{}, slope1{}, slope2{};  // ∂u/∂e1, ∂u/∂e2
  for (std::size_t q = 0; q < static_cast<std::size_t>(element.nodes); ++q) {
    const Complex3 &u = values.displacement[static_cast<std::size_t>(element.node[q])],
                   &t = values.traction[static_cast<std::size_t>(element.traction[q])];
    const double dr = (after[q] - before[q]) / (2 * h), ds = (above[q] - below[q]) / (2 * h);
    for (std::size_t d = 0; d < 3; ++d) {
      traction[d] += shape[q] * t[d];
      slope1[d] += dr / a * u[d];
      slope2[d] += (ds - b / a * dr) / c * u[d];
    }
  }
  const auto part = [](const Complex3& v, const Vec3& e) { return v[0] * e[0] + v[1] * e[1] + v[2] * e[2]; };
  const Complex t1 = part(traction, e1), t2 = part(traction, e2), tn = part(traction, n);
  const Complex g11 = part(slope1, e1), g22 = part(slope2, e2), g12 = part(slope1, e2) + part(slope2, e1);
  const Complex lambda = harmonic.lambda, mu = harmonic.mu;
  const Complex g33 = (tn - lambda * (g11 + g22)) / (lambda + 2.0 * mu), pressure = lambda * (g11 + g22 + g33);
  Complex s11 = pressure + 2.0 * mu * g11, s22 = pressure + 2.0 * mu * g22, s12 = mu * g12;
  if (element.nodes == 1) s11 = s22 = s12 = std::nan("");
  const Complex local[3][3] = {{s11, s12, t1}, {s12, s22, t2}, {t1, t2, tn}};
  const Vec3* axes[3] = {&e1, &e2, &n};
  constexpr std::array<std::array<std::size_t, 2>, 6> order{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};
  Stress out{};
  for (std::size_t k = 0; k < 6; ++k)
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const double factor = (*axes[i])[order[k][0]] * (*axes[j])[order[k][1]];
        if (factor != 0) out[k] += factor * local[i][j];
      }
  return out;
}

std::array<Complex, 6> resultant(const Surface& surface, int condition, const Vec3& origin,
                                 const BoundaryValues& values) {
  std::array<Complex, 6> f{};
  PointSet set;
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    if (e.condition != condition) continue;
    set.clear();
    product_rule(e, 4, 4, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      Complex3 t{};
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (std::size_t d = 0; d < 3; ++d)
          t[d] += set.shape[q][a] * values.traction[static_cast<std::size_t>(e.traction[a])][d] * set.w[q];
      const Vec3 r = sub({set.x[q], set.y[q], set.z[q]}, origin);
      for (std::size_t d = 0; d < 3; ++d) f[d] += t[d];
      f[3] += r[1] * t[2] - r[2] * t[1];
      f[4] += r[2] * t[0] - r[0] * t[2];
      f[5] += r[0] * t[1] - r[1] * t[0];
    }
  }
  return f;
}

double area_of(const Surface& surface, int condition) {
  double area = 0;
  PointSet set;
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    if (e.condition != condition) continue;
    set.clear();
    product_rule(e, 4, 4, set);
    for (double w : set.w) area += w;
  }
  return area;
}

Index nearest_node(const Surface& surface, const Vec3& point) {
  Index best = 0;
  double least = 1e300;
  for (Index n = 0; n < surface.node_count(); ++n) {
    const double d = distance(surface.nodes[static_cast<std::size_t>(n)], point);
    if (d < least) {
      least = d;
      best = n;
    }
  }
  return best;
}

}  // namespace conoid::elastic_bem
