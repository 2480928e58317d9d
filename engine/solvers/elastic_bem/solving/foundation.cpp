// SPDX-License-Identifier: BSD-3-Clause
// Unit motions, resultants, 6F × 6F algebra.
#include "engine/solvers/elastic_bem/solving/foundation.hpp"

#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/solving/beam.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::string motion_name(const std::vector<Foundation>& foundations, std::size_t k) {
  return (foundations.size() == 1 ? std::string() : foundations[k / 6].name + " ") + motion_names[k % 6];
}

std::size_t node_motions(const std::vector<Foundation>& foundations) {
  std::size_t out = 0;
  for (const Foundation& f : foundations) out += 6 * f.nodes();
  return out;
}

std::vector<LoadValues> unit_motions(const BoundarySystem& system, const Foundation& f) {
  const Surface& s = system.surface();
  std::vector<LoadValues> out(6 * f.nodes());
  for (std::size_t q = 0; q < out.size(); ++q) {
    out[q].displacement.resize(static_cast<std::size_t>(s.node_count()));
    for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
      if (s.traction_condition[t] != f.condition) continue;
      const auto n = static_cast<std::size_t>(s.traction_node[t]);
      Vec3 u{};
      if (f.beam) {
        u = beam_motion(*f.beam, static_cast<int>(q / 6), q % 6, s.nodes[n]);
      } else if (q < 3) {
        u[q] = 1;
      } else {
        Vec3 theta{};
        theta[q - 3] = 1;
        u = cross(theta, sub(s.nodes[n], f.reference));
      }
      for (std::size_t d = 0; d < 3; ++d)
        if (system.conditions()[static_cast<std::size_t>(f.condition)].displacement[d])
          out[q].displacement[n][d] = u[d];
    }
  }
  return out;
}

std::vector<Complex> impedance(const Surface& surface, const std::vector<Foundation>& foundations,
                               std::span<const BoundaryValues> motions_) {
  const std::size_t n = 6 * foundations.size();
  std::vector<Complex> k(n * n);
  for (std::size_t column = 0; column < n; ++column)
    for (std::size_t f = 0; f < foundations.size(); ++f) {
      const auto r = resultant(surface, foundations[f].condition, foundations[f].reference, motions_[column]);
      for (std::size_t q = 0; q < 6; ++q) k[(6 * f + q) * n + column] = r[q];
    }
  return k;
}

void add_incident(const Surface& s, const IncidentField& field, BoundaryValues& values, std::size_t first_node,
                  std::size_t first_traction) {
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    const auto u = field.displacement(s.nodes[n]);
    for (std::size_t d = 0; d < 3; ++d) values.displacement[first_node + n][d] += u[d];
  }
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    const auto stress = field.traction(s.nodes[static_cast<std::size_t>(s.traction_node[t])], s.traction_normal[t]);
    for (std::size_t d = 0; d < 3; ++d) values.traction[first_traction + t][d] += stress[d];
  }
}

std::vector<Complex> held_forces(const Surface& surface, const std::vector<Foundation>& foundations,
                                 BoundaryValues scattered, const IncidentField* incident) {
  if (incident != nullptr) add_incident(surface, *incident, scattered);
  std::vector<Complex> out;
  for (const Foundation& f : foundations) {
    const auto r = resultant(surface, f.condition, f.reference, scattered);
    out.insert(out.end(), r.begin(), r.end());
  }
  return out;
}

