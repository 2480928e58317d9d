// SPDX-License-Identifier: BSD-3-Clause
// The algebra of one quadrature point on a device: equation of state, viscosity, stress and the step it allows, a part a function.
// The formulas are those of kernels/lanes.hpp and kernels/zone_stress.hpp, of README.md.
#pragma once

#include "engine/team/kernel.hpp"

#include "engine/numerics/small_matrix.hpp"
#include "engine/solvers/hydro_fem/cuda/arguments.hpp"
#include "engine/solvers/hydro_fem/kernels/rest_rate.hpp"

namespace conoid::hydro_fem {

template <int D>
using DeviceMatrix = SmallMatrix<double, D>;

/// cos(acos(r)/3): see cos_third() of lanes.hpp.
__device__ inline double device_cos_third(double r) {
  constexpr double c[] = {0.7660444431189779,      0.24740906632284282,     -0.015509188436467463,
                          0.0024663528154168575,   -0.0005041246914453106,  0.00011642544892101741,
                          -2.8919935887220666e-05, 7.541104736032145e-06,   -2.035853649606789e-06,
                          5.640500361087097e-07,   -1.5965774713411207e-07, 4.610169068719472e-08,
                          -1.2993810472039513e-08, 3.57141982654241e-09,    -1.7846559785539284e-09,
                          6.777653993594868e-10,   4.814566523236863e-10,   -1.3078604865768284e-10,
                          -3.0873081868776353e-10, 3.795719294430455e-11,   6.195932655828074e-11};
  const double t = 2.0 * sqrt(0.5 * (1.0 + fmin(fmax(r, -1.0), 1.0))) - 1.0;
  double sum = c[20];
#pragma unroll
  for (int i = 19; i >= 0; --i) sum = sum * t + c[i];
  return sum;
}

/// Least (sign -1) or largest eigenvalue of a symmetric 3×3 (xx yy zz yz xz xy).
__device__ inline double device_extreme_eigen3(const double a[6], double sign) {
  const double mean = (a[0] + a[1] + a[2]) * (1.0 / 3.0);
  const double x = a[0] - mean, y = a[1] - mean, z = a[2] - mean;
  const double beside = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
  const double p = sqrt((x * x + y * y + z * z + 2.0 * beside) * (1.0 / 6.0));
  const double s = 1.0 / (p + 1e-150);
  const double xs = x * s, ys = y * s, zs = z * s, f = a[3] * s, g = a[4] * s, h = a[5] * s;
  const double r = 0.5 * (xs * (ys * zs - f * f) - h * (h * zs - f * g) + g * (h * f - ys * g));
  return mean + (2.0 * sign) * p * device_cos_third(sign * r);
}

/// One Jacobi rotation that zeroes a_pq, and the same of the columns p, q of v.
__device__ inline void device_rotate(double& app, double& aqq, double& apq, double& arp, double& arq, double* vp,
                                     double* vq) {
  const double d = aqq - app;
  const double root = sqrt(d * d + 4.0 * apq * apq);
  const double t = 2.0 * apq * (d < 0 ? -1.0 : 1.0) / (fabs(d) + root + 1e-300);
  const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  app = app - t * apq;
  aqq = aqq + t * apq;
  apq = 0;
  const double p = arp;
  arp = c * p - s * arq;
  arq = s * p + c * arq;
  for (int i = 0; i < 3; ++i) {
    const double x = vp[i];
    vp[i] = c * x - s * vq[i];
    vq[i] = s * x + c * vq[i];
  }
}

/// Smallest eigenvalue and its vector by rotations, where it is nearly double.
__device__ __noinline__ inline void device_jacobi3(const double in[6], double& mu, double* s) {
  double a[6], v[3][3];  // v: a column a row here
  for (int i = 0; i < 6; ++i) a[i] = in[i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) v[i][j] = i == j ? 1.0 : 0.0;
  for (int sweep = 0; sweep < 6; ++sweep) {
    const double off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5];
    const double diagonal = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    if (!(off > 1e-32 * diagonal)) break;
    device_rotate(a[0], a[1], a[5], a[4], a[3], v[0], v[1]);
    device_rotate(a[0], a[2], a[4], a[5], a[3], v[0], v[2]);
    device_rotate(a[1], a[2], a[3], a[5], a[4], v[1], v[2]);
  }
  mu = a[0];
  for (int i = 0; i < 3; ++i) s[i] = v[0][i];
  for (int m = 1; m < 3; ++m)
    if (a[m] < mu) {
      mu = a[m];
      for (int i = 0; i < 3; ++i) s[i] = v[m][i];
    }
}

