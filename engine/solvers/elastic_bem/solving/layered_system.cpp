// SPDX-License-Identifier: BSD-3-Clause
// FootprintIntegrals of the ground's displacements over elements, the contact equations.
#include "engine/solvers/elastic_bem/solving/layered_system.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/seconds_now.hpp"
#include "engine/core/stop.hpp"
#include "engine/core/vec3.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/discretization/complex_product.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// Gauss points a direction for an element away from the point; 0: it is near.
int far_points(const Element& e, double away, double wave_number, double target) {
  if (away <= (target < 1e-6 ? 1.2 : 1.0) * e.size) return 0;
  const int g =
      std::max(points_for_distance(2 * away / e.size, target), points_for_wave(wave_number * e.size, target)) +
      (e.nodes > 1 ? 1 : 0);
  return std::min(g, most_far);
}

/// Displacements under a force at one distance and direction: those along e, across and down that G is made of.
struct Ray {
  Complex v, u, c, same, along;  ///< V, U, C, A − B, 2B over 2πμ*; U and C with the sign of the way down
  double x, y;
};

Ray ray_of(const LayeredSurface& ground, const Complex& front, double r) {
  const SurfaceResponse s = ground.at(r);
  const Complex by = front / r, u = times(by, s.u);
  return {times(by, s.v), u, u, times(by, s.a - s.b), 2.0 * times(by, s.b), 0, 0};
}
Ray ray_of(const LayeredDepths& ground, const Complex& front, double r) {
  const auto [v, u, c, a, b] = ground.at(r);
  return {times(front, v), times(front, u), times(front, c), times(front, a - b), 2.0 * times(front, b), 0, 0};
}

/// FootprintIntegrals over the elements as seen from one point of the surface, or of the depth of a table (LayeredDepths). One for each thread.
template <class Table>
class FootprintIntegrals {
 public:
  /// `wave_number`: up to which G changes over the distance.
  FootprintIntegrals(const Surface& surface, const Table& ground, double wave_number, const Vec3& down,
                     const Accuracy& accuracy)
      : surface_(surface), ground_(ground), down_(down[2]), target_(accuracy.target), wave_number_(wave_number),
        front_(1.0 / (2 * std::numbers::pi * ground.compliance().top().mu)) {}

