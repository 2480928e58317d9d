// SPDX-License-Identifier: BSD-3-Clause
// Plain loops over points and bases.
#include "engine/solvers/hydro_fem/kernels/reference.hpp"

#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace conoid::hydro_fem::reference {
namespace {

/// Eigenvalues on the diagonal of a, eigenvectors in the columns of v: rotations until nothing but rounding is left beside it.
/// Rounding is some 1e-16 of the norm: asked for less, equal eigenvalues (gas at rest) would be rotated for ever.
void jacobi(int n, std::array<double, 9>& a, std::array<double, 9>& v) {
  v = {};
  for (int i = 0; i < n; ++i) v[u(i * n + i)] = 1;
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, all = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        all += a[u(i * n + j)] * a[u(i * n + j)];
        if (i != j) off += a[u(i * n + j)] * a[u(i * n + j)];
      }
    if (!(off > 1e-31 * all)) return;
    for (int p = 0; p < n; ++p)
      for (int q = p + 1; q < n; ++q) {
        const double apq = a[u(p * n + q)];
        if (apq == 0) continue;
        const double theta = (a[u(q * n + q)] - a[u(p * n + p)]) / (2 * apq);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0), s = t * c;
        for (int i = 0; i < n; ++i) {
          const double x = a[u(i * n + p)], y = a[u(i * n + q)];
          a[u(i * n + p)] = c * x - s * y;
          a[u(i * n + q)] = s * x + c * y;
        }
        for (int i = 0; i < n; ++i) {
          const double x = a[u(p * n + i)], y = a[u(q * n + i)];
          a[u(p * n + i)] = c * x - s * y;
          a[u(q * n + i)] = s * x + c * y;
        }
        for (int i = 0; i < n; ++i) {
          const double x = v[u(i * n + p)], y = v[u(i * n + q)];
          v[u(i * n + p)] = c * x - s * y;
          v[u(i * n + q)] = s * x + c * y;
        }
      }
  }
}

std::array<double, 9> product(int n, const std::array<double, 9>& a, const std::array<double, 9>& b) {
  std::array<double, 9> out{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int m = 0; m < n; ++m) out[u(i * n + j)] += a[u(i * n + m)] * b[u(m * n + j)];
  return out;
}

std::array<double, 9> transposed(int n, const std::array<double, 9>& a) {
  std::array<double, 9> out{};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out[u(i * n + j)] = a[u(j * n + i)];
  return out;
}

/// |m s| for a column s of `vectors`.
double image_length(int n, const std::array<double, 9>& m, const std::array<double, 9>& vectors, int s) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double image = 0;
    for (int j = 0; j < n; ++j) image += m[u(i * n + j)] * vectors[u(j * n + s)];
    sum += image * image;
  }
  return std::sqrt(sum);
}

int smallest_diagonal(int n, const std::array<double, 9>& a) {
  int best = 0;
  for (int i = 1; i < n; ++i)
    if (a[u(i * n + i)] < a[u(best * n + best)]) best = i;
  return best;
}

}  // namespace

double measure(int turns, double radius) {
  return turns == 0 ? 1 : turns == 1 ? radius : radius * radius;
}

double determinant(int dim, const std::array<double, 9>& J) {
  if (dim == 1) return J[0];
  if (dim == 2) return J[0] * J[3] - J[1] * J[2];
  return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) + J[2] * (J[3] * J[7] - J[4] * J[6]);
}

std::array<double, 9> inverse3(int dim, const std::array<double, 9>& J) {
  const double f = 1 / determinant(dim, J);
  if (dim == 1) return {f};
  if (dim == 2) return {f * J[3], -f * J[1], -f * J[2], f * J[0]};
  return {f * (J[4] * J[8] - J[5] * J[7]), f * (J[2] * J[7] - J[1] * J[8]), f * (J[1] * J[5] - J[2] * J[4]),
          f * (J[5] * J[6] - J[3] * J[8]), f * (J[0] * J[8] - J[2] * J[6]), f * (J[2] * J[3] - J[0] * J[5]),
          f * (J[3] * J[7] - J[4] * J[6]), f * (J[1] * J[6] - J[0] * J[7]), f * (J[0] * J[4] - J[1] * J[3])};
}