/// Smallest eigenvalue of the strain rate, and the direction of strongest compression (not normalised, never zero nor so short that its
/// square is lost: rest_rate).
template <int D>
__device__ inline void device_compression(const double* grad, double& mu, double* s) {
  if constexpr (D == 1) {
    mu = grad[0];
    s[0] = 1;
  } else if constexpr (D == 2) {
    const double a = grad[0], b = 0.5 * (grad[1] + grad[2]), c = grad[3];
    const double mean = 0.5 * (a + c), half = 0.5 * (a - c), radius = sqrt(half * half + b * b);
    mu = mean - radius;
    s[0] = half >= 0 ? -b : radius - half;
    s[1] = half >= 0 ? half + radius : -b;
    if (fabs(s[0]) < rest_rate && fabs(s[1]) < rest_rate) s[0] = 1;
  } else {
    const double a[6] = {
        grad[0], grad[4], grad[8], 0.5 * (grad[5] + grad[7]), 0.5 * (grad[2] + grad[6]), 0.5 * (grad[1] + grad[3])};
    mu = device_extreme_eigen3(a, -1.0);
    const double x = a[0] - mu, y = a[1] - mu, z = a[2] - mu;
    s[0] = a[5] * a[3] - a[4] * y;
    s[1] = a[4] * a[5] - x * a[3];
    s[2] = x * y - a[5] * a[5];
    double best = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    {
      const double c0 = a[5] * z - a[4] * a[3], c1 = a[4] * a[4] - x * z, c2 = x * a[3] - a[5] * a[4];
      const double n = c0 * c0 + c1 * c1 + c2 * c2;
      if (n > best) {
        best = n;
        s[0] = c0;
        s[1] = c1;
        s[2] = c2;
      }
    }
    {
      const double c0 = y * z - a[3] * a[3], c1 = a[3] * a[4] - a[5] * z, c2 = a[5] * a[3] - y * a[4];
      const double n = c0 * c0 + c1 * c1 + c2 * c2;
      if (n > best) {
        best = n;
        s[0] = c0;
        s[1] = c1;
        s[2] = c2;
      }
    }
    const double size = x * x + y * y + z * z + 2.0 * (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
    if (best <= 1e-10 * size * size || best < rest_rate * rest_rate * rest_rate * rest_rate) {
      device_jacobi3(a, mu, s);
      return;
    }
    const double As0 = a[0] * s[0] + a[5] * s[1] + a[4] * s[2];
    const double As1 = a[5] * s[0] + a[1] * s[1] + a[3] * s[2];
    const double As2 = a[4] * s[0] + a[3] * s[1] + a[2] * s[2];
    mu = (s[0] * As0 + s[1] * As1 + s[2] * As2) / best;
  }
}

template <int D>
__device__ inline double device_largest_singular(const double* J) {
  if constexpr (D == 1) return fabs(J[0]);
  if constexpr (D == 2) {
    const double s1 = sqrt((J[0] + J[3]) * (J[0] + J[3]) + (J[1] - J[2]) * (J[1] - J[2]));
    const double s2 = sqrt((J[0] - J[3]) * (J[0] - J[3]) + (J[1] + J[2]) * (J[1] + J[2]));
    return 0.5 * (s1 + s2);
  }
  if constexpr (D == 3) {
    double a[6];
    const int first[6] = {0, 1, 2, 1, 0, 0}, second[6] = {0, 1, 2, 2, 2, 1};
    for (int m = 0; m < 6; ++m) {
      const int i = first[m], j = second[m];
      a[m] = J[i] * J[j] + J[3 + i] * J[3 + j] + J[6 + i] * J[6 + j];
    }
    return sqrt(device_extreme_eigen3(a, 1.0));
  }
}

/// Smallest singular value; A is the adjugate.
template <int D>
__device__ inline double device_smallest_singular(const double* J, const double* A, double determinant) {
  if constexpr (D == 1) return fabs(J[0]);
  if constexpr (D == 2) return fabs(determinant) / (device_largest_singular<2>(J) + 1e-300);
  if constexpr (D == 3) {
    const double largest = device_largest_singular<3>(J);
    const double inv1 = 1.0 / (largest * largest + 1e-300);
    double minors = 0;
    for (int i = 0; i < 9; ++i) minors += A[i] * A[i];
    const double product = determinant * determinant * inv1;
    const double sum = (minors - product) * inv1;
    const double apart = sqrt(fmax(sum * sum - 4.0 * product, 0.0));
    return sqrt(2.0 * product / (sum + apart + 1e-300));
  }
}

/// p and c of a material; see eos.cpp. `outside` is set where a table does not hold the state.
__device__ inline int device_axis(const double* axis, int count, double x) {
  int low = 0, high = count;  // the first value above x
  while (low < high) {
    const int middle = (low + high) / 2;
    if (axis[middle] > x)
      high = middle;
    else
      low = middle + 1;
  }
  const int at = low - 1;
  return at < 0 ? 0 : at > count - 2 ? count - 2 : at;
}
__device__ inline bool device_within(const double* axis, int count, double x) {
  constexpr double slack = 1e-9;
  return x >= axis[0] - slack * fabs(axis[0]) && x <= axis[count - 1] + slack * fabs(axis[count - 1]);
}
__device__ inline void device_state(const MaterialArguments& m, const double* tables, double rho, double energy,
                                    double& p, double& c, bool& outside) {
  outside = false;
  if (m.kind == 0) {
    const double e = fmax(0.0, energy);
    p = (m.gamma - 1) * rho * e - m.gamma * m.p_infinity;
    const double c2 = m.gamma * (p + m.p_infinity) / rho;
    c = sqrt(c2 > 0 ? c2 : 0.0);
    return;
  }
  if (m.kind == 2) {
    const double* const j = tables + m.at;  // density, A, B, R1, R2
    const double w = m.gamma, volume = j[0] / rho;
    const double first = j[1] * exp(-j[3] * volume), second = j[2] * exp(-j[4] * volume);
    const double s1 = w / (j[3] * volume), s2 = w / (j[4] * volume);
    p = first * (1 - s1) + second * (1 - s2) + w * rho * energy;
    const double slope = first * (j[3] * volume * (1 - s1) - s1) + second * (j[4] * volume * (1 - s2) - s2);
    const double c2 = slope / rho + w * energy + w * p / rho;
    c = sqrt(c2 > 0 ? c2 : 0.0);
    return;
  }
  const double* const densities = tables + m.at;
  const double* const energies = densities + m.densities;
  const double* const pressures = energies + m.energies;
  const double* const speeds = pressures + static_cast<long long>(m.densities) * m.energies;
  const int i = device_axis(densities, m.densities, rho), j = device_axis(energies, m.energies, energy);
  const double f = fmin(fmax((rho - densities[i]) / (densities[i + 1] - densities[i]), 0.0), 1.0);
  const double g = fmin(fmax((energy - energies[j]) / (energies[j + 1] - energies[j]), 0.0), 1.0);
  const long long at = static_cast<long long>(i) * m.energies + j;
  const auto blend = [&](const double* t) {
    const double low = t[at] * (1 - g) + t[at + 1] * g;
    const double high = t[at + m.energies] * (1 - g) + t[at + m.energies + 1] * g;
    return low * (1 - f) + high * f;
  };
  p = blend(pressures);
  c = blend(speeds);
  outside =
      m.limited != 0 && !(device_within(densities, m.densities, rho) && device_within(energies, m.energies, energy));
}

/// |J0^T s| / |s| = |B B^T s| / |s|, from |s|².
template <int D>
__device__ inline double device_width_along(const double* B, const double* s, double length) {
  double back[D], sum = 0;
  for (int m = 0; m < D; ++m) {
    back[m] = 0;
    for (int i = 0; i < D; ++i) back[m] += B[i * D + m] * s[i];
  }
  for (int i = 0; i < D; ++i) {
    double image = 0;
    for (int m = 0; m < D; ++m) image += B[i * D + m] * back[m];
    sum += image * image;
  }
  return sqrt(sum / length);
}

/// W(ε): B (2/(a_i + a_j) ∘ B^T ε B) B^T / width in place of ε.
template <int D>
__device__ inline void device_weigh(const double* B, double width, double* strain) {
  double a[D], half[D * D], inner[D * D];
  for (int i = 0; i < D; ++i) {
    a[i] = 0;
    for (int m = 0; m < D; ++m) a[i] += B[m * D + i] * B[m * D + i];
  }
  DeviceMatrix<D>::product(strain, B, half);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      double sum = 0;
      for (int m = 0; m < D; ++m) sum += B[m * D + i] * half[m * D + j];
      inner[i * D + j] = 2.0 * sum / ((a[i] + a[j]) * width);
    }
  DeviceMatrix<D>::product(B, inner, half);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      double sum = 0;
      for (int m = 0; m < D; ++m) sum += half[i * D + m] * B[j * D + m];
      strain[i * D + j] = sum;
    }
}