  /// take(traction node, ∫ G N_a dS) for every field node of every element; `node`: of the surface, or −1. The answer: points.
  template <class Take>
  double matrices(const Vec3& x, Index node, Take&& take) {
    double points = 0;
    for (Index k = 0; k < surface_.active; ++k) {
      const Element& e = surface_.elements[static_cast<std::size_t>(k)];
      rule(x, node, k, e);
      std::array<std::array<Complex, 6>, most_nodes> sums{};  // xx, xy, yy, xz, yz, zz; zx = −xz, zy = −yz
      for (std::size_t q = 0; q < set_.w.size(); ++q) {
        const Ray g = ray(x, q);
        const Complex parts[6] = {g.same + g.along * (g.x * g.x),
                                  g.along * (g.x * g.y),
                                  g.same + g.along * (g.y * g.y),
                                  g.u * g.x,
                                  g.u * g.y,
                                  g.v};
        for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
          const double w = set_.w[q] * set_.shape[q][a];
          for (std::size_t c = 0; c < 6; ++c) sums[a][c] += w * parts[c];
        }
      }
      points += static_cast<double>(set_.w.size());
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
        const auto& s = sums[a];
        take(e.traction[a],
             Matrix3{std::array<Complex, 3>{s[0], s[1], s[3]}, {s[1], s[2], s[4]}, {-s[3], -s[4], s[5]}});
      }
    }
    return points;
  }

  /// ∫ G t dS of each case, to its `out`.
  void displacement(const Vec3& x, std::span<const BoundaryValues> cases, std::span<Complex3> out) {
    for (Complex3& u : out) u = {};
    for (Index k = 0; k < surface_.active; ++k) {
      const Element& e = surface_.elements[static_cast<std::size_t>(k)];
      rule(x, -1, k, e);
      for (std::size_t q = 0; q < set_.w.size(); ++q) {
        const Ray g = ray(x, q);
        for (std::size_t c = 0; c < cases.size(); ++c) {
          Complex3 t{};
          for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a) {
            const Complex3& at = cases[c].traction[static_cast<std::size_t>(e.traction[a])];
            for (std::size_t d = 0; d < 3; ++d) t[d] += set_.shape[q][a] * at[d];
          }
          const double w = set_.w[q];
          const Complex along = g.x * t[0] + g.y * t[1], out_of = times(g.along, along) + times(g.u, t[2]);
          out[c][0] += w * (times(g.same, t[0]) + g.x * out_of);
          out[c][1] += w * (times(g.same, t[1]) + g.y * out_of);
          out[c][2] += w * (times(g.v, t[2]) - times(g.c, along));
        }
      }
    }
  }

 private:
  [[nodiscard]] Ray ray(const Vec3& x, std::size_t q) const {
    // Along the surface: nodes of a mesh lie in its plane up to round-off.
    const double dx = x[0] - set_.x[q], dy = x[1] - set_.y[q], r = std::sqrt(dx * dx + dy * dy);
    Ray out = ray_of(ground_, front_, r);
    out.u *= down_;
    out.c *= down_;
    out.x = r > 0 ? dx / r : 0;  // straight below all directions are the same
    out.y = r > 0 ? dy / r : 0;
    return out;
  }
  void rule(const Vec3& x, Index node, Index element, const Element& e) {
    set_.clear();
    if (node >= 0)
      for (const Touch& touch : surface_.touches[static_cast<std::size_t>(node)])
        if (touch.element == element) {
          const auto p = e.node_at(touch.local);
          singular_rule(e, p[0], p[1], target_, wave_number_, set_);
          return;
        }
    if (const int g = far_points(e, distance(x, e.centre), wave_number_, target_); g > 0)
      product_rule(e, g, g, set_);
    else
      near_rule(e, x, target_, wave_number_, set_);
  }

  const Surface& surface_;
  const Table& ground_;
  const double down_, target_,
      wave_number_;  ///< the first: +1 where z points into the ground, −1 where it points out of it
  const Complex front_;
  PointSet set_;
};

/// The contact equations, step by step in the order of the members.
class ContactEquations {
 public:
  ContactEquations(const BoundarySystem& system, const LayeredSurface& ground, const Vec3& down,
                   const SolveOptions& options, int threads, std::stop_token stop)
      : system_(system), s_(system.surface()), ground_(ground), down_(down), options_(options), threads_(threads),
        stop_(std::move(stop)), rows_(3 * s_.node_count()), columns_(3 * static_cast<Index>(s_.traction_node.size())) {
    for (Index t = 0; t < columns_ / 3; ++t)
      for (std::size_t c = 0; c < 3; ++c)
        if (system.traction_unknown(t, c)) unknown_.push_back(3 * t + static_cast<Index>(c));
  }

  double assemble() {
    g_.assign(static_cast<std::size_t>(rows_ * columns_), Complex(0));
    std::vector<double> counts(static_cast<std::size_t>(s_.node_count()), 0);
    in_chunks(threads_, {0, s_.node_count()}, 4, [&](Interval some, int) {
      FootprintIntegrals integrals(s_, ground_, ground_.wave_number(), down_, options_.accuracy);
      for (Index n = some.begin; n < some.end && !stop_.stop_requested(); ++n)
        counts[static_cast<std::size_t>(n)] =
            integrals.matrices(s_.nodes[static_cast<std::size_t>(n)], n, [&](Index t, const Matrix3& m) {
              for (Index i = 0; i < 3; ++i)
                for (Index j = 0; j < 3; ++j)
                  g_[static_cast<std::size_t>((3 * n + i) * columns_ + 3 * t + j)] +=
                      m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
            });
    });
    double sum = 0;
    for (const double c : counts) sum += c;
    return sum;
  }

