// SPDX-License-Identifier: BSD-3-Clause
// Dilatation of hollows, rigid motions of free bodies.
#include "engine/solvers/elastic_bem/discretization/weak_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <Eigen/Dense>

#include "engine/core/vec3.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr int dilatation_points = 8;

/// Calls body(x, unit normal, weight, shape functions, element) at the points of a rule over every element; `at`: near it the rule is
/// refined.
template <class Body>
void over_surface(const Surface& s, const Vec3* at, double target, double wave_number, const Body& body) {
  PointSet set;
  for (Index k = 0; k < s.active; ++k) {
    const Element& e = s.elements[static_cast<std::size_t>(k)];
    set.clear();
    if (at != nullptr)
      near_rule(e, *at, target, wave_number, set);
    else
      product_rule(e, 5, 5, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      const double w = set.w[q];
      body(Vec3{set.x[q], set.y[q], set.z[q]}, Vec3{set.nx[q] / w, set.ny[q] / w, set.nz[q] / w}, w, set.shape[q], e);
    }
  }
}

void add(std::vector<Complex3>& to, const std::array<Index, most_nodes>& nodes, const Element& e, double weight,
         const std::array<double, most_nodes>& shape, const Complex3& value) {
  for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
    for (std::size_t d = 0; d < 3; ++d) to[static_cast<std::size_t>(nodes[a])][d] += weight * shape[a] * value[d];
}

}  // namespace

std::vector<WeakMode> hollow_modes(const Surface& s, const Harmonic& h) {
  std::vector<WeakMode> out;
  if (h.nu < from_poisson) return out;
  const auto m = static_cast<std::size_t>(s.node_count());
  for (std::size_t c = 0; c < s.hollow.size(); ++c) {
    if (!s.hollow[c]) continue;
    const double radius = hollow_radius(s, static_cast<int>(c));
    if (std::abs(h.kP) * radius >= 1) continue;
    const std::vector<Vec3> points = hollow_points(s, static_cast<int>(c), dilatation_points, 1);
    if (points.empty()) continue;
    WeakMode mode;
    mode.rows.assign(3 * m, 0);
    mode.replaced.assign(3 * m, 0);
    mode.displacement.resize(m);
    mode.traction.resize(s.traction_node.size());
    over_surface(s, nullptr, 0, 0, [&](const Vec3&, const Vec3& n, double w, const auto& shape, const Element& e) {
      if (e.component != static_cast<int>(c)) return;
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (std::size_t d = 0; d < 3; ++d)
          mode.replaced[d * m + static_cast<std::size_t>(e.node[a])] += w * shape[a] * n[d];
    });
    for (std::size_t n = 0; n < m; ++n)
      if (s.elements[static_cast<std::size_t>(s.touches[n].front().element)].component == static_cast<int>(c))
        for (std::size_t d = 0; d < 3; ++d) mode.rows[d * m + n] = s.normals[n][d];
    const double share = 1 / static_cast<double>(points.size());
    const Complex scale_ = radius / h.mu, i1(0, 1), k = h.kP;
    for (const Vec3& at : points)
      over_surface(
          s, &at, 1e-7, std::abs(k), [&](const Vec3& x, const Vec3& n, double w, const auto& shape, const Element& e) {
            const Vec3 d = sub(x, at);
            const double r = norm(d);
            const Vec3 g = scale(1 / r, d);
            const double gn = dot(g, n);
            const Complex phi = std::exp(-i1 * k * r) / (4 * std::numbers::pi * r), first = -phi * (i1 * k + 1 / r),
                          second = phi * (-k * k + 2.0 * i1 * k / r + 2 / (r * r));
            Complex3 of_u{}, of_t{};
            for (std::size_t j = 0; j < 3; ++j) {
              of_t[j] = -scale_ * first * g[j];
              of_u[j] = scale_ * (2.0 * h.mu * (second * gn * g[j] + first / r * (n[j] - gn * g[j])) -
                                  h.lambda * k * k * phi * n[j]);
            }
            add(mode.displacement, e.node, e, w * share, shape, of_u);
            add(mode.traction, e.traction, e, w * share, shape, of_t);
          });
    out.push_back(std::move(mode));
  }
  return out;
}

Vec3 FreeMotions::at(std::size_t motion, const Vec3& x) const {
  const auto& a = motions[motion];
  const Vec3 turn{a[3] / size, a[4] / size, a[5] / size};
  return conoid::vec::add({a[0], a[1], a[2]}, cross(turn, sub(x, centre)));
}

std::vector<Complex> FreeMotions::forces(const Surface& s, const std::vector<Complex3>& traction, double& whole) const {
  std::vector<Complex> out(motions.size());
  whole = 0;
  if (traction.empty()) return out;
  over_surface(s, nullptr, 0, 0, [&](const Vec3& x, const Vec3&, double w, const auto& shape, const Element& e) {
    Complex3 t{};
    for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
      for (std::size_t d = 0; d < 3; ++d) t[d] += shape[a] * traction[static_cast<std::size_t>(e.traction[a])][d];
    whole += w * std::sqrt(std::norm(t[0]) + std::norm(t[1]) + std::norm(t[2]));
    for (std::size_t q = 0; q < out.size(); ++q) {
      const Vec3 r = at(q, x);
      out[q] += w * (t[0] * r[0] + t[1] * r[1] + t[2] * r[2]);
    }
  });
  return out;
}

