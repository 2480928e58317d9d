// SPDX-License-Identifier: BSD-3-Clause
// Plain loops over pairs and Gauss points. Complex numbers are written out, as a Fortran compiler would treat them.
#include "engine/solvers/elastic_bem/verify/plain.hpp"
#include "engine/core/seconds_now.hpp"

#include <atomic>
#include <cmath>
#include <functional>
#include <numbers>

#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

struct Z {
  double re, im;
};
inline Z operator+(Z a, Z b) {
  return {a.re + b.re, a.im + b.im};
}
inline Z operator-(Z a, Z b) {
  return {a.re - b.re, a.im - b.im};
}
inline Z operator*(Z a, Z b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Z operator*(double a, Z b) {
  return {a * b.re, a * b.im};
}
inline Z operator/(double a, Z b) {
  const double n = b.re * b.re + b.im * b.im;
  return {a * b.re / n, -a * b.im / n};
}
inline Z exponential(Z z) {
  const double e = std::exp(z.re);
  return {e * std::cos(z.im), e * std::sin(z.im)};
}
inline Z z_of(Complex c) {
  return {c.real(), c.imag()};
}

class RowPhase final : public Phase {
 public:
  Index rows = 0;
  double end = 0;
  std::function<void(Index)> body;
  std::atomic<Index> done{0};
  [[nodiscard]] std::string_view name() const override { return "plain"; }
  [[nodiscard]] Index items() const override { return rows; }
  void run(CpuWorker& worker, Interval items) override {
    worker.for_each(items, 1, [&](Interval chunk, int) {
      for (Index k = chunk.begin; k < chunk.end; ++k) {
        if (seconds_now() > end) return;
        body(k);
        ++done;
      }
    });
  }
};

}  // namespace