/// A point of the moving zone. J = ∂x/∂ξ, dv = ∂v/∂ξ, J0inv and B (null in cubes) of the start, with a stride of `stride`.
template <int D>
struct DevicePoint {
  double J[D * D], dv[D * D];
  double energy, mass, weight;
  double radius, radial_velocity;  ///< 1 and 0 in planar flow
  double measure, hoop_measure;    ///< r^turns and turns r^(turns - 1); 1 in planar flow
  double burnt;                    ///< share of the pressure that is there
  bool turned;
  const double *J0inv, *widths;
  int stride, k;
  bool viscosity, vorticity_switch;
  bool vanishes;                       ///< viscosity does, in smooth flow
  double share, steep_from, steep_to;  ///< of the zone; Smoothness
};

/// 0 up to `from`, 1 from `to` on, smooth between.
__device__ inline double device_ramp(double value, double from, double to) {
  const double y = fmin(fmax((value - from) / (to - from), 0.0), 1.0);
  return (3.0 - 2.0 * y) * y * y;
}

/// ν and W(ε): README.md. Adds ν W(ε) to σ and its part of σ_θθ; returns ν, and 1/length² of its step in `per_area` (0: by the
/// smallest side).
template <int D>
__device__ inline double device_viscosity(const DevicePoint<D>& at, const double* A, double invdet, double rho,
                                          double c, double* sigma, double& hoop_stress, double& per_area) {
  double grad[D * D];  // ∂v_i/∂x_j
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      double g = 0;
      for (int m = 0; m < D; ++m) g += at.dv[i * D + m] * A[m * D + j];
      grad[i * D + j] = g * invdet;
    }
  double mu, s[D];
  device_compression<D>(grad, mu, s);
  double moved = 0, length = 0, back_length = 0, back[D];
  for (int m = 0; m < D; ++m) {
    back[m] = 0;
    for (int j = 0; j < D; ++j) back[m] += at.J0inv[(m * D + j) * at.stride] * s[j];
    length += s[m] * s[m];
    back_length += back[m] * back[m];
  }
  for (int i = 0; i < D; ++i) {
    double image = 0;
    for (int m = 0; m < D; ++m) image += at.J[i * D + m] * back[m];
    moved += image * image;
  }
  double B[D * D];
  double width = sqrt(length / back_length);
  if (at.widths != nullptr) {
    for (int m = 0; m < D * D; ++m) B[m] = at.widths[m * at.stride];
    width = device_width_along<D>(B, s, length);
  }
  const double h = width * sqrt(moved / length) / at.k;
  double switch_factor = 1;
  if (at.vorticity_switch) {
    double norm = 0, div = 0;
    for (int i = 0; i < D; ++i) {
      div += grad[i * D + i];
      for (int j = 0; j < D; ++j) norm += grad[i * D + j] * grad[i * D + j];
    }
    norm = sqrt(norm);
    if (norm > 0) switch_factor = fabs(div) / (norm + 1e-300);
  }
  constexpr double switch_width = 1e-12;  // as zone_kernels.hpp has it
  const double eps = switch_width * c / h;
  const double y = fmin(fmax((mu - eps) / (2.0 * eps + 1e-300), 0.0), 1.0);
  const double smooth = (3.0 - 2.0 * y) * y * y;
  double nu = 2.0 * rho * h * h * fabs(mu) + 0.5 * rho * h * c * switch_factor * (1.0 - smooth);
  if (at.vanishes) nu *= fmax(at.share, device_ramp(-mu * h / (c + 1e-300), at.steep_from, at.steep_to));
  double strain[D * D], hoop_share = 1;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) strain[i * D + j] = 0.5 * (grad[i * D + j] + grad[j * D + i]);
  per_area = 0;
  if (at.widths != nullptr) {
    device_weigh<D>(B, width, strain);
    if constexpr (D == 2) hoop_share = (B[2] * B[2] + B[3] * B[3]) / width;
    double stretched[D * D];  // |J| J^-1 B
    DeviceMatrix<D>::product(A, B, stretched);
    const double largest = device_largest_singular<D>(stretched) * invdet;
    per_area = largest * largest / width;
  }
  for (int i = 0; i < D * D; ++i) sigma[i] += nu * strain[i];
  if (at.turned) hoop_stress += nu * hoop_share * at.radial_velocity / at.radius;
  return nu;
}