double smallest_stretch(int dim, const std::array<double, 9>& J) {
  std::array<double, 9> JtJ = product(dim, transposed(dim, J), J), unused{};
  jacobi(dim, JtJ, unused);
  const int s = smallest_diagonal(dim, JtJ);
  return std::sqrt(std::max(0.0, JtJ[u(s * dim + s)]));
}

double largest_stretch(int dim, const std::array<double, 9>& J) {
  std::array<double, 9> JtJ = product(dim, transposed(dim, J), J), unused{};
  jacobi(dim, JtJ, unused);
  double largest = 0;
  for (int i = 0; i < dim; ++i) largest = std::max(largest, JtJ[u(i * dim + i)]);
  return std::sqrt(largest);
}

std::array<double, 9> widths(int dim, const std::array<double, 9>& J0inv) {
  std::array<double, 9> G = product(dim, transposed(dim, J0inv), J0inv), axes{}, B{};  // G = (J0 J0^T)^-1
  jacobi(dim, G, axes);
  for (int i = 0; i < dim; ++i)
    for (int m = 0; m < dim; ++m) B[u(i * dim + m)] = axes[u(i * dim + m)] * std::pow(G[u(m * dim + m)], -0.25);
  return B;
}

Spot spot_of(const ZoneTables& t, const Space& space, const double* x, Index zone, int point) {
  Spot out;
  const Index* map = &space.map[u(zone * space.zone_nodes)];
  for (int i = 0; i < t.nodes; ++i)
    for (int c = 0; c < space.dim; ++c) {
      const double at = x[c * space.nodes + map[i]];
      out.x[u(c)] += t.w(point, i) * at;
      for (int m = 0; m < space.dim; ++m) out.J[u(c * space.dim + m)] += t.grad[u(m)](point, i) * at;
    }
  return out;
}

namespace {
/// 0 up to `from`, 1 from `to` on, smooth between.
double ramp(double value, double from, double to) {
  const double y = std::clamp((value - from) / (to - from), 0.0, 1.0);
  return (3 - 2 * y) * y * y;
}
}  // namespace

double viscosity_share(const ZoneData& z, const Index* map, const double* v) {
  if (!z.smooth.vanishes()) return 1;
  const Matrix& P = z.tables->P;
  const int N = P.cols, k = P.rows;
  double highest = 0, all = 0;
  for (int c = 0; c < z.dim; ++c)
    for (int axis = 0, stride = 1; axis < z.dim; ++axis, stride *= N)
      for (int i = 0; i < z.zone_nodes; ++i) {
        if (i / stride % N != 0) continue;
        for (int j = 0; j < k; ++j) {
          double mode = 0;
          for (int a = 0; a < N; ++a) mode += P(j, a) * v[c * z.nodes + map[i + a * stride]];
          all += mode * mode;
          if (j == k - 1) highest += mode * mode;
        }
      }
  return all > 0 ? ramp(highest / all, z.smooth.rough_from, z.smooth.rough_to) : 1;
}