PlainTimes plain_assembly(Team& team, const Surface& surface, const Harmonic& h, double budget) {
  constexpr double pi = std::numbers::pi;
  const Z ks = z_of(Complex(0, 1) * h.kS), kp = z_of(Complex(0, 1) * h.kP);
  const double k2 = h.kappa * h.kappa, L = 1 / k2 - 2;
  const Z factor = z_of(1.0 / (4 * pi * h.mu));
  std::vector<Vec3> normals;
  for (const Element& e : surface.elements) {
    const SurfacePoint p = e.at(0.5, 0.5);
    const double n = std::sqrt(p.area[0] * p.area[0] + p.area[1] * p.area[1] + p.area[2] * p.area[2]);
    normals.push_back({p.area[0] / n, p.area[1] / n, p.area[2] / n});
  }
  std::atomic<double> keep{0};
  const auto gauss = gauss_points(8);
  RowPhase dynamic;
  dynamic.rows = surface.node_count();
  dynamic.body = [&](Index i) {
    const Vec3 xi = surface.nodes[static_cast<std::size_t>(i)];
    std::vector<Z> row(static_cast<std::size_t>(18 * surface.active));
    for (Index j = 0; j < surface.active; ++j) {
      const Element& e = surface.elements[static_cast<std::size_t>(j)];
      const Vec3 n = normals[static_cast<std::size_t>(j)];
      Z* out = row.data() + 18 * j;
      for (const GaussPoint& a : gauss)
        for (const GaussPoint& b : gauss) {
          const SurfacePoint p = e.at(a.x, b.x);
          const double jw =
              std::sqrt(p.area[0] * p.area[0] + p.area[1] * p.area[1] + p.area[2] * p.area[2]) * a.w * b.w;
          const double dx = p.x[0] - xi[0], dy = p.x[1] - xi[1], dz = p.x[2] - xi[2];
          const double r = std::sqrt(dx * dx + dy * dy + dz * dz) + 1e-30;
          const double d[3] = {dx / r, dy / r, dz / r}, rn = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
          const Z zs = r * ks, zp = r * kp, es = exponential(-1.0 * zs), ep = k2 * exponential(-1.0 * zp);
          const Z s1 = 1 / zs, s2 = s1 * s1, p1 = 1 / zp, p2 = p1 * p1, one{1, 0};
          const Z psi = (1 / r) * ((one + s1 + s2) * es - (p1 + p2) * ep);
          const Z chi = (1 / r) * ((one + 3 * s1 + 3 * s2) * es - (one + 3 * p1 + 3 * p2) * ep);
          const Z dpsi =
              (1 / (r * r)) * (Z{0, 0} - (2 * one + zs + 3 * s1 + 3 * s2) * es + (one + 3 * p1 + 3 * p2) * ep);
          const Z dchi =
              (1 / (r * r)) * (Z{0, 0} - (4 * one + zs + 9 * s1 + 9 * s2) * es + (4 * one + zp + 9 * p1 + 9 * p2) * ep);
          const Z A = dpsi - (1 / r) * chi, B = (4 / r) * chi - 2 * dchi,
                  C = L * (dpsi - dchi - (2 / r) * chi) - (2 / r) * chi;
          for (std::size_t q = 0; q < 3; ++q)
            for (std::size_t k = 0; k < 3; ++k) {
              const double delta = q == k ? 1 : 0;
              const Z u = factor * (delta * psi - (d[q] * d[k]) * chi);
              const Z t = (0.25 / pi) * ((rn * delta + d[k] * n[q]) * A + (d[q] * d[k] * rn) * B + (d[q] * n[k]) * C);
              out[3 * q + k] = out[3 * q + k] + jw * u;
              out[9 + 3 * q + k] = out[9 + 3 * q + k] + jw * t;
            }
        }
    }
    keep.store(keep.load() + row[static_cast<std::size_t>(i % 18)].re);
  };
  PlainTimes times;
  double begin = seconds_now();
  dynamic.end = begin + budget;
  team.run(dynamic);
  times.share = static_cast<double>(dynamic.done.load()) / static_cast<double>(std::max<Index>(dynamic.rows, 1));
  times.pairs = (seconds_now() - begin) * static_cast<double>(dynamic.rows) /
                static_cast<double>(std::max<Index>(dynamic.done.load(), 1));

  RowPhase fixed;
  fixed.rows = surface.node_count();
  const double nu = h.nu;
  fixed.body = [&](Index i) {
    const Vec3 xi = surface.nodes[static_cast<std::size_t>(i)];
    double sum[9] = {};
    for (std::size_t j = 0; j < surface.elements.size(); ++j) {
      const Element& e = surface.elements[j];
      const Vec3 n = normals[j];
      for (const GaussPoint& a : gauss)
        for (const GaussPoint& b : gauss) {
          const SurfacePoint p = e.at(a.x, b.x);
          const double jw =
              std::sqrt(p.area[0] * p.area[0] + p.area[1] * p.area[1] + p.area[2] * p.area[2]) * a.w * b.w;
          const double dx = p.x[0] - xi[0], dy = p.x[1] - xi[1], dz = p.x[2] - xi[2];
          const double r = std::sqrt(dx * dx + dy * dy + dz * dz) + 1e-30;
          const double d[3] = {dx / r, dy / r, dz / r}, rn = d[0] * n[0] + d[1] * n[1] + d[2] * n[2];
          const double c = -jw / (8 * pi * (1 - nu) * r * r);
          for (std::size_t q = 0; q < 3; ++q)
            for (std::size_t k = 0; k < 3; ++k)
              sum[3 * q + k] +=
                  c * (rn * ((q == k ? 1 - 2 * nu : 0) + 3 * d[q] * d[k]) + (1 - 2 * nu) * (d[k] * n[q] - d[q] * n[k]));
        }
    }
    keep.store(keep.load() + sum[0]);
  };
  begin = seconds_now();
  fixed.end = begin + 0.5 * budget;
  team.run(fixed);
  times.static_sums = (seconds_now() - begin) * static_cast<double>(fixed.rows) /
                      static_cast<double>(std::max<Index>(fixed.done.load(), 1));
  return times;
}

}  // namespace conoid::elastic_bem