namespace {

/// Solves the n × n system for several right-hand sides by elimination with pivots; rows without stiffness give zeros.
void eliminate(std::vector<Complex>& a, std::vector<Complex>& b, std::size_t n, std::size_t columns) {
  std::vector<char> used(n, 1);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(a[i * n + i]));
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) row = std::max({row, std::abs(a[i * n + j]), std::abs(a[j * n + i])});
    if (!(row > 1e-9 * largest)) used[i] = 0;
  }
  std::vector<std::size_t> keep;
  for (std::size_t i = 0; i < n; ++i)
    if (used[i] != 0) keep.push_back(i);
  const std::size_t m = keep.size();
  std::vector<Complex> c(m * m), d(m * columns);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) c[i * m + j] = a[keep[i] * n + keep[j]];
    for (std::size_t j = 0; j < columns; ++j) d[i * columns + j] = b[keep[i] * columns + j];
  }
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < m; ++i)
      if (std::abs(c[i * m + k]) > std::abs(c[p * m + k])) p = i;
    if (p != k) {
      for (std::size_t j = 0; j < m; ++j) std::swap(c[k * m + j], c[p * m + j]);
      for (std::size_t j = 0; j < columns; ++j) std::swap(d[k * columns + j], d[p * columns + j]);
    }
    for (std::size_t i = k + 1; i < m; ++i) {
      const Complex f = c[i * m + k] / c[k * m + k];
      for (std::size_t j = k; j < m; ++j) c[i * m + j] -= f * c[k * m + j];
      for (std::size_t j = 0; j < columns; ++j) d[i * columns + j] -= f * d[k * columns + j];
    }
  }
  for (std::size_t k = m; k-- > 0;)
    for (std::size_t j = 0; j < columns; ++j) {
      Complex v = d[k * columns + j];
      for (std::size_t i = k + 1; i < m; ++i) v -= c[k * m + i] * d[i * columns + j];
      d[k * columns + j] = v / c[k * m + k];
    }
  std::fill(b.begin(), b.end(), Complex(0));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < columns; ++j) b[keep[i] * columns + j] = d[i * columns + j];
}

}  // namespace

std::vector<Complex> inverse_where_stiff(std::vector<Complex> k, std::size_t n) {
  // Lengths and angles have different units: scale rotations by the ratio of the diagonals first.
  std::vector<Complex> b(n * n);
  for (std::size_t i = 0; i < n; ++i) b[i * n + i] = 1;
  std::vector<double> s(n, 1);
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(k[i * n + i]) > 0) s[i] = 1 / std::sqrt(std::abs(k[i * n + i]));
  double translation = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (i % 6 < 3) translation = std::max(translation, std::abs(k[i * n + i]));
  double rotation = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (i % 6 >= 3) rotation = std::max(rotation, std::abs(k[i * n + i]));
  for (std::size_t i = 0; i < n; ++i)
    if (std::abs(k[i * n + i]) < 1e-9 * (i % 6 < 3 ? translation : rotation)) s[i] = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) k[i * n + j] *= s[i] * s[j];
  eliminate(k, b, n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) b[i * n + j] *= s[i] * s[j];
  return b;
}

std::vector<Complex> AddedStiffness::at(double f) const {
  const auto above = std::upper_bound(frequencies.begin(), frequencies.end(), f);
  if (above == frequencies.begin()) return values.front();
  if (above == frequencies.end()) return values.back();
  const auto k = static_cast<std::size_t>(above - frequencies.begin());
  const double share = (f - frequencies[k - 1]) / (frequencies[k] - frequencies[k - 1]);
  std::vector<Complex> out = values[k - 1];
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += share * (values[k][i] - out[i]);
  return out;
}

std::vector<Complex> motions(const std::vector<Foundation>& foundations, const std::vector<Complex>& k, double omega,
                             const std::vector<Complex>& fixed, const std::vector<Complex>& p,
                             const std::vector<Complex>& added) {
  const std::size_t n = 6 * foundations.size();
  std::vector<Complex> a = k;
  for (std::size_t i = 0; i < added.size(); ++i) a[i] += added[i];
  for (std::size_t f = 0; f < foundations.size(); ++f) {
    const Foundation& b = foundations[f];
    const Vec3& c = b.centre_of_mass;
    // M = m [I, −[c]×; [c]×, ...] with [c]× v = c × v
    const double x[3][3] = {{0, -c[2], c[1]}, {c[2], 0, -c[0]}, {-c[1], c[0], 0}};
    std::array<std::array<double, 6>, 6> m{};
    for (std::size_t i = 0; i < 3; ++i) {
      m[i][i] = b.mass;
      m[3 + i][3 + i] += b.inertia[i];
      m[3 + i][3 + (i + 1) % 3] -= b.products[i];
      m[3 + (i + 1) % 3][3 + i] -= b.products[i];
      for (std::size_t j = 0; j < 3; ++j) {
        m[i][3 + j] = -b.mass * x[i][j];
        m[3 + i][j] = b.mass * x[i][j];
        for (std::size_t q = 0; q < 3; ++q) m[3 + i][3 + j] -= b.mass * x[i][q] * x[q][j];
      }
    }
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) a[(6 * f + i) * n + 6 * f + j] -= omega * omega * m[i][j];
  }
  const std::vector<Complex> inverse = inverse_where_stiff(a, n);
  std::vector<Complex> d(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) d[i] += inverse[i * n + j] * (p[j] - fixed[j]);
  return d;
}

}  // namespace conoid::elastic_bem