  /// Tractions of all cases: those that are given, and from the equations the others.
  [[nodiscard]] Result<std::vector<BoundaryValues>> tractions(const std::vector<LoadValues>& cases, SolveFacts& facts) {
    std::vector<BoundaryValues> out(cases.size());
    for (std::size_t q = 0; q < cases.size(); ++q) {
      out[q].traction.resize(s_.traction_node.size());
      out[q].displacement.resize(s_.nodes.size());
      for (Index t = 0; t < columns_ / 3 && !cases[q].traction.empty(); ++t)
        for (std::size_t c = 0; c < 3; ++c)
          if (!system_.traction_unknown(t, c))
            out[q].traction[static_cast<std::size_t>(t)][c] = cases[q].traction[static_cast<std::size_t>(t)][c];
    }
    const auto n = static_cast<Index>(unknown_.size());
    if (n == 0) return out;
    std::vector<Complex> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n) * cases.size());
    parallel_for(threads_, {0, n}, 16, [&](Index column) {
      for (Index row = 0; row < n; ++row)
        a[static_cast<std::size_t>(column * n + row)] =
            g_[static_cast<std::size_t>(row_of(row) * columns_ + unknown_[static_cast<std::size_t>(column)])];
    });
    displacements(out);  // of what is given
    for (std::size_t q = 0; q < cases.size(); ++q)
      for (Index row = 0; row < n; ++row)
        b[q * static_cast<std::size_t>(n) + static_cast<std::size_t>(row)] =
            given(cases[q], row) - displacement(out[q], row);
    const double begin = seconds_now();
    auto lu = dense::Lu<Complex>::factorise(a.data(), n, threads_,
                                            options_.deterministic ? dense::Backend::own : dense::Backend::automatic,
                                            [this] { return stop_.stop_requested(); });
    if (!lu) return lu.error();
    facts.seconds_factors += seconds_now() - begin;
    facts.rcond = lu->reciprocal_condition();
    if (facts.rcond < least_condition)
      return make_error(
          ErrorCode::not_converged,
          fmt::format("the contact equations are singular: their reciprocal condition is {:.2g}", facts.rcond),
          "Look for overlapping or very unequal elements: `conoid mesh FILE` lists them.");
    lu->solve(b.data(), static_cast<Index>(cases.size()));
    for (std::size_t q = 0; q < cases.size(); ++q)
      for (Index k = 0; k < n; ++k) {
        const Index at = unknown_[static_cast<std::size_t>(k)];
        out[q].traction[static_cast<std::size_t>(at / 3)][static_cast<std::size_t>(at % 3)] =
            b[q * static_cast<std::size_t>(n) + static_cast<std::size_t>(k)];
      }
    return out;
  }

  /// u = G t of all cases at the nodes.
  void displacements(std::vector<BoundaryValues>& values) const {
    parallel_for(threads_, {0, rows_}, 16, [&](Index row) {
      const Complex* g = g_.data() + row * columns_;
      for (BoundaryValues& v : values) {
        Complex sum = 0;
        for (Index t = 0; t < columns_ / 3; ++t)
          for (Index c = 0; c < 3; ++c)
            sum += times(g[3 * t + c], v.traction[static_cast<std::size_t>(t)][static_cast<std::size_t>(c)]);
        v.displacement[static_cast<std::size_t>(row / 3)][static_cast<std::size_t>(row % 3)] = sum;
      }
    });
  }

  /// What the equations lack, over what is given: the largest of all cases.
  [[nodiscard]] double residual(const std::vector<LoadValues>& cases, const std::vector<BoundaryValues>& values) const {
    double worst = 0;
    for (std::size_t q = 0; q < cases.size(); ++q) {
      double lack = 0, size = 0;
      for (Index row = 0; row < static_cast<Index>(unknown_.size()); ++row) {
        lack += std::norm(given(cases[q], row) - displacement(values[q], row));
        size += std::max(std::norm(given(cases[q], row)), std::norm(displacement(values[q], row)));
      }
      if (size > 0) worst = std::max(worst, std::sqrt(lack / size));
    }
    return worst;
  }
  [[nodiscard]] Index unknowns() const { return static_cast<Index>(unknown_.size()); }

 private:
  static constexpr double least_condition = 1e-12;
  /// The equation of an unknown traction: its displacement, at its node.
  [[nodiscard]] Index row_of(Index unknown) const {
    const Index at = unknown_[static_cast<std::size_t>(unknown)];
    return 3 * s_.traction_node[static_cast<std::size_t>(at / 3)] + at % 3;
  }
  [[nodiscard]] Complex given(const LoadValues& load, Index unknown) const {
    const Index row = row_of(unknown);
    return load.displacement.empty()
               ? Complex(0)
               : load.displacement[static_cast<std::size_t>(row / 3)][static_cast<std::size_t>(row % 3)];
  }
  [[nodiscard]] Complex displacement(const BoundaryValues& v, Index unknown) const {
    const Index row = row_of(unknown);
    return v.displacement[static_cast<std::size_t>(row / 3)][static_cast<std::size_t>(row % 3)];
  }

  const BoundarySystem& system_;
  const Surface& s_;
  const LayeredSurface& ground_;
  const Vec3 down_;
  const SolveOptions& options_;
  const int threads_;
  std::stop_token stop_;
  const Index rows_, columns_;
  std::vector<Index> unknown_;  ///< 3 traction node + component
  std::vector<Complex> g_;      ///< row by row
};

}  // namespace