/// S = w |J| σ J^-T r^turns and turns w |J| σ_θθ r^(turns - 1); returns the step the point allows (0 where it is tangled).
template <int D>
__device__ inline double device_stress(const DevicePoint<D>& at, const MaterialArguments& material,
                                       const double* material_tables, double* S, double& hoop, bool& outside) {
  double A[D * D], sigma[D * D];
  const double det = DeviceMatrix<D>::det(at.J);
  DeviceMatrix<D>::adjugate(at.J, A);
  const double rho = at.mass / (at.weight * det * at.measure);
  double p, c;
  device_state(material, material_tables, rho, at.energy, p, c, outside);
  p *= at.burnt;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) sigma[i * D + j] = i == j ? -p : 0.0;
  double hoop_stress = -p, nu = 0, per_area = 0;
  if (at.viscosity) nu = device_viscosity<D>(at, A, 1.0 / det, rho, c, sigma, hoop_stress, per_area);
  const double scale = at.weight * at.measure;
  for (int i = 0; i < D; ++i)
    for (int m = 0; m < D; ++m) {
      double value = 0;
      for (int j = 0; j < D; ++j) value += sigma[i * D + j] * A[m * D + j];
      S[i * D + m] = scale * value;
    }
  hoop = at.weight * det * at.hoop_measure * hoop_stress;
  const double h_min = device_smallest_singular<D>(at.J, A, det) / at.k;
  const bool wide = at.viscosity && at.widths != nullptr;
  const double viscous = nu / rho * (wide ? per_area * (at.k * at.k) : 1.0 / (h_min * h_min));
  const double step = det > 0 ? 1.0 / (c / h_min + 2.5 * viscous + 1e-300) : 0.0;
  return step == step ? step : 0.0;
}

}  // namespace conoid::hydro_fem
