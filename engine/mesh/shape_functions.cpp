// SPDX-License-Identifier: BSD-3-Clause
// Lagrange shape functions, products of 1-D ones where the cell is a product.
#include "engine/mesh/shape_functions.hpp"

#include <mutex>
#include <utility>

#include "engine/numerics/gauss_legendre.hpp"

namespace conoid {
namespace {

struct Value1 {
  double n, d;
};

// 1-D Lagrange functions on [0,1]: node 0 at 0, node 1 at 1, node 2 in the middle.
Value1 linear(int i, double x) {
  return i == 0 ? Value1{1 - x, -1} : Value1{x, 1};
}
Value1 quadratic(int i, double x) {
  switch (i) {
    case 0: return {(1 - x) * (1 - 2 * x), 4 * x - 3};
    case 1: return {x * (2 * x - 1), 4 * x - 1};
    default: return {4 * x * (1 - x), 4 - 8 * x};
  }
}

// Position of each node of a product cell as 1-D node numbers (0 low, 1 high, 2 middle).
constexpr std::array<std::array<std::int8_t, 2>, 9> quad_lattice{
    {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 2}}};
constexpr std::array<std::array<std::int8_t, 3>, 27> hex_lattice{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}, {2, 0, 0},
     {1, 2, 0}, {2, 1, 0}, {0, 2, 0}, {2, 0, 1}, {1, 2, 1}, {2, 1, 1}, {0, 2, 1}, {0, 0, 2}, {1, 0, 2},
     {1, 1, 2}, {0, 1, 2}, {0, 2, 2}, {1, 2, 2}, {2, 0, 2}, {2, 1, 2}, {2, 2, 0}, {2, 2, 1}, {2, 2, 2}}};

void product(ShapeValues& v, int nodes, int dim, const Vec3& x, bool second) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(nodes); ++i) {
    std::array<Value1, 3> f{{{1, 0}, {1, 0}, {1, 0}}};
    for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
      const int k = dim == 2 ? quad_lattice[i][a] : hex_lattice[i][a];
      f[a] = second ? quadratic(k, x[a]) : linear(k, x[a]);
    }
    v.n[i] = f[0].n * f[1].n * f[2].n;
    v.dn[i] = {f[0].d * f[1].n * f[2].n, f[0].n * f[1].d * f[2].n, f[0].n * f[1].n * f[2].d};
  }
}

// Barycentric coordinates L and their constant gradients.
void simplex(ShapeValues& v, CellShape shape, const Vec3& x) {
  const int dim = dimension_of(shape);
  std::array<double, 4> l{};
  std::array<Vec3, 4> g{};
  l[0] = 1;
  for (std::size_t a = 0; a < static_cast<std::size_t>(dim); ++a) {
    l[0] -= x[a];
    l[a + 1] = x[a];
    g[a + 1][a] = 1;
    g[0][a] = -1;
  }
  const auto corners = static_cast<std::size_t>(dim) + 1;
  if (order_of(shape) == 1) {
    for (std::size_t i = 0; i < corners; ++i) {
      v.n[i] = l[i];
      v.dn[i] = g[i];
    }
    return;
  }
  for (std::size_t i = 0; i < corners; ++i) {
    v.n[i] = l[i] * (2 * l[i] - 1);
    for (std::size_t a = 0; a < 3; ++a) v.dn[i][a] = (4 * l[i] - 1) * g[i][a];
  }
  constexpr std::array<std::array<std::size_t, 2>, 6> edges{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};
  for (std::size_t e = 0; corners + e < static_cast<std::size_t>(nodes_of(shape)); ++e) {
    const auto [p, q] = edges[e];
    v.n[corners + e] = 4 * l[p] * l[q];
    for (std::size_t a = 0; a < 3; ++a) v.dn[corners + e][a] = 4 * (l[p] * g[q][a] + l[q] * g[p][a]);
  }
}

// Serendipity functions (Zienkiewicz, Taylor, Zhu, "The Finite Element Method", vol. 1, §4.6), on [-1,1]^dim:
// corner 1/2^dim Π(1+ξξ_i) (Σ ξξ_i − (dim−1)), edge 1/2^(dim−1) (1−ξ²) Π(1+ηη_i).
void serendipity(ShapeValues& v, int nodes, int dim, const Vec3& x01) {
  const auto d = static_cast<std::size_t>(dim);
  Vec3 x{};
  for (std::size_t a = 0; a < d; ++a) x[a] = 2 * x01[a] - 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(nodes); ++i) {
    Vec3 at{};
    std::size_t middle = 3;
    for (std::size_t a = 0; a < d; ++a) {
      const int k = dim == 2 ? quad_lattice[i][a] : hex_lattice[i][a];
      at[a] = k == 0 ? -1.0 : k == 1 ? 1.0 : 0.0;
      if (k == 2) middle = a;
    }
    double all = 1;
    for (std::size_t a = 0; a < d; ++a)
      if (a != middle) all *= (1 + x[a] * at[a]) / 2;
    const auto without = [&](std::size_t skip) {
      double p = 1;
      for (std::size_t b = 0; b < d; ++b)
        if (b != skip && b != middle) p *= (1 + x[b] * at[b]) / 2;
      return p;
    };
    if (middle == 3) {
      double s = 1.0 - static_cast<double>(dim);
      for (std::size_t a = 0; a < d; ++a) s += x[a] * at[a];
      v.n[i] = all * s;
      for (std::size_t a = 0; a < d; ++a) v.dn[i][a] = 2 * (at[a] / 2 * without(a) * s + all * at[a]);
    } else {
      const double bubble = 1 - x[middle] * x[middle];
      v.n[i] = bubble * all;
      for (std::size_t a = 0; a < d; ++a)
        v.dn[i][a] = 2 * (a == middle ? -2 * x[a] * all : bubble * at[a] / 2 * without(a));
    }
  }
}