Result<std::vector<BoundaryValues>> solve_layered(const BoundarySystem& system, const LayeredSurface& ground,
                                                  const Vec3& down, const std::vector<LoadValues>& cases,
                                                  const SolveOptions& options, int threads, SolveFacts& facts,
                                                  Progress& progress, std::stop_token stop) {
  ContactEquations contact(system, ground, down, options, threads, stop);
  double begin = seconds_now();
  progress.begin("pairs", 0, "");
  facts.work.near_points += contact.assemble();
  progress.end();
  facts.seconds_pairs += seconds_now() - begin;
  if (stop.stop_requested()) return stop_error();
  begin = seconds_now();
  progress.begin("solution", 0, "");
  auto values = contact.tractions(cases, facts);
  if (values) {
    contact.displacements(*values);
    facts.residual = std::max(facts.residual, contact.residual(cases, *values));
    facts.residual_asked = options.tolerance;
  }
  progress.end();
  facts.seconds_solve += seconds_now() - begin;
  if (stop.stop_requested()) return stop_error();
  return values;
}

Bytes layered_bytes(const BoundarySystem& system) {
  const Surface& s = system.surface();
  const auto rows = static_cast<double>(3 * s.node_count()), columns = static_cast<double>(3 * s.traction_node.size());
  double unknowns = 0;
  for (Index t = 0; t < static_cast<Index>(s.traction_node.size()); ++t)
    for (std::size_t c = 0; c < 3; ++c) unknowns += system.traction_unknown(t, c) ? 1 : 0;
  return static_cast<Bytes>(16 * (rows * columns + unknowns * unknowns));
}

double layered_evaluations(const Surface& s, double wave_number, const Accuracy& accuracy) {
  // Of some of the nodes; near ones as those of a rule about a point.
  if (s.nodes.empty()) return 0;
  const std::size_t count = s.nodes.size(), samples = std::min<std::size_t>(count, 24);
  double sum = 0;
  for (std::size_t i = 0; i < samples; ++i)
    for (Index k = 0; k < s.active; ++k) {
      const Element& e = s.elements[static_cast<std::size_t>(k)];
      const int g =
          far_points(e, distance(s.nodes[(2 * i + 1) * count / (2 * samples)], e.centre), wave_number, accuracy.target);
      sum += g > 0 ? g * g : 300;
    }
  return sum * static_cast<double>(count) / static_cast<double>(samples);
}