FreeMotions free_motions(const Surface& s, const std::vector<Condition>& conditions) {
  FreeMotions out;
  int bodies = 0;
  for (std::size_t c = 0; c < s.closed.size(); ++c) bodies += s.closed[c] && !s.hollow[c] ? 1 : 0;
  if (bodies != 1 || std::count(s.closed.begin(), s.closed.end(), false) > 0) return out;
  out.size = 0.5 * s.diameter;
  Vec3 first{};
  over_surface(s, nullptr, 0, 0, [&](const Vec3& x, const Vec3& n, double w, const auto&, const Element&) {
    const Vec3 d = sub(x, s.centre);
    out.volume += w * dot(d, n) / 3;
    first = axpy(w * dot(d, n) / 4, d, first);
  });
  out.centre = axpy(1 / out.volume, first, s.centre);
  std::array<double, 9> second{};
  over_surface(s, nullptr, 0, 0, [&](const Vec3& x, const Vec3& n, double w, const auto&, const Element&) {
    const Vec3 d = sub(x, out.centre);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) second[3 * i + j] += w * dot(d, n) / 5 * d[i] * d[j];
  });
  const double trace = second[0] + second[4] + second[8];
  for (std::size_t i = 0; i < 3; ++i) {
    out.inertia[7 * i] = out.volume;
    for (std::size_t j = 0; j < 3; ++j)
      out.inertia[6 * (3 + i) + 3 + j] = ((i == j ? trace : 0) - second[3 * i + j]) / (out.size * out.size);
  }
  // Motions that vanish wherever a displacement is given.
  Eigen::Matrix<double, 6, 6> held = Eigen::Matrix<double, 6, 6>::Zero();
  FreeMotions all = out;
  for (std::size_t q = 0; q < 6; ++q) {
    all.motions.emplace_back();
    all.motions.back()[q] = 1;
  }
  for (std::size_t t = 0; t < s.traction_node.size(); ++t)
    for (std::size_t d = 0; d < 3; ++d) {
      if (!conditions[static_cast<std::size_t>(s.traction_condition[t])].displacement[d]) continue;
      Eigen::Matrix<double, 6, 1> row;
      for (std::size_t q = 0; q < 6; ++q)
        row[static_cast<Eigen::Index>(q)] = all.at(q, s.nodes[static_cast<std::size_t>(s.traction_node[t])])[d];
      held += row * row.transpose();
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>> modes(held);
  for (Eigen::Index q = 0; q < 6; ++q)
    if (modes.eigenvalues()[q] <= 1e-10 * std::max(modes.eigenvalues()[5], 1e-300)) {
      out.motions.emplace_back();
      for (std::size_t i = 0; i < 6; ++i) out.motions.back()[i] = modes.eigenvectors()(static_cast<Eigen::Index>(i), q);
    }
  return out;
}

std::string unbalanced_text(double share) {
  return fmt::format(
      "nothing holds the body, and the loads on it are not in equilibrium: their resultant is {:.2g} of them; at 0 Hz "
      "it "
      "has no position of rest",
      share);
}

std::vector<WeakMode> free_modes(const Surface& s, const FreeMotions& free, const Harmonic& h) {
  const auto m = static_cast<std::size_t>(s.node_count());
  std::vector<WeakMode> out(free.motions.size());
  for (std::size_t q = 0; q < out.size(); ++q) {
    WeakMode& mode = out[q];
    mode.rows.resize(3 * m);
    mode.displacement.resize(m);
    mode.traction.resize(s.traction_node.size());
    for (std::size_t n = 0; n < m; ++n) {
      const Vec3 r = free.at(q, s.nodes[n]);
      for (std::size_t d = 0; d < 3; ++d) mode.rows[d * m + n] = r[d];
    }
    const auto& a = free.motions[q];
    const Vec3 turn{a[3] / free.size, a[4] / free.size, a[5] / free.size};
    const Complex stiff = h.lambda + 2.0 * h.mu;
    over_surface(s, nullptr, 0, 0,
                 [&](const Vec3& place, const Vec3& n, double w, const auto& shape, const Element& e) {
                   const Vec3 x = sub(place, free.centre), v = cross(turn, x);
                   // Translations: w_j = x_j²/2/(λ + 2μ); rotations: w = |x|² v/(10 μ).
                   Complex3 field{}, force{};
                   for (std::size_t j = 0; j < 3; ++j) {
                     field[j] += a[j] * 0.5 * x[j] * x[j] / stiff + dot(x, x) * v[j] / (10.0 * h.mu);
                     force[j] += a[j] * 2.0 * h.mu / stiff * x[j] * n[j] + (dot(x, n) * v[j] + x[j] * dot(v, n)) / 5;
                     for (std::size_t i = 0; i < 3; ++i) force[j] += a[i] * h.lambda / stiff * x[i] * n[j];
                   }
                   for (Complex& f : field) f = -f;
                   add(mode.displacement, e.node, e, w / free.volume, shape, force);
                   add(mode.traction, e.traction, e, w / free.volume, shape, field);
                 });
  }
  return out;
}

std::vector<Complex> rigid_answer(const FreeMotions& free, const Harmonic& h, const std::vector<Complex>& forces) {
  const auto n = static_cast<Eigen::Index>(free.motions.size());
  Eigen::MatrixXd mass(n, n);
  Eigen::VectorXcd f(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    f[i] = forces[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < n; ++j) {
      mass(i, j) = 0;
      for (std::size_t p = 0; p < 6; ++p)
        for (std::size_t q = 0; q < 6; ++q)
          mass(i, j) += h.rho * free.motions[static_cast<std::size_t>(i)][p] * free.inertia[6 * p + q] *
                        free.motions[static_cast<std::size_t>(j)][q];
    }
  }
  const Eigen::VectorXcd c = mass.cast<Complex>().ldlt().solve(f) / (-h.omega * h.omega);
  return {c.data(), c.data() + n};
}

}  // namespace conoid::elastic_bem
