// SPDX-License-Identifier: BSD-3-Clause
// Gauss-Lobatto points by Newton's method on Legendre polynomials; Lagrange tables by barycentric weights.
#include "engine/solvers/hydro_fem/discretization/basis.hpp"

#include "engine/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace conoid::hydro_fem {
namespace {

std::vector<double> barycentric(const std::vector<double>& nodes) {
  std::vector<double> w(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (j != i) w[i] /= nodes[i] - nodes[j];
  return w;
}

}  // namespace

std::vector<double> gauss_lobatto(int n) {
  verify(n >= 2, "a Gauss-Lobatto rule has at least two points");
  std::vector<double> out{0.0};
  for (int i = 1; i < n - 1; ++i) {
    // Roots of P'_{n-1}, from Chebyshev–Lobatto starts; (1-x²)P'' = 2xP' - m(m+1)P.
    const int m = n - 1;
    double x = -std::cos(std::numbers::pi * i / m);
    for (int it = 0; it < 100; ++it) {
      const auto [p, dp] = legendre(m, x);
      const double ddp = (2 * x * dp - m * (m + 1) * p) / (1 - x * x);
      const double dx = dp / ddp;
      x -= dx;
      if (std::abs(dx) < 1e-16) break;
    }
    out.push_back(0.5 * (x + 1));
  }
  out.push_back(1);
  return out;
}

Matrix lagrange(const std::vector<double>& nodes, const std::vector<double>& at) {
  const auto w = barycentric(nodes);
  const int n = static_cast<int>(nodes.size());
  Matrix m{static_cast<int>(at.size()), n, std::vector<double>(at.size() * nodes.size(), 0)};
  for (int r = 0; r < m.rows; ++r) {
    const double x = at[static_cast<std::size_t>(r)];
    for (int j = 0; j < n; ++j) {
      double v = w[static_cast<std::size_t>(j)];
      for (int i = 0; i < n; ++i)
        if (i != j) v *= x - nodes[static_cast<std::size_t>(i)];
      m(r, j) = v;
    }
  }
  return m;
}

Matrix lagrange_derivative(const std::vector<double>& nodes, const std::vector<double>& at) {
  const auto w = barycentric(nodes);
  const int n = static_cast<int>(nodes.size());
  Matrix m{static_cast<int>(at.size()), n, std::vector<double>(at.size() * nodes.size(), 0)};
  for (int r = 0; r < m.rows; ++r) {
    const double x = at[static_cast<std::size_t>(r)];
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int skip = 0; skip < n; ++skip) {
        if (skip == j) continue;
        double v = 1;
        for (int i = 0; i < n; ++i)
          if (i != j && i != skip) v *= x - nodes[static_cast<std::size_t>(i)];
        sum += v;
      }
      m(r, j) = w[static_cast<std::size_t>(j)] * sum;
    }
  }
  return m;
}

Matrix inverse(Matrix m) {
  verify(m.rows == m.cols, "inverse of a square matrix");
  const int n = m.rows;
  Matrix out{n, n, std::vector<double>(m.a.size(), 0)};
  for (int i = 0; i < n; ++i) out(i, i) = 1;
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int r = c + 1; r < n; ++r)
      if (std::abs(m(r, c)) > std::abs(m(pivot, c))) pivot = r;
    verify(m(pivot, c) != 0, "inverse of a regular matrix");
    for (int j = 0; j < n; ++j) {
      std::swap(m(c, j), m(pivot, j));
      std::swap(out(c, j), out(pivot, j));
    }
    const double scale = 1 / m(c, c);
    for (int j = 0; j < n; ++j) {
      m(c, j) *= scale;
      out(c, j) *= scale;
    }
    for (int r = 0; r < n; ++r) {
      const double f = m(r, c);
      if (r == c || f == 0) continue;
      for (int j = 0; j < n; ++j) {
        m(r, j) -= f * m(c, j);
        out(r, j) -= f * out(c, j);
      }
    }
  }
  return out;
}

double largest_stiffness(int k) {
  // In Legendre polynomials scaled to unit mass the matrix is K alone; powers of it find the largest eigenvalue.
  const int n = k + 1;
  Matrix D{n, n, std::vector<double>(static_cast<std::size_t>(n * n), 0)}, K = D;
  for (int i = 0; i < n; ++i)
    for (int j = i - 1; j >= 0; j -= 2) D(i, j) = 2 * std::sqrt((2.0 * i + 1) * (2.0 * j + 1));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int m = 0; m < n; ++m) K(i, j) += D(i, m) * D(j, m);
  std::vector<double> v(static_cast<std::size_t>(n), 1), next(v);
  double eigenvalue = 0;
  for (int turn = 0; turn < 300; ++turn) {
    double largest = 0;
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += K(i, j) * v[static_cast<std::size_t>(j)];
      next[static_cast<std::size_t>(i)] = sum;
      largest = std::max(largest, std::abs(sum));
    }
    for (double& x : next) x /= largest;
    std::swap(v, next);
    eigenvalue = largest;
  }
  return eigenvalue;
}

Tables::Tables(int order)
    : k(order), h1(order + 1), l2(order), q(2 * order), h1_nodes(gauss_lobatto(order + 1)),
      l2_nodes(gauss_legendre(order).points), rule(gauss_legendre(2 * order)), B(lagrange(h1_nodes, rule.points)),
      G(lagrange_derivative(h1_nodes, rule.points)),
      L(lagrange(l2_nodes, rule.points)), M{h1, h1, std::vector<double>(static_cast<std::size_t>(h1 * h1), 0)}, C{},
      P{k, h1, std::vector<double>(static_cast<std::size_t>(k * h1), 0)} {
  for (int i = 0; i < h1; ++i)
    for (int j = 0; j < h1; ++j)
      for (int p = 0; p < q; ++p) M(i, j) += rule.weights[static_cast<std::size_t>(p)] * B(p, i) * B(p, j);
  C = inverse(M);
  for (int i = 0; i < h1; ++i)
    for (int j = 0; j < h1; ++j) C(i, j) *= M(i, i) * M(j, j);
  for (int p = 0; p < q; ++p) {
    const double x = 2 * rule.points[static_cast<std::size_t>(p)] - 1;
    double before = 1, here = x;
    for (int j = 1; j <= k; ++j) {
      const double weight = rule.weights[static_cast<std::size_t>(p)] * std::sqrt(2.0 * j + 1) * here;
      for (int i = 0; i < h1; ++i) P(j - 1, i) += weight * B(p, i);
      const double next = ((2 * j + 1) * x * here - j * before) / (j + 1);
      before = here;
      here = next;
    }
  }
}

}  // namespace conoid::hydro_fem