namespace {

template <class Table>
std::vector<std::vector<Complex3>> displacements_by(const Table& ground, double wave_number, const Surface& surface,
                                                    const Vec3& down, std::span<const Vec3> points,
                                                    std::span<const BoundaryValues> cases, const Accuracy& accuracy,
                                                    int threads, const std::stop_token& stop) {
  std::vector<std::vector<Complex3>> out(cases.size(), std::vector<Complex3>(points.size()));
  in_chunks(threads, {0, static_cast<Index>(points.size())}, 4, [&](Interval some, int) {
    FootprintIntegrals integrals(surface, ground, wave_number, down, accuracy);
    std::vector<Complex3> here(cases.size());
    for (Index p = some.begin; p < some.end && !stop.stop_requested(); ++p) {
      const auto k = static_cast<std::size_t>(p);
      integrals.displacement(points[k], cases, here);
      for (std::size_t q = 0; q < cases.size(); ++q) out[q][k] = here[q];
    }
  });
  return out;
}

}  // namespace

std::vector<std::vector<Complex3>> layered_displacements(const Surface& surface, const LayeredSurface& ground,
                                                         const Vec3& down, std::span<const Vec3> points,
                                                         std::span<const BoundaryValues> cases,
                                                         const Accuracy& accuracy, int threads, std::stop_token stop) {
  return displacements_by(ground, ground.wave_number(), surface, down, points, cases, accuracy, threads, stop);
}

std::vector<std::vector<Complex3>> layered_displacements(const Surface& surface, const LayeredDepths& ground,
                                                         double wave_number, const Vec3& down,
                                                         std::span<const Vec3> points,
                                                         std::span<const BoundaryValues> cases,
                                                         const Accuracy& accuracy, int threads, std::stop_token stop) {
  return displacements_by(ground, wave_number, surface, down, points, cases, accuracy, threads, stop);
}

std::vector<std::vector<Stress>> layered_stresses(const Surface& surface, const LayeredStresses& ground,
                                                  double wave_number, const Vec3& down, std::span<const Vec3> points,
                                                  std::span<const BoundaryValues> cases, const Accuracy& accuracy,
                                                  int threads, std::stop_token stop) {
  std::vector<std::vector<Stress>> out(cases.size(), std::vector<Stress>(points.size()));
  in_chunks(threads, {0, static_cast<Index>(points.size())}, 1, [&](Interval some, int) {
    PointSet set;
    for (Index p = some.begin; p < some.end && !stop.stop_requested(); ++p) {
      const auto k = static_cast<std::size_t>(p);
      for (Index n = 0; n < surface.active; ++n) {
        const Element& e = surface.elements[static_cast<std::size_t>(n)];
        stress_rule(e, points[k], accuracy, wave_number, set);
        for (std::size_t q = 0; q < set.w.size(); ++q) {
          const Vec3 way{points[k][0] - set.x[q], points[k][1] - set.y[q], 0};
          const StressResponse response = ground.at(norm(way));
          for (std::size_t c = 0; c < cases.size(); ++c) {
            Complex3 t{};
            for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
              for (std::size_t d = 0; d < 3; ++d)
                t[d] += set.w[q] * set.shape[q][a] * cases[c].traction[static_cast<std::size_t>(e.traction[a])][d];
            const Stress s = stress_of(response, ground.compliance(), way, down, t);
            for (std::size_t o = 0; o < 6; ++o) out[c][k][o] += s[o];
          }
        }
      }
    }
  });
  return out;
}

std::array<double, 2> distances_to_footprints(const Surface& surface, std::span<const Vec3> points) {
  std::array<double, 2> out{1e300, 0};
  for (const Vec3& x : points)
    for (Index k = 0; k < surface.active; ++k) {
      const Element& e = surface.elements[static_cast<std::size_t>(k)];
      const double away = std::hypot(x[0] - e.centre[0], x[1] - e.centre[1]);
      out = {std::min(out[0], std::max(0.0, away - 1.2 * e.size)), std::max(out[1], away + 1.2 * e.size)};
    }
  return out;
}

}  // namespace conoid::elastic_bem