enum class Domain { point, line, triangle, quad, tet, hex };

Domain domain_of(CellShape s) {
  switch (dimension_of(s)) {
    case 0: return Domain::point;
    case 1: return Domain::line;
    case 2: return corners_of(s) == 3 ? Domain::triangle : Domain::quad;
    default: return corners_of(s) == 4 ? Domain::tet : Domain::hex;
  }
}

std::vector<QuadraturePoint> make_rule(Domain domain, int n) {
  const LineRule rule = gauss_legendre(n);
  std::vector<std::pair<double, double>> g;
  for (std::size_t i = 0; i < rule.points.size(); ++i) g.emplace_back(rule.points[i], rule.weights[i]);
  std::vector<QuadraturePoint> out;
  if (domain == Domain::point) return {{{0, 0, 0}, 1}};
  for (const auto& [x, wx] : g) {
    if (domain == Domain::line) {
      out.push_back({{x, 0, 0}, wx});
      continue;
    }
    for (const auto& [y, wy] : g) {
      if (domain == Domain::quad) out.push_back({{x, y, 0}, wx * wy});
      if (domain == Domain::triangle) out.push_back({{x, y * (1 - x), 0}, wx * wy * (1 - x)});
      if (domain == Domain::quad || domain == Domain::triangle) continue;
      for (const auto& [z, wz] : g) {
        if (domain == Domain::hex)
          out.push_back({{x, y, z}, wx * wy * wz});
        else
          out.push_back({{x, y * (1 - x), z * (1 - x) * (1 - y)}, wx * wy * wz * (1 - x) * (1 - x) * (1 - y)});
      }
    }
  }
  return out;
}

}  // namespace

ShapeValues shape_values(CellShape shape, const Vec3& x) {
  ShapeValues v;
  switch (shape) {
    case CellShape::vertex: v.n[0] = 1; break;
    case CellShape::line2:
      for (int i = 0; i < 2; ++i) {
        const Value1 f = linear(i, x[0]);
        v.n[static_cast<std::size_t>(i)] = f.n;
        v.dn[static_cast<std::size_t>(i)][0] = f.d;
      }
      break;
    case CellShape::line3:
      for (int i = 0; i < 3; ++i) {
        const Value1 f = quadratic(i, x[0]);
        v.n[static_cast<std::size_t>(i)] = f.n;
        v.dn[static_cast<std::size_t>(i)][0] = f.d;
      }
      break;
    case CellShape::triangle3:
    case CellShape::triangle6:
    case CellShape::tet4:
    case CellShape::tet10: simplex(v, shape, x); break;
    case CellShape::quad4: product(v, 4, 2, x, false); break;
    case CellShape::quad9: product(v, 9, 2, x, true); break;
    case CellShape::hex8: product(v, 8, 3, x, false); break;
    case CellShape::hex27: product(v, 27, 3, x, true); break;
    case CellShape::quad8: serendipity(v, 8, 2, x); break;
    case CellShape::hex20: serendipity(v, 20, 3, x); break;
  }
  return v;
}

Vec3 reference_node(CellShape shape, int node) {
  const auto i = static_cast<std::size_t>(node);
  const auto place = [](int k) { return k == 0 ? 0.0 : k == 1 ? 1.0 : 0.5; };
  switch (domain_of(shape)) {
    case Domain::point: return {0, 0, 0};
    case Domain::line: return {place(node), 0, 0};
    case Domain::quad: return {place(quad_lattice[i][0]), place(quad_lattice[i][1]), 0};
    case Domain::hex: return {place(hex_lattice[i][0]), place(hex_lattice[i][1]), place(hex_lattice[i][2])};
    case Domain::triangle: {
      constexpr std::array<Vec3, 6> at{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {.5, 0, 0}, {.5, .5, 0}, {0, .5, 0}}};
      return at[i];
    }
    case Domain::tet: {
      constexpr std::array<Vec3, 10> at{{{0, 0, 0},
                                         {1, 0, 0},
                                         {0, 1, 0},
                                         {0, 0, 1},
                                         {.5, 0, 0},
                                         {.5, .5, 0},
                                         {0, .5, 0},
                                         {0, 0, .5},
                                         {.5, 0, .5},
                                         {0, .5, .5}}};
      return at[i];
    }
  }
  return {};
}

std::span<const QuadraturePoint> quadrature(CellShape shape, int n) {
  constexpr int most = 16;
  verify(n >= 1 && n <= most, "quadrature has 1 to 16 points a direction");
  struct Rule {
    std::once_flag made;
    std::vector<QuadraturePoint> points;
  };
  static std::array<std::array<Rule, most + 1>, 6> rules;
  const Domain domain = domain_of(shape);
  Rule& rule = rules[static_cast<std::size_t>(domain)][static_cast<std::size_t>(n)];
  std::call_once(rule.made, [&] { rule.points = make_rule(domain, n); });
  return rule.points;
}

}  // namespace conoid