Stress stress_at(const Point& point, bool viscosity, bool vorticity_switch, int k) {
  const int n = point.dim;
  Stress out;
  const double det = determinant(n, point.J);
  if (!(det > 0)) return out;
  const auto Jinv = inverse3(n, point.J);
  for (int i = 0; i < n; ++i) out.sigma[u(i * n + i)] = -point.p;
  out.hoop = -point.p;
  if (viscosity) {
    const auto grad = product(n, point.dv, Jinv);
    std::array<double, 9> eps{}, vectors{};
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) eps[u(i * n + j)] = 0.5 * (grad[u(i * n + j)] + grad[u(j * n + i)]);
    auto values = eps;
    jacobi(n, values, vectors);
    const int s = smallest_diagonal(n, values);
    const double mu = values[u(s * n + s)];
    // The width of the zone at the start along the direction of strongest compression, carried along by the flow.
    const double width = image_length(n, transposed(n, inverse3(n, point.J0inv)), vectors, s);
    const double h = width / k * image_length(n, product(n, point.J, point.J0inv), vectors, s);
    double psi0 = 1;
    if (vorticity_switch) {
      double norm = 0, div = 0;
      for (int i = 0; i < n; ++i) {
        div += grad[u(i * n + i)];
        for (int j = 0; j < n; ++j) norm += grad[u(i * n + j)] * grad[u(i * n + j)];
      }
      if (norm > 0) psi0 = std::abs(div) / std::sqrt(norm);
    }
    const double epsilon = switch_width * point.c / h;
    const double y = std::clamp((mu - epsilon) / (2 * epsilon + 1e-300), 0.0, 1.0);
    const double smooth = (3 - 2 * y) * y * y;
    out.viscosity = 2 * point.rho * h * h * std::abs(mu) + 0.5 * point.rho * h * point.c * psi0 * (1 - smooth);
    if (point.smooth.vanishes())
      out.viscosity *= std::max(point.share, ramp(-mu * h / point.c, point.smooth.steep_from, point.smooth.steep_to));
    // W: in the axes of the zone, the components of the strain times the harmonic mean of the two widths, over that along s.
    const auto B = widths(n, point.J0inv);
    auto weighed = product(n, product(n, transposed(n, B), eps), B);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double both = 0;  // a_i + a_j
        for (int m = 0; m < n; ++m) both += B[u(m * n + i)] * B[u(m * n + i)] + B[u(m * n + j)] * B[u(m * n + j)];
        weighed[u(i * n + j)] *= 2 / (both * width);
      }
    weighed = product(n, product(n, B, weighed), transposed(n, B));
    for (int i = 0; i < n * n; ++i) out.sigma[u(i)] += out.viscosity * weighed[u(i)];
    if (point.turns > 0 && point.radius > 0) {
      const double radial_width = n == 1 ? width : B[2] * B[2] + B[3] * B[3];
      out.hoop += out.viscosity * radial_width / width * point.radial_velocity / point.radius;
    }
    // The fastest decay of a wave q: ε = (d q + q d)/2 gives Σ W_ij ε_ij² <= Σ a_j q_j² |d|² / width, with equality.
    const double per_length = k * largest_stretch(n, product(n, Jinv, B));
    out.viscous_rate = 2.5 * out.viscosity * per_length * per_length / (point.rho * width);
  }
  out.sound_rate = point.c * k / smallest_stretch(n, point.J);
  out.step = 1 / (out.sound_rate + out.viscous_rate + 1e-300);
  return out;
}

ZoneTables::ZoneTables(const Tables& t, int dim) {
  const auto raised = [&](int n) {
    int all = 1;
    for (int d = 0; d < dim; ++d) all *= n;
    return all;
  };
  nodes = raised(t.h1);
  energies = raised(t.l2);
  points = raised(t.q);
  // Entry (q, i) of a tensor product with `d` in place of `m` along one axis.
  const auto product = [&](int q, int i, const Matrix& m, const Matrix& d, int axis) {
    double value = 1;
    for (int a = 0; a < dim; ++a, q /= t.q, i /= m.cols) value *= (a == axis ? d : m)(q % t.q, i % m.cols);
    return value;
  };
  w = Matrix{points, nodes, std::vector<double>(u(Index{points} * nodes))};
  phi = Matrix{points, energies, std::vector<double>(u(Index{points} * energies))};
  for (int m = 0; m < dim; ++m) grad[u(m)] = w;
  for (int q = 0; q < points; ++q) {
    for (int i = 0; i < nodes; ++i) {
      w(q, i) = product(q, i, t.B, t.B, -1);
      for (int m = 0; m < dim; ++m) grad[u(m)](q, i) = product(q, i, t.B, t.G, m);
    }
    for (int j = 0; j < energies; ++j) phi(q, j) = product(q, j, t.L, t.L, -1);
  }
}

ZoneForce zone_force(const ZoneData& z, const ZoneTables& t, const Space& space, int lanes, Index lane, const double* x,
                     const double* v, const double* e) {
  const int n = z.dim;
  const Index zone = z.lane_zone[lane];
  const Index batch = lane / lanes, l = lane % lanes;
  const Index* map = &space.map[u(zone * t.nodes)];
  const LineRule& rule = z.tables->rule;
  ZoneForce out;
  out.A = Matrix{n * t.nodes, t.points, std::vector<double>(u(Index{n} * t.nodes * t.points))};
  out.F = Matrix{n * t.nodes, t.energies, std::vector<double>(u(Index{n} * t.nodes * t.energies))};
  out.step = 1e300;
  const double share = viscosity_share(z, map, v);
  for (int q = 0; q < t.points; ++q) {
    double alpha = 1;
    for (int d = 0, rest = q; d < n; ++d, rest /= z.tables->q) alpha *= rule.weights[u(rest % z.tables->q)];
    Point p;
    p.dim = n;
    p.turns = z.turns;
    p.smooth = z.smooth;
    p.share = share;
    for (int i = 0; i < t.nodes; ++i) {
      for (int c = 0; c < n; ++c)
        for (int m = 0; m < n; ++m) {
          p.J[u(c * n + m)] += t.grad[u(m)](q, i) * x[c * z.nodes + map[i]];
          p.dv[u(c * n + m)] += t.grad[u(m)](q, i) * v[c * z.nodes + map[i]];
        }
      if (z.turns > 0) {
        p.radius += t.w(q, i) * x[(n - 1) * z.nodes + map[i]];
        p.radial_velocity += t.w(q, i) * v[(n - 1) * z.nodes + map[i]];
      }
    }
    double energy = 0;
    for (int j = 0; j < t.energies; ++j) energy += t.phi(q, j) * e[zone * t.energies + j];
    const double det = determinant(n, p.J);
    const double volume = alpha * det * measure(z.turns, p.radius);
    p.rho = z.mass[(batch * t.points + q) * lanes + l] / volume;
    for (int i = 0; i < n * n; ++i) p.J0inv[u(i)] = z.J0inv[((batch * t.points + q) * n * n + i) * lanes + l];
    z.material[batch]->evaluate(std::span(&p.rho, 1), std::span(&energy, 1), std::span(&p.p, 1), std::span(&p.c, 1));
    const Stress s = stress_at(p, z.viscosity, z.vorticity_switch, z.tables->k);
    out.step = std::min(out.step, s.step);
    const auto Jinv = inverse3(n, p.J);
    for (int i = 0; i < t.nodes; ++i)
      for (int c = 0; c < n; ++c) {
        double value = 0;
        for (int j = 0; j < n; ++j) {
          double dw = 0;  // ∂w_i/∂x_j
          for (int m = 0; m < n; ++m) dw += t.grad[u(m)](q, i) * Jinv[u(m * n + j)];
          value += s.sigma[u(c * n + j)] * dw;
        }
        value *= volume;
        if (z.turns > 0 && c == n - 1)
          value += z.turns * measure(z.turns - 1, p.radius) * alpha * det * s.hoop * t.w(q, i);
        out.A(c * t.nodes + i, q) = value;
        for (int j = 0; j < t.energies; ++j) out.F(c * t.nodes + i, j) += value * t.phi(q, j);
      }
  }
  return out;
}

std::vector<double> times_one(const Matrix& F) {
  std::vector<double> out(u(F.rows), 0);
  for (int i = 0; i < F.rows; ++i)
    for (int j = 0; j < F.cols; ++j) out[u(i)] += F(i, j);
  return out;
}

std::vector<double> transposed_times(const Matrix& F, const std::vector<double>& v) {
  std::vector<double> out(u(F.cols), 0);
  for (int i = 0; i < F.rows; ++i)
    for (int j = 0; j < F.cols; ++j) out[u(j)] += F(i, j) * v[u(i)];
  return out;
}

Matrix zone_mass(const ZoneData& z, const ZoneTables& t, int lanes, Index lane) {
  const Index batch = lane / lanes, l = lane % lanes;
  Matrix M{t.nodes, t.nodes, std::vector<double>(u(Index{t.nodes} * t.nodes))};
  for (int q = 0; q < t.points; ++q) {
    const double m = z.mass[(batch * t.points + q) * lanes + l];
    for (int i = 0; i < t.nodes; ++i)
      for (int j = 0; j < t.nodes; ++j) M(i, j) += m * t.w(q, i) * t.w(q, j);
  }
  return M;
}

}  // namespace conoid::hydro_fem::reference
